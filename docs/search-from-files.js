// Lets search work where the site is read from a folder: browsers start no worker from `file:`, so its script runs in a
// hidden frame. The theme asks for a class of this name.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const answering = "postMessage = (message) => parent.postMessage(message, '*')";
      frame.srcdoc = `<script>${answering}</script><script src="${url}"></script>`;
      this.ready = new Promise((resolve) => frame.addEventListener("load", () => resolve(frame.contentWindow)));
      window.addEventListener("message", (event) => {
        if (event.source !== frame.contentWindow) return;
        event.stopImmediatePropagation();
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
      document.body.append(frame);
    }

    postMessage(message) {
      // its own postMessage answers
      this.ready.then((worker) => worker.dispatchEvent(new MessageEvent("message", { data: message })));
    }
  };
  window.Worker = window.IFrameWorker;
}

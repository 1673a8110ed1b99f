// The reader's files beyond the tab: the browser keeps them, and a link's wait until the reader has read them.

import { byId, element } from "../elements";
import type { OwnFile } from "../protocol";
import { filesOf, textOf } from "../scenario/link";

const STORE = "vegaslab.own";

export function isScript(file: OwnFile): boolean {
  return typeof file.content === "string";
}

/** Keeps the files of JavaScript. Returns false where the browser refuses: a frame without an origin, a full store. */
export function keep(files: OwnFile[]): boolean {
  try {
    localStorage.setItem(STORE, textOf(files.filter(isScript)));
    return true;
  } catch {
    return false;
  }
}

export function kept(): OwnFile[] {
  try {
    return filesOf(localStorage.getItem(STORE) ?? "[]");
  } catch {
    return [];
  }
}

/** Shows the files of a link, and returns whether the reader lets them run. A later link takes the place of one that
 * waits. */
export function agreed(files: OwnFile[]): Promise<boolean> {
  const panel = byId("offer");
  panel.hidden = false;
  return new Promise((resolve) => {
    const choice = (label: string, isAgreed: boolean) => {
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", () => {
        panel.hidden = true;
        resolve(isAgreed);
      });
      return button;
    };
    const names = files.map(({ name }) => name).join(", ");
    const what = `The link brings an algorithm, ${names}. Read it before you run it: it sees no network, no file, no clock.`;
    panel.replaceChildren(
      element("p", {}, what),
      ...files.map(({ content }) => element("pre", { tabindex: "0" }, String(content))),
      element("p", {}, choice("Run it", true), " ", choice("Leave it out", false)),
    );
  });
}

// The page's side of a worker: questions as promises, runs as events. A worker that trapped is replaced.

import type { Description, Edit, Failure, FromWorker, Preset, Question, Rows, Summary, ToWorker } from "./protocol";

/** What the page is told of a run. */
export interface Listener {
  begun(description: Description): void;
  rows(rows: Rows, now_s: number): void;
  ended(summary: Summary, now_s: number): void;
  failed(failure: Failure): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(failure: Failure): void;
}

/** How fast runs go: simulated seconds a second, Infinity as fast as possible. */
export interface Pace {
  speed: number;
  paused: boolean;
}

export class Engine {
  /** Started when it is first needed: a page mostly needs one. */
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private run = 0;
  private listener: Listener | undefined;

  constructor(
    private readonly source: string,
    private readonly wasm: Uint8Array,
    private readonly traces: Record<string, string>,
  ) {}

  check(text: string): Promise<Description> {
    return this.ask({ ask: "check", text }) as Promise<Description>;
  }

  edit(text: string, edits: Edit[]): Promise<string> {
    return this.ask({ ask: "edit", text, edits }) as Promise<string>;
  }

  presets(): Promise<Preset[]> {
    return this.ask({ ask: "presets" }) as Promise<Preset[]>;
  }

  /** A table of the newest run, which has ended. */
  table(name: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.ask({ ask: "table", name }) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** Begins a run in place of an earlier one, of which nothing more is heard. */
  begin(text: string, hand: number | null, pace: Pace, listener: Listener): void {
    this.run += 1;
    this.listener = listener;
    this.tell({ order: "begin", run: this.run, text, hand, ...pace });
  }

  /** Runs a scenario to its end. */
  finish(text: string): Promise<Summary> {
    return new Promise((resolve, reject) => {
      const ignored = () => undefined;
      this.begin(text, null, { speed: Infinity, paused: false }, { begun: ignored, rows: ignored, ended: resolve, failed: reject });
    });
  }

  close(): void {
    this.worker?.terminate();
  }

  setPace(pace: Pace): void {
    if (this.worker) this.tell({ order: "pace", ...pace });
  }

  /** Sets the window of the flow that is steered by hand. */
  steer(segments: number): void {
    this.tell({ order: "steer", segments });
  }

  stop(): void {
    this.run += 1;
    this.listener = undefined;
    if (this.worker) this.tell({ order: "pace", speed: 1, paused: true });
  }

  private start(): Worker {
    // a page from a file may start no worker from another file
    const worker = new Worker(URL.createObjectURL(new Blob([this.source], { type: "text/javascript" })));
    worker.onmessage = (event: MessageEvent) => this.hear(event.data as FromWorker);
    worker.onerror = (event) => this.replace({ message: event.message, line: null, key: "" });
    worker.postMessage({ wasm: this.wasm, traces: this.traces });
    return worker;
  }

  private ask(question: Question): Promise<unknown> {
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.tell({ id, ...question });
    });
  }

  private tell(message: ToWorker): void {
    this.worker ??= this.start();
    this.worker.postMessage(message);
  }

  private hear(message: FromWorker): void {
    if ("fatal" in message) this.replace(message.fatal);
    else if ("reply" in message) this.settle(message);
    else if ("run" in message && message.run === this.run) this.report(message);
  }

  private settle(message: Extract<FromWorker, { reply: number }>): void {
    const waiting = this.waiting.get(message.reply);
    this.waiting.delete(message.reply);
    if (message.good) waiting?.resolve(message.value);
    else waiting?.reject(message.failure);
  }

  private report(message: Extract<FromWorker, { run: number }>): void {
    switch (message.event) {
      case "begun":
        return this.listener?.begun(message.description);
      case "rows":
        return this.listener?.rows(message, message.now_s);
      case "ended":
        this.listener?.rows(message, message.now_s);
        return this.listener?.ended(message.summary, message.now_s);
      case "failed":
        return this.listener?.failed(message.failure);
    }
  }

  /** The next one starts when it is needed. */
  private replace(failure: Failure): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const waiting of this.waiting.values()) waiting.reject(failure);
    this.waiting.clear();
    this.listener?.failed(failure);
  }
}

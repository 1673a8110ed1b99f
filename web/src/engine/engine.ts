// The page's side of a worker: requests as promises, runs as events. The page replaces a worker that trapped.

import type { Description, Edit, Failure, FromWorker, OwnAnswer, OwnFile, Preset, Question, Rows, Summary, ToWorker } from "../protocol";

/** The events of a run, as the page receives them. */
export interface Listener {
  begun(description: Description): void;
  rows(rows: Rows, now_s: number): void;
  ended(summary: Summary, now_s: number): void;
  failed(failure: Failure): void;
}

interface Waiting {
  question: Question;
  resolve(value: unknown): void;
  reject(failure: Failure): void;
}

/** The speed of runs: simulated seconds a second, Infinity as fast as possible. */
export interface Pace {
  speed: number;
  paused: boolean;
}

/** The time without a message after which a worker with the reader's algorithms is taken to be in an endless loop in
 * one of them. */
const SILENCE_S = 10;

export class Engine {
  /** Started when it is first needed: most pages need only one. */
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private run = 0;
  private listener: Listener | undefined;
  /** The reader's files. */
  private files: OwnFile[] = [];
  /** Whether a run is in progress and not paused. */
  private isRunning = false;
  /** Seconds since the worker's last message; the page counts them itself, so that a sleeping machine counts none. */
  private silent_s = 0;
  private watching: number | undefined;

  constructor(
    private readonly source: string,
    private readonly wasm: Uint8Array,
    private readonly traces: Record<string, string>,
  ) {}

  /** Replaces the reader's files. */
  own(files: OwnFile[]): Promise<OwnAnswer[]> {
    const mayBeStuck = this.files.length > 0 && (this.isRunning || this.waiting.size > 0);
    if (!mayBeStuck) this.worker ??= this.start();
    this.files = files;
    if (mayBeStuck) this.restart();
    return this.ask({ ask: "own", files }) as Promise<OwnAnswer[]>;
  }

  /** Replaces the reader's files without starting a worker; a later one gets them when it starts. */
  know(files: OwnFile[]): void {
    // the other side's engine reports what is wrong with them
    if (this.worker) this.own(files).catch(() => undefined);
    else this.files = files;
  }

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

  /** Begins a run that replaces an earlier one; later messages of the earlier run are ignored. */
  begin(text: string, hand: number | null, pace: Pace, listener: Listener): void {
    this.run += 1;
    this.listener = listener;
    this.isRunning = !pace.paused;
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
    clearInterval(this.watching);
    this.worker?.terminate();
  }

  setPace(pace: Pace): void {
    this.isRunning = !pace.paused;
    if (this.worker) this.tell({ order: "pace", ...pace });
  }

  /** Sets the window of the flow that the reader steers. */
  steer(segments: number): void {
    this.tell({ order: "steer", segments });
  }

  stop(): void {
    this.run += 1;
    this.listener = undefined;
    this.isRunning = false;
    if (this.worker) this.tell({ order: "pace", speed: 1, paused: true });
  }

  private start(): Worker {
    // a page from a file may not start a worker from another file
    const worker = new Worker(URL.createObjectURL(new Blob([this.source], { type: "text/javascript" })));
    worker.onmessage = (event: MessageEvent) => this.hear(event.data as FromWorker);
    worker.onerror = (event) => this.replace({ message: event.message, line: null, key: "" });
    worker.postMessage({ wasm: this.wasm, traces: this.traces });
    if (this.files.length > 0) worker.postMessage({ id: 0, ask: "own", files: this.files } satisfies ToWorker);
    return worker;
  }

  /** Starts another worker, which gets all questions again: the old one may be in an endless loop of an earlier file. */
  private restart(): void {
    this.worker?.terminate();
    this.isRunning = false;
    this.worker = this.start();
    for (const [id, { question }] of this.waiting) {
      const newest = question.ask === "own" ? { ...question, files: this.files } : question;
      this.worker.postMessage({ id, ...newest } satisfies ToWorker);
    }
  }

  /** Watches a worker with the reader's algorithms; nothing else could stop an endless loop in them. */
  private watch(): void {
    if (this.watching !== undefined || this.files.length === 0) return;
    this.silent_s = 0;
    this.watching = setInterval(() => {
      const isBusy = this.isRunning || this.waiting.size > 0;
      this.silent_s = isBusy ? this.silent_s + 1 : 0;
      if (this.silent_s < SILENCE_S) return;
      const [file = { name: "" }] = this.files;
      const message = `${this.files.map(({ name }) => name).join(", ")}: no answer for ${SILENCE_S} s; is there a loop without an end?`;
      // the next attempt would not end, either
      this.files = [];
      this.replace({ message, line: null, key: "", file: file.name });
    }, 1000);
  }

  private ask(question: Question): Promise<unknown> {
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { question, resolve, reject });
      this.tell({ id, ...question });
    });
  }

  private tell(message: ToWorker): void {
    this.worker ??= this.start();
    this.worker.postMessage(message);
    this.watch();
  }

  private hear(message: FromWorker): void {
    this.silent_s = 0;
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
        this.isRunning = false;
        this.listener?.rows(message, message.now_s);
        return this.listener?.ended(message.summary, message.now_s);
      case "failed":
        this.isRunning = false;
        return this.listener?.failed(message.failure);
    }
  }

  /** The next worker starts when it is needed. */
  private replace(failure: Failure): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.isRunning = false;
    clearInterval(this.watching);
    this.watching = undefined;
    for (const waiting of this.waiting.values()) waiting.reject(failure);
    this.waiting.clear();
    this.listener?.failed(failure);
  }
}

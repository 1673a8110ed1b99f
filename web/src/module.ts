// The engine's WebAssembly module: its functions of numbers as functions of texts and rows.

import type { Description, Edit, Failure, Preset, Rows, Summary } from "./protocol";

interface Exports {
  memory: WebAssembly.Memory;
  input(bytes: number): number;
  answer(): number;
  answer_bytes(): number;
  set_up(): void;
  keep_trace(): number;
  check(): number;
  edit(): number;
  presets(): number;
  begin(hand: number): number;
  advance(events: number): number;
  now_s(): number;
  take_rows(table: number): number;
  rows(): number;
  steer(segments: number): void;
  finish(wall_s: number): number;
  table(): number;
}

const NO_FLOW = 0xffff_ffff;

/** What the engine refuses. */
export class Refused extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** One engine. After a trap (`WebAssembly.RuntimeError`) it is of no use any more. */
export class Module {
  private constructor(private readonly wasm: Exports) {}

  static async load(bytes: Uint8Array<ArrayBuffer>, traces: Record<string, string>): Promise<Module> {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    const module = new Module(instance.exports as unknown as Exports);
    module.wasm.set_up();
    for (const [name, text] of Object.entries(traces)) {
      module.give(`${name}\0${text}`);
      module.answered(module.wasm.keep_trace());
    }
    return module;
  }

  check(text: string): Description {
    this.give(text);
    return this.json(this.wasm.check()) as Description;
  }

  edit(text: string, edits: Edit[]): string {
    this.give(JSON.stringify({ text, edits }));
    return decode(this.answered(this.wasm.edit()));
  }

  presets(): Preset[] {
    return this.json(this.wasm.presets()) as Preset[];
  }

  /** Begins a run; `hand` is the flow that is steered by hand. */
  begin(text: string, hand: number | null): Description {
    this.give(text);
    return this.json(this.wasm.begin(hand ?? NO_FLOW)) as Description;
  }

  /** Handles at most this many events; whether the run is at its end. */
  advance(events: number): boolean {
    const reached = this.wasm.advance(events);
    if (reached === 0) this.answered(0);
    return reached === 2;
  }

  get now_s(): number {
    return this.wasm.now_s();
  }

  /** Rows that were not taken yet, as arrays of their own. */
  takeRows(): Rows {
    return { flows: this.table_rows(0), links: this.table_rows(1) };
  }

  /** Sets the window of the flow that is steered by hand. */
  steer(segments: number): void {
    this.wasm.steer(segments);
  }

  finish(wall_s: number): Summary {
    return this.json(this.wasm.finish(wall_s)) as Summary;
  }

  /** A table of the finished run as a file, such as `flows.csv`. */
  table(name: string): Uint8Array<ArrayBuffer> {
    this.give(name);
    return this.answered(this.wasm.table());
  }

  /** What a panic said before its trap. */
  lastWords(): Failure {
    try {
      return JSON.parse(decode(this.answer())) as Failure;
    } catch {
      return { message: "the engine stopped; please report it", line: null, key: "" };
    }
  }

  private give(text: string): void {
    const bytes = new TextEncoder().encode(text);
    const at = this.wasm.input(bytes.length);
    new Uint8Array(this.wasm.memory.buffer, at, bytes.length).set(bytes);
  }

  private answer(): Uint8Array<ArrayBuffer> {
    const length = this.wasm.answer_bytes();
    return new Uint8Array(this.wasm.memory.buffer as ArrayBuffer, this.wasm.answer(), length).slice();
  }

  private answered(good: number): Uint8Array<ArrayBuffer> {
    const bytes = this.answer();
    if (!good) throw new Refused(JSON.parse(decode(bytes)) as Failure);
    return bytes;
  }

  private json(good: number): unknown {
    return JSON.parse(decode(this.answered(good)));
  }

  private table_rows(table: number): Float64Array {
    const count = this.wasm.take_rows(table);
    return new Float64Array(this.wasm.memory.buffer, this.wasm.rows(), count).slice();
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

// The engine's WebAssembly module: wraps its functions of numbers as functions of texts and rows.

import { Host, type Program } from "../own/host";
import type { Description, Edit, Failure, Preset, Rows, Summary } from "../protocol";
import { wasi } from "./wasi";

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  input(bytes: number): number;
  answer(): number;
  answer_bytes(): number;
  set_up(): void;
  keep_trace(): number;
  keep_algorithm(): number;
  forget_algorithms(): void;
  slots(): number;
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
/** The count of an event's numbers (`crates/vegas-web/src/own.rs`). */
const SLOTS = 24;

/** An error that the engine reports. */
export class Refused extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** One engine. After a trap (`WebAssembly.RuntimeError`) it cannot be used any more. */
export class Module {
  private slots = new Float64Array();

  private constructor(
    private readonly wasm: Exports,
    /** The reader's algorithms. */
    readonly host: Host,
  ) {}

  static async load(bytes: Uint8Array<ArrayBuffer>, traces: Record<string, string>): Promise<Module> {
    const host = new Host(() => module.currentSlots());
    const compiled = await WebAssembly.compile(bytes);
    const imports = { own: host.imports, ...wasi(compiled, () => module.wasm.memory) };
    const instance = await WebAssembly.instantiate(compiled, imports);
    const module = new Module(instance.exports as unknown as Exports, host);
    module.wasm._initialize();
    module.wasm.set_up();
    for (const [name, text] of Object.entries(traces)) {
      module.give(`${name}\0${text}`);
      module.answered(module.wasm.keep_trace());
    }
    return module;
  }

  /** Forgets the reader's algorithms. */
  forget(): void {
    this.wasm.forget_algorithms();
  }

  /** Keeps algorithms of the reader, which scenarios may then name. */
  keep(programs: Program[]): void {
    for (const program of programs) {
      const { language, name, label, needs } = program;
      const described = new TextEncoder().encode(`${JSON.stringify({ language, name, label, needs, program: this.host.take(program) })}\0`);
      this.giveBytes(described, program.content);
      this.answered(this.wasm.keep_algorithm());
    }
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

  /** Begins a run; `hand` is the flow that the reader steers. */
  begin(text: string, hand: number | null): Description {
    this.host.begin();
    this.give(text);
    return this.json(this.wasm.begin(hand ?? NO_FLOW)) as Description;
  }

  /** Handles at most this many events; returns whether the run is at its end. */
  advance(events: number): boolean {
    const reached = this.wasm.advance(events);
    if (reached === 0) this.answered(0);
    return reached === 2;
  }

  get now_s(): number {
    return this.wasm.now_s();
  }

  /** Rows that were not taken yet, copied into arrays of their own. */
  takeRows(): Rows {
    return { flows: this.table_rows(0), links: this.table_rows(1) };
  }

  /** Sets the window of the flow that the reader steers. */
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

  /** The message of a panic before its trap. */
  lastWords(): Failure {
    try {
      return JSON.parse(decode(this.answer())) as Failure;
    } catch {
      return { message: "the engine stopped; please report it", line: null, key: "" };
    }
  }

  /** The numbers of an event in the engine's memory; their address changes when the memory grows. */
  private currentSlots(): Float64Array {
    const { buffer } = this.wasm.memory;
    if (this.slots.buffer !== buffer) this.slots = new Float64Array(buffer, this.wasm.slots(), SLOTS);
    return this.slots;
  }

  private give(text: string): void {
    this.giveBytes(new TextEncoder().encode(text));
  }

  private giveBytes(...parts: Uint8Array[]): void {
    let at = this.wasm.input(parts.reduce((sum, { length }) => sum + length, 0));
    for (const part of parts) {
      new Uint8Array(this.wasm.memory.buffer, at, part.length).set(part);
      at += part.length;
    }
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

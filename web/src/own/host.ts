// Runs the reader's algorithms. The engine calls by number; this file keeps the programs and connections with these
// numbers.

import type { Failure } from "../protocol";
import { events, hasTime, methods, type Slots, slot } from "./events";

/** An algorithm. */
export interface Program {
  language: "javascript" | "wasm";
  /** Its file, as messages name it. */
  file: string;
  /** Its name in scenarios, such as `mine.js` or `mine.js:Mine`. */
  name: string;
  /** Its name in results. */
  label: string;
  needs: string[];
  /** All content that determines its behaviour: part of a run's id. */
  content: Uint8Array;
  /** Begins a connection, with the numbers in the slots. */
  start(slots: Slots): Connection;
}

/** An algorithm that controls one connection. An exception from it ends the run. */
export interface Connection {
  /** Handles an event. `before`: for an event that undoes a loss, the connection as it was before the loss. */
  tell(event: number, slots: Slots, before: Connection | undefined): void;
  /** Puts the outputs into the slots. */
  show(slots: Slots): void;
  copy(): Connection;
}

interface AtWork {
  program: Program;
  connection: Connection;
}

export class Host {
  /** Why an algorithm has failed in the run; it no longer receives events. */
  failure: Failure | null = null;

  private readonly programs: Program[] = [];
  private readonly atWork = new Map<number, AtWork>();
  private last = 0;
  /** The latest time of an event, ns. */
  private now_ns = 0;

  constructor(private readonly slots: () => Slots) {}

  /** The functions that the engine's module imports. */
  get imports(): WebAssembly.ModuleImports {
    return {
      own_start: (program: number) => this.start(program),
      own_tell: (connection: number, event: number) => this.tell(connection, event),
      own_copy: (connection: number) => this.copy(connection),
      own_end: (connection: number) => void this.atWork.delete(connection),
    };
  }

  /** Keeps an algorithm; returns its number. */
  take(program: Program): number {
    return this.programs.push(program) - 1;
  }

  /** A run begins. */
  begin(): void {
    this.failure = null;
    this.now_ns = 0;
  }

  private start(number: number): number {
    const program = this.programs[number];
    if (!program) throw new Error("no such algorithm");
    const slots = this.slots();
    const connection = this.guarded(program, program.language === "wasm" ? "start" : "constructor", () => {
      const begun = program.start(slots);
      begun.show(slots);
      return begun;
    });
    return connection ? this.keep({ program, connection }) : 0;
  }

  private tell(number: number, event: number): void {
    const atWork = this.atWork.get(number);
    if (!atWork || this.failure) return;
    const slots = this.slots();
    if (hasTime(event)) this.now_ns = slot(slots, 0);
    this.guarded(atWork.program, methods[event] ?? "", () => {
      const before = event === events.spurious ? this.atWork.get(slot(slots, 0))?.connection : undefined;
      atWork.connection.tell(event, slots, before);
      atWork.connection.show(slots);
    });
  }

  private copy(number: number): number {
    const atWork = this.atWork.get(number);
    if (!atWork || this.failure) return 0;
    const connection = this.guarded(atWork.program, "copy before a loss", () => atWork.connection.copy());
    return connection ? this.keep({ program: atWork.program, connection }) : 0;
  }

  private keep(atWork: AtWork): number {
    this.last += 1;
    this.atWork.set(this.last, atWork);
    return this.last;
  }

  private guarded<Given>(program: Program, event: string, work: () => Given): Given | undefined {
    try {
      return work();
    } catch (error) {
      this.failure ??= described(program.file, error, `${event} at ${Number((this.now_ns / 1e9).toPrecision(6))} s`);
      return undefined;
    }
  }
}

/** Describes an exception in a file, with its line. */
export function described(file: string, error: unknown, when: string): Failure {
  const line = lineIn(file, error);
  const what = error instanceof Error && error.name === "Error" ? error.message : String(error);
  const where = line === null ? file : `${file}:${line}`;
  return { message: [where, when, what].filter(Boolean).join(": "), line, key: "", file };
}

/** The innermost line of a file in an error's stack: browsers write it in different ways, all as FILE:LINE. */
function lineIn(file: string, error: unknown): number | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.indexOf(`${file}:`);
  const found = at < 0 ? null : /^\d+/.exec(stack.slice(at + file.length + 1));
  return found ? Number(found[0]) : null;
}

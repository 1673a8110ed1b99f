// Algorithms as WebAssembly modules, with the functions that docs/own-algorithm.md describes; the browser runs them.

import { events, methods, ofAck, put, type Slots, slot } from "./events";
import type { Connection, Program } from "./host";

/** The limit that the command has, too: sixteen pages of 64 KiB. */
const MEMORY_BYTES_MAX = 1 << 20;
const OUTPUTS_BYTES = 40;

type Call = (...given: (number | bigint)[]) => number | undefined;
type Exports = { memory: WebAssembly.Memory } & Record<string, Call | undefined>;

/** The requirements that exports state by their names. */
const ASKED_BY_EXPORT = {
  on_rate: "rate",
  on_feedback: "routers",
  on_one_way_delay: "one_way_delay",
  on_sent: "sent",
  on_recovered: "every_ack",
  on_segment_lost: "each_loss",
} as const;

/** Makes the algorithm of a module. Throws the reason where it is none. */
export function programOf(file: string, content: Uint8Array<ArrayBuffer>): Program {
  const module = new WebAssembly.Module(content);
  const [asked] = WebAssembly.Module.imports(module);
  if (asked) throw new Error(`imports ${asked.module}.${asked.name}; an algorithm imports nothing`);
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  for (const name of ["memory", "start", "on_ack", "on_loss"]) if (!names.has(name)) throw new Error(`exports no ${name}`);
  const needs = Object.entries(ASKED_BY_EXPORT).filter(([name]) => names.has(name));
  return {
    language: "wasm",
    file,
    name: file,
    label: `${file.replace(/\.wasm$/, "").replace(/[^A-Za-z0-9_]/g, "-").replace(/^-+/, "")}-wasm`,
    needs: ["window_limited", ...needs.map(([, need]) => need)],
    content,
    start: (slots) => Binary.begun(module, slots),
  };
}

class Binary implements Connection {
  private readonly exports: Exports;
  private view: DataView;
  /** The address of the outputs. */
  private at = 0;

  private constructor(private readonly module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.view = new DataView(this.exports.memory.buffer);
  }

  static begun(module: WebAssembly.Module, slots: Slots): Binary {
    const made = new Binary(module);
    const seed = BigInt.asIntN(64, (BigInt(slot(slots, 7)) << 32n) | BigInt(slot(slots, 8)));
    made.at = Number(made.exports["start"]?.(...slots.subarray(0, 7), seed)) >>> 0;
    if (made.at + OUTPUTS_BYTES > made.memory().byteLength) throw new RangeError(`start gave the address ${made.at}, beyond the memory`);
    return made;
  }

  tell(event: number, slots: Slots, before: Connection | undefined): void {
    if (event === events.spurious) return this.take(before as Binary);
    if (event === events.ack) this.tellOfAck(slots);
    this.exports[methods[event] ?? ""]?.(...argumentsOf(event, slots));
  }

  /** The calls before an acknowledgement. */
  private tellOfAck(slots: Slots): void {
    const { on_feedback, on_rate, on_one_way_delay } = this.exports;
    if (slot(slots, ofAck.forward) >= 0) on_feedback?.(long(slots, ofAck.forward), long(slots, ofAck.backward));
    if (slot(slots, ofAck.rate) >= 0) {
      const [delivered, lost, in_flight, prior, total, limited] = slots.subarray(ofAck.rate + 1) as unknown as number[];
      on_rate?.(delivered as number, long(slots, ofAck.rate), ...([lost, in_flight, prior, total, limited] as number[]));
    }
    if (slot(slots, ofAck.oneWayDelay) >= 0) on_one_way_delay?.(long(slots, ofAck.oneWayDelay));
  }

  show(slots: Slots): void {
    const { byteLength } = this.memory();
    const ssthresh = this.output(2);
    const diff = this.output(4);
    put(slots, {
      window: this.output(0),
      pace_ns: this.output(1),
      ssthresh: ssthresh >= 2 ** 32 ? -1 : ssthresh,
      base_rtt_ns: this.output(3),
      diff: Math.abs(diff) < 2 ** 31 ? diff : NaN,
      held_bytes: byteLength,
    });
  }

  copy(): Connection {
    const copy = new Binary(this.module);
    copy.at = this.at;
    copy.take(this);
    return copy;
  }

  /** Copies another instance's memory. */
  private take(other: Binary): void {
    const [mine, theirs] = [this.memory().byteLength, other.memory().byteLength];
    if (theirs > mine) this.exports.memory.grow((theirs - mine) >> 16);
    new Uint8Array(this.memory()).set(new Uint8Array(other.memory()));
  }

  private memory(): ArrayBuffer {
    const { buffer } = this.exports.memory;
    if (buffer.byteLength > MEMORY_BYTES_MAX) throw new RangeError(`takes more than ${MEMORY_BYTES_MAX} bytes of memory`);
    // a memory that grows gets another buffer
    if (this.view.buffer !== buffer) this.view = new DataView(buffer);
    return buffer as ArrayBuffer;
  }

  /** An i64 of the outputs; beyond 2^53 it is rounded. */
  private output(number: number): number {
    const at = this.at + 8 * number;
    return this.view.getInt32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true);
  }
}

function long(slots: Slots, place: number): bigint {
  return BigInt(slot(slots, place));
}

function argumentsOf(event: number, slots: Slots): (number | bigint)[] {
  const plain = (place: number) => slot(slots, place);
  const now_ns = () => long(slots, 0);
  switch (event) {
    case events.ack: {
      const flags = plain(7) + 2 * plain(8) + 4 * plain(9);
      return [now_ns(), long(slots, 1), plain(2), plain(3), long(slots, 4), long(slots, 5), plain(6), flags];
    }
    case events.loss:
      return [now_ns(), plain(1), long(slots, 2), plain(3), plain(4), long(slots, 5), plain(6)];
    case events.sent:
      return [now_ns(), long(slots, 1), plain(2), plain(3)];
    case events.restart:
      return [now_ns(), long(slots, 1), long(slots, 2)];
    case events.pathChange:
    case events.handshake:
      return [now_ns(), long(slots, 1)];
    case events.segmentLost:
      return [plain(0), plain(1), plain(2)];
    default:
      return [now_ns()];
  }
}

// Algorithms in JavaScript: the methods of a class are the events, its attributes are the outputs
// (docs/own-algorithm.md).

import { argumentsOf, events, methods, ONE, put, type Slots, startOf, WINDOW_MAX } from "./events";
import type { Connection, Program } from "./host";
import { closed } from "./scope";

type Attributes = Record<string, unknown>;
type Class = new (start: object) => Attributes;

/** Methods that the engine must request from the host. */
const ASKED_BY_METHOD = { on_sent: "sent", on_recovered: "every_ack", on_segment_lost: "each_loss" } as const;

/** The algorithms of a file. Throws what its text throws. */
export async function programsOf(file: string, text: string): Promise<Program[]> {
  const values = await closed(file, text);
  const classes = Object.entries(values).filter(([, value]) => isAlgorithm(value)) as [string, Class][];
  if (classes.length === 0) throw new Error("has no class with on_ack and on_loss");
  const content = new TextEncoder().encode(text);
  const programs = classes.map(([name, made]) => programOf(file, `${file}:${name}`, name, made, content));
  // a single class needs no name
  const [only] = classes;
  return only && classes.length === 1 ? [programOf(file, file, only[0], only[1], content), ...programs] : programs;
}

function isAlgorithm(value: unknown): boolean {
  const prototype = typeof value === "function" ? (value.prototype as Attributes | undefined) : undefined;
  return typeof prototype?.["on_ack"] === "function" && typeof prototype["on_loss"] === "function";
}

function programOf(file: string, name: string, className: string, made: Class, content: Uint8Array): Program {
  const asked = Object.entries(ASKED_BY_METHOD).filter(([method]) => method in made.prototype);
  const given = (made as unknown as { needs?: string[] }).needs ?? [];
  return {
    language: "javascript",
    file,
    name,
    label: className.replace(/[^A-Za-z0-9_]/g, "-").replace(/^-+/, ""),
    needs: [...given, ...asked.map(([, need]) => need)],
    content,
    start: (slots) => {
      const start = startOf(slots);
      return new Script(new made(start), start);
    },
  };
}

class Script implements Connection {
  constructor(
    private object: Attributes,
    private readonly start: object,
  ) {}

  tell(event: number, slots: Slots, before: Connection | undefined): void {
    const name = methods[event] ?? "";
    const method = this.object[name];
    if (event === events.spurious) {
      const earlier = (before as Script).object;
      if (typeof method === "function") method.call(this.object, earlier);
      else this.object = copyOf(earlier, this.start);
    } else if (typeof method === "function") {
      method.apply(this.object, argumentsOf(event, slots));
    }
  }

  show(slots: Slots): void {
    const { object } = this;
    put(slots, {
      window: Math.floor(Math.min(number(object, "window"), WINDOW_MAX) * ONE),
      pace_ns: isThere(object, "pace") ? betweenSegments(number(object, "pace")) : 0,
      ssthresh: "ssthresh" in object ? (isThere(object, "ssthresh") ? number(object, "ssthresh") : -1) : NaN,
      base_rtt_ns: isThere(object, "base_rtt_ns") ? number(object, "base_rtt_ns") : -1,
      diff: isThere(object, "diff") ? Number(object["diff"]) : NaN,
      held_bytes: 1000,
    });
  }

  copy(): Connection {
    return new Script(copyOf(this.object, this.start), this.start);
  }
}

function isThere(object: Attributes, name: string): boolean {
  return object[name] !== null && object[name] !== undefined;
}

function number(object: Attributes, name: string): number {
  const value = object[name];
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new RangeError(`${name} is ${String(value)}; a finite number, not negative`);
}

function betweenSegments(perSecond: number): number {
  if (perSecond > 0) return Math.ceil(1e9 / perSecond);
  throw new RangeError("pace is 0; segments a second above 0, or null");
}

/** Copies an object with its attributes; the copy shares only the values with which a connection begins. */
function copyOf(object: Attributes, start: object): Attributes {
  const copies = new Map<object, object>([[start, start]]);
  const copied = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const known = copies.get(value);
    if (known) return known;
    const copy = emptyLike(value);
    copies.set(value, copy);
    if (value instanceof Map) value.forEach((of, key) => (copy as Map<unknown, unknown>).set(copied(key), copied(of)));
    if (value instanceof Set) value.forEach((member) => (copy as Set<unknown>).add(copied(member)));
    if (!ArrayBuffer.isView(value)) for (const key of Reflect.ownKeys(value)) Reflect.set(copy, key, copied(Reflect.get(value, key)));
    return copy;
  };
  return copied(object) as Attributes;
}

function emptyLike(value: object): object {
  if (ArrayBuffer.isView(value)) return structuredClone(value);
  if (Array.isArray(value)) return [];
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  return Object.create(Object.getPrototypeOf(value)) as object;
}

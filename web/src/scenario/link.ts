// The state of the page in its address: the scenario and the reader's files are compressed, the rest are plain words.

import type { OwnFile } from "../protocol";
import { language } from "../page/language";

/** The content of the address after `#`. */
export interface State {
  /** The scenario's TOML. */
  scenario: string;
  /** The algorithm of the run beside it; empty without such a run. */
  beside: string;
  /** Simulated seconds a second; Infinity as fast as possible. */
  speed: number;
  /** Whether the reader steers the first flow's window, beside a run with the flow's algorithm. */
  hand: boolean;
  /** The link that the page shows, `from->to`; empty means the slowest on the first flow's path. */
  link: string;
  /** The lesson that is open; empty without one. */
  lesson: string;
  /** Whether the page is a part of another one, and leaves out what that one has no room for. */
  embedded: boolean;
  /** The files of JavaScript that the scenario or the run beside it names. */
  own: OwnFile[];
}

/** The greatest size of an address's TOML or files, bytes; nothing that a person writes is longer. */
const TEXT_BYTES_MAX = 1 << 20;

export async function toFragment(state: State): Promise<string> {
  const words = new URLSearchParams(state.scenario ? { s: await pack(state.scenario) } : {});
  if (state.beside) words.set("b", state.beside);
  if (state.speed !== Infinity) words.set("x", String(state.speed));
  if (state.hand) words.set("h", "1");
  if (state.link) words.set("l", state.link);
  if (state.lesson) words.set("t", state.lesson);
  if (state.embedded) words.set("e", "1");
  if (language !== "en") words.set("g", language);
  if (state.own.length > 0) words.set("a", await pack(textOf(state.own)));
  return `#${words}`;
}

/** Reads an address. Returns none where it contains no scenario; throws where its content is damaged. */
export async function fromFragment(fragment: string): Promise<State | undefined> {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const packed = words.get("s");
  if (!packed) return undefined;
  const speed = Number(words.get("x") ?? Infinity);
  return {
    scenario: await unpack(packed),
    beside: words.get("b") ?? "",
    speed: speed > 0 ? speed : Infinity,
    hand: words.has("h"),
    link: words.get("l") ?? "",
    lesson: words.get("t") ?? "",
    embedded: words.has("e"),
    own: words.has("a") ? filesOf(await unpack(words.get("a") ?? "")) : [],
  };
}

/** The reader's files of JavaScript as one text, for a link or for the browser's store. */
export function textOf(files: OwnFile[]): string {
  return JSON.stringify(files.map(({ name, content, preset }) => ({ name, content, preset })));
}

/** The files in such a text. Throws where it holds anything else. */
export function filesOf(text: string): OwnFile[] {
  return (JSON.parse(text) as Record<string, unknown>[]).map(({ name, content, preset }) => {
    const areTexts = typeof name === "string" && typeof content === "string" && typeof preset === "string";
    if (!areTexts || !SCRIPT_NAME.test(name)) throw new Error("no files of JavaScript");
    return { name, content, preset };
  });
}

const SCRIPT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*\.js$/;

/** A plain word of an address, such as a shipped scenario's name in `#open=gallop-50mbit`; null where it is absent. */
export function wordOf(fragment: string, word: "open" | "s" | "t" | "e"): string | null {
  return new URLSearchParams(fragment.replace(/^#/, "")).get(word);
}

async function pack(text: string): Promise<string> {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text), Infinity);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(packed: string): Promise<string> {
  const bytes = bytesOf(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const text = await through(new DecompressionStream("deflate-raw"), bytes, TEXT_BYTES_MAX);
  return new TextDecoder("utf-8", { fatal: true }).decode(text);
}

/** The bytes of base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** The output of a (de)compression, up to a limit in bytes. */
export async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough<Uint8Array>(stream).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > most) throw new Error(`holds more than ${most} bytes`);
    parts.push(part.value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

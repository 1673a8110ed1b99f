// The state of the page in its address: the scenario compressed, the rest as plain words.

/** What the address holds after `#`. */
export interface State {
  /** The scenario's TOML. */
  scenario: string;
  /** The algorithm of the run beside it; empty without one. */
  beside: string;
  /** Simulated seconds a second; Infinity as fast as possible. */
  speed: number;
  /** Whether the reader steers the first flow's window, beside the algorithm that it has. */
  hand: boolean;
  /** The link that is looked at, `from->to`; empty: the slowest on the first flow's path. */
  link: string;
}

/** An address holds no more than this, bytes of TOML: what is longer is no scenario of people's. */
const SCENARIO_BYTES_MAX = 1 << 20;

export async function toFragment(state: State): Promise<string> {
  const words = new URLSearchParams({ s: await pack(state.scenario) });
  if (state.beside) words.set("b", state.beside);
  if (state.speed !== Infinity) words.set("x", String(state.speed));
  if (state.hand) words.set("h", "1");
  if (state.link) words.set("l", state.link);
  return `#${words}`;
}

/** None where there is no scenario in it; throws where what is there is damaged. */
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
  };
}

/** A shipped scenario's name in the address, as the documentation's links have it: `#open=gallop-50mbit`. */
export function shippedName(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, "")).get("open");
}

async function pack(text: string): Promise<string> {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text), Infinity);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(packed: string): Promise<string> {
  const bytes = bytesOf(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const text = await through(new DecompressionStream("deflate-raw"), bytes, SCENARIO_BYTES_MAX);
  return new TextDecoder("utf-8", { fatal: true }).decode(text);
}

/** The bytes of base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** What comes out of a (de)compression, up to a limit in bytes. */
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

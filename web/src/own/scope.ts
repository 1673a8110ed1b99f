// Runs a file of JavaScript in a scope without clock, random numbers and the worker's own names.
//
// The scope keeps runs repeatable. Other measures protect the reader: the worker has no document, the page's content
// security policy refuses every network request and every text that would become code, and a link's file runs only
// after the reader has agreed.

/** The names of the language that a file may use; of Math all except random. */
const ALLOWED = new Set(
  (
    "Object Array Number Boolean String Symbol BigInt Map Set Reflect JSON RegExp Error TypeError RangeError SyntaxError " +
    "ReferenceError ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array " +
    "Float32Array Float64Array BigInt64Array BigUint64Array parseInt parseFloat isFinite isNaN undefined NaN Infinity console"
  ).split(" "),
);

/** Names that no parameter may have in strict code. */
const RESERVED = new Set(["eval", "arguments"]);

const KEY = "vegaslab_file";

type Made = (math: object, ...absent: undefined[]) => Record<string, unknown>;

/** The names that a file declares at the beginning of its lines. Throws what its text throws; a syntax error has its
 * line. */
export async function closed(file: string, text: string): Promise<Record<string, unknown>> {
  const scope = self as unknown as Record<string, unknown>;
  const names = [...text.matchAll(/^(?:class|const|let|var|function)\s+([A-Za-z_$][\w$]*)/gm)].map(([, name]) => name);
  const values = names.map((name) => `${name}:typeof ${name}=="undefined"?0:${name}`).join();
  const absent = hidden();
  // the text's own lines keep their numbers; in a function of its own it may declare a name that is hidden
  const head = `self.${KEY}=function(${["Math", ...absent].join()}){"use strict";return(function(){`;
  await load(file, text.split("\n").length, `${head}${text}\nreturn{${values}}})()}\n//# sourceURL=${file}`);
  const made = scope[KEY] as Made;
  delete scope[KEY];
  return made(mathWithoutChance());
}

/** All names of the worker that a file may not use. */
function hidden(): string[] {
  const names = new Set<string>();
  for (let of = self as object | null; of; of = Object.getPrototypeOf(of) as object | null) {
    Object.getOwnPropertyNames(of).forEach((name) => names.add(name));
  }
  return [...names].filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && !ALLOWED.has(name) && !RESERVED.has(name) && name !== "Math");
}

function mathWithoutChance(): object {
  const random = () => {
    throw new Error("Math.random is not repeatable; draw numbers from start.seed");
  };
  const own = Object.getOwnPropertyDescriptors(Math);
  return Object.freeze(Object.defineProperties({}, { ...own, random: { value: random } }));
}

/** Runs a text that contains a file with this number of lines. Only the worker's error handler receives the line of a
 * syntax error. */
function load(file: string, lines: number, text: string): Promise<void> {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return new Promise<void>((resolve, reject) => {
    const refused = (event: Event) => {
      event.preventDefault();
      const { message, lineno } = event as ErrorEvent;
      const own = message.replace(/^(Uncaught )?SyntaxError: (Failed to execute 'importScripts' on '\w+': )?/, "");
      // behind the file the parser finds what this page has added
      const error = new SyntaxError(lineno > lines ? "a bracket is open at the end, or one too many is closed" : own);
      error.stack = `${file}:${Math.min(lineno, lines)}`;
      done();
      reject(error);
    };
    const done = () => removeEventListener("error", refused);
    addEventListener("error", refused);
    setTimeout(() => {
      (self as unknown as { importScripts(address: string): void }).importScripts(address);
      done();
      resolve();
    });
  }).finally(() => URL.revokeObjectURL(address));
}

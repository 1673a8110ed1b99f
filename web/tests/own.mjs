// Tests the reader's algorithms, in the engine of a page: node tests/own.mjs
//
// Algorithms written after a preset give its tables, byte for byte; an error in an algorithm is reported with its
// line.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { page_address, withPage } from "./browser.mjs";

const examples = resolve(import.meta.dirname, "../../examples/own-algorithm");
const TABLES = ["flows", "links", "flow_series", "link_series", "incidents"];

const script = (name) => ({ name, content: readFileSync(join(examples, name), "utf8"), preset: "reno" });
const module_ = (name) => ({ name: basename(name), content: [...readFileSync(join(examples, name))], preset: "reno" });

/** Losses, timeouts, reordering that a Linux host undoes, and another flow. */
const scenario = (algorithm, host) => `name = "own"
duration = "20s"
sample = "change"
topology.kind = "dumbbell"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.bottleneck = { rate = "10mbit", delay = "20ms", queue = "20p", loss = "0.2%", reorder = { probability = "0.3%", delay = "15ms" } }
flow = [{ algorithm = { name = "mine", ${algorithm} }, host = "${host}" }, { algorithm = "newreno", start = "3s" }]
`;

const PAIRS = [
  ["reno", 'preset = "reno", javascript = "reno.js"', script("reno.js")],
  ["vegas", 'preset = "vegas", javascript = "vegas.js:Vegas"', script("vegas.js")],
  ...["reno", "vegas"].flatMap((preset) =>
    ["c", "rs", "ts"].map((language) => {
      const name = `${preset}-${language}.wasm`;
      return [preset, `preset = "${preset}", wasm = "${name}"`, module_(`modules/${name}`)];
    }),
  ),
];

/** The counterpart of `python/tests/scenario/wasm/told.c`. */
const TOLD = `class Told {
  window = 20;
  ssthresh = 0;
  base_rtt_ns = null;
  diff = 0;
  on_handshake(now_ns, rtt_ns) { this.base_rtt_ns = rtt_ns }
  on_segment_lost(lost) { if (lost.lost <= lost.in_flight) this.diff += 1 }
  on_recovered() { this.ssthresh += 1 }
  on_ack() {}
  on_loss() {}
}
`;

const body = (constructor, onAck) => `class Mine {
  constructor(start) { this.window = 2; ${constructor} }
  on_ack(ack) {
    ${onAck}
  }
  on_loss() {}
}
`;

/** The error of a file, and the message about it. */
const FAULTS = [
  [body("", "ack.no.such;"), /^mine\.js:4: on_ack at 0\.\d+ s: TypeError: /],
  [body("", "this.window = -1;"), /^mine\.js: on_ack at 0\.\d+ s: RangeError: window is -1; a finite number/],
  [body("this.x = nothing;", ""), /^mine\.js:2: constructor at 0 s: ReferenceError: nothing is not defined/],
  [body("", "Math.random();"), /^mine\.js:4: on_ack at .*Math\.random is not repeatable/],
  ...["new Date()", "performance.now()", 'fetch("https://example.org")', "self.postMessage(1)", "globalThis.x = 1"].map((taken) => [
    body("", `${taken};`),
    /^mine\.js:4: on_ack at .*TypeError: /,
  ]),
  [body("", '(() => 0).constructor("return 1")();'), /^mine\.js:4: on_ack at .*EvalError/],
  [body("", "if (ack {"), /^mine\.js:4: SyntaxError: Unexpected token '\{'$/],
  ["class Mine {\n  on_ack() {\n  }", /^mine\.js:3: SyntaxError: a bracket is open at the end/],
  [`${body("", "")}}`, /^mine\.js:8: SyntaxError: a bracket is open at the end, or one too many is closed$/],
  ["class Mine {}", /^mine\.js: has no class with on_ack and on_loss/],
  [body("", "").replace("{\n", '{\n  static needs = ["luck"];\n'), /needs: "luck" was given/],
  [body("", "for (;;);"), /^mine\.js: no answer for 10 s; is there a loop without an end/],
];

await withPage(async (page) => {
  await page.goto(page_address);
  /** The tables' hashes, or the message of a failure. */
  const sums = (text, files) =>
    page.evaluate(
      ([toml, tables, given]) => {
        const bytes = (content) => (typeof content === "string" ? content : new Uint8Array(content));
        const own = given.map((file) => ({ ...file, content: bytes(file.content) }));
        return vegaslab.sums(toml, tables, own).catch(({ message }) => message);
      },
      [text, TABLES, files],
    );
  for (const host of ["bsd", "linux"]) {
    const known = {};
    // a Linux host has no fine-grained retransmission, which is Vegas's
    for (const [preset, own, file] of PAIRS.filter(([preset]) => host === "bsd" || preset === "reno")) {
      known[preset] ??= await sums(scenario(`preset = "${preset}"`, host), []);
      assert.equal(typeof known[preset], "object", known[preset]);
      assert.deepEqual(await sums(scenario(own, host), [file]), known[preset], `${own} on ${host}`);
    }
  }
  const told = await sums(scenario('javascript = "told.js"', "linux"), [{ name: "told.js", content: TOLD, preset: "reno" }]);
  const module = { ...module_("../../python/tests/scenario/wasm/told.wasm"), name: "told.wasm" };
  assert.deepEqual(told, await sums(scenario('wasm = "told.wasm"', "linux"), [module]), "handshakes and lost segments");
  for (const [content, said] of FAULTS) {
    const refused = await sums(scenario('javascript = "mine.js"', "bsd"), [{ name: "mine.js", content, preset: "reno" }]);
    assert.match(String(refused), said, content);
  }
});
console.log(`algorithms of the reader's: ${PAIRS.length} give their presets' tables, ${FAULTS.length} faults are named`);

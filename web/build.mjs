// Builds the page: node build.mjs ENGINE.wasm FOLDER
//
// FOLDER gets index.html with playground.js and playground.css, and playground.html, all three in one file. The files
// contain everything, because a page opened from a file may fetch nothing.

import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

import { scenarios, traces } from "./shipped.mjs";

const here = dirname(fileURLToPath(import.meta.url));

const [engine, folder] = process.argv.slice(2);
if (!engine || !folder) {
  console.error("usage: node build.mjs ENGINE.wasm FOLDER");
  process.exit(2);
}

const common = { bundle: true, minify: true, write: false, target: "es2022", logLevel: "warning" };
const worker = await build({ ...common, entryPoints: [join(here, "src/engine/worker.ts")], format: "iife" });
const page = await build({
  ...common,
  entryPoints: [join(here, "src/main.ts")],
  format: "iife",
  outdir: "out",
  plugins: [virtual({ worker: byDefault(worker.outputFiles[0].text), engine: byDefault(packed(engine)), scenarios: `export const scenarios = ${JSON.stringify(scenarios)}; export const traces = ${JSON.stringify(traces)};`, templates: templates() })],
});

const script = textOf(".js");
const style = textOf(".css");
const html = readFileSync(join(here, "src/index.html"), "utf8");
mkdirSync(folder, { recursive: true });
write("playground.js", script);
write("playground.css", style);
write(
  "index.html",
  filled(`<link rel="stylesheet" href="playground.css">`, `<script defer src="playground.js"></script>`),
);
// "</script" and "<!--" within a script would end it
const inline = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
write("playground.html", filled(`<style>${style}</style>`, "", `<script>${inline}</script>`));

function virtual(contents) {
  return {
    name: "virtual",
    setup(build) {
      build.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path: path.slice("virtual:".length), namespace: "virtual" }));
      build.onLoad({ filter: /.*/, namespace: "virtual" }, ({ path }) => ({ contents: contents[path], loader: "js" }));
    },
  };
}

function byDefault(value) {
  return `export default ${JSON.stringify(value)};`;
}

function packed(file) {
  return deflateRawSync(readFileSync(file), { level: 9 }).toString("base64");
}

function templates() {
  const folder = join(here, "../examples/own-algorithm");
  const texts = ["reno.js", "aimd.js", "vegas.js"].map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  return `export const templates = ${JSON.stringify(Object.fromEntries(texts))};`;
}

function textOf(ending) {
  return page.outputFiles.find((file) => file.path.endsWith(ending)).text;
}

function filled(style, head, end = "") {
  // functions, so that "$" in the texts has no special meaning
  return html
    .replace("<!--style-->", () => style)
    .replace("<!--script-->", () => head)
    .replace("<!--end-->", () => end);
}

function write(name, text) {
  writeFileSync(join(folder, name), text);
}

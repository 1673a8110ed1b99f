// Compares the tables of every shipped scenario in the browser's engine with the native ones: node tests/equal.mjs
// [NAME ...]
//
// The engine runs in a worker of a page that is a file, as for a reader; the test compares the SHA-256 of each CSV
// file.

import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { scenarios } from "../shipped.mjs";
import { page_address, withPage } from "./browser.mjs";

const root = resolve(import.meta.dirname, "../..");
const TABLES = ["flows", "links", "traffic", "flow_series", "link_series", "incidents"];

const chosen = process.argv.slice(2);
const names = chosen.length > 0 ? chosen : Object.keys(scenarios);
const begun = Date.now();

const [native, web] = await Promise.all([
  allNative(),
  withPage(async (page) => {
    await page.goto(page_address);
    const sums = {};
    for (const name of names) sums[name] = await page.evaluate(([toml, tables]) => vegaslab.sums(toml, tables), [scenarios[name], TABLES]);
    return sums;
  }),
]);
const elsewhere = Object.keys(native).filter((name) => !names.includes(name));
if (elsewhere.length > 0 || names.some((name) => !native[name])) {
  console.error(`equal tables: the page ships other scenarios than the command: ${elsewhere.join(", ")}`);
  process.exit(1);
}
const different = names.flatMap((name) =>
  TABLES.filter((table) => !native[name][table] || native[name][table] !== web[name][table]).map((table) => `${name}: ${table}`),
);
if (different.length > 0) {
  console.error(`equal tables: browser and native differ in\n${different.join("\n")}`);
  process.exit(1);
}
const seconds = Math.round((Date.now() - begun) / 1000);
console.log(`equal tables: ${names.length} scenarios, ${names.length * TABLES.length} tables, the same bytes in the browser (${seconds} s)`);

async function allNative() {
  const script = join(import.meta.dirname, "native_sums.py");
  const python = promisify(execFile)(join(root, ".venv/bin/python"), [script, ...chosen]);
  const { stdout } = await python.catch(({ stderr }) => {
    console.error(`equal tables: native runs failed\n${stderr}`);
    process.exit(1);
  });
  return JSON.parse(stdout);
}

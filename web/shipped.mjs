// The scenarios that come with vegaslab, and the traces that they name.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "../scenarios");
/** Equals `shipped_scenarios` of the Python package; `tests/equal.mjs` compares them. */
const FOLDERS = [
  "",
  ...readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "plans")
    .map((entry) => entry.name)
    .sort(),
];

const files = (folder, ending) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
const texts = (paths, named) => Object.fromEntries(paths.map((path) => [named(path), readFileSync(join(root, path), "utf8")]));

/** Texts by name, such as `papers/gallop-fig4`. */
export const scenarios = texts(FOLDERS.flatMap((folder) => files(folder, ".toml")), (path) => path.replace(/\.toml$/, ""));
export const traces = texts(FOLDERS.flatMap((folder) => [...files(folder, ".txt"), ...files(folder, ".csv")]), (path) => basename(path));

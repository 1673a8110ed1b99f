// The modules that build.mjs puts into the page.

declare module "virtual:worker" {
  /** The worker's program. */
  const source: string;
  export default source;
}

declare module "virtual:engine" {
  /** The WebAssembly module: deflate-raw, base64. */
  const packed: string;
  export default packed;
}

declare module "virtual:scenarios" {
  /** The shipped scenarios' texts by name, and the rate traces that they name. */
  export const scenarios: Record<string, string>;
  export const traces: Record<string, string>;
}

declare module "virtual:templates" {
  /** Algorithms to begin with, by file name. */
  export const templates: Record<string, string>;
}

declare module "*.css";

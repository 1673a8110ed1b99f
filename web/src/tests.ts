// The functions that the tests in `web/tests` call as `window.vegaslab`: runs in an engine of their own.

import type { Engine } from "./engine/engine";
import type { OwnFile, Summary } from "./protocol";

export interface ForTests {
  /** SHA-256 of each table's CSV file, where the scenario may name algorithms of these files. */
  sums(text: string, tables: string[], files?: OwnFile[]): Promise<Record<string, string>>;
  summary(text: string): Promise<Summary>;
}

export function forTests(make: () => Engine): ForTests {
  return {
    sums: (text, tables, files = []) =>
      withEngine(make, async (engine) => {
        const answers = files.length > 0 ? await engine.own(files) : [];
        for (const { failure } of answers) if (failure) throw failure;
        await engine.finish(text);
        const entries = tables.map(async (table) => [table, await sum(await engine.table(`${table}.csv`))] as const);
        return Object.fromEntries(await Promise.all(entries));
      }),
    summary: (text) => withEngine(make, (engine) => engine.finish(text)),
  };
}

async function withEngine<Given>(make: () => Engine, work: (engine: Engine) => Promise<Given>): Promise<Given> {
  const engine = make();
  try {
    return await work(engine);
  } finally {
    engine.close();
  }
}

async function sum(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

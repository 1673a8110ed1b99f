// The functions that the engine's standard library requires from a host (WASI, preview 1). There are no files,
// arguments or outputs. The clock stands still, and random bytes are zero; a run depends on neither, as its random
// numbers come from the scenario's seed.

const MODULE = "wasi_snapshot_preview1";
const OK = 0;
/** The error number of a function that a host does not have. */
const ENOSYS = 52;
/** Far from zero, because quinn subtracts times from an instant. */
const NOW_NS = 10n ** 18n;

type Imported = (...given: (number | bigint)[]) => number;

/** The functions that `module` imports from WASI, on the memory that `memory` returns. */
export function wasi(module: WebAssembly.Module, memory: () => WebAssembly.Memory): Record<string, Record<string, Imported>> {
  const known: Record<string, Imported> = {
    clock_time_get(_clock, _precision, place) {
      new DataView(memory().buffer).setBigUint64(Number(place), NOW_NS, true);
      return OK;
    },
    random_get(place, length) {
      new Uint8Array(memory().buffer, Number(place), Number(length)).fill(0);
      return OK;
    },
  };
  const asked = WebAssembly.Module.imports(module).filter((each) => each.module === MODULE);
  return { [MODULE]: Object.fromEntries(asked.map(({ name }) => [name, known[name] ?? (() => ENOSYS)])) };
}

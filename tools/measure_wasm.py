"""How long a run takes with an algorithm in WebAssembly, in units of the run with the preset, by CPU time."""

import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "benches" / "scenarios" / "ten-flows.toml"
MODULE = ROOT / "examples" / "own-algorithm" / "modules" / "reno-c.wasm"
REPEATS = 9


def cpu_s(program, algorithm):
    """CPU time of the program with all ten flows of that algorithm."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "run", SCENARIO, f"flow.0.algorithm={algorithm}"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    """Prints the median ratio; each ratio is of two runs one after the other."""
    program = sys.argv[1]
    ratios = [cpu_s(program, f'{{ wasm = "{MODULE}" }}') / cpu_s(program, "reno") for _ in range(REPEATS)]
    print(f"{statistics.median(ratios):.2f} times, from {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()

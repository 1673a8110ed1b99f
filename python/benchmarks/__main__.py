"""`python -m benchmarks side-by-side | instructions | scale PROGRAM`: see docs/performance.md."""

import argparse
import sys
from pathlib import Path

from benchmarks import instructions, scale, side_by_side
from benchmarks.programs import BenchmarkError


def main() -> int:
    """Runs what the command line names; 1 if a check failed, 2 if it could not be made."""
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("what", choices=["side-by-side", "instructions", "scale"])
    parser.add_argument("program", type=Path, help="the example `run` of vegas-sim, optimised")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each program, of which the median counts")
    parser.add_argument("--update", action="store_true", help="instructions: record what was counted")
    given = parser.parse_args()
    try:
        match given.what:
            case "side-by-side":
                return side_by_side.main(given.program, given.repeats)
            case "instructions":
                return instructions.main(given.program, update=given.update)
            case _:
                return scale.main(given.program, given.repeats)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2


sys.exit(main())

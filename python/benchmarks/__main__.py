"""`python -m benchmarks side-by-side | instructions | scale | linux-cost | linux-acceptance PROGRAM`.

See docs/performance.md, and docs/linux.md for the last two.
"""

import argparse
import sys
from pathlib import Path

from benchmarks import instructions, linux_acceptance, linux_cost, scale, side_by_side
from benchmarks.linux_acceptance import ALGORITHMS, RATES_MBPS, RTTS_MS, Journal
from benchmarks.programs import BenchmarkError


def main() -> int:
    """Runs what the command line names; 1 if a check failed, 2 if it could not be made, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("what", choices=["side-by-side", "instructions", "scale", "linux-cost", "linux-acceptance"])
    parser.add_argument("program", type=Path, help="the example `run` of vegas-results, or vegas-linux; optimised")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each program, of which the median counts")
    parser.add_argument("--update", action="store_true", help="instructions: record what was counted")
    parser.add_argument("--algorithm", action="append", help="linux-acceptance: this one instead of all")
    parser.add_argument("--rate", action="append", type=int, help="linux-acceptance: Mb/s, instead of 10 and 20")
    parser.add_argument("--journal", type=Path, help="linux-acceptance: the file with its runs, where it goes on")
    parser.add_argument("--rtt", action="append", type=int, help="linux-acceptance: ms, instead of 40 and 100")
    given = parser.parse_args()
    try:
        match given.what:
            case "side-by-side":
                return side_by_side.main(given.program, given.repeats)
            case "instructions":
                return instructions.main(given.program, update=given.update)
            case "linux-cost":
                return linux_cost.main(given.program, given.repeats)
            case "linux-acceptance":
                grid = (given.algorithm or ALGORITHMS, given.rate or RATES_MBPS, given.rtt or RTTS_MS)
                journal = Journal(given.journal or Path("results/linux-acceptance.csv"))
                return linux_acceptance.main(given.program, given.repeats, *grid, journal)
            case _:
                return scale.main(given.program, given.repeats)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


sys.exit(main())

"""`vegaslab factorial`: a two-level design, run and analysed."""

import argparse
import json
import sys
from pathlib import Path

from vegaslab.commands import FAILED, OK, Commands, UsageError
from vegaslab.ending import interrupted
from vegaslab.folder import whole_folder
from vegaslab.progress import SweepProgress

_FOLDER = "factorial"


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("factorial", help="find out which switches matter: a two-level factorial design")
    argument = parser.add_argument
    argument("plan", metavar="PLAN", help="a plan's file with a table [factorial] (see docs/factorial.md)")
    argument("-o", "--output", type=Path, metavar="DIR", help="the sweep's folder (default: results/NAME)")
    argument("-j", "--jobs", type=int, metavar="N", help="cores to use (default: all)")
    argument("--level", type=float, metavar="P", help="confidence level, such as 0.95; replaces the plan's")
    argument(
        "-r",
        "--response",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column of the runs to analyse, such as flow.0.goodput_mbps; replaces the plan's; may be repeated",
    )
    argument("--json", action="store_true", help="print the analysis as JSON")
    argument("--no-plot", action="store_true", help="write no pictures")
    parser.set_defaults(action=_factorial)


def _factorial(options: argparse.Namespace) -> int:
    from vegaslab.factorial.experiment import analyse, factorial_spec
    from vegaslab.plan import Plan
    from vegaslab.sweeping import sweep

    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs: {options.jobs} was given; at least 1")
    if options.level is not None and not 0 < options.level < 1:
        raise UsageError(f"--level: {options.level:g} was given; a number between 0 and 1, such as 0.9")
    plan = Plan.from_file(options.plan)
    chosen = {"responses": tuple(dict.fromkeys(options.response)), "level": options.level}
    factorial_spec(plan, **chosen)
    folder = options.output or Path("results") / plan.name
    try:
        with SweepProgress() as progress:
            done = sweep(plan, folder, jobs=options.jobs, observer=progress)
    except KeyboardInterrupt as interrupt:
        print(f"vegaslab: interrupted; {folder} keeps the runs so far, the same command goes on", file=sys.stderr)
        return interrupted(interrupt)
    if done.failed:
        return _complain_of_failures(folder, done.failed)
    analysed = analyse(plan, folder, **chosen)
    with whole_folder(folder / _FOLDER) as place:
        analysed.write(place, plot=not options.no_plot)
    print(json.dumps(analysed.summary) if options.json else analysed.report())
    if not options.json:
        print(f"\nresults: {folder / _FOLDER}")
    return OK


def _complain_of_failures(folder: Path, failed: int) -> int:
    from vegaslab.dataset import read_runs

    first = next(error for error in read_runs(folder)["error"].to_pylist() if error is not None)
    print(f"vegaslab: {failed} runs failed, the first: {first}; a design needs all of its runs", file=sys.stderr)
    return FAILED

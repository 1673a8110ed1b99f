"""`vegaslab factorial`: a two-level design, run and analysed."""

import argparse
import json
from pathlib import Path

from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError
from vegaslab.util.ending import interrupted
from vegaslab.util.folder import check_folder
from vegaslab.util.progress import SweepProgress
from vegaslab.util.terminal import complain

_FOLDER = "factorial"


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("factorial", help="a two-level factorial design: which switches make a difference")
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
        help="a column of the runs to analyse instead of the plan's, such as flow.0.goodput_mbps, beside what is there",
    )
    argument("--json", action="store_true", help="print the analysis as JSON")
    argument("--no-plot", action="store_true", help="write no pictures")
    parser.set_defaults(action=_factorial)


def _factorial(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.factorial.experiment import analyse, check_earlier, factorial_spec
    from vegaslab.sweeps.plans.plan import Plan
    from vegaslab.sweeps.sweep import sweep

    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs: {options.jobs} was given; at least 1")
    if options.level is not None and not 0 < options.level < 1:
        raise UsageError(f"--level: {options.level:g} was given; a number between 0 and 1, such as 0.9")
    plan = Plan.from_file(options.plan)
    chosen = {"responses": tuple(dict.fromkeys(options.response)), "level": options.level}
    spec = factorial_spec(plan, **chosen)
    folder = options.output or Path("results") / plan.name
    if (folder / _FOLDER).exists():
        check_folder(folder / _FOLDER)
        if options.response:
            check_earlier(plan, spec, folder / _FOLDER)
    try:
        with SweepProgress() as progress:
            done = sweep(plan, folder, jobs=options.jobs, observer=progress)
    except KeyboardInterrupt as interrupt:
        complain(f"interrupted; {folder} keeps the runs so far, the same command goes on")
        return interrupted(interrupt)
    if done.failed:
        return _complain_of_failures(folder, done.failed)
    analysed = analyse(plan, folder, **chosen)
    analysed.write(folder / _FOLDER, plot=not options.no_plot, keep=bool(options.response))
    print(json.dumps(analysed.summary) if options.json else analysed.report())
    if not options.json:
        print(f"\nresults: {folder / _FOLDER}")
    return OK


def _complain_of_failures(folder: Path, failed: int) -> int:
    from vegaslab.sweeps.dataset import read_runs

    first = next(error for error in read_runs(folder)["error"].to_pylist() if error is not None)
    complain(f"{failed} runs failed, the first: {first}; a design needs all of its runs")
    return FAILED

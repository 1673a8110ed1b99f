"""`vegaslab factorial`: a two-level design, run and analysed."""

import argparse
import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError, add_no_cache, add_where
from vegaslab.sweeps.where import LOCAL
from vegaslab.util.ending import interrupted
from vegaslab.util.errors import InputError
from vegaslab.util.folder import check_folder
from vegaslab.util.progress import SweepProgress
from vegaslab.util.terminal import complain

if TYPE_CHECKING:
    from vegaslab.sweeps.factorial.experiment import Factorial
    from vegaslab.sweeps.plans.plan import PlanLike
    from vegaslab.sweeps.sweep import Observer

_FOLDER = "factorial"


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("factorial", help="a two-level factorial design: which switches make a difference")
    argument = parser.add_argument
    argument("plan", metavar="PLAN", help="a plan's file with a table [factorial] (see docs/factorial.md)")
    argument("-o", "--output", type=Path, metavar="DIR", help="the sweep's folder (default: results/NAME)")
    add_where(parser)
    add_no_cache(parser)
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
    try:
        with SweepProgress() as progress:
            analysed = factorial(
                options.plan,
                options.output,
                responses=options.response,
                level=options.level,
                jobs=options.jobs,
                on=options.on,
                plot=not options.no_plot,
                observer=progress,
            )
    except KeyboardInterrupt as interrupt:
        complain("interrupted; the sweep's folder keeps the runs so far, the same command goes on")
        return interrupted(interrupt)
    except FailedRunsError as error:
        complain(error)
        return FAILED
    print(json.dumps(analysed.summary) if options.json else analysed.report())
    if not options.json:
        print(f"\nresults: {analysed.folder}")
    return OK


class FailedRunsError(InputError):
    """Runs of a design failed: one line with the first of their errors."""


def factorial(
    plan: "PlanLike",
    folder: str | PathLike[str] | None = None,
    *,
    responses: Sequence[str] = (),
    level: float | None = None,
    jobs: int | None = None,
    on: str = LOCAL,
    plot: bool = True,
    observer: "Observer | None" = None,
) -> "Factorial":
    """Makes the missing runs of a plan with a table `[factorial]` in `folder`, analyses them, and writes the analysis.

    `folder` is results/NAME unless given. `responses` are columns of the runs; analyses of others that are
    there stay (default: the plan's); `level` replaces the plan's. `observer`, `jobs` and `on` are as for `sweep`.
    Raises `VegaslabError`.

    >>> import tempfile, vegaslab
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     analysed = vegaslab.factorial("vegas-phases", folder + "/phases", plot=False)
    >>> list(analysed.analyses)[0]
    'flow.0.goodput_mbps'
    """
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.dataset import read_runs
    from vegaslab.sweeps.factorial.experiment import analyse, check_earlier, factorial_spec
    from vegaslab.sweeps.plans.plan import load_plan
    from vegaslab.sweeps.sweep import sweep

    if level is not None and not 0 < level < 1:
        raise UsageError(f"level: {level:g} was given; a number between 0 and 1, such as 0.95")
    plan, names = load_plan(plan), tuple(dict.fromkeys(responses))
    spec = factorial_spec(plan, responses=names, level=level)
    place = Path(folder) if folder is not None else Path("results") / plan.name
    if (place / _FOLDER).exists():
        check_folder(place / _FOLDER)
        if names:
            check_earlier(plan, spec, place / _FOLDER)
    if sweep(plan, place, jobs=jobs, on=on, observer=observer).failed:
        errors = [error for error in read_runs(place)["error"].to_pylist() if error is not None]
        raise FailedRunsError(f"{len(errors)} runs failed, the first: {errors[0]}; a design needs all of its runs")
    analysed = analyse(plan, place, responses=names, level=level)
    analysed.folder = analysed.write(place / _FOLDER, plot=plot, keep=bool(names))
    return analysed

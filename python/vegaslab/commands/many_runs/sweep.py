"""`vegaslab sweep`: adds the runs of a plan to a dataset."""

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError, add_no_cache, add_set, add_where
from vegaslab.commands.real_paths import kernel
from vegaslab.runs.pool import usable_cores
from vegaslab.sweeps.plans.reading import SERIES
from vegaslab.sweeps.where import LOCAL
from vegaslab.util.ending import interrupted
from vegaslab.util.progress import SweepProgress, readable_time
from vegaslab.util.terminal import complain

if TYPE_CHECKING:
    from vegaslab.sweeps.plans.plan import Plan
    from vegaslab.sweeps.sweep import Forecast, Swept


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("sweep", help="make the missing runs of a plan: a dataset with a row for each")
    argument = parser.add_argument
    argument("plan", metavar="PLAN", help="a plan's file (see docs/sweeps.md)")
    argument("-o", "--output", type=Path, metavar="DIR", help="the sweep's folder (default: results/NAME)")
    add_set(parser)
    add_where(parser)
    add_no_cache(parser)
    kernel.add_world(parser)
    argument("--series", metavar="NAMES", help="keep these time series of each run: flows, links or flows,links")
    argument("--dry-run", action="store_true", help="say how many runs there are and how long they should take")
    argument("--retry-failed", action="store_true", help="make runs that failed again, too")
    argument("--json", action="store_true", help="print what was done as JSON")
    parser.set_defaults(action=_sweep)


def _sweep(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.measuring.guest.sweeping import InKernel
    from vegaslab.sweeps.plans.plan import Plan, value_of
    from vegaslab.sweeps.sweep import Local, Runner, forecast, sweep
    from vegaslab.sweeps.where import cluster_of

    plan = Plan.from_file(options.plan)
    if options.set:
        plan = plan.with_set({key: value_of(text) for key, text in options.set})
    if options.series is not None:
        plan = plan.with_series(_series(options.series))
    (world,) = kernel.worlds_of(options)
    if world is not None and options.on != LOCAL:
        raise UsageError("--on goes with --world simulator")
    folder = options.output or Path("results") / (plan.name if world is None else f"{plan.name}-{options.world}")
    with cluster_of(options.on, options.jobs) as cluster:
        here: Callable[[int], Runner] = Local if world is None else partial(InKernel, world)
        run = cluster or here(options.jobs or usable_cores())
        if options.dry_run:
            foreseen = forecast(plan, folder, runner=run, alone=here(1))
            print(json.dumps(foreseen.summary) if options.json else _forecast_report(plan, foreseen))
            return OK
        try:
            with SweepProgress() as progress:
                done = sweep(plan, folder, runner=run, retry_failed=options.retry_failed, observer=progress)
        except KeyboardInterrupt as interrupt:
            complain(f"interrupted; {folder} keeps the runs so far, the same command goes on")
            return interrupted(interrupt)
    print(json.dumps(done.summary) if options.json else _report(plan, done))
    return FAILED if done.failed else OK


def _series(given: str) -> list[str]:
    names = given.split(",")
    if not set(names) <= {*SERIES}:
        raise UsageError(f"--series: {given!r} was given; flows, links or flows,links")
    return names


def _forecast_report(plan: "Plan", foreseen: "Forecast") -> str:
    lines = [f"{_extent(plan)}: {foreseen.runs} runs, {foreseen.there} of them there"]
    if foreseen.run_s is not None:
        lines.append(
            f"the others should take {readable_time(foreseen.wall_s)} on {foreseen.jobs} cores: "
            f"{foreseen.sampled} sample runs took {readable_time(foreseen.run_s)} each on one core"
        )
    return "\n".join(lines)


def _report(plan: "Plan", done: "Swept") -> str:
    lines = [f"{_extent(plan)}: {done.there} runs were there, {done.made} made in {readable_time(done.wall_s)}"]
    if done.failed:
        lines.append(f"{done.failed} failed: column error says why, --retry-failed makes them again")
    return "\n".join([*lines, f"\ndataset: {done.summary['dataset']}"])


def _extent(plan: "Plan") -> str:
    return f"{plan.name}: {plan.number_of_cells} cells x {plan.replications} seeds"

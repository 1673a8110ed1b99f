"""`vegaslab compare --seeds N`: which differences between algorithms are more than chance."""

import argparse
import json
from pathlib import Path

from vegaslab import _vegaslab
from vegaslab.commands import OK, Parser, UsageError
from vegaslab.comparison import load_variants
from vegaslab.folder import whole_folder
from vegaslab.progress import Progress
from vegaslab.seeds import SeedComparison, compare_seeds
from vegaslab.seeds_report import seeds_report
from vegaslab.source import Overrides


def add_options(parser: Parser) -> None:
    """Adds what `compare` takes for several seeds."""
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="compare over N seeds, counted up: means and differences with intervals"
    )
    parser.add_argument("--level", type=float, metavar="P", help="their confidence level (default: 0.95)")


def compare(options: argparse.Namespace, overrides: Overrides) -> int:
    """Runs, reports, writes; returns the exit code."""
    _check(options)
    variants = load_variants(options.file, options.algorithm, set=overrides)
    folder = options.output or Path("results") / f"{next(iter(variants.values())).name}-seeds"
    if options.json and options.output is None:
        comparison = _simulate(options, overrides)
    else:
        with whole_folder(folder) as place:
            comparison = _simulate(options, overrides)
            comparison.write(place, csv=options.csv, plot=not options.no_plot)
    if options.json:
        print(json.dumps(comparison.summary))
        return OK
    print(seeds_report(comparison))
    print(f"\nresults: {folder}")
    if not options.no_plot:
        print(f"picture: {folder / 'picture.png'}")
    return OK


def _check(options: argparse.Namespace) -> None:
    if options.seeds < 2:
        raise UsageError(f"--seeds: {options.seeds} was given; at least 2")
    if options.level is not None and not 0 < options.level < 1:
        raise UsageError(f"--level: {options.level:g} was given; a number between 0 and 1, such as 0.95")
    for name in ("pcapng", "html"):
        if getattr(options, name):
            raise UsageError(f"--{name} goes with single runs, not with --seeds; make that run with --seed")
    twice = {name for name in options.algorithm if options.algorithm.count(name) > 1}
    if twice:
        raise UsageError(f"-a {min(twice)} was given twice; each algorithm once")


def _simulate(options: argparse.Namespace, overrides: Overrides) -> SeedComparison:
    shown: list[Progress] = []

    def watch(what: str, scenario: _vegaslab.Scenario) -> Progress:
        if shown:
            shown.pop().__exit__(None, None, None)
        shown.append(Progress(scenario.duration_s, f"{what}: "))
        return shown[-1]

    try:
        level = 0.95 if options.level is None else options.level
        return compare_seeds(options.file, options.algorithm, options.seeds, set=overrides, level=level, watch=watch)
    finally:
        for progress in shown:
            progress.__exit__(None, None, None)

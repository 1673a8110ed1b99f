"""`vegaslab compare --seeds N`: which differences between algorithms are more than chance."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands import OK, Parser, UsageError
from vegaslab.comparison import load_variants
from vegaslab.folder import whole_folder
from vegaslab.progress import Progress
from vegaslab.source import Overrides

if TYPE_CHECKING:
    from vegaslab.seeds import SeedComparison


def add_options(parser: Parser) -> None:
    """Adds what `compare` takes for several seeds."""
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="compare over N seeds, counted up: means and differences with intervals"
    )
    parser.add_argument("--level", type=float, metavar="P", help="their confidence level (default: 0.95)")


def compare(options: argparse.Namespace, overrides: Overrides) -> int:
    """Runs, reports, writes; returns the exit code."""
    from vegaslab.seeds_report import seeds_report

    _check(options)
    variants = load_variants(options.file, options.algorithm, set=overrides)
    first = next(iter(variants.values()))
    folder = options.output or Path("results") / f"{first.name}-seeds"
    if options.json and options.output is None:
        comparison = _simulate(options, overrides, first.duration_s)
    else:
        with whole_folder(folder) as place:
            comparison = _simulate(options, overrides, first.duration_s)
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


def _simulate(options: argparse.Namespace, overrides: Overrides, duration_s: float) -> "SeedComparison":
    from vegaslab.seeds import compare_seeds

    level = 0.95 if options.level is None else options.level
    runs = options.seeds * len(options.algorithm)
    with Progress(runs * duration_s, f"{runs} runs: ") as progress:
        return compare_seeds(
            options.file, options.algorithm, options.seeds, set=overrides, level=level, progress=progress
        )

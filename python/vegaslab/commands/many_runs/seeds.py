"""`vegaslab compare --seeds N`: tests which differences between algorithms are more than chance."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import OK, Parser, UsageError
from vegaslab.scenario.hosts import hosts_line
from vegaslab.scenario.source import Overrides
from vegaslab.scenario.variants import Varied, load_variants
from vegaslab.util.folder import whole_folder
from vegaslab.util.progress import Progress

if TYPE_CHECKING:
    from vegaslab.runs.seeds.compare import SeedComparison


def add_options(parser: Parser) -> None:
    """Adds the options of `compare` for several seeds."""
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="compare over N seeds, counted up: means and differences with intervals"
    )
    parser.add_argument("--level", type=float, metavar="P", help="their confidence level (default: 0.95)")
    parser.add_argument(
        "-r",
        "--figure",
        action="append",
        metavar="FIGURE",
        help="with --seeds: compare this figure, such as mean_queueing_ms; may be repeated (default: all)",
    )
    parser.add_argument("--pairs", action="store_true", help="with --seeds: compare every two, not each with the first")


def compare(options: argparse.Namespace, overrides: Overrides) -> int:
    """Runs, reports and writes; returns the exit code."""
    _check(options)
    variants = load_variants(options.file, options.algorithm, **varied(options), set=overrides)
    first = next(iter(variants.values()))
    folder = options.output or Path("results") / f"{first.name}-seeds"
    if options.json and options.output is None:
        comparison = _simulate(options, overrides, len(variants) * first.duration_s)
    else:
        with whole_folder(folder) as place:
            comparison = _simulate(options, overrides, len(variants) * first.duration_s)
            comparison.write(place, csv=options.csv, plot=not options.no_plot)
    if options.json:
        print(json.dumps(comparison.summary))
        return OK
    print(f"{hosts_line(variants)}\n{comparison.report()}")
    print(f"\nresults: {folder}")
    if (folder / "picture.png").exists():
        print(f"picture: {folder / 'picture.png'}")
    return OK


def varied(options: argparse.Namespace) -> Varied:
    """Returns the keys and values that `compare` varies beside algorithms. Raises `UsageError`."""
    if options.algorithm is None and not options.vary:
        raise UsageError("nothing to compare; give -a NAME several times, or --vary KEY=A,B,C")
    if options.flow is not None and options.algorithm is None:
        raise UsageError("--flow goes with -a, the algorithms that it uses; --vary names its flow in KEY")
    keys = [key for key, _ in options.vary]
    twice = [key for key in keys if keys.count(key) > 1]
    if twice:
        raise UsageError(f"--vary: {twice[0]} was given twice; each key once, with all of its values")
    return {"flows": options.flow, "vary": dict(options.vary)}


def _check(options: argparse.Namespace) -> None:
    if options.pcapng:
        raise UsageError("--pcapng goes with single runs, not with --seeds; make that run with --seed")


def _simulate(options: argparse.Namespace, overrides: Overrides, one_seed_s: float) -> "SeedComparison":
    # imported here: other commands need not wait for it
    from vegaslab.runs.seeds.compare import compare_seeds

    level = 0.95 if options.level is None else options.level
    with Progress(options.seeds * one_seed_s, f"{options.seeds} seeds: ") as progress:
        return compare_seeds(
            options.file,
            options.algorithm,
            options.seeds,
            **varied(options),
            set=overrides,
            level=level,
            figures=options.figure,
            pairs=options.pairs,
            progress=progress,
            memory=options.memory,
        )

"""`vegaslab analyse`: statistics of a sweep's runs."""

import argparse
import json
from pathlib import Path

from vegaslab.commands.parsing import OK, Commands

_FOLDER = "analysis"


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("analyse", help="means, intervals and verdicts of a sweep's runs, and pictures")
    argument = parser.add_argument
    argument("dir", type=Path, metavar="DIR", help="the folder of `vegaslab sweep`")
    argument(
        "--baseline",
        action="append",
        type=_value,
        metavar="KEY=VALUE",
        help="compare with the cells that have this value (default: the first of the first key); may be repeated",
    )
    argument(
        "-r",
        "--figure",
        action="append",
        metavar="FIGURE",
        help="what to look at, such as goodput_mbps or a column of the runs; may be repeated",
    )
    argument("-x", metavar="KEY", help="draw over this key")
    argument("-y", metavar="KEY", help="draw a line for each value of this key")
    argument("--level", type=float, default=0.95, metavar="P", help="confidence level (default: 0.95)")
    argument("-o", "--output", type=Path, metavar="OUT", help=f"the folder of the analysis (default: DIR/{_FOLDER})")
    argument("--json", action="store_true", help="print the analysis as JSON; write a folder only with -o")
    argument("--no-plot", action="store_true", help="write no pictures")
    parser.set_defaults(action=_analyse)


def _value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} was given; KEY=VALUE, such as flow.0.algorithm=vegas")
    return key, value


def _analyse(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.analysis.analyse import analyse

    baseline = None if options.baseline is None else dict(options.baseline)
    folder = options.output or options.dir / _FOLDER
    analysed = analyse(options.dir, options.figure, baseline=baseline, level=options.level)
    if options.output is not None or not options.json:
        analysed.write(folder, plot=not options.no_plot, x=options.x, y=options.y)
    print(json.dumps(analysed.summary) if options.json else analysed.report())
    if not options.json:
        print(f"\nresults: {folder}")
    return OK

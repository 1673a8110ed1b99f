"""`vegaslab figure`: a figure for a paper, from the folders of runs, comparisons and sweeps."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from vegaslab.commands.parsing import OK, Commands, UsageError
from vegaslab.runs.result import Result


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("figure", help="a figure in a paper's column: panels, intervals, box plots, ECDFs")
    argument = parser.add_argument
    argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="FOLDER",
        help="the folder of a run, a comparison or a sweep; several: runs on the same axes",
    )
    argument(
        "-r",
        "--figure",
        action="append",
        metavar="FIGURE",
        help="a panel: of runs cwnd, rtt, throughput, queue; otherwise a figure such as goodput_mbps; may be repeated",
    )
    argument(
        "--kind",
        choices=("lines", "box", "ecdf"),
        default="lines",
        help="of comparisons over seeds and sweeps: means with intervals, box plots, or ECDFs (default: lines)",
    )
    argument("-x", metavar="KEY", help="of a sweep: draw over this key")
    argument("-y", metavar="KEY", help="of a sweep: a series for each value of this key")
    argument("--width", default="one", metavar="WIDTH", help="one or two columns, or cm, such as 8.4cm (default: one)")
    argument("--height", type=float, metavar="CM", help="the height in cm")
    argument(
        "--label",
        action="append",
        default=[],
        type=_label,
        metavar="NAME=TEXT",
        help="write TEXT for a series, panel, figure or key; may be repeated",
    )
    argument("--dark", action="store_true", help="light colours on a dark ground, for slides")
    argument(
        "-o",
        "--output",
        action="append",
        type=Path,
        metavar="FILE",
        help="a .pdf, .pgf, .svg or .png; may be repeated (default: figure.pdf)",
    )
    parser.set_defaults(action=_figure)


def _label(text: str) -> tuple[str, str]:
    name, equals, label = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} was given; NAME=TEXT, such as 'vegas=Vegas, alpha 2'")
    return name, label


def _figure(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.reports.figure import save, suffix_of
    from vegaslab.sweeps.analysis.paper import figure

    files = options.output or [Path("figure.pdf")]
    for file in files:
        suffix_of(file)
    folder, *others = options.folders
    runs = _runs(options.folders) if others else folder
    drawn = figure(
        runs,
        options.figure,
        kind=options.kind,
        over=options.x,
        by=options.y,
        width=options.width,
        height=options.height,
        labels=dict(options.label),
        dark=options.dark,
    )
    for file in files:
        save(drawn, file)
    print(f"picture: {', '.join(map(str, files))}")
    return OK


def _runs(folders: Sequence[Path]) -> dict[str, Result]:
    """Returns the runs of several folders by name."""
    for folder in folders:
        if folder.is_dir() and not (folder / "manifest.json").exists():
            raise UsageError(f"{folder}: is not that of one run; give several runs, or one comparison or sweep alone")
    return {folder.name: Result.open(folder) for folder in folders}

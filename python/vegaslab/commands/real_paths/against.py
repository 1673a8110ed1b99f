"""`vegaslab against`: a capture beside runs of its path with congestion controls that may have sent it."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import FAILED, OK, Commands, add_no_cache, add_pictures, add_set
from vegaslab.commands.real_paths import kernel
from vegaslab.runs.drawable import PAGE
from vegaslab.util.folder import whole_folder
from vegaslab.util.terminal import complain

if TYPE_CHECKING:
    from vegaslab.measuring.measured.against import Limit


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("against", help="a capture beside runs of its path with congestion controls")
    add = parser.add_argument
    add(
        "file", type=Path, metavar="CAPTURE", help="a capture (pcap, pcapng) of a flow of TCP, such as tcpdump -s 96 -w"
    )
    add("-a", "--algorithm", action="append", metavar="NAME", help="a preset; several (default: those of Linux)")
    add("-o", "--output", type=Path, metavar="DIR", help="the results folder (default: results/NAME-against)")
    add("--flow", type=int, metavar="N", help="the flow of the capture (default: the largest)")
    add(
        "--limit",
        action="append",
        default=[],
        type=_limit,
        metavar="FIGURE=MOST",
        help="fail, with code 1, if a run's figure is further from the capture's: goodput_mbps=5%%, timeouts=0",
    )
    add_set(parser)
    add("--json", action="store_true", help="print the figures as JSON")
    kernel.add_world(parser)
    add_no_cache(parser)
    add_pictures(parser)
    parser.set_defaults(action=_against)


def _limit(text: str) -> "Limit":
    # imported here: other commands need not wait for numpy
    from vegaslab.measuring.measured.against import Limit

    try:
        return Limit.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _against(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for numpy
    from vegaslab.measuring.measured.against import SENDERS, Against, read_beside
    from vegaslab.measuring.measured.beside import TITLES, figure_rows
    from vegaslab.measuring.measured.measurement import check_readable
    from vegaslab.reports.summary import aligned

    (world,) = kernel.worlds_of(options)
    algorithms = list(dict.fromkeys(options.algorithm or SENDERS))
    output = options.output or Path("results") / f"{options.file.stem}-against"
    check_readable(options.file)
    with whole_folder(output) as folder:
        runs = read_beside(options.file, folder, algorithms, flow=options.flow, set=options.set, world=world)
        beside = Against(runs)
        beside.write_into(folder)
        beside.draw_into(folder, page=not options.no_plot, drawn=options.plot)
        shown = json.dumps(beside.figures) if options.json else "\n".join(aligned(TITLES, figure_rows(beside)))
    print(shown)
    if not options.json:
        print(f"\nresults: {output}")
        if not options.no_plot:
            print(f"picture: {output / PAGE}")
    broken = beside.broken(options.limit)
    for line in broken:
        complain(line)
    return FAILED if broken else OK

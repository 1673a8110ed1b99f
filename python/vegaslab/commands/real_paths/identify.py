"""`vegaslab identify`: which congestion control sent a captured flow."""

import argparse
import json
from pathlib import Path

from vegaslab.commands.parsing import OK, Commands
from vegaslab.runs.drawable import PAGE
from vegaslab.util.progress import ReadingProgress


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("identify", help="which congestion control sent a captured flow")
    add = parser.add_argument
    add("file", type=Path, metavar="CAPTURE", help="a capture (pcap, pcapng) of the sender's side of a flow of TCP")
    add("-a", "--algorithm", action="append", metavar="NAME", help="a preset; several (default: those of Linux)")
    add(
        "-o", "--output", type=Path, metavar="DIR", help="a folder for a page with what speaks for and against the best"
    )
    add("--flow", type=int, metavar="N", help="the flow of the capture (default: the largest)")
    add("--json", action="store_true", help="print the answer as JSON")
    parser.set_defaults(action=_identify)


def _identify(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.measuring.measured.against import SENDERS
    from vegaslab.measuring.measured.answer import TITLES, candidate_rows
    from vegaslab.measuring.measured.identify import identified
    from vegaslab.reports.summary import aligned

    algorithms = list(dict.fromkeys(options.algorithm or SENDERS))
    found = identified(options.file, algorithms, options.flow, ReadingProgress(options.file))
    if options.output is not None:
        # imported here: it loads numpy
        from vegaslab.measuring.measured.explained import write_page

        write_page(found, options.output)
    if options.json:
        print(json.dumps(found.content()))
        return OK
    print("\n".join([*aligned(TITLES, candidate_rows(found)), "", *found.said()]))
    if options.output is not None:
        print(f"\nresults: {options.output}\npicture: {options.output / PAGE}")
    return OK

"""`vegaslab identify`: which congestion control sent a captured flow."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import OK, Commands
from vegaslab.util.progress import ReadingProgress

if TYPE_CHECKING:
    from vegaslab.measuring.measured.identify import Identified

_TITLES = ("algorithm", "error %", "times the best")


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("identify", help="which congestion control sent a captured flow")
    add = parser.add_argument
    add("file", type=Path, metavar="CAPTURE", help="a capture (pcap, pcapng) of the sender's side of a flow of TCP")
    add("-a", "--algorithm", action="append", metavar="NAME", help="a preset; several (default: those of Linux)")
    add("--flow", type=int, metavar="N", help="the flow of the capture (default: the largest)")
    add("--json", action="store_true", help="print the answer as JSON")
    parser.set_defaults(action=_identify)


def _identify(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.measuring.measured.against import SENDERS
    from vegaslab.measuring.measured.identify import identified

    algorithms = list(dict.fromkeys(options.algorithm or SENDERS))
    found = identified(options.file, algorithms, options.flow, ReadingProgress(options.file))
    print(_as_json(found) if options.json else "\n".join(_report(found)))
    return OK


def _as_json(found: "Identified") -> str:
    keys = ("file", "flow", "points", "answer", "margin")
    return json.dumps({**{key: getattr(found, key) for key in keys}, "errors": dict(found.errors)})


def _report(found: "Identified") -> list[str]:
    # only here: other commands need not wait for it
    from vegaslab.reports.summary import aligned, number

    best = next(iter(found.errors.values()))
    rows = [
        (name, number(100 * error, 1), number(error / best if best > 0 else None, 1))
        for name, error in found.errors.items()
    ]
    margin = "" if found.margin is None else f"; the next one is {found.margin:.1f} times as far away"
    said = f"flow {found.flow}: {found.sentence}"
    return [*aligned(_TITLES, rows), "", said, f"by {found.points} points at which the window shows{margin}"]

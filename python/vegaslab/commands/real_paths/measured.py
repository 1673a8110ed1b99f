"""`vegaslab measured`: a capture or a log of a real host as tables, picture and page, and the path that it shows."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab.commands.parsing import OK, Commands, UsageError, add_pictures
from vegaslab.runs.drawable import PAGE
from vegaslab.util.folder import whole_folder
from vegaslab.util.progress import ReadingProgress
from vegaslab.util.terminal import lay_out

if TYPE_CHECKING:
    from vegaslab.measuring.measured.measurement import Measured

_FLOWS_SHOWN = 12
_WHAT = (
    "a capture (pcap, pcapng), ss -tin with times, iperf3 -J, a qlog, lines of tcp_probe, a log of Mahimahi's link, "
    "or CSV with named columns"
)


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("measured", help="read a capture or a log of a real host: tables, page, the path")
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help=_WHAT)
    add("-o", "--output", type=Path, metavar="DIR", help="the results folder (default: results/NAME-measured)")
    add("--flow", type=int, metavar="N", help="the flow whose path is worked out of a capture (default: the largest)")
    add("--no-path", action="store_true", help="do not work the path out, which reads a capture twice")
    add("--step", default="10ms", metavar="TIME", help="of the time series (default: 10ms)")
    add("--json", action="store_true", help="print what was found as JSON")
    add_pictures(parser)
    parser.set_defaults(action=_measured)


def _measured(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.measuring.measured.measurement import Measured, check_readable, read_into

    if options.flow is not None and options.no_path:
        raise UsageError("--flow: goes without --no-path; it says whose path is worked out")
    output = options.output or Path("results") / f"{options.file.stem}-measured"
    progress = ReadingProgress(options.file)
    check_readable(options.file)
    with whole_folder(output) as folder:
        path = not options.no_path
        read_into(options.file, folder, flow=options.flow, step=options.step, path=path, progress=progress)
        measurement = Measured(folder)
        measurement.draw_into(folder, page=not options.no_plot, drawn=options.plot)
        shown = json.dumps(measurement.report) if options.json else "\n".join(_report(measurement))
    print(shown)
    if not options.json:
        print(f"\nresults: {output}")
        if measurement.report["path"]:
            print(f"scenario: {output / 'path.toml'}")
        if not options.no_plot:
            print(f"picture: {output / PAGE}")
    return OK


def _report(measurement: "Measured") -> list[str]:
    # only here: other commands need not wait for it
    from vegaslab.measuring.measured.picture import COLUMNS, flow_rows
    from vegaslab.reports.summary import aligned

    report = measurement.report
    lines = [f"{report['file']}: {report['taken_for']}, {report['duration_s']:.3f} s", ""]
    if report["flows"]:
        lines += aligned(COLUMNS, flow_rows(measurement, _FLOWS_SHOWN), keys=2)
    if report["flows"] > _FLOWS_SHOWN:
        lines.append(f"and {report['flows'] - _FLOWS_SHOWN} flows more")
    if measurement.links is not None:
        lines += _links(measurement.links.to_pylist())
    if report["path"]:
        lines += _path(report["path"])
    if report["odd"]:
        lines += ["", "odd:", *(f"  {line}" for line in report["odd"])]
    return lines


def _links(links: list[dict[str, Any]]) -> list[str]:
    lines = []
    for link in links:
        used = "" if link["utilisation"] is None else f", {100 * link['utilisation']:.1f} % used"
        waits = ", ".join(
            f"{name} {link[key]:.0f} ms"
            for name, key in (
                ("median", "p50_queueing_ms"),
                ("95 %", "p95_queueing_ms"),
                ("longest", "max_queueing_ms"),
            )
            if link[key] is not None
        )
        queue = f"queue {link['mean_queue_packets']:.1f} packets, {link['max_queue_packets']} at most"
        lines.append(f"{link['id']}: {queue}, {link['drops']} drops{used}; waits: {waits or 'none'}")
    return lines


def _path(path: dict[str, Any]) -> list[str]:
    titles = ["path", "value", "range", "evidence"]
    rows = [[found["what"], found["value"], found["range"], found["evidence"]] for found in path["findings"]]
    lines = ["", f"path of flow {path['flow']}:", *lay_out([titles, *rows], 1)]
    if (check := path["check"]) is not None:
        lines += [
            "",
            f"simulated path, the same departures: round-trip times within {check['p50_error_ms']:.2f} ms (half), "
            f"{check['p95_error_ms']:.2f} ms (95 %); losses: {check['lost_in_both']} in both, "
            f"{check['lost_in_capture']} in the capture only, {check['lost_in_path']} on the simulated path only, "
            f"{check['lost_elsewhere']} elsewhere",
        ]
    return lines

"""The pictures of a measurement: what was in flight, round-trip times, rates, windows, a link's queue."""

from collections.abc import Iterator, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vegaslab.reports.chart import Curve, Panel
from vegaslab.reports.page.templates import render
from vegaslab.reports.panels import known
from vegaslab.reports.sheet import MOST_LABELLED_FLOWS, Sheet, are, floats, mean_over_steps, thin
from vegaslab.reports.summary import informative, number
from vegaslab.util.terminal import NONE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vegaslab.measuring.measured.tables import MeasuredTables

NAMES = ("in flight", "cwnd", "rtt", "rate", "queue")
_POINTS = 3000
_LEAST_PART = 0.01
"""Flows that delivered less than this part of the largest one are not drawn, such as those of requests."""
_TIME = "time (s)"
_CROSSES = {"retransmit": "retransmissions", "mark": "marks", "queue-drop": "drops", "loss": "losses"}


def page(measurement: "MeasuredTables") -> str:
    """Returns the page: picture, table of flows, the path and what is odd."""
    report = measurement.report
    figure = {"shared": True, "panels": [panel.data() for panel in panels(measurement)]}
    head, *rows = informative(COLUMNS, flow_rows(measurement, most=100))
    return render(
        "measured.html",
        f"{Path(report['file']).name}: {report['taken_for']}",
        [figure],
        head=head,
        rows=rows,
        odd=report["odd"],
        path=report["path"],
    )


def draw(
    measurement: "MeasuredTables",
    names: str | Sequence[str] | PathLike[str] | None,
    path: str | PathLike[str] | None,
) -> "Figure":
    """Draws panels by matplotlib, and writes them to `path`. Raises `PanelError`."""
    # only here: matplotlib may be missing
    from vegaslab.reports.figure import draw_and_save

    return draw_and_save(_sheet(measurement), partial(panels, measurement), names, path)


def _sheet(measurement: "MeasuredTables") -> Sheet:
    title = Path(measurement.report["file"]).name
    return Sheet(
        title=title,
        note="",
        duration_s=max(measurement.report["duration_s"], 1e-9),
        throughput_step_s=0.0,
        groups=(),
        bottlenecks=(),
    )


def panels(measurement: "MeasuredTables", names: Sequence[str] | None = None) -> tuple[Panel, ...]:
    """Returns the panels of these names; without names all that the measurement has values for. Raises `PanelError`."""
    makers = dict(zip(NAMES, (_in_flight, _window, _rtt, _rate, _queue), strict=True))
    shown = [makers[name](measurement) for name in known(names, NAMES)]
    with_values = tuple(panel for panel in shown if panel.curves)
    return with_values or tuple(shown[:1])


def drawn_flows(measurement: "MeasuredTables") -> list[dict[str, Any]]:
    """Returns the rows of the flows that are drawn: the largest, without those of requests."""
    rows = measurement.flows.to_pylist()
    size = {row["id"]: row["delivered_bytes"] or row["segments_sent"] or 1 for row in rows}
    largest = max(size.values(), default=0)
    kept = [row for row in rows if size[row["id"]] >= _LEAST_PART * largest]
    kept.sort(key=lambda row: -size[row["id"]])
    return sorted(kept[:MOST_LABELLED_FLOWS], key=lambda row: row["id"])


def _lines(measurement: "MeasuredTables", column: str, scale: float = 1.0, **look: Any) -> Iterator[Curve]:
    series = measurement.series.flows
    flow, time_s, values = (floats(series[name]) for name in ("flow", "time_s", column))
    flows = drawn_flows(measurement)
    for colour, row in enumerate(flows):
        of_flow = (flow == row["id"]) & np.isfinite(values)
        if of_flow.any():
            line = thin(time_s[of_flow], values[of_flow] * scale, _POINTS)
            label = _label(row, flows)
            yield Curve(label=label, x=line.time_s, y=line.values, colour=colour, **look)


def _label(row: dict[str, Any], flows: Sequence[dict[str, Any]]) -> str:
    name = row["algorithm"] or ""
    return f"{row['id']}: {name or row['connection']}" if len(flows) > 1 else name or str(row["connection"])


def _panel(
    measurement: "MeasuredTables",
    y: str,
    curves: Sequence[Curve],
    note: str = "",
    *,
    height: float = 2.0,
    zero: bool = True,
) -> Panel:
    duration_s = max(measurement.report["duration_s"], 1e-9)
    return Panel(
        x=_TIME, y=y, curves=tuple(curves), note=note, height=height, x_range=(0.0, duration_s), from_zero=zero
    )


def _in_flight(measurement: "MeasuredTables") -> Panel:
    windows = list(_lines(measurement, "window_bytes", 1e-3, style="dashed", name="receive window", in_range=False))
    lines = list(_lines(measurement, "in_flight_bytes", 1e-3))
    crosses = list(_crosses(measurement)) if lines else []
    counts = ", ".join(f"{len(curve.x)} {curve.name}" for curve in crosses)
    notes = ["dashed: receive window" if windows else "", f"\N{MULTIPLICATION SIGN} {counts}" if counts else ""]
    note = "; ".join(note for note in notes if note)
    return _panel(measurement, "in flight (kB)", [*windows, *lines, *crosses], note, height=3)


def _crosses(measurement: "MeasuredTables") -> Iterator[Curve]:
    """Yields crosses at the panel's upper edge, a row for each kind of incident."""
    incidents = measurement.incidents
    time_s = floats(incidents["time_s"])
    row = 0
    for kind, name in _CROSSES.items():
        at = time_s[are(incidents["kind"], kind)]
        if len(at):
            yield Curve(label="", x=at, y=[float(row)] * len(at), colour=row, style="drops", name=name)
            row += 1


def _window(measurement: "MeasuredTables") -> Panel:
    thresholds = list(_lines(measurement, "ssthresh_segments", style="dashed", name="ssthresh", in_range=False))
    lines = list(_lines(measurement, "cwnd_segments"))
    note = "dashed: ssthresh" if thresholds else ""
    return _panel(measurement, "window (segments)", [*thresholds, *lines], note, height=3)


def _rtt(measurement: "MeasuredTables") -> Panel:
    bases = list(_lines(measurement, "base_rtt_ms", style="dashed", name="least"))
    lines = list(_lines(measurement, "rtt_ms"))
    return _panel(measurement, "RTT (ms)", [*lines, *bases], "dashed: least so far" if bases else "", zero=False)


def _rate(measurement: "MeasuredTables") -> Panel:
    delivered = list(_lines(measurement, "delivered_mbps", name="delivered"))
    sent = list(_lines(measurement, "sent_mbps", style="dotted", name="sent"))
    lines = delivered or [Curve(**{**curve.__dict__, "style": "line"}) for curve in sent]
    dotted = sent if delivered else []
    note = "payload acknowledged; dotted: bytes sent" if dotted else ""
    averaged = [_averaged(curve, measurement.report["duration_s"]) for curve in (*dotted, *lines)]
    return _panel(measurement, "rate (Mb/s)", averaged, note)


def _averaged(curve: Curve, duration_s: float) -> Curve:
    """Returns the curve as means over steps that hide single packets."""
    step_s = max(duration_s / 200, 1e-6)
    time_s, values = np.asarray(curve.x, dtype=np.float64), np.asarray(curve.y, dtype=np.float64)
    if len(time_s) < 200:
        return curve
    line = mean_over_steps(time_s, values, step_s)
    return Curve(**{**curve.__dict__, "x": line.time_s, "y": line.values})


def _queue(measurement: "MeasuredTables") -> Panel:
    series = measurement.series.links
    if not series.num_rows:
        return _panel(measurement, "queue (packets)", [])
    time_s, packets, most = (floats(series[name]) for name in ("time_s", "queue_packets", "max_queue_packets"))
    peak, line = thin(time_s, most, _POINTS), thin(time_s, packets, _POINTS)
    drops = floats(measurement.incidents["time_s"])[are(measurement.incidents["kind"], "queue-drop")]
    curves = [
        Curve(label="", x=peak.time_s, y=peak.values, colour=None, style="area", name="most", opacity=0.22),
        Curve(label="", x=line.time_s, y=line.values, colour=None, thin=True),
    ]
    if len(drops):
        curves.append(Curve(label="", x=drops, y=[0.0] * len(drops), colour=None, style="drops"))
    return _panel(measurement, "queue (packets)", curves, f"{len(drops)} drops" if len(drops) else "")


COLUMNS = (
    "flow",
    "connection",
    "algorithm",
    "start s",
    "end s",
    "Mb/s",
    "RTT ms least",
    "median",
    "95 %",
    "most in flight kB",
    "segments",
    "retransmitted",
    "timeouts",
    "marks",
    "captured at",
)


def flow_rows(measurement: "MeasuredTables", most: int) -> list[tuple[str, ...]]:
    """Returns the cells of the flows' table: the flows that are drawn, then others, `most` at most."""
    drawn = drawn_flows(measurement)
    ids = {row["id"] for row in drawn}
    others = [row for row in measurement.flows.slice(0, most).to_pylist() if row["id"] not in ids]
    return [_row(row) for row in (*drawn, *others)][:most]


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    rate = row["goodput_mbps"] if row["goodput_mbps"] is not None else row["sent_mbps"]
    in_flight = row["max_in_flight_bytes"]
    marks = (row["marks"] or 0) + (row["marked_acks"] or 0)
    return (
        str(row["id"]),
        row["connection"],
        row["algorithm"] or NONE,
        number(row["start_s"], 2),
        number(row["end_s"], 2),
        number(rate, 3),
        number(row["base_rtt_ms"], 2),
        number(row["p50_rtt_ms"], 2),
        number(row["p95_rtt_ms"], 2),
        number(None if in_flight is None else in_flight / 1e3, 1),
        number(row["segments_sent"], 0),
        number(row["segments_retransmitted"], 0),
        number(row["timeouts"], 0),
        number(marks or None, 0),
        row["capture_point"] or NONE,
    )

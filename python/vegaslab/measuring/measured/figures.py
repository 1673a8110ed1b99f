"""The figures of a captured flow, and what two flows of one path have in common."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vegaslab.reports.sheet import are, floats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vegaslab.measuring.measured.tables import MeasuredTables

FIGURES = {
    "goodput_mbps": ("goodput Mb/s", 3),
    "segments_sent": ("sent segments", 0),
    "segments_retransmitted": ("retransmitted segments", 0),
    "lost_as_captured": ("the same as in the capture", 0),
    "lost_otherwise": ("others", 0),
    "timeouts": ("timeouts", 0),
    "slow_start_end_s": ("slow start ends s", 2),
    "mean_in_flight_kb": ("in flight kB mean", 2),
    "max_in_flight_kb": ("most", 2),
    "base_rtt_ms": ("RTT ms least", 1),
    "p50_rtt_ms": ("median", 1),
    "p95_rtt_ms": ("95 %", 1),
}
"""The figures by name: title and decimals. Losses are segments that were retransmitted, by their place in the data."""

CAPTURE = "capture"
"""The name of the capture among the runs."""

_SLOW_START_GROWTH = 1.25
"""A round trip with less growth is the end of slow start: half of what delayed acknowledgements leave of a doubling."""


def largest(measurement: "MeasuredTables") -> int:
    """Returns the flow that delivered most."""
    rows = measurement.flows.to_pylist()
    return int(max(rows, key=lambda row: row["delivered_bytes"] or 0)["id"])


def figures_of(
    measurement: "MeasuredTables", flow: int, beside: "tuple[MeasuredTables, int] | None" = None
) -> dict[str, Any]:
    """Returns the figures of a flow; `beside` is the captured flow with which losses are compared."""
    row = next(row for row in measurement.flows.to_pylist() if row["id"] == flow)
    time_s, in_flight = in_flight_of(measurement, flow)
    lost = lost_of(measurement, flow)
    captured = lost if beside is None else lost_of(*beside)
    return {
        **{name: row[name] for name in FIGURES if name in row},
        "lost_as_captured": len(lost & captured),
        "lost_otherwise": len(lost - captured),
        "slow_start_end_s": _slow_start_end(measurement, flow, row),
        "mean_in_flight_kb": float(np.mean(in_flight)) / 1e3 if len(time_s) else None,
        "max_in_flight_kb": None if row["max_in_flight_bytes"] is None else row["max_in_flight_bytes"] / 1e3,
    }


def in_flight_of(measurement: "MeasuredTables", flow: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the times since the flow's first data, s, and the bytes in flight at each."""
    return series_of(measurement, flow, "in_flight_bytes")


def series_of(measurement: "MeasuredTables", flow: int, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the times since the flow's first data, s, at which a column has values, and these."""
    series = measurement.series.flows
    time_s, values = floats(series["time_s"]), floats(series[column])
    rows = (floats(series["flow"]) == flow) & np.isfinite(values)
    return time_s[rows] - start_of(measurement, flow), values[rows]


def start_of(measurement: "MeasuredTables", flow: int) -> float:
    """Returns when the flow's first data left, s."""
    rows = measurement.flows.to_pylist()
    return float(next(row["start_s"] for row in rows if row["id"] == flow))


def retransmissions_of(measurement: "MeasuredTables", flow: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the times of retransmissions since the flow's first data, s, and their places in the data."""
    incidents = measurement.incidents
    rows = are(incidents["kind"], "retransmit") & (floats(incidents["flow"]) == flow)
    return floats(incidents["time_s"])[rows] - start_of(measurement, flow), floats(incidents["sequence"])[rows]


def lost_of(measurement: "MeasuredTables", flow: int) -> set[int]:
    """Returns the places in the data of segments that were retransmitted."""
    return {int(place) for place in retransmissions_of(measurement, flow)[1]}


def _slow_start_end(measurement: "MeasuredTables", flow: int, row: dict[str, Any]) -> float | None:
    """Returns the end of the first round trip in which what was in flight grew no more as in slow start, or the first
    retransmission before it.
    """
    time_s, in_flight = in_flight_of(measurement, flow)
    round_s = (row["base_rtt_ms"] or 0.0) / 1e3
    if not len(time_s) or round_s <= 0:
        return None
    ends = [float(time) for time in retransmissions_of(measurement, flow)[0][:1]]
    rounds = (time_s / round_s).astype(int)
    most = [float(in_flight[rounds == number].max(initial=0)) for number in range(int(rounds[-1]) + 1)]
    for number, (before, after) in enumerate(pairwise(most), 1):
        if number > 1 and 0 < after < _SLOW_START_GROWTH * before:
            ends.append((number + 1) * round_s)
            break
    return min(ends, default=None)


class Sides:
    """A capture, by the name `capture`, and runs of its path, with their figures."""

    def __init__(self, runs: "Mapping[str, MeasuredTables]") -> None:
        """Works the figures out."""
        self.runs: Mapping[str, MeasuredTables] = dict(runs)
        capture = self.runs[CAPTURE]
        self.flow: int = capture.report["path"]["flow"]
        """The capture's flow."""
        of_capture = figures_of(capture, self.flow)
        self.figures: dict[str, dict[str, Any]] = {
            name: of_capture if name == CAPTURE else figures_of(run, largest(run), (capture, self.flow))
            for name, run in self.runs.items()
        }
        """The figures of the table, by name of the run."""

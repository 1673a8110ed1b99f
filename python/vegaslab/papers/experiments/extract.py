"""Data extracted from a result: plain numbers and thinned series, as JSON holds them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vegaslab.runs.result import Result

Floats = NDArray[np.float64]

_MOST_POINTS = 700


def flow_column(result: Result, column: str, flow: int = 0) -> tuple[Floats, Floats]:
    """Returns times in s and values of a column of a flow's series."""
    return _of(result.series.flows, "flow", flow, column)


def link_column(result: Result, column: str, link: str) -> tuple[Floats, Floats]:
    """Returns times in s and values of a column of a link's series."""
    return _of(result.series.links, "link", link, column)


def curve(time_s: Floats, values: Floats) -> dict[str, list[float]]:
    """Returns the points of a curve, thinned to what a figure shows, with both ends."""
    kept = np.unique(np.linspace(0, len(time_s) - 1, min(_MOST_POINTS, len(time_s))).astype(int))
    return {"x": [float(value) for value in time_s[kept]], "y": [float(value) for value in values[kept]]}


def link_total(result: Result, link: str) -> dict[str, Any]:
    """Returns the summary's row of a link."""
    found: dict[str, Any] = next(row for row in result.summary["links"] if row["id"] == link)
    return found


def first_flow(result: Result) -> dict[str, Any]:
    """Returns the figures of a dumbbell's first flow: its share of the bottleneck and its retransmissions, in per cent,
    and its goodput.
    """
    flow = result.summary["flows"][0]
    rate_mbps = next(link["rate_mbps"] for link in result.scenario.links() if link["id"] == "r1->r2")
    return {
        "share_percent": 100 * flow["throughput_mbps"] / rate_mbps,
        "again_percent": 100 * flow["segments_retransmitted"] / max(1, flow["segments_sent"]),
        "goodput_kbps": 1000 * float(flow["goodput_mbps"]),
        "timeouts": flow["timeouts"],
    }


def first_time(time_s: Floats, reached: NDArray[np.bool_]) -> float | None:
    """Returns the time of the first sample that has `reached`; None if there is none."""
    return float(time_s[int(np.argmax(reached))]) if reached.any() else None


def since_when(time_s: Floats, lasting: NDArray[np.bool_]) -> float | None:
    """Returns the time from which on every sample is `lasting`; None if the last one is not."""
    if not lasting[-1]:
        return None
    breaks = np.flatnonzero(~lasting)
    return float(time_s[breaks[-1] + 1]) if len(breaks) else float(time_s[0])


def _of(table: Any, key: str, wanted: object, column: str) -> tuple[Floats, Floats]:
    rows = np.asarray(table[key].to_numpy(zero_copy_only=False)) == wanted
    return _floats(table["time_s"])[rows], _floats(table[column])[rows]


def _floats(column: Any) -> Floats:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)

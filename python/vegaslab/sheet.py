"""What the pictures show, taken from the tables: the same for matplotlib and for the page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

if TYPE_CHECKING:
    from vegaslab.result import Result

Floats = NDArray[np.float64]

MOST_LABELLED_FLOWS = 8
"""With more flows than this, colours and labels mean algorithms, not flows."""

_MOST_DRAWN_FLOWS = 64
_POINTS_PER_LINE = 3000
_POINTS_PER_SHEET = 60_000
_LEAST_POINTS_PER_LINE = 300
_THROUGHPUT_STEPS = 200


@dataclass(frozen=True, kw_only=True)
class Line:
    """Values over time."""

    time_s: Floats
    values: Floats


@dataclass(frozen=True, kw_only=True)
class FlowLines:
    """A flow: window (NaN while idle), threshold (NaN while unbounded), throughput, first exit from slow start."""

    cwnd_segments: Line
    ssthresh_segments: Line
    throughput_mbps: Line
    slow_start_end: tuple[float, float] | None
    """Time in s and window in segments."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Flows that share a label and a colour."""

    label: str
    colour: int
    flows: tuple[FlowLines, ...]


@dataclass(frozen=True, kw_only=True)
class Queue:
    """The bottleneck's queue in one run: waiting packets, their most in each step, and when packets were lost."""

    label: str
    colour: int | None
    packets: Line
    peak_packets: Line
    drops_s: Floats


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Three panels over one time axis: window, throughput, bottleneck queue."""

    title: str
    note: str
    duration_s: float
    link: str
    rate_mbps: float
    queue_limit_packets: int | None
    throughput_step_s: float
    groups: tuple[Group, ...]
    queues: tuple[Queue, ...]


def sheet_of_run(result: "Result") -> Sheet:
    """The picture of one run: a colour a flow, or an algorithm if there are many flows."""
    summary = result.summary
    algorithms = [flow["algorithm"] for flow in summary["flows"]]
    labels = _flow_labels(algorithms)
    drawn = _drawn_flows(len(algorithms))
    lines = dict(zip(drawn, _flow_lines(result, drawn), strict=True))
    groups = tuple(
        Group(label=label, colour=colour, flows=tuple(lines[flow] for flow in drawn if labels[flow] == label))
        for colour, label in enumerate(dict.fromkeys(labels[flow] for flow in drawn))
    )
    names = ", ".join(dict.fromkeys(algorithms))
    return _sheet(result, f"{summary['scenario']}: {names}", groups, (_queue(result, bottleneck(result), "", None),))


def sheet_of_comparison(runs: Mapping[str, "Result"]) -> Sheet:
    """The picture of a comparison: a colour a run. The bottleneck is that of the first run, for all of them."""
    first = next(iter(runs.values()))
    link = bottleneck(first)
    drawn = _drawn_flows(len(first.summary["flows"]))
    groups = tuple(
        Group(label=algorithm, colour=colour, flows=tuple(_flow_lines(result, drawn)))
        for colour, (algorithm, result) in enumerate(runs.items())
    )
    queues = tuple(_queue(result, link, algorithm, colour) for colour, (algorithm, result) in enumerate(runs.items()))
    return _sheet(first, f"{first.summary['scenario']}: {' against '.join(runs)}", groups, queues)


def _sheet(result: "Result", title: str, groups: tuple[Group, ...], queues: tuple[Queue, ...]) -> Sheet:
    link = bottleneck(result)
    info = next(info for info in result.scenario.links() if info["id"] == link)
    flows = len(result.summary["flows"])
    return Sheet(
        title=title,
        note=f"{_MOST_DRAWN_FLOWS} of {flows} flows drawn" if flows > _MOST_DRAWN_FLOWS else "",
        duration_s=result.summary["duration_s"],
        link=link,
        rate_mbps=info["rate_mbps"],
        queue_limit_packets=info["queue_packets"],
        throughput_step_s=_throughput_step(result),
        groups=groups,
        queues=queues,
    )


def bottleneck(result: "Result") -> str:
    """The link of the highest utilisation, the first of them."""
    links: list[dict[str, Any]] = result.summary["links"]
    return str(max(links, key=lambda link: link["utilisation"])["id"])


def _flow_labels(algorithms: list[str]) -> list[str]:
    if len(algorithms) == 1:
        return algorithms
    if len(algorithms) <= MOST_LABELLED_FLOWS:
        return [f"{flow}: {algorithm}" for flow, algorithm in enumerate(algorithms)]
    return [f"{algorithm} x {algorithms.count(algorithm)}" for algorithm in algorithms]


def _drawn_flows(flows: int) -> list[int]:
    """All of them, or so many evenly chosen that lines can still be told apart."""
    if flows <= _MOST_DRAWN_FLOWS:
        return list(range(flows))
    return [flow * flows // _MOST_DRAWN_FLOWS for flow in range(_MOST_DRAWN_FLOWS)]


def _flow_lines(result: "Result", flows: list[int]) -> Iterator[FlowLines]:
    points = max(_LEAST_POINTS_PER_LINE, min(_POINTS_PER_LINE, _POINTS_PER_SHEET // max(1, len(flows))))
    series = result.series.flows
    flow_column = _floats(series["flow"])
    columns = {name: _floats(series[name]) for name in ("time_s", "cwnd_segments", "ssthresh_segments")}
    columns["throughput_mbps"] = _floats(series["throughput_mbps"])
    idle = np.asarray(pc.equal(_text(series["phase"]), "idle"))
    for name in ("cwnd_segments", "ssthresh_segments"):
        columns[name] = np.where(idle, np.nan, columns[name])
    step_s = _throughput_step(result)
    totals = result.summary["flows"]
    for flow in flows:
        rows = flow_column == flow
        time = columns["time_s"][rows]
        yield FlowLines(
            cwnd_segments=thin(time, columns["cwnd_segments"][rows], points),
            ssthresh_segments=thin(time, columns["ssthresh_segments"][rows], points),
            throughput_mbps=mean_over_steps(time, columns["throughput_mbps"][rows], step_s),
            slow_start_end=_slow_start_end(totals[flow]),
        )


def _throughput_step(result: "Result") -> float:
    """Long enough that single packets do not show, s; not less than the step of the series."""
    time = _floats(result.series.flows["time_s"])
    steps = np.diff(np.unique(time))
    return max(result.scenario.duration_s / _THROUGHPUT_STEPS, float(np.median(steps)) if len(steps) else 0.0)


def mean_over_steps(time_s: Floats, values: Floats, step_s: float) -> Line:
    """Means over steps of `step_s` of values that each hold since the row before (the first: since 0)."""
    if not len(time_s):
        return Line(time_s=time_s, values=values)
    edges = np.arange(0, time_s[-1] + step_s * 1e-6, step_s)
    integral = np.concatenate([[0.0], np.cumsum(values * np.diff(time_s, prepend=0.0))])
    at_edges = np.interp(edges, np.concatenate([[0.0], time_s]), integral)
    return Line(time_s=edges[1:], values=np.diff(at_edges) / step_s)


def _slow_start_end(flow: dict[str, Any]) -> tuple[float, float] | None:
    time_s, cwnd_segments = flow["slow_start_end_s"], flow["cwnd_at_slow_start_end"]
    return None if time_s is None or cwnd_segments is None else (time_s, cwnd_segments)


def _queue(result: "Result", link: str, label: str, colour: int | None) -> Queue:
    series = _of_link(result.series.links, link)
    time = _floats(series["time_s"])
    return Queue(
        label=label,
        colour=colour,
        packets=thin(time, _floats(series["queue_packets"]), _POINTS_PER_LINE),
        peak_packets=thin(time, _floats(series["max_queue_packets"]), _POINTS_PER_LINE),
        drops_s=_drop_times(result, link),
    )


def _drop_times(result: "Result", link: str) -> Floats:
    incidents = _of_link(result.incidents, link)
    lost = pc.is_in(_text(incidents["kind"]), value_set=pa.array(["queue-drop", "loss"]))
    return _floats(incidents.filter(lost)["time_s"])


def _of_link(table: pa.Table, link: str) -> pa.Table:
    return table.filter(pc.equal(_text(table["link"]), link))


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())


def _floats(column: pa.ChunkedArray) -> Floats:
    """A column as floats, NaN for null."""
    return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)


def thin(time_s: Floats, values: Floats, points: int) -> Line:
    """At most about `points` points of a line that look the same: the least and greatest of each stretch of rows."""
    if len(values) <= points:
        return Line(time_s=time_s, values=values)
    stretches = np.linspace(0, len(values), points // 2 + 1, dtype=np.intp)
    filled = np.nan_to_num(values, nan=-1.0)
    kept = np.unique(
        [start + extreme(filled[start:end]) for start, end in pairwise(stretches) for extreme in (np.argmin, np.argmax)]
    )
    kept = np.union1d(kept, [0, len(values) - 1])
    return Line(time_s=time_s[kept], values=values[kept])

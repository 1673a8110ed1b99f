"""The data that pictures of runs show, taken from the tables: matplotlib and the page share them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vegaslab import _vegaslab

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]

MOST_LABELLED_FLOWS = 8
"""The most flows with labels and colours of their own; with more, these stand for algorithms."""

_MOST_DRAWN_FLOWS = 64
_POINTS_PER_LINE = 3000
_POINTS_PER_SHEET = 60_000
_LEAST_POINTS_PER_LINE = 300
_THROUGHPUT_STEPS = 200


class Tables(Protocol):
    """The time series of a run."""

    @property
    def flows(self) -> "pa.Table":
        """The rows of flows; docs/results.md lists the columns."""

    @property
    def links(self) -> "pa.Table":
        """The rows of links."""


class Run(Protocol):
    """The properties of a run that a sheet reads; `vegaslab.Result` has them."""

    @property
    def scenario(self) -> _vegaslab.Scenario:
        """The checked scenario."""

    @property
    def summary(self) -> dict[str, Any]:
        """Totals of flows and links."""

    @property
    def series(self) -> Tables:
        """The time series of flows and links."""

    @property
    def incidents(self) -> "pa.Table":
        """Drops, losses, retransmissions and timeouts."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """Values over time; NaN is a gap."""

    time_s: Floats
    values: Floats


@dataclass(frozen=True, kw_only=True)
class FlowLines:
    """The lines of a flow; they have gaps while it is idle."""

    cwnd_segments: Line
    """The window, with the point of the first exit from slow start, which falls between samples."""
    ssthresh_segments: Line
    """The threshold; NaN while it is unbounded."""
    rtt_ms: Line
    base_rtt_ms: Line
    """The base RTT; NaN before there is one."""
    throughput_mbps: Line
    slow_start_end: tuple[float, float] | None
    """The time in s and the window in segments of the first exit from slow start."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Flows that share a label and a colour."""

    label: str
    colour: int
    flows: tuple[FlowLines, ...]


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """The busiest link in one run: its rate, and its queue."""

    label: str
    """The run's label; empty if there is one run alone."""
    colour: int | None
    link: str
    rate_mbps: Line
    """The rate; for a link that follows a trace, means over steps."""
    limit_packets: Line
    """The limit; NaN where it is not in packets."""
    packets: Line
    peak_packets: Line
    """The greatest queue in the step that ends at the time."""
    drops_s: Floats
    """The times of packet losses; those of background traffic are known to a step of the series."""
    drops: int
    """The packets lost at the link, including those of background traffic."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The pictured runs, over one time axis."""

    title: str
    note: str
    """A note on what the picture leaves out."""
    duration_s: float
    throughput_step_s: float
    groups: tuple[Group, ...]
    bottlenecks: tuple[Bottleneck, ...]


def sheet_of_run(result: Run) -> Sheet:
    """Returns the picture of one run, with a colour for each flow, or for each algorithm if there are many flows."""
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
    link = _bottleneck(result, bottleneck(result), "", None)
    return _sheet([result], f"{summary['scenario']}: {names}", groups, [link])


def sheet_of_runs(runs: Mapping[str, Run], title: str | None = None) -> Sheet:
    """Returns the picture of several runs, with a colour for each. The bottleneck is that of the first run, in those
    that have it.
    """
    results = list(runs.values())
    link = bottleneck(results[0])
    groups = tuple(
        Group(label=name, colour=colour, flows=tuple(_flow_lines(result, _drawn_flows(len(result.summary["flows"])))))
        for colour, (name, result) in enumerate(runs.items())
    )
    links = [
        _bottleneck(result, link if _has_link(result, link) else bottleneck(result), name, colour)
        for colour, (name, result) in enumerate(runs.items())
    ]
    scenarios = " and ".join(dict.fromkeys(str(result.summary["scenario"]) for result in results))
    return _sheet(results, f"{scenarios}: {' against '.join(runs)}" if title is None else title, groups, links)


def _sheet(results: Sequence[Run], title: str, groups: tuple[Group, ...], bottlenecks: Sequence[Bottleneck]) -> Sheet:
    flows = max(len(result.summary["flows"]) for result in results)
    return Sheet(
        title=title,
        note=f"{_MOST_DRAWN_FLOWS} of {flows} flows drawn" if flows > _MOST_DRAWN_FLOWS else "",
        duration_s=max(result.summary["duration_s"] for result in results),
        throughput_step_s=max(_throughput_step(result) for result in results),
        groups=groups,
        bottlenecks=tuple(bottlenecks),
    )


def bottleneck(result: Run) -> str:
    """Returns the link of the highest utilisation, the first of them."""
    links: list[dict[str, Any]] = result.summary["links"]
    return str(max(links, key=lambda link: link["utilisation"])["id"])


def _has_link(result: Run, link: str) -> bool:
    return any(totals["id"] == link for totals in result.summary["links"])


def _flow_labels(algorithms: list[str]) -> list[str]:
    if len(algorithms) == 1:
        return algorithms
    if len(algorithms) <= MOST_LABELLED_FLOWS:
        return [f"{flow}: {algorithm}" for flow, algorithm in enumerate(algorithms)]
    counts = Counter(algorithms)
    return [f"{algorithm} x {counts[algorithm]}" for algorithm in algorithms]


def _drawn_flows(flows: int) -> list[int]:
    """Returns all flows, or evenly chosen ones if there are too many to distinguish."""
    if flows <= _MOST_DRAWN_FLOWS:
        return list(range(flows))
    return [flow * flows // _MOST_DRAWN_FLOWS for flow in range(_MOST_DRAWN_FLOWS)]


def _flow_lines(result: Run, flows: list[int]) -> Iterator[FlowLines]:
    points = max(_LEAST_POINTS_PER_LINE, min(_POINTS_PER_LINE, _POINTS_PER_SHEET // max(1, len(flows))))
    series = result.series.flows
    flow_column = floats(series["flow"])
    time_s, throughput_mbps = floats(series["time_s"]), floats(series["throughput_mbps"])
    idle = are(series["phase"], "idle")
    state = {
        name: np.where(idle, np.nan, floats(series[name]))
        for name in ("cwnd_segments", "ssthresh_segments", "rtt_ms", "base_rtt_ms")
    }
    step_s = _throughput_step(result)
    for flow in flows:
        rows = flow_column == flow
        lines = {name: thin(time_s[rows], values[rows], points) for name, values in state.items()}
        end = _slow_start_end(result.summary["flows"][flow])
        if end is not None:
            lines["cwnd_segments"] = with_point(lines["cwnd_segments"], *end)
        throughput = mean_over_steps(time_s[rows], throughput_mbps[rows], step_s)
        yield FlowLines(**lines, throughput_mbps=throughput, slow_start_end=end)


def _throughput_step(result: Run) -> float:
    """Returns a step in s that hides single packets and is not below that of the series."""
    time = floats(result.series.flows["time_s"])
    steps = np.diff(np.unique(time))
    return max(result.scenario.duration_s / _THROUGHPUT_STEPS, float(np.median(steps)) if len(steps) else 0.0)


def mean_over_steps(time_s: Floats, values: Floats, step_s: float) -> Line:
    """Returns means over steps of `step_s`; each value holds since the row before it (the first: since 0)."""
    if not len(time_s):
        return Line(time_s=time_s, values=values)
    edges = np.arange(0, time_s[-1] + step_s * 1e-6, step_s)
    integral = np.concatenate([[0.0], np.cumsum(values * np.diff(time_s, prepend=0.0))])
    at_edges = np.interp(edges, np.concatenate([[0.0], time_s]), integral)
    return Line(time_s=edges[1:], values=np.diff(at_edges) / step_s)


def with_point(line: Line, time_s: float, value: float) -> Line:
    """Returns the line with one more point."""
    place = int(np.searchsorted(line.time_s, time_s))
    return Line(time_s=np.insert(line.time_s, place, time_s), values=np.insert(line.values, place, value))


def _slow_start_end(flow: dict[str, Any]) -> tuple[float, float] | None:
    time_s, cwnd_segments = flow["slow_start_end_s"], flow["cwnd_at_slow_start_end"]
    return None if time_s is None or cwnd_segments is None else (time_s, cwnd_segments)


def _bottleneck(result: Run, link: str, label: str, colour: int | None) -> Bottleneck:
    series = result.series.links
    rows = are(series["link"], link)
    time = floats(series["time_s"])[rows]
    total = next(totals["drops"] for totals in result.summary["links"] if totals["id"] == link)
    return Bottleneck(
        label=label,
        colour=colour,
        link=link,
        rate_mbps=_line(result.scenario.link_rates(link, _throughput_step(result))),
        limit_packets=_line(result.scenario.link_queue_limits(link)),
        packets=thin(time, floats(series["queue_packets"])[rows], _POINTS_PER_LINE),
        peak_packets=thin(time, floats(series["max_queue_packets"])[rows], _POINTS_PER_LINE),
        drops_s=_drop_times(result, link, total, Line(time_s=time, values=floats(series["drops"])[rows])),
        drops=total,
    )


def _line(points: Sequence[tuple[float, float | None]]) -> Line:
    """Returns the line through the points; None is a gap."""
    times, values = zip(*points, strict=True)
    return Line(time_s=np.array(times, dtype=np.float64), values=np.array(values, dtype=np.float64))


def _drop_times(result: Run, link: str, total: int, counted: Line) -> Floats:
    """Returns the times at which packets of flows were lost; if traffic lost some too, the ends of all steps with a
    loss.
    """
    incidents = result.incidents
    lost = are(incidents["link"], link) & (are(incidents["kind"], "queue-drop") | are(incidents["kind"], "loss"))
    of_flows = floats(incidents["time_s"])[lost]
    if len(of_flows) == total or not len(counted.values):
        return of_flows
    return counted.time_s[np.diff(counted.values, prepend=0.0) > 0]


# --- columns as arrays. Arrow's own conversions load pandas or pyarrow.compute, which takes longer than the rest of a
# page ---


def are(column: "pa.ChunkedArray", text: str) -> NDArray[np.bool_]:
    """Returns which rows of a column of text equal this value."""
    return np.concatenate([np.zeros(0, dtype=np.bool_), *(_are_in(chunk, text) for chunk in column.chunks)])


def _are_in(chunk: Any, text: str) -> NDArray[np.bool_]:
    encoded = chunk if hasattr(chunk, "dictionary") else chunk.dictionary_encode()
    words = encoded.dictionary.to_pylist()
    if text not in words:
        return np.zeros(len(chunk), dtype=np.bool_)
    return np.asarray(_floats_in(encoded.indices) == words.index(text))


def floats(column: "pa.ChunkedArray") -> Floats:
    """Returns a column of numbers as floats, NaN for null."""
    return np.concatenate([np.zeros(0), *(_floats_in(chunk) for chunk in column.chunks)])


def _floats_in(chunk: Any) -> Floats:
    if not len(chunk):
        return np.zeros(0)
    validity, data = chunk.buffers()
    rows = slice(chunk.offset, chunk.offset + len(chunk))
    values = np.frombuffer(data, dtype=chunk.type.to_pandas_dtype())[rows].astype(np.float64)
    if chunk.null_count:
        # the validity bitmap has a bit for each row
        values[np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")[rows] == 0] = np.nan
    return values


def thin(time_s: Floats, values: Floats, points: int) -> Line:
    """Returns at most about `points` points of a line that look like all of them: the least and greatest of each
    stretch of rows.
    """
    if len(values) <= points:
        return Line(time_s=time_s, values=values)
    stretches = np.linspace(0, len(values), points // 2 + 1, dtype=np.intp)
    filled = np.nan_to_num(values, nan=-1.0)
    kept = np.unique(
        [start + extreme(filled[start:end]) for start, end in pairwise(stretches) for extreme in (np.argmin, np.argmax)]
    )
    kept = np.union1d(kept, [0, len(values) - 1])
    return Line(time_s=time_s[kept], values=values[kept])

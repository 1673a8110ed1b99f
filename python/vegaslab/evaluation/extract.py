"""The figures of one run, from its result."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vegaslab import _vegaslab
from vegaslab.evaluation import metrics
from vegaslab.reports.totals import Row, jain_index, of_flows, of_link, with_bulk_data
from vegaslab.runs.metrics import fill_s
from vegaslab.runs.result import Result
from vegaslab.scenario.variants import flow_ids
from vegaslab.statistics import percentile

_STEP_S = 1.0
_STREAMS = ("constant", "exponential-on-off", "pareto-on-off")
_BITS = 8
_LAYERS = ("voice", "video")
"""What the layers of media are called; the next one is the upper layer of the video, which may be given up."""


def figures(
    result: Result,
    *,
    tested: Sequence[int],
    link: str = "r1->r2",
    event: Sequence[float] = (),
    frames_from_s: float = 0,
) -> dict[str, float | None]:
    """Returns the figures of a run, by the names of `vegaslab.evaluation.figures`; None for an event that did not
    happen.

    `tested` are the tables of the flows under test, `link` is the bottleneck, `event` are the times at which something
    begins and ends that the flows have to recover from, s. Frames of media count from `frames_from_s` on.
    """
    flows = result.summary["flows"]
    ids = [id_ for table in tested for id_ in flow_ids(result.scenario, table)]
    old = [flow for flow in flows if flow["id"] not in ids]
    given = {
        **_of_tested([flows[id_] for id_ in ids], flows, result),
        **_of_completions(flows, result, tested),
        **_of_others(old, result),
        **_of_bottleneck(result, link),
        **_of_l_queue(result, [flows[id_] for id_ in ids], link),
        **_over_time(result, ids, link),
        **_of_event(result, ids, link, event),
        **_of_traffic(result, link),
        **_of_media(result, ids, frames_from_s),
    }
    return {name: _plain(value) for name, value in given.items()}


def _of_tested(new: Sequence[Row], flows: Sequence[Row], result: Result) -> dict[str, float]:
    if not new:
        return {}
    goodput, all_of_them = _goodput_mbps(new, result), sum(flow["goodput_mbps"] for flow in flows)
    totals = of_flows(new)
    delivered_mb = sum(flow["delivered_bytes"] for flow in new) / 1e6
    return {
        "goodput_mbps": goodput,
        "share_percent": 100 * sum(flow["goodput_mbps"] for flow in new) / all_of_them if all_of_them else math.nan,
        "retransmitted_percent": totals["retransmitted_percent"],
        "timeouts": totals["timeouts"],
        "mean_rtt_ms": totals["mean_rtt_ms"],
        "segments_per_mb": sum(flow["segments_sent"] for flow in new) / delivered_mb if delivered_mb else math.nan,
        **_of_shares([flow["goodput_mbps"] for flow in with_bulk_data(flows)]),
    }


def _of_shares(shares: Sequence[float]) -> dict[str, float]:
    if not shares:
        return {}
    together = sum(shares)
    return {
        "least_share_percent": 100 * min(shares) * len(shares) / together if together else math.nan,
        "jain_index": jain_index(shares),
        "max_to_min": metrics.max_to_min(shares),
    }


def _of_completions(flows: Sequence[Row], result: Result, tested: Sequence[int]) -> dict[str, float]:
    """Returns the times of the first table under test; another, such as one in the background, may end later."""
    sizes = _sizes(result)
    ids = [id_ for table in tested[:1] for id_ in flow_ids(result.scenario, table) if sizes[id_] is not None]
    times = [_completion(flows[id_]) for id_ in ids]
    return {"completion_s": max(times), "completion_p99_s": percentile(times, 99)} if times else {}


def _of_others(old: Sequence[Row], result: Result) -> dict[str, float]:
    if not old:
        return {}
    totals = of_flows(old)
    return {
        "old_goodput_mbps": _goodput_mbps(old, result),
        "old_rtt_ms": totals["mean_rtt_ms"],
        "old_retransmitted_percent": totals["retransmitted_percent"],
    }


def _goodput_mbps(flows: Sequence[Row], result: Result) -> float:
    """Together, from the first start on: the flows' own means are over the time that each is active."""
    lasting_s = result.summary["duration_s"] - min(flow["start_s"] for flow in flows)
    return float(_BITS * sum(flow["delivered_bytes"] for flow in flows) / 1e6 / lasting_s)


def _completion(flow: Row) -> float:
    """From the beginning of the run; an unfinished flow counts as longer than all others."""
    return math.inf if flow["completion_s"] is None else flow["start_s"] + flow["completion_s"]


def _sizes(result: Result) -> list[Any]:
    tables = json.loads(result.scenario.document_json())["flow"]
    return [flow.get("size") for flow in tables for _ in range(flow.get("count", 1))]


def _of_bottleneck(result: Result, link: str) -> dict[str, float]:
    row = next(row for row in result.summary["links"] if row["id"] == link)
    totals = of_link(row)
    sent = sum(flow["segments_sent"] for flow in result.summary["flows"])
    sent += sum(source["sent_packets"] for source in result.summary["traffic"])
    return {
        **{name: totals[name] for name in ("utilisation_percent", "p50_queueing_ms", "p95_queueing_ms")},
        "p99_queueing_ms": totals["p99_queueing_ms"],
        "loss_percent": 100 * row["drops"] / sent if sent else math.nan,
        "fill_s": fill_s(result, link),
    }


def _of_l_queue(result: Result, new: Sequence[Row], link: str) -> dict[str, float]:
    queues = [row for row in result.summary.get("queues", []) if (row["link"], row["queue"]) == (link, "low-latency")]
    if not queues or not new:
        return {}
    rtt_ms = of_flows(new)["mean_rtt_ms"]
    return {
        "l_p99_queueing_ms": queues[0].get("p99_queueing_ms", math.nan),
        "marks_per_rtt": queues[0]["marks"] * rtt_ms / (1000 * result.summary["duration_s"]) if rtt_ms else math.nan,
    }


def _over_time(result: Result, ids: Sequence[int], link: str) -> dict[str, float]:
    """Returns what the time series show: steps of a second for flows, those of the scenario for the rest."""
    queue = _link_series(result, link)
    half = queue["time_s"] > queue["time_s"][-1] / 2
    stalls, variations, wakes, amounts = [], [], [], []
    fair = [flow["id"] for flow in with_bulk_data(result.summary["flows"])]
    for flow in result.summary["flows"]:
        series = _flow_series(result, flow["id"])
        delivered = np.diff(series["acked_bytes"], prepend=0.0)
        ends, sums = metrics.in_steps(series["time_s"], delivered, _STEP_S)
        if flow["id"] in fair:
            amounts.append(sums)
        if flow["id"] in ids:
            active = (series["time_s"] > flow["start_s"]) & (series["time_s"] <= _end_s(flow, series["time_s"][-1]))
            stalls.append(metrics.longest_true_s(series["time_s"], active & (delivered == 0)))
            variations.append(metrics.variation_percent(sums[len(sums) // 2 :]))
            lasting_s = np.count_nonzero(active) * series["time_s"][-1] / len(active)
            wakes.append(np.count_nonzero(delivered > 0) / lasting_s if lasting_s else math.nan)
    starts = max(flow["start_s"] for flow in result.summary["flows"])
    return {
        "overshoot_packets": float(queue["max_queue_packets"].max() - queue["queue_packets"][half].mean()),
        "stall_s": max(stalls, default=math.nan),
        "variation_percent": _mean(variations),
        "wakeups_per_s": _mean(wakes),
        "convergence_s": metrics.convergence_s(ends, np.stack(amounts, axis=1), starts) if amounts else math.nan,
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _end_s(flow: Row, last_s: float) -> float:
    return last_s if flow["completion_s"] is None else min(last_s, flow["start_s"] + flow["completion_s"])


def _of_event(result: Result, ids: Sequence[int], link: str, event: Sequence[float]) -> dict[str, float]:
    if not event:
        return {}
    begin, end = event[0], event[-1]
    series = _link_series(result, link)
    rows = result.incidents
    tested = rows.filter(pc.is_in(rows["flow"], pa.array(ids, rows["flow"].type)))
    tries, ends = _tries(result, tested, link, begin, end)
    packet_bits = _BITS * _packet_bytes(result)
    steps = np.diff(series["time_s"], prepend=0.0)
    return {
        "tries": tries,
        "last_gap_s": metrics.last_gap_s(ends),
        "recovery_s": metrics.recovery_s(series["time_s"], series["utilisation"], end),
        "loss_over_s": metrics.loss_over_s(
            series["time_s"],
            np.diff(series["drops"], prepend=0.0),
            series["throughput_mbps"] * 1e6 * steps / packet_bits,
        ),
    }


def _tries(result: Result, tested: pa.Table, link: str, begin_s: float, end_s: float) -> tuple[int, list[float]]:
    """Returns the number of segments that were retransmitted between two times, and the times of the timeouts.

    QUIC retransmits nothing: it probes with new packets, and counts no timeouts. Its tries are the packets that the
    link loses after those that were under way, and the timeouts the beginnings of its probes.
    """
    if json.loads(result.scenario.document_json())["flow"][0].get("transport") != "quic":
        times = {kind: _times(tested, kind, begin_s, end_s) for kind in ("retransmit", "timeout")}
        return len(times["retransmit"]), times["timeout"]
    lost = tested.filter(pc.equal(tested["link"].cast(pa.string()), link))
    round_trip_s = max(flow["base_rtt_ms"] or 0 for flow in result.summary["flows"]) / 1000
    groups = metrics.probes(_times(lost, "loss", begin_s, end_s), round_trip_s)
    return sum(map(len, groups)), [group[0] for group in groups]


def _times(incidents: pa.Table, kind: str, begin_s: float, end_s: float) -> list[float]:
    times = incidents.filter(pc.equal(incidents["kind"].cast(pa.string()), kind))["time_s"].to_numpy()
    return [float(time_s) for time_s in times if begin_s < time_s <= end_s]


def _packet_bytes(result: Result) -> int:
    return _vegaslab.size_bytes(json.loads(result.scenario.document_json())["flow"][0]["packet"])


def _of_traffic(result: Result, link: str) -> dict[str, float]:
    traffic = result.summary["traffic"]
    transfers = [source for source in traffic if source["transfers_started"] is not None]
    streams = [source for source in traffic if source["kind"] in _STREAMS]
    given: dict[str, float] = {}
    if transfers:
        given |= _of_transfers(result, transfers[0], link)
    if streams:
        sent = sum(source["sent_packets"] for source in streams)
        given["stream_loss_percent"] = 100 * sum(source["lost_packets"] for source in streams) / sent
    return given


def _of_transfers(result: Result, source: Row, link: str) -> dict[str, float]:
    document = json.loads(result.scenario.document_json())["traffic"][source["id"]]
    rate = next(row["rate_mbps"] for row in result.scenario.links() if row["id"] == link)
    base = [flow["base_rtt_ms"] for flow in result.summary["flows"] if flow["base_rtt_ms"] is not None]
    # connections of a trace have no size in common
    has_size = bool(base) and "size" in document
    least_s = metrics.empty_path_s(_vegaslab.size_bytes(document["size"]), rate, min(base)) if has_size else math.nan
    median = source["completion_p50_s"]
    return {
        "short_p50_s": median,
        "short_p99_s": source["completion_p99_s"],
        "short_slowdown": math.nan if median is None else median / least_s,
    }


def _of_media(result: Result, ids: Sequence[int], from_s: float) -> dict[str, float]:
    frames = result.media
    if not frames.num_rows:
        return {}
    of_tested = pc.is_in(frames["flow"], pa.array(ids, frames["flow"].type))
    rows = frames.filter(pc.and_(of_tested, pc.greater_equal(frames["time_s"], from_s))).to_pylist()
    end_s = result.summary["duration_s"]
    given: dict[str, float] = {}
    for layer, what in enumerate(_LAYERS):
        mine = [row for row in rows if row["layer"] == layer]
        delays = [row["delay_ms"] for row in mine if row["delay_ms"] is not None]
        # what is under way at the end has taken its age at least
        ages = [1000 * (end_s - row["time_s"]) for row in mine if row["state"] == "under-way"]
        given |= {f"{what}_mean_ms": _mean(delays), f"{what}_max_ms": max(delays + ages, default=math.nan)}
    upper = [row["state"] for row in rows if row["layer"] == len(_LAYERS)]
    sent = sum(state != "given-up" for state in upper)
    return given | {"upper_percent": 100 * sent / len(upper) if upper else math.nan}


def _link_series(result: Result, link: str) -> dict[str, metrics.Floats]:
    table = result.series.links
    return _columns(table.filter(pc.equal(table["link"].cast(pa.string()), link)))


def _flow_series(result: Result, flow: int) -> dict[str, metrics.Floats]:
    table = result.series.flows.select(["time_s", "flow", "acked_bytes"])
    return _columns(table.filter(pc.equal(table["flow"], flow)))


def _columns(table: Any) -> dict[str, metrics.Floats]:
    numbers = [name for name in table.column_names if name != "link"]
    return {name: np.asarray(table[name].to_numpy(), dtype=np.float64) for name in numbers}


def _plain(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)

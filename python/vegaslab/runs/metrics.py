"""The figures by which whole runs are compared: each is one number of a run."""

import json
import math
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from vegaslab.reports.totals import Row, number_or_nan, of_flows, of_groups, of_link, of_media, of_part, share_percent
from vegaslab.runs.result import Result
from vegaslab.scenario.variants import each_flow
from vegaslab.statistics import percentile, time_to_fill_s

PERCENTILES = (50, 90, 99)


def figures(result: Result, link: str, alone: Mapping[int, range] | None = None) -> dict[str, float]:
    """Returns the figures of a run, by name; NaN for an event that did not happen. `link` is the bottleneck.

    `alone` are the flows that also have figures of their own, against the others: their ids by the table that defines
    them. docs/comparing.md describes each figure; the set of figures depends on the scenario alone.
    """
    summary = result.summary
    of_its_link = of_link(next(row for row in summary["links"] if row["id"] == link))
    media, written = summary.get("media", []), each_flow(json.loads(result.scenario.document_json())["flow"])
    return {
        **of_flows(summary["flows"]),
        "utilisation_percent": of_its_link.pop("utilisation_percent"),
        "fill_s": fill_s(result, link),
        **of_its_link,
        **of_media(media),
        **_one_against_others(summary["flows"], media, alone or {}),
        **of_groups(summary["flows"], media, {flow["group"] for flow in written if "group" in flow}),
        **_completions(summary["flows"], written),
        **_of_traffic(summary["traffic"]),
    }


def _one_against_others(flows: Sequence[Row], media: Sequence[Row], alone: Mapping[int, range]) -> dict[str, float]:
    """Returns the figures of each table of flows by itself, with its part of the goodput, and of all other flows."""
    if not alone:
        return {}
    of_table = {table: [flows[id_] for id_ in ids] for table, ids in alone.items()}
    others = [flow for flow in flows if not any(flow["id"] in ids for ids in alone.values())]
    parts = {**{f"flow.{table}": part for table, part in of_table.items()}, **({"others": others} if others else {})}
    share = {f"flow.{table}.share_percent": share_percent(part, flows) for table, part in of_table.items()}
    own = {f"{name}.{figure}": value for name, part in parts.items() for figure, value in of_part(part, media).items()}
    return {**share, **own}


def _completions(flows: Sequence[Row], written: Sequence[Row]) -> dict[str, float]:
    """Returns percentiles over the flows that have a size; an unfinished flow counts as longer than all others."""
    sized = [number for number, flow in enumerate(written) if flow.get("size") is not None]
    times = [math.inf if flows[number]["completion_s"] is None else flows[number]["completion_s"] for number in sized]
    if not times:
        return {}
    if len(times) == 1:
        return {"completion_s": _finite(times[0])}
    return {f"completion_p{percent}_s": _finite(percentile(times, percent)) for percent in PERCENTILES}


def _of_traffic(sources: Sequence[Row]) -> dict[str, float]:
    """Returns percentiles for each source that makes transfers."""
    return {
        f"traffic.{source['id']}.completion_p{percent}_s": number_or_nan(source[f"completion_p{percent}_s"])
        for source in sources
        if source["transfers_started"] is not None
        for percent in PERCENTILES
    }


def fill_s(result: Result, link: str) -> float:
    """Returns the time from the first flow's start until the link is full (`time_to_fill_s`); NaN if it never is."""
    flows = result.summary["flows"]
    base_rtts = [flow["base_rtt_ms"] for flow in flows if flow["base_rtt_ms"] is not None]
    if not base_rtts:
        return math.nan
    series = result.series.links
    rows = series.filter(pc.equal(series["link"].cast(pa.string()), link))
    return time_to_fill_s(
        rows["time_s"].to_numpy(),
        rows["utilisation"].to_numpy(),
        start_s=min(flow["start_s"] for flow in flows),
        round_trip_s=min(base_rtts) / 1000,
    )


def _finite(value: float) -> float:
    return value if math.isfinite(value) else math.nan

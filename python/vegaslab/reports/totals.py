"""Figures from the totals in a summary. They need no numerical library, which the command `run` does without."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
"""The totals of a flow, a link, a source of traffic or a layer of media, as in a summary."""


def of_flows(flows: Sequence[Row]) -> dict[str, float]:
    """Returns means and sums over flows, from their totals. Jain's index is that of the flows with bulk data: what an
    application sends says nothing about fairness.
    """
    goodput = [flow["goodput_mbps"] for flow in flows]
    bulk = [flow["goodput_mbps"] for flow in with_bulk_data(flows)]
    sent = sum(flow["segments_sent"] for flow in flows)
    resent = sum(flow["segments_retransmitted"] for flow in flows)
    return {
        "goodput_mbps": mean(goodput),
        **({"jain_index": jain_index(bulk)} if len(bulk) > 1 else {}),
        "retransmitted_percent": 100 * resent / sent if sent else math.nan,
        "timeouts": sum(flow["timeouts"] for flow in flows),
        "mean_rtt_ms": mean([number_or_nan(flow["mean_rtt_ms"]) for flow in flows]),
    }


def with_bulk_data(flows: Sequence[Row]) -> list[Row]:
    """Returns the flows that send all they can. Their shares show fairness."""
    return [flow for flow in flows if flow.get("application", "bulk") == "bulk"]


def of_part(flows: Sequence[Row], media: Sequence[Row]) -> dict[str, float]:
    """Returns the figures of some flows by themselves: `of_flows`, with the queueing in their round trips and their
    media. They are named together, so Jain's index is that of all of them.
    """
    figures, goodput = of_flows(flows), [flow["goodput_mbps"] for flow in flows]
    waits = [number_or_nan(flow["mean_rtt_ms"]) - number_or_nan(flow["base_rtt_ms"]) for flow in flows]
    ids = {flow["id"] for flow in flows}
    return {
        **figures,
        **({"jain_index": jain_index(goodput)} if len(flows) > 1 else {}),
        "queueing_ms": mean(waits),
        **of_media([layer for layer in media if layer["flow"] in ids]),
    }


def of_groups(flows: Sequence[Row], media: Sequence[Row], names: Collection[str]) -> dict[str, float]:
    """Returns the figures of the groups of these names, and their share of the goodput of all flows."""
    given: dict[str, float] = {}
    for name in sorted(names):
        part = [flow for flow in flows if flow.get("group") == name]
        given[f"group.{name}.share_percent"] = share_percent(part, flows)
        given |= {f"group.{name}.{figure}": value for figure, value in of_part(part, media).items()}
    return given


def share_percent(part: Sequence[Row], flows: Sequence[Row]) -> float:
    """Returns the share of these flows in the goodput of all; NaN if that is 0."""
    total = sum(flow["goodput_mbps"] for flow in flows)
    return 100 * sum(flow["goodput_mbps"] for flow in part) / total if total else math.nan


def of_media(layers: Sequence[Row]) -> dict[str, float]:
    """Returns the figures of media by layer, from the layers' totals: of all frames, and means over the flows."""
    given: dict[str, float] = {}
    for number in sorted({layer["layer"] for layer in layers}):
        mine = [layer for layer in layers if layer["layer"] == number]
        frames = sum(layer["frames"] for layer in mine)
        given |= {
            f"media.{number}.given_up_percent": 100 * sum(layer["given_up_frames"] for layer in mine) / frames,
            f"media.{number}.late_percent": 100 * sum(layer["late_frames"] for layer in mine) / frames,
            f"media.{number}.frozen_s": mean([layer["frozen_s"] for layer in mine]),
            f"media.{number}.p95_delay_ms": mean([number_or_nan(layer["p95_delay_ms"]) for layer in mine]),
        }
    return given


def of_link(totals: Row) -> dict[str, float]:
    """Returns the figures of a link, from its totals."""
    return {
        "utilisation_percent": 100 * totals["utilisation"],
        "drops": totals["drops"],
        "mean_queue_packets": totals["mean_queue_packets"],
        **{name: number_or_nan(value) for name, value in totals.items() if name.endswith("_queueing_ms")},
    }


def jain_index(shares: Sequence[float]) -> float:
    """Jain's fairness index (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has all; NaN if all are 0."""
    squares = sum(share**2 for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares > 0 else math.nan


def mean(values: Sequence[float]) -> float:
    """Returns the mean of at least one value."""
    return sum(values) / len(values)


def number_or_nan(value: float | None) -> float:
    """Returns a total as a number: NaN where it is missing."""
    return math.nan if value is None else float(value)

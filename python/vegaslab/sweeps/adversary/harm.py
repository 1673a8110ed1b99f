"""How much harm a run shows, by what the adversary looks for."""

import io
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet as pq

from vegaslab.sweeps.adversary.question import BOTTLENECK, Question

_MBIT = 1e6
UNITS = {"ratio": "", "utilisation": "", "stall": "s", "queue": "ms"}
"""The unit of each objective's value."""


def figures(question: Question, row: dict[str, Any]) -> dict[str, Any]:
    """Returns a run's figures: goodputs of the flows in the window, and the value of each objective."""
    flows = pq.read_table(io.BytesIO(row["series.flows"]))
    links = pq.read_table(io.BytesIO(row["series.links"]))
    return figures_of(question, flows, links)


def figures_of(question: Question, flows: pyarrow.Table, links: pyarrow.Table) -> dict[str, Any]:
    """Returns the figures by a run's series of flows and of links.

    The goodput is payload acknowledged within the window, over its length. A ratio takes at least one packet's payload
    for a flow's goodput, so that it is finite. A stall is the longest time from a flow's first acknowledgement to the
    end in which nothing new is acknowledged, to one step of the series.
    """
    time_s, acked = _by_flow(question, flows)
    begin_s, end_s = question.window_s
    inside = time_s > begin_s + 1e-9
    before = acked[:, ~inside][:, -1]
    goodput = (acked[:, -1] - before) * 8 / (end_s - begin_s) / _MBIT
    waiting = _bottleneck(links)
    late = waiting["time_s"].to_numpy() > begin_s + 1e-9
    queued_bits = waiting["queue_bytes"].to_numpy()[late] * 8
    return {
        "goodput_mbps": [round(float(rate), 6) for rate in goodput],
        "ratio": round(_ratio(question, goodput, end_s - begin_s), 6),
        "utilisation": round(float(waiting["utilisation"].to_numpy()[late].mean()), 6),
        "stall": round(max(_stall(time_s, row) for row in acked), 6),
        "queue": round(float(queued_bits.mean()) / question.rate_bits * 1e3, 6),
    }


def badness(question: Question, value: float) -> float:
    """Returns a number that is greater for more harm."""
    return -value if question.objective == "utilisation" else value


def worst_of_each(question: Question, runs: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Returns the worst value of each objective among the figures of runs; failed ones have none."""
    made = [found for found in runs if "error" not in found]
    worst = {objective: (min if objective == "utilisation" else max) for objective in UNITS}
    asked = [objective for objective in worst if objective != "ratio" or question.flows > 1]
    return {objective: worst[objective](found[objective] for found in made) for objective in asked if made}


def _by_flow(question: Question, flows: pyarrow.Table) -> tuple[Any, Any]:
    names = flows["flow"].to_numpy()
    acked = np.array([flows["acked_bytes"].to_numpy()[names == flow] for flow in range(question.flows)])
    return flows["time_s"].to_numpy()[names == 0], acked.astype(np.float64)


def _bottleneck(links: pyarrow.Table) -> pyarrow.Table:
    return links.filter(pyarrow.compute.equal(links["link"].cast(pyarrow.string()), BOTTLENECK))


def _ratio(question: Question, goodput: Any, window_s: float) -> float:
    """Returns the greatest share over the least one; beside others the greatest of theirs over that under attack."""
    if question.flows == 1:
        return 1.0
    least = 960 * 8 / window_s / _MBIT
    mine, *others = (max(float(rate), least) for rate in goodput)
    return max(others) / mine if question.beside else max(mine, *others) / min(mine, *others)


def _stall(time_s: Any, acked: Any) -> float:
    """Returns the longest time without progress, from the first acknowledgement on."""
    progress = np.flatnonzero(np.diff(acked, prepend=0) > 0)
    if len(progress) == 0:
        return float(time_s[-1])
    moments = np.append(time_s[progress], time_s[-1])
    return float(np.diff(moments).max())

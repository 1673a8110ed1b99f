"""The tables of docs/l4s.md on the Vegas family in either queue of DualPI2: `make l4s`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

import vegaslab
from documentation import ROOT
from documentation.dossiers import between
from vegaslab.evaluation.metrics import Floats
from vegaslab.runs.result import Result

PAGE = ROOT / "docs" / "l4s.md"
MEMBERS = ("vegas", "gallop", "streak", "rovegas")
FROM_S = 10.0
"""From when figures count: slow start is over."""

_ALONE, _BESIDE = "l4s/prague-20mbit", "l4s/vegas-beside-prague"
_OF_THE_FAMILY: Mapping[str, object] = {"flow.0.host": "bsd", "flow.0.delayed_ack": False}
"""The host of the family in the scenario of one flow of Prague."""
_OTHERS = ("prague", "cubic")
_DROP_TAIL: Mapping[str, object] = {"topology.bottleneck.queue": "34p"}
"""A bandwidth-delay product of 20 ms."""
_TOLD: Sequence[tuple[str, str, Mapping[str, object]]] = (
    ("rovegas", "queueing times", {**_OF_THE_FAMILY, **_DROP_TAIL, "topology.bottleneck.aqt": True}),
    ("prague", "marks", {}),
    ("vegas", "nothing", {**_OF_THE_FAMILY, **_DROP_TAIL}),
    ("cubic", "nothing", {**_OF_THE_FAMILY, **_DROP_TAIL}),
)


def with_tables(page: str) -> str:
    """Returns the page with up-to-date tables."""
    page = between(page, "family", "".join(family(MEMBERS)))
    return between(page, "told", "".join(told()))


def family(members: Sequence[str]) -> Iterator[str]:
    """Yields the lines of the table of members, in the L queue and in the classic one, and of what is deployed."""
    yield "| algorithm | queue | alone, Mb/s | RTT, ms | beside Prague, Mb/s | Prague | beside CUBIC, Mb/s | CUBIC |\n"
    yield "|---|---|---|---|---|---|---|---|\n"
    for member in members:
        yield row(member, {"preset": member, "cut": "scalable"}, "L")
        yield row(member, member, "classic")
    yield row("prague", "prague", "L")
    yield row("cubic", "cubic", "classic")


def row(member: str, algorithm: object, queue: str) -> str:
    """Returns the line of a member in a queue."""
    routers = {"topology.bottleneck.aqt": member == "rovegas"}
    flow: dict[str, object] = {"flow.0.algorithm": algorithm, **routers}
    alone = vegaslab.run(_ALONE, set={**_OF_THE_FAMILY, **flow})
    cells = [f"{_rate_mbps(alone, 0):.1f}", f"{_rtt_ms(alone, 0):.1f}"]
    for other in _OTHERS:
        result = vegaslab.run(_BESIDE, set={**flow, "flow.1.algorithm": other})
        cells += [f"{_rate_mbps(result, id_):.1f}" for id_ in (0, 1)]
    return f"| {member} | {queue} | {' | '.join(cells)} |\n"


def told() -> Iterator[str]:
    """Yields the lines of the table of what routers tell: one flow, one with jitter on the way back, and four."""
    yield "| algorithm | routers tell | one flow | p95 queueing | with jitter | p95 | four flows | least | p95 |\n"
    yield "|---|---|---|---|---|---|---|---|---|\n"
    for algorithm, what, values in _TOLD:
        flow = {**values, "flow.0.algorithm": algorithm}
        one = vegaslab.run(_ALONE, set=flow)
        shaken = vegaslab.run(_ALONE, set={**flow, "topology.bottleneck.backward.jitter": "20ms"})
        four = vegaslab.run(_ALONE, set={**flow, "flow.0.count": 4})
        rates = [_rate_mbps(four, id_) for id_ in range(4)]
        cells = [cell for result in (one, shaken) for cell in (_rate_mbps(result, 0), _p95_ms(result))]
        cells += [sum(rates), min(rates), _p95_ms(four)]
        yield f"| {algorithm} | {what} | {' | '.join(f'{cell:.1f}' for cell in cells)} |\n"


def _p95_ms(result: Result) -> float:
    """The 95th percentile of the waiting times at the bottleneck."""
    return float(next(link["p95_queueing_ms"] for link in result.summary["links"] if link["id"] == "r1->r2"))


def _rate_mbps(result: Result, flow: int) -> float:
    """The payload acknowledged over time, from `FROM_S` on."""
    times, acked = (_column(result, flow, name) for name in ("time_s", "acked_bytes"))
    late = times >= FROM_S
    times, acked = times[late], acked[late]
    return float(8e-6 * (acked[-1] - acked[0]) / (times[-1] - times[0]))


def _rtt_ms(result: Result, flow: int) -> float:
    """The median of the samples from then on."""
    times, samples = (_column(result, flow, name) for name in ("time_s", "rtt_ms"))
    return float(np.nanmedian(samples[times >= FROM_S]))


def _column(result: Result, flow: int, name: str) -> Floats:
    table = result.series.flows
    column: Floats = np.asarray(table[name].to_numpy(), dtype=np.float64)
    mine: Floats = column[np.asarray(table["flow"].to_numpy()) == flow]
    return mine


def write(page: Path = PAGE) -> None:
    """Writes the tables again."""
    page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()

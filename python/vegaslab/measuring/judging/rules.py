"""When two runs of a scenario differ: the simulator's, and the kernel's. The rules are in docs/swarm.md."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from vegaslab.runs.result import Result


@dataclass(frozen=True, kw_only=True)
class Flow:
    """What is compared of a flow."""

    algorithm: str
    slow_start: tuple[float, float] | None
    """When slow start ended, s, and the window there, segments."""
    lost: tuple[int, ...]
    """The first bytes of the segments that the network has lost, in the order of their losses."""
    retransmitted: int
    timeouts: int
    goodput_mbps: float
    completion_s: float | None
    delivered_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What is compared of a run."""

    flows: tuple[Flow, ...]
    mean_queue_packets: float = 0.0
    segment_bytes: tuple[int, ...] = field(default=())
    """The payload of a segment of each flow."""
    round_trip_s: float = 0.0


@dataclass(frozen=True)
class Difference:
    """The first rule that two runs do not keep."""

    rule: str
    message: str
    """One line."""


def figures(result: Result) -> Figures:
    """Returns what is compared of a run."""
    summary = result.summary
    incidents = result.incidents.to_pylist()
    lost = [row for row in incidents if row["kind"] in ("queue-drop", "loss") and row["link"] in _FORWARD]

    def flow(number: int, row: dict[str, Any]) -> Flow:
        ended, window = row["slow_start_end_s"], row["cwnd_at_slow_start_end"]
        return Flow(
            algorithm=row["algorithm"],
            slow_start=None if ended is None else (ended, window),
            lost=tuple(one["sequence"] for one in lost if one["flow"] == number),
            retransmitted=row["segments_retransmitted"],
            timeouts=row["timeouts"],
            goodput_mbps=row["goodput_mbps"],
            completion_s=row["completion_s"],
            delivered_bytes=row["delivered_bytes"],
        )

    return Figures(
        flows=tuple(flow(number, row) for number, row in enumerate(summary["flows"])),
        mean_queue_packets=next(row["mean_queue_packets"] for row in summary["links"] if row["id"] == BOTTLENECK),
        segment_bytes=tuple(result.scenario.payload_bytes()),
        round_trip_s=max((row["base_rtt_ms"] or 0.0) for row in summary["flows"]) / 1e3,
    )


BOTTLENECK = "r1->r2"
_FORWARD = (BOTTLENECK,)


def difference(simulated: Figures, kernel: Figures) -> Difference | None:
    """Returns the first difference beyond a rule."""
    return next(differences(simulated, kernel), None)


def differences(simulated: Figures, kernel: Figures) -> Iterator[Difference]:
    """Yields the differences beyond the rules, in the order of the rules."""
    for rule, check in _OF_FLOWS:
        for number, (one, other) in enumerate(zip(simulated.flows, kernel.flows, strict=True)):
            for said in check(one, other, simulated, number):
                yield Difference(rule, f"flow {number}, {one.algorithm}: {said}")
    queues = (simulated.mean_queue_packets, kernel.mean_queue_packets)
    for said in _apart("mean queue, packets", *queues, least=1.0, part=0.1):
        yield Difference("queue", said)


def difference_of_ranges(simulated: Sequence[Figures], kernel: Sequence[Figures]) -> Difference | None:
    """Returns the first difference between ranges that figures of several flows have over several runs.

    Which flow loses at a full queue is a matter of microseconds, and after it all is different; so a run is one draw of
    many, and both worlds' draws are compared.
    """
    return next(
        (
            Difference(name, said)
            for name, what, of_run, least, part in _OF_ALL_FLOWS
            for said in _ranges_apart(what, [*map(of_run, simulated)], [*map(of_run, kernel)], least=least, part=part)
        ),
        None,
    )


def _ranges_apart(
    what: str, ones: Sequence[float], others: Sequence[float], *, least: float, part: float
) -> Iterator[str]:
    """Yields a line if the gap between both ranges is more than `least`, and than this part of the largest figure."""
    allowed = max(least, part * max(*ones, *others))
    if max(min(ones) - max(others), min(others) - max(ones)) > allowed:
        here, there = (f"{min(figures):.4g} to {max(figures):.4g}" for figures in (ones, others))
        yield f"{what}: {here} in the simulator, {there} in the kernel; a gap of at most {allowed:.3g}"


def _share(run: Figures) -> float:
    """The first flow's part of the delivered bytes."""
    return run.flows[0].delivered_bytes / max(1, sum(flow.delivered_bytes for flow in run.flows))


def _sum(of_flow: Callable[[Flow], float]) -> Callable[[Figures], float]:
    return lambda run: sum(map(of_flow, run.flows))


_OF_ALL_FLOWS: tuple[tuple[str, str, Callable[[Figures], float], float, float], ...] = (
    ("sum_lost", "segments lost", _sum(lambda flow: len(flow.lost)), 3.0, 0.1),
    ("sum_retransmitted", "segments retransmitted", _sum(lambda flow: flow.retransmitted), 3.0, 0.1),
    ("sum_timeouts", "timeouts", _sum(lambda flow: flow.timeouts), 1.0, 0.0),
    ("sum_delivered", "delivered, bytes", _sum(lambda flow: flow.delivered_bytes), 15_000.0, 0.05),
    ("shares", "first flow's share", _share, 0.05, 0.0),
    ("queues", "mean queue, packets", lambda run: run.mean_queue_packets, 1.0, 0.1),
)
"""Name, what it is, the figure of a run; how far ranges may be apart at least, and as a part of the largest figure."""


def _apart(what: str, one: float, other: float, *, least: float, part: float) -> Iterator[str]:
    """Yields a line if both are further apart than `least`, and than this part of the larger one."""
    allowed = max(least, part * max(abs(one), abs(other)))
    if abs(one - other) > allowed:
        yield f"{what}: {one:.6g} in the simulator, {other:.6g} in the kernel; at most {allowed:.3g} apart"


def _slow_start(one: Flow, other: Flow, both: Figures, _: int) -> Iterator[str]:
    if one.slow_start is None or other.slow_start is None:
        if one.slow_start != other.slow_start:
            ended, where = (one, "simulator") if other.slow_start is None else (other, "kernel")
            assert ended.slow_start is not None
            yield f"slow start ends in the {where} alone, at {ended.slow_start[0]:.4g} s"
        return
    yield from _apart("window where slow start ends", one.slow_start[1], other.slow_start[1], least=2.0, part=0.05)
    least_s = max(0.01, both.round_trip_s)
    yield from _apart("slow start ends, s", one.slow_start[0], other.slow_start[0], least=least_s, part=0.05)


def _lost(one: Flow, other: Flow, both: Figures, number: int) -> Iterator[str]:
    yield from _apart("segments lost", len(one.lost), len(other.lost), least=3.0, part=0.1)
    if one.lost and other.lost:
        size = both.segment_bytes[number]
        first = "first segment lost"
        yield from _apart(first, one.lost[0] // size, other.lost[0] // size, least=4.0, part=0.05)


def _timeouts(one: Flow, other: Flow, _both: Figures, _: int) -> Iterator[str]:
    yield from _apart("timeouts", one.timeouts, other.timeouts, least=0.0, part=0.0)


def _retransmitted(one: Flow, other: Flow, _both: Figures, _: int) -> Iterator[str]:
    yield from _apart("segments retransmitted", one.retransmitted, other.retransmitted, least=3.0, part=0.1)


def _goodput(one: Flow, other: Flow, both: Figures, _: int) -> Iterator[str]:
    if one.completion_s is not None and other.completion_s is not None:
        least_s = max(0.01, both.round_trip_s / 2)
        yield from _apart("transfer takes, s", one.completion_s, other.completion_s, least=least_s, part=0.05)
    else:
        yield from _apart("goodput, Mb/s", one.goodput_mbps, other.goodput_mbps, least=0.05, part=0.05)


_Check = Callable[[Flow, Flow, Figures, int], Iterator[str]]
_OF_FLOWS: tuple[tuple[str, _Check], ...] = (
    ("slow_start", _slow_start),
    ("lost", _lost),
    ("timeouts", _timeouts),
    ("retransmitted", _retransmitted),
    ("goodput", _goodput),
)

"""When runs of a scenario differ: the simulator's, and the kernel's. The rules are in docs/swarm.md."""

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
    delivered_bytes: int
    completion_s: float | None


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
    """A rule that runs do not keep."""

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
            delivered_bytes=row["delivered_bytes"],
            completion_s=row["completion_s"],
        )

    return Figures(
        flows=tuple(flow(number, row) for number, row in enumerate(summary["flows"])),
        mean_queue_packets=next(row["mean_queue_packets"] for row in summary["links"] if row["id"] == BOTTLENECK),
        segment_bytes=tuple(result.scenario.payload_bytes()),
        round_trip_s=max((row["base_rtt_ms"] or 0.0) for row in summary["flows"]) / 1e3,
    )


BOTTLENECK = "r1->r2"
_FORWARD = (BOTTLENECK,)


def difference(simulated: Sequence[Figures], kernel: Sequence[Figures]) -> Difference | None:
    """Returns the first difference beyond a rule between runs of a scenario in both worlds, at several starts."""
    return next(differences(simulated, kernel), None)


def differences(simulated: Sequence[Figures], kernel: Sequence[Figures]) -> Iterator[Difference]:
    """Yields the differences beyond the rules, in the order of the rules. A run is one draw of many, so that the ranges
    of both worlds' runs are compared.
    """
    names = ", ".join(flow.algorithm for flow in simulated[0].flows)
    for rule in _RULES:
        ones, others = (
            [value for run in runs if (value := rule.of_run(run)) is not None] for runs in (simulated, kernel)
        )
        if not (ones and others):
            continue
        allowed = max(rule.least(simulated[0]), rule.part * max(*map(abs, ones), *map(abs, others)))
        if max(min(ones) - max(others), min(others) - max(ones)) > allowed:
            here, there = map(_range, (ones, others))
            said = f"{here} in the simulator, {there} in the kernel; at most {allowed:.3g} apart"
            yield Difference(rule.name, f"{names}: {rule.what}: {said}")


def _range(values: Sequence[float]) -> str:
    least, most = (f"{value:.6g}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


@dataclass(frozen=True)
class _Rule:
    """A figure, and how far the ranges of both worlds may be apart."""

    name: str
    what: str
    of_run: Callable[[Figures], float | None]
    """Runs for which it is `None` are left out."""
    least: Callable[[Figures], float]
    """So far at least, in the unit of the figure,"""
    part: float
    """and so far as a part of the largest figure."""


def _sum(of_flow: Callable[[Flow], float]) -> Callable[[Figures], float]:
    return lambda run: sum(map(of_flow, run.flows))


def _slow_start(part: int) -> Callable[[Figures], float | None]:
    return lambda run: None if run.flows[0].slow_start is None else run.flows[0].slow_start[part]


def _first_lost(run: Figures) -> float | None:
    lost = run.flows[0].lost
    return lost[0] // run.segment_bytes[0] if lost else None


def _completion_s(run: Figures) -> float | None:
    times = [flow.completion_s for flow in run.flows if flow.completion_s is not None]
    return max(times) if len(times) == len(run.flows) else None


def _share(run: Figures) -> float:
    """The first flow's part of the delivered bytes."""
    return run.flows[0].delivered_bytes / max(1, sum(flow.delivered_bytes for flow in run.flows))


def _always(least: float) -> Callable[[Figures], float]:
    return lambda _: least


def _round_trips(number: float) -> Callable[[Figures], float]:
    return lambda run: max(0.01, number * run.round_trip_s)


def _further_flows(run: Figures) -> float:
    return len(run.flows) - 1


_RULES = (
    _Rule("slow_start", "slow starts ended", _sum(lambda flow: flow.slow_start is not None), _always(0), 0.0),
    _Rule("slow_start", "window where slow start ends", _slow_start(1), _always(2), 0.05),
    _Rule("slow_start", "slow start ends, s", _slow_start(0), _round_trips(1), 0.05),
    _Rule("lost", "segments lost", _sum(lambda flow: len(flow.lost)), _always(3), 0.1),
    _Rule("lost", "first segment lost", _first_lost, _always(4), 0.05),
    _Rule("timeouts", "timeouts", _sum(lambda flow: flow.timeouts), _further_flows, 0.0),
    _Rule("retransmitted", "segments retransmitted", _sum(lambda flow: flow.retransmitted), _always(3), 0.1),
    _Rule("completion", "transfer takes, s", _completion_s, _round_trips(0.5), 0.05),
    _Rule("delivered", "delivered, bytes", _sum(lambda flow: flow.delivered_bytes), _always(15_000), 0.05),
    _Rule("share", "first flow's share", _share, _always(0.05), 0.0),
    _Rule("queue", "mean queue, packets", lambda run: run.mean_queue_packets, _always(1), 0.1),
)

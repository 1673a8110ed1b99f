"""What the adversary decides: when flows start, and how long each flow's packets are held from which time on."""

from dataclasses import dataclass
from typing import Any

from vegaslab.sweeps.adversary.question import Question, time_text

CHANGES_MAX = 10
"""Change points that all flows have together; what holds from the beginning of the run is no change."""

TIME_STEP_NS = 1_000_000
DELAY_STEPS = 20
"""Times are whole steps, delays whole parts of the limit, so that small differences do not make other genomes."""

Point = tuple[int, int]
"""A time since the beginning of the run and the delay from then on, ns."""

Schedule = tuple[Point, ...]


@dataclass(frozen=True)
class Genome:
    """The adversary's choices; lists are by flow."""

    starts: tuple[int, ...]
    """When each flow starts, ns."""
    schedules: tuple[Schedule, ...]

    @property
    def changes(self) -> int:
        """The number of change points."""
        return sum(time > 0 for schedule in self.schedules for time, _ in schedule)

    def overrides(self, question: Question) -> dict[str, Any]:
        """Returns the scenario's values that express it, by dotted key."""
        values: dict[str, Any] = {}
        for flow, (start, schedule) in enumerate(zip(self.starts, self.schedules, strict=True)):
            values[f"flow.{flow}.start"] = time_text(start)
            if schedule:
                points = [[time_text(time), time_text(delay)] for time, delay in schedule]
                values[f"flow.{flow}.delay_schedule"] = {"limit": question.limit, "points": points}
        return values


def normal(question: Question, starts: list[int], schedules: list[list[Point]]) -> Genome:
    """Returns a genome within all bounds: sorted, on the steps of time and delay, without changes that change nothing.

    The earliest start is 0, the latest a quarter of the run, so that all flows have started long before what is
    measured. Where there are too many change points the last ones of the longest schedule are left out.
    """
    first = min(starts)
    latest = question.duration_ns // 4
    kept = [_on_step(min(start - first, latest), TIME_STEP_NS) for start in starts]
    tidy = [_tidy(question, schedule) for schedule in schedules]
    while sum(time > 0 for schedule in tidy for time, _ in schedule) > CHANGES_MAX:
        max(tidy, key=len).pop()
    return Genome(tuple(kept), tuple(tuple(schedule) for schedule in tidy))


def _tidy(question: Question, schedule: list[Point]) -> list[Point]:
    step = max(question.limit_ns // DELAY_STEPS, 1)
    by_time: dict[int, int] = {}
    for time, delay in schedule:
        at = _on_step(max(time, 0), TIME_STEP_NS)
        if at < question.duration_ns:
            by_time[at] = min(max(_on_step(delay, step), 0), question.limit_ns)
    tidy: list[Point] = []
    before = 0
    for time, delay in sorted(by_time.items()):
        if delay != before:
            tidy.append((time, delay))
        before = delay
    return tidy


def _on_step(value: int, step: int) -> int:
    return (value + step // 2) // step * step

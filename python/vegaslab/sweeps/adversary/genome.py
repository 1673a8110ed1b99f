"""What the adversary decides: when flows start, which ones, and how long packets are held from which time on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from vegaslab.sweeps.adversary.question import Question, time_text

CHANGES_MAX = 10
"""Change points that all schedules have together; what holds from the beginning of the run is no change."""

TIME_STEP_NS = 1_000_000
DELAY_STEPS = 20
"""Times are whole steps, delays whole parts of the limit, so that small differences do not make other genomes."""

_STEPS_OF_LIMIT = 10
"""A limit below ten steps of time makes these shorter, so that batches of its length can be expressed."""

Point = tuple[int, int]
"""A time since the beginning of the run and the delay from then on, ns."""


@dataclass(frozen=True)
class Schedule:
    """How long one element of the model holds packets."""

    points: tuple[Point, ...] = ()
    every: int = 0
    """From the first point on the points begin again after each such time, ns; 0: they are gone through once."""
    backward: bool = False
    """Whether a flow's acknowledgements are held instead of its data."""

    @property
    def changes(self) -> int:
        """The number of change points. Those of a schedule that repeats count once."""
        return sum(time > 0 or self.every > 0 for time, _ in self.points)

    def value(self, limit: str) -> dict[str, Any]:
        """Returns the `delay_schedule` of a scenario file that expresses it."""
        value: dict[str, Any] = {
            "limit": limit,
            "points": [[time_text(time), time_text(delay)] for time, delay in self.points],
        }
        if self.every:
            value["every"] = time_text(self.every)
        if self.backward:
            value["backward"] = True
        return value


@dataclass(frozen=True)
class Genome:
    """The adversary's choices."""

    starts: tuple[int, ...]
    """When each flow starts, ns."""
    schedules: tuple[Schedule, ...]
    """One for each element of the model: by flow, or that of the link alone."""
    mix: tuple[int, ...] = ()
    """For each flow but the first its algorithm, as the place in `Question.beside`; empty where there is no choice."""

    @property
    def changes(self) -> int:
        """The number of change points."""
        return sum(schedule.changes for schedule in self.schedules)

    def overrides(self, question: Question) -> dict[str, Any]:
        """Returns the scenario's values that express it, by dotted key."""
        values: dict[str, Any] = {f"flow.{flow}.start": time_text(start) for flow, start in enumerate(self.starts)}
        for flow, place in enumerate(self.mix, 1):
            values[f"flow.{flow}.algorithm"] = question.rivals[place]
        for key, schedule in zip(question.elements, self.schedules, strict=True):
            if schedule.points:
                values[f"{key}.delay_schedule"] = schedule.value(question.limit)
        return values


def undisturbed(question: Question) -> Genome:
    """Returns the genome of an adversary that does nothing."""
    mix = (0,) * (question.flows - 1) if len(question.rivals) > 1 else ()
    return Genome((0,) * question.flows, (Schedule(),) * len(question.elements), mix)


def normal(question: Question, genome: Genome) -> Genome:
    """Returns the genome within all bounds: sorted, on the steps of time and delay, without needless points.

    The earliest start is 0, the latest a quarter of the run, so that all flows have started long before what is
    measured. Where there are too many change points the last ones of the longest schedule are left out.
    """
    first = min(genome.starts)
    latest = question.duration_ns // 4
    starts = [_on_step(min(start - first, latest), TIME_STEP_NS) for start in genome.starts]
    tidy = [_tidy(question, schedule) for schedule in genome.schedules]
    while sum(schedule.changes for schedule in tidy) > CHANGES_MAX:
        longest = max(range(len(tidy)), key=lambda place: tidy[place].changes)
        tidy[longest] = _tidy(question, replace(tidy[longest], points=tidy[longest].points[:-1]))
    return Genome(tuple(starts), tuple(tidy), genome.mix)


def replaced(schedules: Sequence[Schedule], place: int, schedule: Schedule) -> tuple[Schedule, ...]:
    """Returns the schedules with another one in this place."""
    return (*schedules[:place], schedule, *schedules[place + 1 :])


def time_step_ns(question: Question) -> int:
    """Returns the step of times, ns."""
    return max(1000, min(TIME_STEP_NS, question.limit_ns // _STEPS_OF_LIMIT))


def _tidy(question: Question, schedule: Schedule) -> Schedule:
    step = time_step_ns(question)
    delay_step = max(question.limit_ns // DELAY_STEPS, 1)
    by_time: dict[int, int] = {}
    for time, delay in schedule.points:
        at = _on_step(max(time, 0), step)
        if at < question.duration_ns:
            by_time[at] = min(max(_on_step(delay, delay_step), 0), question.limit_ns)
    every = _on_step(schedule.every, step)
    if 0 < every < question.duration_ns:
        first = min(by_time, default=0)
        points = _without_repetition({at: delay for at, delay in by_time.items() if at < first + every})
        if len(points) > 1:
            return Schedule(tuple(points), every, schedule.backward)
    points = _without_repetition(by_time)
    while points and points[0][1] == 0:
        del points[0]
    return Schedule(tuple(points), 0, schedule.backward and bool(points))


def _without_repetition(by_time: dict[int, int]) -> list[Point]:
    """Returns the points in order, without those that have the delay of the one before."""
    tidy: list[Point] = []
    for time, delay in sorted(by_time.items()):
        if not tidy or delay != tidy[-1][1]:
            tidy.append((time, delay))
    return tidy


def _on_step(value: int, step: int) -> int:
    return (value + step // 2) // step * step

"""Makes what was found simple: fewer change points, round times, whole delays, with nearly all of the harm."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from vegaslab.sweeps.adversary.genome import Genome, Schedule, normal, replaced
from vegaslab.sweeps.adversary.question import Question

KEPT = 0.95
"""The part of the harm, beyond what happens without an adversary, that a simpler genome must do."""

_AT_A_TIME = 8
"""Runs that are made together, whatever the number of cores: enough for a few cores, and few in vain."""

_ROUND_NS = (10_000_000_000, 1_000_000_000, 100_000_000, 10_000_000)


def shrunk(
    question: Question,
    worst: Genome,
    harmless: Genome,
    evaluate: Callable[[list[Genome]], object],
    badness: Callable[[Genome], float],
) -> Genome:
    """Returns the simplest genome that was found to do `KEPT` of the harm of `worst`.

    Harm is how much worse it is than with `harmless`, which has been evaluated as well.

    Each round goes through what is simpler by one step, some at a time, and goes on with the first that does enough
    harm.
    """
    before = badness(harmless)
    enough = before + KEPT * (badness(worst) - before)

    def next_after(now: Genome) -> Genome | None:
        simpler = [genome for genome in dict.fromkeys(_simpler(question, now)) if genome != now]
        for first in range(0, len(simpler), _AT_A_TIME):
            some = simpler[first : first + _AT_A_TIME]
            evaluate(some)
            for genome in some:
                if badness(genome) >= enough:
                    return genome
        return None

    simplest = worst
    while (simpler := next_after(simplest)) is not None:
        simplest = simpler
    return simplest


def _simpler(question: Question, genome: Genome) -> Iterator[Genome]:
    """Yields genomes that are simpler by one step, the simplest first."""
    yield from _each(question, genome, lambda schedule: [Schedule()] if schedule.points else [])
    yield from _each(question, genome, lambda schedule: [replace(schedule, every=0)] if schedule.every else [])
    yield from _each(question, genome, _shorter)
    if any(genome.mix):
        yield replace(genome, mix=(0,) * len(genome.mix))
    if any(genome.starts):
        yield replace(genome, starts=(0,) * len(genome.starts))
    yield from _each(question, genome, lambda schedule: [replace(schedule, backward=False)])
    for step in _ROUND_NS:
        for flow, start in enumerate(genome.starts):
            starts = (*genome.starts[:flow], _rounded(start, step), *genome.starts[flow + 1 :])
            yield normal(question, replace(genome, starts=starts))
        yield from _each(question, genome, partial(_rounder, step=step))
    yield from _each(question, genome, lambda schedule: _whole(question, schedule))


def _each(question: Question, genome: Genome, changed: Callable[[Schedule], list[Schedule]]) -> Iterator[Genome]:
    """Yields the genome with one of its schedules replaced, for all replacements of each."""
    for place, schedule in enumerate(genome.schedules):
        for other in changed(schedule):
            yield normal(question, replace(genome, schedules=replaced(genome.schedules, place, other)))


def _shorter(schedule: Schedule) -> list[Schedule]:
    points = schedule.points
    return [replace(schedule, points=points[:place] + points[place + 1 :]) for place in range(len(points))]


def _rounder(schedule: Schedule, step: int) -> list[Schedule]:
    """Returns the schedule with a rounder time of repetition, then with each point at a rounder time."""
    rounder = [replace(schedule, every=_rounded(schedule.every, step))]
    for place, (time, delay) in enumerate(schedule.points):
        rounder.append(_with_point(schedule, place, _rounded(time, step), delay))
    return rounder


def _whole(question: Question, schedule: Schedule) -> list[Schedule]:
    """Returns the schedule with each delay that is a part of the limit set to 0, or to the limit."""
    whole = (0, question.limit_ns)
    return [
        _with_point(schedule, place, time, other)
        for place, (time, delay) in enumerate(schedule.points)
        if delay not in whole
        for other in whole
    ]


def _with_point(schedule: Schedule, place: int, time: int, delay: int) -> Schedule:
    points = schedule.points
    return replace(schedule, points=(*points[:place], (time, delay), *points[place + 1 :]))


def _rounded(time: int, step: int) -> int:
    """Returns the nearest multiple of the step, but 0 for 0 alone: a change stays one."""
    return max((time + step // 2) // step, 1) * step if time else 0

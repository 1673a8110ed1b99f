"""Makes what was found simple: fewer change points, round times, whole delays, with nearly all of the harm."""

from collections.abc import Callable, Iterator

from vegaslab.sweeps.adversary.genome import Genome, Point, normal
from vegaslab.sweeps.adversary.question import Question

KEPT = 0.95
"""The part of the harm that a simpler genome must do."""

_ROUND_NS = (10_000_000_000, 1_000_000_000, 100_000_000, 10_000_000)


def shrunk(
    question: Question,
    worst: Genome,
    evaluate: Callable[[list[Genome]], object],
    badness: Callable[[Genome], float],
) -> Genome:
    """Returns the simplest genome that was found to do `KEPT` of the harm of `worst`.

    Each round evaluates all that is simpler by one step, and goes on with the first that does enough harm.
    """
    best = badness(worst)
    # less is more where the adversary minimises
    enough = KEPT * best if best >= 0 else best / KEPT
    now = worst
    while True:
        simpler = [genome for genome in dict.fromkeys(_simpler(question, now)) if genome != now]
        evaluate(simpler)
        now, before = next((genome for genome in simpler if badness(genome) >= enough), now), now
        if now == before:
            return now


def _simpler(question: Question, genome: Genome) -> Iterator[Genome]:
    """Yields genomes that are simpler by one step, the simplest first."""
    schedules = [list(schedule) for schedule in genome.schedules]
    starts = list(genome.starts)
    for flow, schedule in enumerate(schedules):
        if schedule:
            yield normal(question, starts, _replaced(schedules, flow, []))
    for flow, schedule in enumerate(schedules):
        for place in range(len(schedule)):
            yield normal(question, starts, _replaced(schedules, flow, schedule[:place] + schedule[place + 1 :]))
    if any(starts):
        yield normal(question, [0] * len(starts), schedules)
    for step in _ROUND_NS:
        yield from _rounder(question, starts, schedules, step)
    for flow, schedule in enumerate(schedules):
        for place, (time, delay) in enumerate(schedule):
            for whole in (0, question.limit_ns):
                if delay not in (0, question.limit_ns):
                    changed = [*schedule[:place], (time, whole), *schedule[place + 1 :]]
                    yield normal(question, starts, _replaced(schedules, flow, changed))


def _rounder(question: Question, starts: list[int], schedules: list[list[Point]], step: int) -> Iterator[Genome]:
    for flow, start in enumerate(starts):
        if start % step:
            yield normal(question, [*starts[:flow], _rounded(start, step), *starts[flow + 1 :]], schedules)
    for flow, schedule in enumerate(schedules):
        for place, (time, delay) in enumerate(schedule):
            if time % step:
                changed = [*schedule[:place], (_rounded(time, step), delay), *schedule[place + 1 :]]
                yield normal(question, starts, _replaced(schedules, flow, changed))


def _rounded(time: int, step: int) -> int:
    """Returns the nearest multiple of the step, but not 0: a change does not become what holds from the beginning."""
    return max((time + step // 2) // step, 1) * step


def _replaced(schedules: list[list[Point]], flow: int, schedule: list[Point]) -> list[list[Point]]:
    return [*schedules[:flow], schedule, *schedules[flow + 1 :]]

"""The next generation of genomes: crossed and changed copies of the best ones."""

import random
from collections.abc import Callable, Sequence

from vegaslab.sweeps.adversary.genome import Genome, Point, normal
from vegaslab.sweeps.adversary.question import Question

Draft = tuple[list[int], list[list[Point]]]
"""Starts and schedules that are being changed."""

_CROSSED = 0.3
_CHANGES_MEAN = 0.5
_TRIES = 50


def offspring(
    question: Question, best: Sequence[Genome], known: set[Genome], number: int, generation: int
) -> list[Genome]:
    """Returns up to this many new genomes from `best`, which is in order; a function of the arguments alone."""
    draw = random.Random(f"{question.seed}/{generation}")
    made: dict[Genome, None] = {}
    for _ in range(_TRIES * number):
        if len(made) == number:
            break
        child = _child(question, best, draw)
        if child not in known:
            made[child] = None
    return list(made)


def _child(question: Question, best: Sequence[Genome], draw: random.Random) -> Genome:
    parent = _chosen(best, draw)
    starts, schedules = list(parent.starts), [list(schedule) for schedule in parent.schedules]
    if draw.random() < _CROSSED:
        other = _chosen(best, draw)
        flow = draw.randrange(question.flows)
        schedules[flow] = list(other.schedules[draw.randrange(question.flows)])
    while True:
        draw.choice(_CHANGES)(question, (starts, schedules), draw)
        if draw.random() >= _CHANGES_MEAN:
            return normal(question, starts, schedules)


def _chosen(best: Sequence[Genome], draw: random.Random) -> Genome:
    """Returns the better of two."""
    return best[min(draw.randrange(len(best)), draw.randrange(len(best)))]


def _move(question: Question, draft: Draft, draw: random.Random) -> None:
    """Moves a point in time, by little or by much."""
    schedule = draw.choice(draft[1])
    if schedule:
        place = draw.randrange(len(schedule))
        time, delay = schedule[place]
        schedule[place] = (time + _step(question, draw), delay)


def _shift(question: Question, draft: Draft, draw: random.Random) -> None:
    """Moves a whole schedule in time, but for what holds from the beginning."""
    flow = draw.randrange(question.flows)
    by = _step(question, draw)
    draft[1][flow] = [(time and max(time + by, 1), delay) for time, delay in draft[1][flow]]


def _redelay(question: Question, draft: Draft, draw: random.Random) -> None:
    schedule = draw.choice(draft[1])
    if schedule:
        place = draw.randrange(len(schedule))
        schedule[place] = (schedule[place][0], _delay(question, draw))


def _add(question: Question, draft: Draft, draw: random.Random) -> None:
    draw.choice(draft[1]).append((_time(question, draw), _delay(question, draw)))


def _add_gap(question: Question, draft: Draft, draw: random.Random) -> None:
    """Adds a short time with another delay."""
    schedule = draw.choice(draft[1])
    begin = _time(question, draw)
    before = max(((time, delay) for time, delay in schedule if time <= begin), default=(0, 0))[1]
    length = question.limit_ns + round(question.rtt_ns * 2 ** draw.uniform(-3, 4))
    schedule.append((begin, 0 if before else question.limit_ns))
    schedule.append((begin + length, before))


def _remove(_question: Question, draft: Draft, draw: random.Random) -> None:
    schedule = draw.choice(draft[1])
    if schedule:
        schedule.pop(draw.randrange(len(schedule)))


def _swap(_question: Question, draft: Draft, _draw: random.Random) -> None:
    """Exchanges the flows' schedules."""
    draft[1].reverse()


def _restart(question: Question, draft: Draft, draw: random.Random) -> None:
    """Lets a flow start at another time."""
    flow = draw.randrange(question.flows)
    small = round(question.rtt_ns * 2 ** draw.uniform(-3, 4))
    draft[0][flow] = draw.choice((0, small, draw.randrange(question.duration_ns // 4)))


_CHANGES: tuple[Callable[[Question, Draft, random.Random], None], ...] = (
    _move,
    _move,
    _shift,
    _redelay,
    _add,
    _add_gap,
    _remove,
    _swap,
    _restart,
)


def _time(question: Question, draw: random.Random) -> int:
    """Returns a time: half of them in the whole run, half while the flows open their windows."""
    return draw.randrange(
        question.duration_ns if draw.random() < 0.5 else min(50 * question.rtt_ns, question.duration_ns)
    )


def _step(question: Question, draw: random.Random) -> int:
    """Returns a difference of times, from a part of a round trip to a part of the run, either way."""
    most = question.duration_ns / 4 / question.rtt_ns
    size: float = question.rtt_ns / 8 * (8 * most) ** draw.random()
    return draw.choice((-1, 1)) * round(size)


def _delay(question: Question, draw: random.Random) -> int:
    chosen: int = draw.choice((0, question.limit_ns, draw.randrange(question.limit_ns + 1)))
    return chosen

"""The next generation of genomes: crossed and changed copies of the best ones."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vegaslab.sweeps.adversary.genome import Genome, Schedule, normal
from vegaslab.sweeps.adversary.question import Question

_CROSSED = 0.3
_CHANGES_MEAN = 0.5
_TRIES = 50


@dataclass
class Draft:
    """A genome that is being changed."""

    starts: list[int]
    schedules: list[Schedule]
    mix: list[int]

    def genome(self, question: Question) -> Genome:
        """Returns the genome within all bounds."""
        return normal(question, Genome(tuple(self.starts), tuple(self.schedules), tuple(self.mix)))


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
    draft = Draft(list(parent.starts), list(parent.schedules), list(parent.mix))
    if draw.random() < _CROSSED:
        draft.schedules[draw.randrange(len(draft.schedules))] = draw.choice(_chosen(best, draw).schedules)
    while True:
        draw.choice(_CHANGES)(question, draft, draw)
        if draw.random() >= _CHANGES_MEAN:
            return draft.genome(question)


def _chosen(best: Sequence[Genome], draw: random.Random) -> Genome:
    """Returns the better of two."""
    return best[min(draw.randrange(len(best)), draw.randrange(len(best)))]


# --- changes of one schedule ---

Change = Callable[[Question, Schedule, random.Random], Schedule]


def _move(question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    """Moves a point in time, by little or by much."""
    if not schedule.points:
        return schedule
    points = list(schedule.points)
    place = draw.randrange(len(points))
    time, delay = points[place]
    points[place] = (time + _step(question, draw), delay)
    return replace(schedule, points=tuple(points))


def _shift(question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    """Moves a whole schedule in time, but for what holds from the beginning."""
    by = _step(question, draw)
    return replace(schedule, points=tuple((time and max(time + by, 1), delay) for time, delay in schedule.points))


def _redelay(question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    if not schedule.points:
        return schedule
    points = list(schedule.points)
    place = draw.randrange(len(points))
    points[place] = (points[place][0], _delay(question, draw))
    return replace(schedule, points=tuple(points))


def _add(question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    return replace(schedule, points=(*schedule.points, (_when(question, schedule, draw), _delay(question, draw))))


def _add_gap(question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    """Adds a short time with another delay."""
    begin = _when(question, schedule, draw)
    before = max(((time, delay) for time, delay in schedule.points if time <= begin), default=(0, 0))[1]
    length = question.limit_ns + round(question.rtt_ns * 2 ** draw.uniform(-3, 4))
    gap = ((begin, 0 if before else question.limit_ns), (begin + length, before))
    return replace(schedule, points=schedule.points + gap)


def _remove(_question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    if not schedule.points:
        return schedule
    place = draw.randrange(len(schedule.points))
    return replace(schedule, points=schedule.points[:place] + schedule.points[place + 1 :])


def _repeat(question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    """Lets a schedule repeat, or a square wave from some time on; one that repeats already, at another time."""
    if schedule.every:
        return replace(schedule, every=round(schedule.every * 2 ** draw.uniform(-1, 1)))
    every = _period(question, draw)
    if len(schedule.points) > 1 and draw.random() < 0.5:
        return replace(schedule, every=max(every, schedule.points[-1][0] - schedule.points[0][0] + 1))
    first = draw.choice((0, _time(question, draw)))
    up = max(round(every * draw.choice((0.1, 0.5, 0.9, draw.random()))), 1)
    return replace(
        schedule, points=((first, _delay(question, draw) or question.limit_ns), (first + up, 0)), every=every
    )


def _retime(question: Question, schedule: Schedule, draw: random.Random) -> Schedule:
    """Makes a schedule that repeats slower or faster as a whole, by little or by much."""
    if not (schedule.every and schedule.points):
        return schedule
    times = draw.choice((0.5, 2.0, 2 ** draw.uniform(-0.1, 0.1), _period(question, draw) / schedule.every))
    first = schedule.points[0][0]
    points = tuple((first + round((time - first) * times), delay) for time, delay in schedule.points)
    return replace(schedule, points=points, every=round(schedule.every * times))


def _end_repetition(_question: Question, schedule: Schedule, _draw: random.Random) -> Schedule:
    return replace(schedule, every=0)


def _turn(question: Question, schedule: Schedule, _draw: random.Random) -> Schedule:
    """Lets a flow's acknowledgements be held instead of its data, or the other way."""
    return replace(schedule, backward=not schedule.backward) if question.model == "starvation" else schedule


# --- changes of a genome ---


def _of_one(change: Change) -> Callable[[Question, Draft, random.Random], None]:
    def of_genome(question: Question, draft: Draft, draw: random.Random) -> None:
        place = draw.randrange(len(draft.schedules))
        draft.schedules[place] = change(question, draft.schedules[place], draw)

    return of_genome


def _exchange(_question: Question, draft: Draft, draw: random.Random) -> None:
    """Exchanges the schedules of two flows."""
    one, other = (draw.randrange(len(draft.schedules)) for _ in range(2))
    draft.schedules[one], draft.schedules[other] = draft.schedules[other], draft.schedules[one]


def _restart(question: Question, draft: Draft, draw: random.Random) -> None:
    """Lets a flow start at another time."""
    flow = draw.randrange(question.flows)
    small = round(question.rtt_ns * 2 ** draw.uniform(-3, 4))
    draft.starts[flow] = draw.choice((0, small, draw.randrange(question.duration_ns // 4)))


def _remix(question: Question, draft: Draft, draw: random.Random) -> None:
    """Chooses another algorithm for a flow that is not under attack, where there is a choice."""
    if draft.mix:
        draft.mix[draw.randrange(len(draft.mix))] = draw.randrange(len(question.rivals))


_CHANGES: tuple[Callable[[Question, Draft, random.Random], None], ...] = (
    *map(_of_one, (_move, _move, _shift, _redelay, _add, _add_gap, _remove)),
    *map(_of_one, (_repeat, _retime, _end_repetition, _turn)),
    _exchange,
    _restart,
    _remix,
)


# --- draws ---


def _when(question: Question, schedule: Schedule, draw: random.Random) -> int:
    """Returns a time at which a schedule may have a point: of one that repeats, within its repetition."""
    if schedule.every and schedule.points:
        return schedule.points[0][0] + draw.randrange(schedule.every)
    return _time(question, draw)


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


def _period(question: Question, draw: random.Random) -> int:
    """Returns a time of repetition: the limit, some round trips, or any up to half of the run."""
    whole = draw.choice((question.limit_ns, question.rtt_ns * draw.randrange(1, 11)))
    least, most = question.limit_ns / 2, question.duration_ns / 2
    return draw.choice((whole, round(least * (most / least) ** draw.random())))


def _delay(question: Question, draw: random.Random) -> int:
    chosen: int = draw.choice((0, question.limit_ns, draw.randrange(question.limit_ns + 1)))
    return chosen

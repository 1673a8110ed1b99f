"""Schedules that are known to do harm, or are likely to: where the search begins."""

from collections.abc import Iterator

from vegaslab.sweeps.adversary.genome import CHANGES_MAX, Genome, Point, normal
from vegaslab.sweeps.adversary.question import Question

_MS = 1_000_000


def structured(question: Question) -> list[Genome]:
    """Returns the genomes that the search evaluates first, each once."""
    starts = [[0] * question.flows]
    if question.flows > 1:
        late = question.duration_ns // 8
        starts += [[0, late], [late, 0]]
    genomes = []
    for number, begin in enumerate(starts):
        for victim in _different(question):
            plans = [_nothing(), *_poisoned(question, begin[victim])]
            plans += [*_renewed(question), *_waves(question, begin[victim])] if number == 0 else []
            for plan in plans:
                schedules: list[list[Point]] = [[] for _ in range(question.flows)]
                schedules[victim] = plan
                genomes.append(normal(question, begin, schedules))
    genomes += [*_overlapping(question), *_lowered(question)]
    return list(dict.fromkeys(genomes))


def _different(question: Question) -> range:
    """Returns the flows that are worth an attack of their own: of two alike the first one is enough."""
    return range(question.flows if question.beside is not None else 1)


def _overlapping(question: Question) -> Iterator[Genome]:
    """One flow starts some round trips after the other, while that opens its window: its base RTT includes a queue.

    What it takes for the path's own RTT it keeps up. The first flow's packets may be held besides.
    """
    for flow in _different(question) if question.flows > 1 else ():
        for rounds in (5, 8, 12, 20):
            starts = [0] * question.flows
            starts[flow] = rounds * question.rtt_ns
            for plan in (_nothing(), [(rounds * question.rtt_ns // 2, question.limit_ns)]):
                schedules: list[list[Point]] = [[] for _ in range(question.flows)]
                schedules[1 - flow] = plan
                yield normal(question, starts, schedules)


def _lowered(question: Question) -> Iterator[Genome]:
    """The limit for one flow from the beginning, taken away in steps: each is hidden by the queue that the flow keeps.

    So its base RTT stays too long, and the flow keeps the whole limit in the queue at the end. The other flow's packets
    may be held from some time on besides.
    """
    limit, rtt, whole = question.limit_ns, question.rtt_ns, question.duration_ns
    steps = CHANGES_MAX - 1
    for flow in _different(question) if question.flows > 1 else ():
        for every in (4 * rtt, 10 * rtt, whole // 30):
            for plan in (_nothing(), [(4 * rtt, limit)]):
                schedules: list[list[Point]] = [[] for _ in range(question.flows)]
                ends = [(whole // 10 + step * every, limit * (steps - 1 - step) // steps) for step in range(steps)]
                schedules[flow] = [(0, limit), *ends]
                schedules[1 - flow] = plan
                yield normal(question, [0] * question.flows, schedules)


def _nothing() -> list[Point]:
    return []


def _poisoned(question: Question, start: int) -> Iterator[list[Point]]:
    """The whole limit from a time on: the flow has measured a base RTT that it never sees again."""
    limit, rtt = question.limit_ns, question.rtt_ns
    for after in (rtt // 2 + 5 * _MS, 4 * rtt, 20 * rtt, question.duration_ns // 16, question.duration_ns // 5):
        yield [(start + after, limit)]
    # and the other way: a base RTT that is too long until the limit is taken away
    yield [(0, limit), (start + 20 * rtt, 0)]
    yield [(0, limit), (question.duration_ns // 2, 0)]


def _renewed(question: Question) -> Iterator[list[Point]]:
    """The whole limit, with short gaps that renew a base RTT which is forgotten after some seconds.

    A gap is longer than the limit: packets that come within it wait for those that were held before.
    """
    limit, rtt, whole = question.limit_ns, question.rtt_ns, question.duration_ns
    gaps = 5
    for first, every in ((whole // 4, whole * 3 // 20), (whole // 20, whole // 6), (whole // 3, whole // 8)):
        for length in (limit + rtt // 4, limit + 2 * rtt):
            begins = [first + gap * every for gap in range(gaps)]
            plan = [(0, limit)]
            for begin in begins:
                plan += [(begin, 0), (begin + length, limit)]
            yield plan
            yield [(time, limit - delay) for time, delay in plan]


def _waves(question: Question, start: int) -> Iterator[list[Point]]:
    """Square waves at the period of the round trip, while the window opens: queueing that is none."""
    limit, rtt = question.limit_ns, question.rtt_ns
    for first, half in ((rtt, rtt), (2 * rtt, rtt // 2), (3 * rtt, 2 * rtt)):
        yield [(start + first + number * half, limit * (1 - number % 2)) for number in range(10)]
        yield [(start + first + number * half, limit * (1 - number % 2)) for number in range(9)]

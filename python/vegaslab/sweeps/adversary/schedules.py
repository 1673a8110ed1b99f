"""Schedules that are known to do harm, or are likely to: where the search begins."""

from collections.abc import Iterator, Mapping

from vegaslab.sweeps.adversary.genome import CHANGES_MAX, Genome, Point, Schedule, normal
from vegaslab.sweeps.adversary.question import Question

_MS = 1_000_000


def structured(question: Question) -> list[Genome]:
    """Returns the genomes that the search evaluates first, each once."""
    starts = [[0] * question.flows]
    if question.flows > 1:
        late = question.duration_ns // 8
        starts += [[0, *[late] * (question.flows - 1)], [late, *[0] * (question.flows - 1)]]
    genomes = []
    for number, begin in enumerate(starts):
        for victim in _different(question):
            first = begin[victim]
            plans = [Schedule(), *_poisoned(question, first)]
            rivals = range(len(question.rivals))
            genomes += [_genome(question, begin, {victim: plan}, place) for plan in plans for place in rivals]
            plans = [*_renewed(question), *_waves(question, first), *_repeated(question, first)]
            genomes += [_genome(question, begin, {victim: plan}) for plan in plans if number == 0]
    genomes += [*_overlapping(question), *_lowered(question)]
    return list(dict.fromkeys(genomes))


def _genome(question: Question, starts: list[int], plans: Mapping[int, Schedule], place: int = 0) -> Genome:
    """Returns the genome with these schedules by element, beside the rival of this place."""
    schedules = tuple(plans.get(element, Schedule()) for element in range(len(question.elements)))
    mix = (place,) * (question.flows - 1) if len(question.rivals) > 1 else ()
    return normal(question, Genome(tuple(starts), schedules, mix))


def _different(question: Question) -> range:
    """Returns the elements that are worth an attack of their own: of two alike the first one is enough."""
    return range(min(2, len(question.elements)) if question.beside else 1)


def _overlapping(question: Question) -> Iterator[Genome]:
    """One flow starts some round trips after the others, while they open their windows: its base RTT includes a queue.

    What it takes for the path's own RTT it keeps up. Another flow's packets may be held besides.
    """
    for flow in _different(question) if question.flows > 1 else ():
        for rounds in (5, 8, 12, 20):
            starts = [0] * question.flows
            starts[flow] = rounds * question.rtt_ns
            for plan in (Schedule(), Schedule(((rounds * question.rtt_ns // 2, question.limit_ns),))):
                yield _genome(question, starts, {_another(question, flow): plan})


def _lowered(question: Question) -> Iterator[Genome]:
    """The limit for one flow from the beginning, taken away in steps: each is hidden by the queue that the flow keeps.

    So its base RTT stays too long, and the flow keeps the whole limit in the queue at the end. Another flow's packets
    may be held from some time on besides.
    """
    limit, rtt, whole = question.limit_ns, question.rtt_ns, question.duration_ns
    steps = CHANGES_MAX - 1
    for flow in _different(question) if len(question.elements) > 1 else ():
        for every in (4 * rtt, 10 * rtt, whole // 30):
            ends = [(whole // 10 + step * every, limit * (steps - 1 - step) // steps) for step in range(steps)]
            for plan in (Schedule(), Schedule(((4 * rtt, limit),))):
                plans = {flow: Schedule(((0, limit), *ends)), _another(question, flow): plan}
                yield _genome(question, [0] * question.flows, plans)


def _another(question: Question, element: int) -> int:
    return 0 if element else min(1, len(question.elements) - 1)


def _poisoned(question: Question, start: int) -> Iterator[Schedule]:
    """The whole limit from a time on: the flow has measured a base RTT that it never sees again."""
    limit, rtt = question.limit_ns, question.rtt_ns
    for after in (rtt // 2 + 5 * _MS, 4 * rtt, 20 * rtt, question.duration_ns // 16, question.duration_ns // 5):
        yield Schedule(((start + after, limit),))
    # and the other way: a base RTT that is too long until the limit is taken away
    yield Schedule(((0, limit), (start + 20 * rtt, 0)))
    yield Schedule(((0, limit), (question.duration_ns // 2, 0)))


def _renewed(question: Question) -> Iterator[Schedule]:
    """The whole limit, with short gaps that renew a base RTT which is forgotten after some seconds.

    A gap is longer than the limit: packets that come within it wait for those that were held before.
    """
    limit, rtt, whole = question.limit_ns, question.rtt_ns, question.duration_ns
    gaps = 5
    for first, every in ((whole // 4, whole * 3 // 20), (whole // 20, whole // 6), (whole // 3, whole // 8)):
        for length in (limit + rtt // 4, limit + 2 * rtt):
            plan: list[Point] = [(0, limit)]
            for gap in range(gaps):
                begin = first + gap * every
                plan += [(begin, 0), (begin + length, limit)]
            yield Schedule(tuple(plan))
            yield Schedule(tuple((time, limit - delay) for time, delay in plan))


def _waves(question: Question, start: int) -> Iterator[Schedule]:
    """Square waves at the period of the round trip, while the window opens: queueing that is none."""
    limit, rtt = question.limit_ns, question.rtt_ns
    for first, half in ((rtt, rtt), (2 * rtt, rtt // 2), (3 * rtt, 2 * rtt)):
        for changes in (10, 9):
            points = [(start + first + number * half, limit * (1 - number % 2)) for number in range(changes)]
            yield Schedule(tuple(points))


def _repeated(question: Question, start: int) -> Iterator[Schedule]:
    """What repeats to the end: batches, waves, gaps that renew a base RTT, rises that look like a lower rate."""
    limit, rtt = question.limit_ns, question.rtt_ns
    for backward in (False, True) if question.model == "starvation" else (False,):
        for every in (limit, 2 * limit, rtt):
            yield Schedule(((0, limit), (limit // 10, 0)), every, backward)
    for first in (0, start + 4 * rtt):
        for every in (rtt, 2 * rtt, 8 * rtt):
            yield Schedule(((first, limit), (first + every // 2, 0)), every)
        # Copa's and BBR's least RTT are forgotten after 10 s, BBRv3 looks for its own every 5 s
        for every in (2_500 * _MS, 4_500 * _MS, 9_000 * _MS):
            for gap in (limit + rtt // 4, limit + 2 * rtt):
                yield Schedule(((first, limit), (first + every - gap, 0)), every)
        # BBR looks for more rate once in eight round trips
        for every in (4 * rtt, 8 * rtt, 2_500 * _MS):
            steps = CHANGES_MAX - 1
            ramp = [(first + every * step // (steps + 1), limit * (step + 1) // steps) for step in range(steps)]
            yield Schedule((*ramp, (first + every * steps // (steps + 1), 0)), every)

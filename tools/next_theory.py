"""Prints what a function from queueing delay to rate costs: two flows' ratio under a delay of D that is no queue, and
the queue of one flow, two and eight, for the curve of `vegas-next` and an exponential one (the page on `vegas-next`).
"""

import math
from collections.abc import Callable

Delay = Callable[[float], float]
"""From a rate, in segments a second, to the queueing delay that a flow keeps at it, in seconds."""

SEGMENT_BITS = 8_000
JITTER_S = 0.010
RATIO = 4
FASTEST = 1e9 / SEGMENT_BITS


def vegas_next(rate: float) -> float:
    """The backlog of the rule's page, in segments, over the rate."""
    backlog = 0.65 * math.sqrt(rate) if rate < 4_044 else max(137_500 / rate, 12)
    return min(max(backlog, 2.5), 34) / rate


def exponential(rate: float) -> float:
    """The greatest queue that any D loses a factor of RATIO over: x = FASTEST * RATIO ** (-q / D)."""
    return JITTER_S * math.log(FASTEST / rate, RATIO)


def root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where the function crosses zero."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return low


def ratio(delay: Delay, capacity: float) -> float:
    """The ratio of two flows that fill the link, of which one sees D more than the other."""
    faster = root(lambda rate: delay(capacity - rate) - delay(rate) - JITTER_S, capacity / 2, capacity * (1 - 1e-9))
    return faster / (capacity - faster)


def main() -> None:
    """Prints the table."""
    print("| rate, Mb/s | ratio | queue of 1 flow, ms | of 2 | of 8 | exponential: ratio | of 1 | of 2 | of 8 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for rate_mbps in (1, 3, 10, 30, 100, 400, 1000):
        capacity = rate_mbps * 1e6 / SEGMENT_BITS
        cells = [str(rate_mbps)]
        for delay in (vegas_next, exponential):
            cells.append(f"{ratio(delay, capacity):.1f}")
            cells += [f"{1e3 * delay(capacity / flows):.1f}" for flows in (1, 2, 8)]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

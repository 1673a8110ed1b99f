"""Closed forms of "Gallop-Vegas: An Enhanced Slow-Start Mechanism for TCP Vegas" (Ho, Chan, Chen, 2006), eqs. 1-19.

A single flow fills an empty path: its slowest link carries `mu` packet/s, and its round trip without queues takes
`d` s. Windows, queues and increments are in packets, times in s, rounds are counted from 0. Where an equation as
printed is wrong, `*_printed` evaluates what is printed and the plain name what follows from the paper's own model;
`docs/models.md` shows the steps.

Worked example 1 of section IV.C, 50 Mb/s and 100 ms:

>>> round(vegas_bound(6250, 0.1), 3), vegas_exit_round(6250, 0.1), vegas_rounds(6250, 0.1)
(50.502, 10, 579)
>>> stable_window(17), gallop_rounds_as_in_examples(6250, 0.1, k=17)
(138, 108)
"""

import math

BETA_PACKETS = 3
"""Most packets that Vegas leaves in the queue; at this backlog Gallop's slow start ends."""


def backlog(window: float, rtt_s: float, base_rtt_s: float) -> float:
    """Eq. 1: packets of a window that wait in queues, W (D - d)/D.

    >>> round(backlog(100, 0.125, 0.1), 9)
    20.0
    """
    return window * (rtt_s - base_rtt_s) / rtt_s


def base_rtt(propagation_s: float, rates_pps: list[float], ack_part: float = 0.0) -> float:
    """Eq. 2: round trip in s without queues over links of these rates (packet/s).

    `ack_part` is an acknowledgement's size over a data packet's; the paper takes 0.

    >>> round(base_rtt(0.1, [125_000, 6250, 125_000]), 6)
    0.100176
    """
    return propagation_s + (1 + ack_part) * sum(1 / rate for rate in rates_pps)


def doubling_window(i: int) -> int:
    """Table 2: window of Vegas's slow start in round i.

    >>> [doubling_window(i) for i in range(11)]
    [2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64]
    """
    return int(2 ** (i // 2 + 1))


def doubling_increment(i: int) -> int:
    """Table 2: growth of Vegas's window during round i.

    >>> [doubling_increment(i) for i in range(6)]
    [0, 2, 0, 4, 0, 8]
    """
    return doubling_window(i) if i % 2 else 0


def vegas_rtt(window: float, mu: float, d: float, *, mean: bool = True) -> float:
    """Eq. 3: round trip in s after a doubling to `window`: that of the last packet, or (`mean`) of all of the round.

    The burst comes at twice the rate of the bottleneck, so half of it waits behind the last packet, a quarter behind
    the average one.

    >>> round(vegas_rtt(64, 6250, 0.1), 5), round(vegas_rtt(64, 6250, 0.1, mean=False), 5)
    (0.10256, 0.10512)
    """
    return d + window / ((4 if mean else 2) * mu)


def vegas_bound(mu: float, d: float, *, mean: bool = True, gamma: float = 1) -> float:
    """Eq. 5, or eq. 4 without `mean`: least window at which the backlog of Vegas's slow start reaches gamma packets.

    Eqs. 1 and 3 with any gamma: W^2 - gamma W = 4 gamma mu d; the paper prints it with 1.

    >>> round(vegas_bound(6250, 0.1), 3), round(vegas_bound(6250, 0.1, mean=False), 3)
    (50.502, 35.859)
    >>> round(vegas_bound(6250, 0.1, gamma=3), 3)
    88.116
    """
    return (gamma + math.sqrt(gamma * gamma + (16 if mean else 8) * gamma * mu * d)) / 2


def vegas_exit_window(mu: float, d: float, gamma: float = 1) -> int:
    """Window at which Vegas leaves slow start: the first power of two that eq. 5 admits.

    >>> vegas_exit_window(6250, 0.1), vegas_exit_window(3125, 0.05), vegas_exit_window(6250, 0.1, 3)
    (64, 32, 128)
    """
    return doubling_window(vegas_exit_round(mu, d, gamma))


def vegas_exit_round(mu: float, d: float, gamma: float = 1) -> int:
    """First round of table 2 with a window that eq. 5 admits; it is even.

    >>> vegas_exit_round(6250, 0.1), vegas_exit_round(3125, 0.05)
    (10, 8)
    """
    return max(0, 2 * math.ceil(math.log2(vegas_bound(mu, d, gamma=gamma))) - 2)


def vegas_exit_round_printed(mu: float, d: float) -> float:
    """The text's bound on that round, 2 lg(1 + sqrt(1 + 16 mu d)) - 3, for an odd round: one more than the examples'.

    >>> round(vegas_exit_round_printed(6250, 0.1), 2)
    10.32
    """
    return 2 * math.log2(1 + math.sqrt(1 + 16 * mu * d)) - 3


def vegas_rounds(mu: float, d: float) -> int:
    """Eq. 6: rounds until Vegas's window fills the path, an eighth given back when slow start ends.

    The product mu d is truncated to whole packets, as example 2 needs (136; untruncated: 137).

    >>> vegas_rounds(6250, 0.1), vegas_rounds(3125, 0.05)
    (579, 136)
    """
    return vegas_exit_round(mu, d) + math.ceil(_whole(mu * d) - 7 * vegas_exit_window(mu, d) / 8)


def stable_window(i: int) -> int:
    """Eq. 7 and table 3: window of Gallop's slow start in round i.

    >>> [stable_window(i) for i in range(11)]
    [2, 2, 3, 5, 8, 12, 17, 23, 30, 38, 47]
    """
    return (i * i - i + 4) // 2


def stable_increment(i: int) -> int:
    """Eq. 7: growth of Gallop's window during round i."""
    return i


def gallop_rtt(increment: float, mu: float, d: float, *, mean: bool = True) -> float:
    """Eq. 8: round trip in s while the window grows by `increment`: that of the last packet, or the mean of the round.

    The mean is printed as (d + z - 1)/(2 mu), which is no time of the order of d: a misplaced bracket for
    d + (z - 1)/(2 mu).

    >>> round(gallop_rtt(17, 6250, 0.1, mean=False), 5), round(gallop_rtt(17, 6250, 0.1), 5)
    (0.10256, 0.10128)
    """
    return d + (increment - 1) / ((2 if mean else 1) * mu)


def first_excess_bound(k: float, mu: float, d: float, *, mean: bool = True) -> float:
    """Eq. 10 (eq. 9 solved for the window): least window at which an increment k shows a backlog above 1 packet.

    >>> first_excess_bound(11, 6250, 0.1, mean=False)
    63.5
    """
    return (2 if mean else 1) * mu * d / (k - 1) + 1


def first_excess_cubic(k: float) -> float:
    """Left side of eq. 11, (k - 1)(k^2 - k + 2); the right side is 2 mu d, with the mean round trip 4 mu d.

    >>> first_excess_cubic(11)
    1120
    """
    return (k - 1) * (k * k - k + 2)


def first_excess_root(mu: float, d: float, *, mean: bool = True) -> float:
    """Eqs. 12 and 13 corrected: the real root of the cubic of eq. 11, by Cardano; 13 with the mean round trip.

    With k = x + 2/3 eq. 11 is x^3 + 5/3 x = 2 (mu d + 8/27); the print leaves the 8/27 out. Example 1 says 16.242,
    which neither gives.

    >>> round(first_excess_root(6250, 0.1), 3), round(first_excess_root(3125, 0.05), 3)
    (14.199, 9.154)
    >>> round(first_excess_cubic(first_excess_root(6250, 0.1)), 6)
    2500.0
    """
    return _cardano((2 if mean else 1) * mu * d + 8 / 27)


def first_excess_root_printed(mu: float, d: float, *, mean: bool = True) -> float:
    """Eq. 13, or eq. 12 without `mean`, as printed, the 2/3 read as standing behind the roots.

    Read as standing under the second root it gives 14.446 in example 1.

    >>> round(first_excess_root_printed(6250, 0.1), 3), round(first_excess_root_printed(3125, 0.05), 3)
    (14.198, 9.152)
    """
    return _cardano((2 if mean else 1) * mu * d)


def _cardano(half: float) -> float:
    root = math.sqrt(125 / 729 + half * half)
    # the second root's radicand is half - root, written without cancellation
    return math.cbrt(half + root) - math.cbrt(125 / 729 / (half + root)) + 2 / 3


def first_excess_round(mu: float, d: float) -> int:
    """First round k in which Gallop sees more than 1 packet of backlog: eq. 13 rounded up.

    >>> first_excess_round(6250, 0.1), first_excess_round(3125, 0.05)
    (15, 10)
    """
    return math.ceil(first_excess_root(mu, d))


def full_window(mu: float, d: float, backlog_packets: float = BETA_PACKETS) -> float:
    """Eq. 16 (eqs. 14 and 15 solved): window with this backlog on a full path, mu d + beta.

    >>> full_window(6250, 0.1)
    628.0
    """
    return mu * d + backlog_packets


def full_rtt(mu: float, d: float, backlog_packets: float = BETA_PACKETS) -> float:
    """Eq. 14: round trip in s with this backlog at the bottleneck.

    >>> round(backlog(full_window(6250, 0.1), full_rtt(6250, 0.1), 0.1), 9)  # eq. 15
    3.0
    """
    return d + backlog_packets / mu


def phases(k: float) -> int:
    """How often the increment is halved after round k until it is 1: lg k rounded up.

    >>> phases(15), phases(16), phases(17)
    (4, 4, 5)
    """
    return math.ceil(math.log2(k))


def phases_rounds(k: float) -> float:
    """Eq. 17: rounds of all phases; phase n runs the increment from k/2^n to k/2^(n-1), each value twice.

    >>> phases_rounds(16), phases_rounds(17)
    (30.0, 32.9375)
    """
    return k * sum(0.5 ** (n - 1) for n in range(1, phases(k) + 1))


def phases_growth(k: float) -> float:
    """Eq. 18 corrected: packets that the window grows in all phases, sum of 3 k^2/4^n.

    Phase n adds twice the increments from k/2^n to k/2^(n-1): k^2 (1/4^(n-1) - 1/4^n). So each phase adds a quarter
    of the one before.

    >>> phases_growth(16)
    255.0
    """
    return 3 * k * k * float(sum(0.25**n for n in range(1, phases(k) + 1)))


def phases_growth_printed(k: float) -> float:
    """Eq. 18 as printed: each phase half of the one before, from 3/4 k^2 on.

    >>> phases_growth_printed(16)
    360.0
    """
    return 0.75 * k * k * float(sum(0.5 ** (n - 1) for n in range(1, phases(k) + 1)))


def gallop_rounds(mu: float, d: float) -> int:
    """Eq. 19 with k by eq. 13 and the corrected growth of eq. 18: rounds until the window reaches eq. 16.

    The model restarts the increment at k/4, k/8, ... and so takes most of the way in steps of one. The algorithm
    lets the increment grow again while the backlog is small, which is why it needs a third of this.

    >>> gallop_rounds(6250, 0.1), gallop_rounds(3125, 0.05)
    (341, 42)
    """
    k = first_excess_round(mu, d)
    rest = full_window(mu, d) - (stable_window(k) + phases_growth(k))
    return math.ceil(k + phases_rounds(k) + math.ceil(max(0.0, rest)))


def gallop_rounds_printed(mu: float, d: float, k: int | None = None) -> int:
    """Eq. 19 as printed, with k by eq. 13 unless it is given.

    >>> gallop_rounds_printed(6250, 0.1), gallop_rounds_printed(6250, 0.1, k=17)
    (249, 121)
    """
    k = first_excess_round(mu, d) if k is None else k
    rest = full_window(mu, d) - (stable_window(k) + phases_growth_printed(k))
    return math.ceil(k + phases_rounds(k) + math.ceil(rest))


def gallop_rounds_as_in_examples(mu: float, d: float, k: int) -> int:
    """Eq. 19 as both examples of section IV.C use it: sums taken to infinity, mu d truncated, halves rounded away.

    >>> gallop_rounds_as_in_examples(6250, 0.1, k=17), gallop_rounds_as_in_examples(3125, 0.05, k=9)
    (108, 26)
    """
    rest = _whole(mu * d) + BETA_PACKETS - (stable_window(k) + 1.5 * k * k)
    return 3 * k + int(math.copysign(math.floor(abs(rest) + 0.5), rest))


def _whole(packets: float) -> int:
    """Truncates to whole packets; a product such as 6250 x 0.1 that misses a whole number by rounding counts as that
    number.
    """
    return math.floor(packets + 1e-9)

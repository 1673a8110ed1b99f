"""Closed forms of "TCP-Vegas Slow Start Performance in Large Bandwidth Delay Network" (Lee, Kim, Choi, 2002), eqs. 1-4.

The path carries `rate_pps` packet/s (the paper's C) with a round trip of `tau_s` s (tau); `ideal` is their product W*,
the window in packets that fills it. Queues are in packets, times in s.

>>> ideal_window(1250, 0.1), exit_window(125), greatest_queue(125), round(rise_time(125, 0.1), 1)
(125.0, 32, 16.0, 9.4)
"""

import math

ALPHA_PACKETS = 1
GAMMA_PACKETS = 1


def ideal_window(rate_pps: float, tau_s: float) -> float:
    """W* = C tau, packets."""
    return rate_pps * tau_s


def diff(window: float, rtt_s: float, base_rtt_s: float) -> float:
    """Eq. 1: packets of the window that are taken for queued.

    >>> round(diff(100, 0.125, 0.1), 9)
    20.0
    """
    return (1 - base_rtt_s / rtt_s) * window


def doubled_rtt(window: float, rate_pps: float, tau_s: float) -> float:
    """Eq. 2: mean round trip in s of a doubling round: the i-th packet waits i/2 services, the mean of W a quarter.

    >>> round(doubled_rtt(32, 1250, 0.1), 4)
    0.1064
    """
    return tau_s + window / 4 / rate_pps


def efficiency_bound(ideal: float, gamma: float = GAMMA_PACKETS) -> float:
    """Eq. 3, f = g + sqrt(16 g + g^2): the window at the end of slow start over W* lies in [f/2, f).

    Solves eta^2/(4 + eta) = g with g = (gamma + 0.5)/W*, which is eq. 1 with eq. 2; windows are powers of two, so
    the first one not below the solution f/2 is below f.

    >>> round(efficiency_bound(125), 4)
    0.4503
    """
    g = (gamma + 0.5) / ideal
    return g + math.sqrt(16 * g + g * g)


def exit_window(ideal: float, gamma: float = GAMMA_PACKETS) -> int:
    """Window at which slow start ends: the first power of two of eq. 3.

    >>> [exit_window(w) for w in (12.5, 125, 1250)]
    [16, 32, 128]
    """
    least = efficiency_bound(ideal, gamma) / 2 * ideal
    return int(2 ** max(1, math.ceil(math.log2(least))))


def efficiency(ideal: float, gamma: float = GAMMA_PACKETS) -> float:
    """eta: window at the end of slow start over W*.

    >>> efficiency(125)
    0.256
    """
    return exit_window(ideal, gamma) / ideal


def rise_time(ideal: float, tau_s: float, alpha: float = ALPHA_PACKETS, gamma: float = GAMMA_PACKETS) -> float:
    """T_r in s (section 2.2): from slow start's end to the steady state, a packet a round. Needs eta below 1.

    The eighth that Vegas gives back at the end of slow start is left out, as in the paper.

    >>> round(rise_time(125, 0.1), 6)
    9.4
    """
    return ((1 - efficiency(ideal, gamma)) * ideal + alpha) * tau_s


def greatest_queue(ideal: float, gamma: float = GAMMA_PACKETS) -> float:
    """Q_max (section 2.2): half the window that ends slow start, eta W*/2.

    >>> greatest_queue(125)
    16.0
    """
    return efficiency(ideal, gamma) * ideal / 2


def trade_off(rise_s: float, tau_s: float, queue: float) -> float:
    """Left side of eq. 4, T_r/tau + 2 Q_max in packets: W* + alpha for Vegas, 4 + alpha for Streak Doubling.

    >>> round(trade_off(rise_time(125, 0.1), 0.1, greatest_queue(125)), 9)
    126.0
    >>> trade_off(streak_rise_time(0.1), 0.1, STREAK_QUEUE_PACKETS)
    5.0
    """
    return rise_s / tau_s + 2 * queue


STREAK_QUEUE_PACKETS = 2
"""Section 3: the greatest queue of Streak Doubling, of its first two packets, on every path."""


def streak_rise_time(tau_s: float, alpha: float = ALPHA_PACKETS) -> float:
    """Section 3: T_r = alpha tau in s.

    >>> streak_rise_time(0.5)
    0.5
    """
    return alpha * tau_s


def fitted_convergence(tau_ms: float, a: float, b: float) -> float:
    """Footnotes 8 and 9: T_c = A tau^B, in s with tau in ms.

    With both fits the ratio at 1000 ms is 39, not the hundred that section 4 names.

    >>> round(fitted_convergence(1000, 0.0061, 1.80) / fitted_convergence(1000, 0.040, 0.996), 1)
    39.4
    """
    return float(a * tau_ms**b)

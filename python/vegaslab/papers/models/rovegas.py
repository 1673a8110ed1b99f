"""Closed forms of "RoVegas: a router-based congestion avoidance mechanism for TCP Vegas" (Chan, Chan, Chen, 2004).

Eqs. 5-20. One flow on a path of base round trip `tau` s: its forward bottleneck carries `u_f` data packets a second,
its backward one `u_b` acknowledgements a second; `l_f` and `l_b` are the mean packets queued there. Asymmetry is
k = u_f/u_b. Windows are in packets; a pair is the least and the greatest steady window.

>>> vegas_window(0.04, 200, 400, 3, 0)
(3.6666666666666665, 11.0)
"""

MOST_RATIO = 3
"""Eq. 20: RoVegas over Vegas on an asymmetric path lies in (1, 3].

Each acknowledgement that survives frees as many segments as were acknowledged; with three or more the window is kept
from growing (mechanism I).
"""

Bounds = tuple[float, float]


def window_bounds(rtt_s: float, base_rtt_s: float, alpha: float = 1, beta: float = 3) -> Bounds:
    """Eq. 5: windows with a backlog in alpha to beta, RTT/(RTT - BaseRTT) times these.

    >>> [round(w, 9) for w in window_bounds(0.125, 0.1)]
    [5.0, 15.0]
    """
    factor = rtt_s / (rtt_s - base_rtt_s)
    return factor * alpha, factor * beta


def round_trip(tau: float, u_f: float, u_b: float, l_f: float, l_b: float) -> float:
    """Eq. 7 (eq. 6: the base is tau): round trip in s with both queues.

    >>> round(round_trip(0.04, 200, 400, 3, 0), 3)
    0.055
    """
    return tau + l_f / u_f + l_b / u_b


def vegas_window(
    tau: float, u_f: float, u_b: float, l_f: float, l_b: float, alpha: float = 1, beta: float = 3
) -> Bounds:
    """Eq. 8: steady windows of Vegas; eq. 9 without a backward queue, eq. 13 without a forward one.

    >>> [round(w, 9) for w in vegas_window(0.04, 200, 100, 0, 3)]
    [2.333333333, 7.0]
    >>> [round(w, 9) for w in window_bounds(round_trip(0.04, 200, 100, 0, 3), 0.04)]
    [2.333333333, 7.0]
    """
    waiting = l_f * u_b + l_b * u_f
    factor = (tau * u_f * u_b + waiting) / waiting
    return factor * alpha, factor * beta


def full_window(tau: float, rate: float, queued: float) -> float:
    """Eq. 10 (forward bottleneck) and eq. 14 (backward): window in packets that keeps a link of this rate busy.

    With the propagation delay alone (40 ms) for tau this is 11 packets on figure 3's network, where the paper draws
    13: its tau, the base round trip, holds the transmission times too.

    >>> full_window(0.04, 200, 3)
    11.0
    """
    return rate * (tau + queued / rate)


def vegas_queue(alpha: float = 1, beta: float = 3) -> Bounds:
    """Eqs. 11 and 15: packets that Vegas leaves at the bottleneck, in whichever direction that lies.

    >>> vegas_queue()
    (1, 3)
    """
    return alpha, beta


def vegas_throughput(u_f: float, k: float) -> float:
    """Eqs. 12 and 16: throughput in packet/s: u_f up to k = 1, u_f/k above.

    >>> vegas_throughput(200, 0.5), vegas_throughput(200, 8)
    (200.0, 25.0)
    """
    return u_f / max(1.0, k)


def rovegas_in_bounds(
    window: float, base_s: float, rtt_s: float, backward_s: float, alpha: float = 1, beta: float = 3
) -> bool:
    """Eq. 17: whether RoVegas holds this window: the rate lost to forward queues lies in alpha to beta over base.

    >>> rovegas_in_bounds(11, 0.04, 0.085, 0.03), rovegas_in_bounds(12, 0.04, 0.085, 0.03)
    (True, False)
    """
    lost = window / base_s - window / (rtt_s - backward_s)
    return alpha / base_s <= lost + 1e-9 and lost - 1e-9 <= beta / base_s


def rovegas_window_by_times(
    rtt_s: float, base_s: float, backward_s: float, alpha: float = 1, beta: float = 3
) -> Bounds:
    """Eq. 18 corrected: eq. 17 solved for the window; the numerator is RTT - l_b/u_b.

    >>> [round(w, 6) for w in rovegas_window_by_times(0.085, 0.04, 0.03)]
    [3.666667, 11.0]
    """
    return window_bounds(rtt_s - backward_s, base_s, alpha, beta)


def rovegas_window_by_times_printed(
    rtt_s: float, base_s: float, backward_s: float, alpha: float = 1, beta: float = 3
) -> Bounds:
    """Eq. 18 as printed, numerator RTT: contradicts eq. 17 before it and eq. 19 after it once a backward queue exists.

    >>> [round(w, 6) for w in rovegas_window_by_times_printed(0.085, 0.04, 0.03)]
    [5.666667, 17.0]
    """
    factor = rtt_s / (rtt_s - base_s - backward_s)
    return factor * alpha, factor * beta


def rovegas_window(tau: float, u_f: float, l_f: float, alpha: float = 1, beta: float = 3) -> Bounds:
    """Eq. 19: steady windows of RoVegas, whatever waits backward.

    >>> [round(w, 6) for w in rovegas_window(0.04, 200, 3)]
    [3.666667, 11.0]
    """
    factor = (tau * u_f + l_f) / l_f
    return factor * alpha, factor * beta


def is_ratio_possible(ratio: float) -> bool:
    """Eq. 20: whether RoVegas over Vegas may be this on an asymmetric path.

    >>> is_ratio_possible(1.0), is_ratio_possible(2.5), is_ratio_possible(3.0), is_ratio_possible(3.1)
    (False, True, True, False)
    """
    return 1 < ratio <= MOST_RATIO

"""Metrics as functions of columns: each gives one number, NaN where the event did not happen."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vegaslab.reports.totals import jain_index

Floats = NDArray[np.float64]

FAIR = 0.9
"""Flows count as converged from this index of Jain's on."""

_CONVERGED_S = 5.0
_BUSY = 0.9
_LOSSY = 0.1


def harm_of_more(alone: float, shared: float) -> float:
    """Returns the harm to a figure of which more is better (Ware et al., HotNets 2019): 0 none, 1 all is lost."""
    return (alone - shared) / alone if alone > 0 else math.nan


def harm_of_less(alone: float, shared: float) -> float:
    """Returns the harm to a figure of which less is better, such as a delay: 0 none, 1 without bound."""
    return (shared - alone) / shared if shared > 0 else (0.0 if alone == 0 else math.nan)


def max_to_min(shares: Sequence[float]) -> float:
    """Returns the largest over the least share; infinity if the least is 0 and another is not."""
    least, most = min(shares), max(shares)
    return most / least if least > 0 else (math.inf if most > 0 else math.nan)


def in_steps(time_s: ArrayLike, amount: ArrayLike, step_s: float) -> tuple[Floats, Floats]:
    """Returns the ends of whole steps, s, and the sums of `amount` in them; row i happened in the time before
    `time_s[i]`.
    """
    ends, values = np.asarray(time_s, dtype=np.float64), np.asarray(amount, dtype=np.float64)
    steps = math.floor(ends[-1] / step_s + 1e-9) if len(ends) else 0
    place = np.ceil(ends / step_s - 1e-9).astype(np.int64) - 1
    inside = (place >= 0) & (place < steps)
    sums = np.bincount(place[inside], weights=values[inside], minlength=steps)
    return (np.arange(steps) + 1) * step_s, np.asarray(sums, dtype=np.float64)


def variation_percent(amounts: ArrayLike) -> float:
    """Returns the standard deviation of amounts in equal steps, in per cent of their mean; NaN without two of them."""
    values = np.asarray(amounts, dtype=np.float64)
    if len(values) < 2 or values.mean() == 0:
        return math.nan
    return float(100 * values.std(ddof=1) / values.mean())


def longest_true_s(time_s: ArrayLike, true: ArrayLike) -> float:
    """Returns the longest stretch of rows that are true, s; a row covers the time since the row before it."""
    ends, flags = np.asarray(time_s, dtype=np.float64), np.asarray(true, dtype=bool)
    begins = np.concatenate([[0.0], ends[:-1]])
    longest = begun = 0.0
    going = False
    for begin, end, flag in zip(begins, ends, flags, strict=True):
        if flag and not going:
            begun = float(begin)
        going = bool(flag)
        if going:
            longest = max(longest, float(end) - begun)
    return longest


def loss_over_s(time_s: ArrayLike, drops: ArrayLike, delivered: ArrayLike) -> float:
    """Returns the longest time, in steps of 1 s, in which more than a tenth of the packets are dropped.

    `drops` and `delivered` are packets of each step that ends at `time_s`.
    """
    ends, lost = in_steps(time_s, drops, 1.0)
    _, passed = in_steps(time_s, delivered, 1.0)
    return longest_true_s(ends, lost > _LOSSY * (lost + passed))


def recovery_s(time_s: ArrayLike, utilisation: ArrayLike, event_s: float) -> float:
    """Returns the time after an event until the link is 90 % busy over a second; `utilisation` is the busy part of each
    step that ends at `time_s`.
    """
    ends, busy = np.asarray(time_s, dtype=np.float64), np.asarray(utilisation, dtype=np.float64)
    begins = np.concatenate([[0.0], ends[:-1]])
    work = np.concatenate([[0.0], np.cumsum(busy * (ends - begins))])
    for first in np.flatnonzero(begins >= event_s - 1e-9):
        last = int(np.searchsorted(ends, begins[first] + 1.0 - 1e-9))
        if last < len(ends) and work[last + 1] - work[first] >= _BUSY * (ends[last] - begins[first]):
            return float(begins[first] - event_s)
    return math.nan


def convergence_s(ends_s: ArrayLike, amounts: ArrayLike, last_start_s: float) -> float:
    """Returns the time after the last flow's start until Jain's index of five seconds is at least 0.9.

    `amounts` has a row a step that ends at `ends_s`, and a column a flow.
    """
    ends, shares = np.asarray(ends_s, dtype=np.float64), np.asarray(amounts, dtype=np.float64)
    if not len(ends):
        return math.nan
    width = max(1, round(_CONVERGED_S / float(ends[0])))
    step_s = float(ends[0])
    for first in range(len(ends) - width + 1):
        begin = float(ends[first]) - step_s
        if begin >= last_start_s - 1e-9 and jain_index(shares[first : first + width].sum(axis=0).tolist()) >= FAIR:
            return begin - last_start_s
    return math.nan


def last_gap_s(times_s: Sequence[float]) -> float:
    """Returns the time between the last two events; NaN if there are fewer."""
    return times_s[-1] - times_s[-2] if len(times_s) > 1 else math.nan


def probes(times_s: Sequence[float], silence_s: float) -> list[list[float]]:
    """Returns the packets that a sender sends into a network that delivers nothing, after those under way at first: by
    their times, ascending, those after a silence of this length together.
    """
    groups: list[list[float]] = []
    for before, time_s in pairwise(times_s):
        if time_s - before > silence_s:
            groups.append([])
        if groups:
            groups[-1].append(time_s)
    return groups


def empty_path_s(size_bytes: float, rate_mbps: float, round_trip_ms: float) -> float:
    """Returns the least time of a transfer on an empty path: a round trip, and the payload at the link's rate."""
    return round_trip_ms / 1000 + size_bytes * 8 / (rate_mbps * 1e6)

"""Statistics of repeated runs: intervals, paired differences, Holm's correction, fairness, percentiles, filling."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

Floats = NDArray[np.float64]

FILLED = 0.95
"""A link counts as full from this utilisation on."""

_ROUNDING = 1e-12
"""Numbers that differ by this part of them or less differ by rounding alone."""

FILL_ROUND_TRIPS = 10
"""The number of round trips for which a link must be full; see `time_to_fill_s`."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate of a mean with its confidence interval, which is mean - half_width to mean + half_width."""

    mean: float
    half_width: float
    """Half the width of the interval; NaN if fewer than two values were given."""
    level: float
    values: int
    p_value: float
    """The probability of a mean this far from 0 if the true one is 0: two-sided t test; NaN without an interval."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half_width


def t_quantile(probability: float, degrees: int) -> float:
    """Returns the quantile of Student's t distribution, such as t[0.95; 8] = 1.860."""
    return float(stdtrit(degrees, probability))


def two_sided_t(level: float, degrees: int) -> float:
    """Returns the quantile t[1 - (1 - level)/2; degrees] for an interval of this level."""
    return t_quantile(0.5 + level / 2, degrees)


def standard_error(sample: Floats) -> float:
    """Returns the standard error of the mean of at least two independent values."""
    return float(sample.std(ddof=1)) / math.sqrt(len(sample))


def mean_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Returns the mean of independent values with the t interval of n - 1 degrees of freedom (Jain 1991, section 13.2).

    `values` is one-dimensional with at least one value; `level` lies between 0 and 1.
    """
    return _interval(np.asarray(values, dtype=np.float64), level, float(np.abs(values).max()))


def _interval(sample: Floats, level: float, scale: float) -> Interval:
    """Returns the mean with its interval; `scale` is the greatest of the numbers that the sample is computed from."""
    n = len(sample)
    constant = float(np.ptp(sample)) <= _ROUNDING * scale
    mean = float(sample[0] if constant else sample.mean())
    mean = 0.0 if constant and abs(mean) <= _ROUNDING * scale else mean
    if n < 2:
        return Interval(mean=mean, half_width=math.nan, level=level, values=n, p_value=math.nan)
    error = 0.0 if constant else standard_error(sample)
    return Interval(
        mean=mean,
        half_width=two_sided_t(level, n - 1) * error,
        level=level,
        values=n,
        p_value=two_sided_p(mean, error, n - 1),
    )


def two_sided_p(mean: float, standard_error: float, degrees: int) -> float:
    """Returns the probability of an estimate this far from 0, with this standard error, if the true value is 0."""
    if standard_error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stdtr(degrees, -abs(mean) / standard_error))


def paired_difference(values: ArrayLike, baseline: ArrayLike, level: float = 0.95) -> Interval:
    """Returns the mean of values[i] - baseline[i] with its t interval (Jain 1991, section 13.4.1).

    Both have one value for each seed, in the same order. The effect of the seed itself (by the background traffic, say)
    cancels in the difference, so the interval is narrower the more alike the runs are.
    """
    first, second = np.asarray(values, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"values, baseline: {first.shape} and {second.shape} were given; one value a seed in both")
    return _interval(first - second, level, max(float(np.abs(first).max()), float(np.abs(second).max())))


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """An estimate of a ratio with its confidence interval."""

    ratio: float
    low: float
    """The lower end; as `high`, NaN if fewer than two pairs were given."""
    high: float
    level: float
    values: int


def paired_ratio(values: ArrayLike, baseline: ArrayLike, level: float = 0.95) -> Ratio:
    """Returns the geometric mean of values[i] / baseline[i], all above 0, with the t interval of its logarithm.

    Taking logarithms makes half and twice equally far from 1, so that exchanging the two gives the inverse.
    """
    interval = paired_difference(np.log(values), np.log(baseline), level)
    low, mean, high = (math.exp(value) for value in (interval.low, interval.mean, interval.high))
    return Ratio(ratio=mean, low=low, high=high, level=level, values=interval.values)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values for their number by Holm's step-down method (Scandinavian Journal of Statistics 6, 1979).

    If differences with an adjusted value below 5 % are called significant, the probability of any error among all of
    them is at most 5 %. NaN stays NaN and does not count.
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    adjusted = [math.nan] * len(p_values)
    greatest = 0.0
    for rank, (p, place) in enumerate(order):
        greatest = max(greatest, min(1.0, (len(order) - rank) * p))
        adjusted[place] = greatest
    return adjusted


def percentile(values: ArrayLike, percent: float) -> float:
    """Returns the least of `values` that `percent` of them do not exceed (nearest rank, as in the table `traffic`)."""
    return float(np.percentile(np.asarray(values, dtype=np.float64), percent, method="inverted_cdf"))


def time_to_fill_s(time_s: ArrayLike, utilisation: ArrayLike, *, start_s: float, round_trip_s: float) -> float:
    """Returns the time from `start_s` until a link begins to be full for ten round trips together, s; NaN if it never
    does.

    The link is full over a stretch if it is busy for 95 % of it. `utilisation` is the link's busy part of each step
    that ends at `time_s`, as in the table `link_series`; the first step began at 0. The stretch is rounded up to whole
    steps. A single round trip would not do, because a burst of slow start can fill it long before the window fills the
    path; the rest of the run would not, because Reno leaves the link empty after every cut and still fills it.
    """
    ends, busy = np.asarray(time_s, dtype=np.float64), np.asarray(utilisation, dtype=np.float64)
    begins = np.concatenate([[0.0], ends[:-1]])
    busy_s = np.concatenate([[0.0], np.cumsum(busy * (ends - begins))])
    steps = np.arange(np.searchsorted(begins, start_s - 1e-9), len(ends))
    last = np.searchsorted(ends, begins[steps] + FILL_ROUND_TRIPS * round_trip_s - 1e-9)
    steps, last = steps[last < len(ends)], last[last < len(ends)]
    full = busy_s[last + 1] - busy_s[steps] >= FILLED * (ends[last] - begins[steps])
    return float(begins[steps[np.argmax(full)]] - start_s) if full.any() else math.nan

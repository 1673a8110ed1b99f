"""Shared parts of RoVegas's experiments: the algorithms, the paper's throughput, means and ratios over seeds."""

from collections.abc import Sequence

import numpy as np

from vegaslab.papers.experiments.extract import Floats
from vegaslab.papers.judging.verdict import Interval
from vegaslab.statistics import mean_interval

ALGORITHMS = ("vegas", "rovegas")
LABELS = {"vegas": "Vegas", "rovegas": "RoVegas"}
LEAST_BASE = '{ preset = "rovegas", signal = "router-assisted-least-base" }'
"""The pseudocode of section 6.4: it takes the least base RTT ever seen, where `rovegas` takes the newest probe's."""

WITHOUT_OPTION = 1000 / 1008
"""The factor of RoVegas's throughput without the option's 8 bytes (section 6); packets have 1000 bytes without it."""

KBPS = 1000


def seeds(quick: bool) -> range:
    """Returns the seeds of the background traffic, the same for both algorithms, as in the paper."""
    return range(1, 4) if quick else range(1, 11)


def counted(algorithm: str, throughput: float) -> float:
    """Returns the throughput as the paper counts it.

    >>> counted("vegas", 1008), counted("rovegas", 1008)
    (1008, 1000.0)
    """
    return throughput if algorithm == "vegas" else throughput * WITHOUT_OPTION


def between(time_s: Floats, values: Floats, start_s: float, end_s: float) -> float:
    """Returns the mean of the samples over the steps between two times; `time_s` holds the steps' ends."""
    return float(values[(time_s > start_s + 1e-9) & (time_s <= end_s + 1e-9)].mean())


def interval(values: Sequence[float]) -> Interval:
    """Returns the 95 % interval of the mean over seeds."""
    found = mean_interval(values)
    return found.low, found.high


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, Interval]:
    """Returns the ratio of the means of values paired by seed, and its 95 % interval.

    The interval is that of the ratio estimator's linearised residuals (Cochran, "Sampling Techniques", chapter 6).

    >>> ratio([2, 4, 9], [1, 2, 4.5])
    (2.0, (2.0, 2.0))
    >>> value, (low, high) = ratio([2, 5], [1, 2])
    >>> round(value, 3), round(low, 3), round(high, 3)
    (2.333, -0.49, 5.157)
    """
    above, below = np.asarray(ours), np.asarray(theirs)
    value = float(above.mean() / below.mean())
    half = mean_interval((above - value * below) / below.mean()).half_width
    return value, (value - half, value + half)

"""Shared parts of RoVegas's experiments: the algorithms, the paper's throughput, means and ratios over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vegaslab.papers.experiments.extract import Floats
from vegaslab.papers.judging.verdict import Errors, Interval
from vegaslab.statistics import mean_interval, standard_error

ALGORITHMS = ("vegas", "rovegas")
LABELS = {"vegas": "Vegas", "rovegas": "RoVegas"}
LEAST_BASE = '{ preset = "rovegas", signal = "router-assisted-least-base" }'
"""The pseudocode of section 6.4: it takes the least base RTT ever seen, where `rovegas` takes the newest probe's."""

WITHOUT_OPTION = 1000 / 1008
"""The factor of RoVegas's throughput without the option's 8 bytes (section 6); packets have 1000 bytes without it."""

KBPS = 1000


SEEDS = range(1, 11)
"""The seeds of the background traffic, the same for both algorithms, as in the paper."""


def counted(algorithm: str, throughput: float) -> float:
    """Returns the throughput as the paper counts it.

    >>> counted("vegas", 1008), counted("rovegas", 1008)
    (1008, 1000.0)
    """
    return throughput if algorithm == "vegas" else throughput * WITHOUT_OPTION


def between(time_s: Floats, values: Floats, start_s: float, end_s: float) -> float:
    """Returns the mean of the samples over the steps between two times; `time_s` holds the steps' ends."""
    return float(values[(time_s > start_s + 1e-9) & (time_s <= end_s + 1e-9)].mean())


@dataclass(frozen=True)
class Estimate:
    """A number over seeds: its value, its 95 % interval, and its errors beside the paper's.

    The paper runs each point once (section 6.1: "for each sample point"), so its number deviates as one of our runs.
    """

    value: float
    interval: Interval
    errors: Errors


def over_seeds(values: Sequence[float]) -> Estimate:
    """Returns the mean over seeds.

    >>> found = over_seeds([1, 2, 3])
    >>> found.value, found.errors.paper, round(found.errors.ours, 3)
    (2.0, 1.0, 0.577)
    """
    sample = np.asarray(values, dtype=np.float64)
    return _estimate(float(sample.mean()), sample)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """Returns the ratio of the means of values paired by seed.

    Its errors are those of the ratio estimator's linearised residuals (Cochran, "Sampling Techniques", chapter 6).

    >>> found = ratio([2, 5], [1, 2])
    >>> round(found.value, 3), [round(end, 3) for end in found.interval]
    (2.333, [-0.49, 5.157])
    """
    above, below = np.asarray(ours), np.asarray(theirs)
    value = float(above.mean() / below.mean())
    return _estimate(value, (above - value * below) / below.mean())


def _estimate(value: float, deviations: Floats) -> Estimate:
    """Returns a number with the errors of values that deviate over seeds as it does."""
    half = mean_interval(deviations).half_width
    of_one = float(deviations.std(ddof=1))
    return Estimate(value, (value - half, value + half), Errors(of_one, standard_error(deviations)))

"""Means with intervals over seeds, as text and as curves."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vegaslab.papers.experiments.chart import Curve
from vegaslab.statistics import Interval, mean_interval

_WIDTH = 0.7


@dataclass(frozen=True)
class Spread:
    """A mean and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def changes(self) -> bool:
        """Whether the interval has a value other than 0."""
        return self.low != 0 or self.high != 0

    def __str__(self) -> str:
        """Returns the mean and half of the interval's width."""
        return f"{_short(self.mean, 3)} ± {_short(self.high - self.mean, 2)}"


def _short(value: float, digits: int) -> str:
    """Returns the value with `digits` digits, but with all before the point: 1060, not 1.1e+03; hundredths at least."""
    if 0 < abs(value) < 0.005:
        return "0.00"
    return f"{value:.0f}" if abs(value) >= 10**digits - 0.5 else f"{value:.{digits}g}"


def spread(values: Sequence[float]) -> Spread:
    """Returns mean and interval of independent values; for one value, or equal ones, the interval has no width."""
    return of_interval(mean_interval(values))


def of_interval(interval: Interval) -> Spread:
    """Makes a spread from an interval; it has no width if the interval has none."""
    half = 0.0 if math.isnan(interval.half_width) else interval.half_width
    return Spread(interval.mean, interval.mean - half, interval.mean + half)


def with_intervals(series: Mapping[str, Sequence[Spread]], *, labelled: bool = True) -> list[Curve]:
    """Returns a point and a bar for each spread, at 0, 1, ..., the series next to each other."""
    curves = []
    for colour, (label, spreads) in enumerate(series.items()):
        shift = _WIDTH * ((colour + 0.5) / len(series) - 0.5)
        at = [place + shift for place in range(len(spreads))]
        means = [one.mean for one in spreads]
        curves.append(Curve(label=label if labelled else "", x=at, y=means, colour=colour, style="points"))
        curves += [
            Curve(label="", x=[x, x], y=[one.low, one.high], colour=colour) for x, one in zip(at, spreads, strict=True)
        ]
    return curves

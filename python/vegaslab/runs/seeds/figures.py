"""Figures of variants over several seeds, and which of their differences are significant."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from vegaslab.statistics import Interval, holm, mean_interval, paired_difference

Verdict = Literal["higher", "lower", "no significant difference", "same"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The difference of an algorithm's figure from that of the baseline, seed by seed."""

    figure: str
    algorithm: str
    baseline: str
    interval: Interval
    baseline_mean: float
    """The baseline's mean over the seeds that have the figure with both."""
    adjusted_p: float
    """The p-value adjusted for the number of differences compared (Holm); NaN where there is no test."""

    @property
    def constant(self) -> bool:
        """Whether every seed gives one difference: it then has no randomness, and there is nothing to test."""
        return self.interval.half_width == 0

    @property
    def verdict(self) -> Verdict:
        """The verdict on the algorithm; the interval's confidence holds for all differences together."""
        if self.constant and self.interval.mean == 0:
            return "same"
        if not self.constant and not self.adjusted_p < 1 - self.interval.level:
            return "no significant difference"
        return "higher" if self.interval.mean > 0 else "lower"


@dataclass(frozen=True)
class Pairs:
    """A figure's values with a variant and with the baseline, one for each seed; NaN where it is missing."""

    figure: str
    algorithm: str
    baseline: str
    values: Sequence[float]
    bases: Sequence[float]


def differences_of(pairs: Sequence[Pairs], level: float) -> tuple[Difference, ...]:
    """Returns the differences for which two seeds or more have both values; the verdicts allow for all of them
    together.
    """
    found = [(one, *paired) for one in pairs if (paired := _paired(one, level)) is not None]
    tested = [math.nan if interval.half_width == 0 else interval.p_value for _, interval, _ in found]
    return tuple(
        Difference(
            figure=one.figure,
            algorithm=one.algorithm,
            baseline=one.baseline,
            interval=interval,
            baseline_mean=mean,
            adjusted_p=p,
        )
        for (one, interval, mean), p in zip(found, holm(tested), strict=True)
    )


def _paired(pairs: Pairs, level: float) -> tuple[Interval, float] | None:
    both = [
        (value, base)
        for value, base in zip(pairs.values, pairs.bases, strict=True)
        if not math.isnan(value) and not math.isnan(base)
    ]
    if len(both) < 2:
        return None
    values, bases = zip(*both, strict=True)
    return paired_difference(values, bases, level), sum(bases) / len(bases)


class Figures:
    """Figures of each variant and seed. The first variant is the baseline of the others."""

    def __init__(
        self,
        runs: Mapping[str, Sequence[Mapping[str, float]]],
        seeds: range,
        *,
        level: float,
        alike: bool,
        scenario: str,
        duration_s: float,
        bottleneck: str,
        flows: Sequence[int] = (),
        column: str = "algorithm",
        pairs: bool = False,
        algorithms: Sequence[object] = (),
        several: bool = False,
    ) -> None:
        """`runs` are figures by name, a dict for each seed, by variant; `alike`: no run depends on its seed.

        `flows` are the flow tables with figures of their own, `column` is the variant's name in tables. With `pairs`
        every two variants are compared. `algorithms` are those of all runs, names or tables; `several`: a
        run has several flows.
        """
        self.runs = {algorithm: [dict(run) for run in figures] for algorithm, figures in runs.items()}
        self.seeds = seeds
        self.level = level
        self.alike = alike
        self.scenario = scenario
        self.duration_s = duration_s
        self.bottleneck = bottleneck
        self.flows = tuple(flows)
        self.column = column
        self.pairs = pairs
        self.algorithms = list(algorithms)
        self.several = several

    @property
    def baseline(self) -> str:
        """The algorithm with which the others are compared: the first."""
        return next(iter(self.runs))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures that at least one run has."""
        names = dict.fromkeys(name for runs in self.runs.values() for run in runs for name in run)
        return tuple(name for name in names if not all(math.isnan(v) for a in self.runs for v in self.values(a, name)))

    def values(self, algorithm: str, figure: str) -> list[float]:
        """Returns a figure's values, one for each seed; NaN where it is missing."""
        return [run.get(figure, math.nan) for run in self.runs[algorithm]]

    def mean(self, algorithm: str, figure: str) -> Interval | None:
        """Returns the mean over the seeds that have the figure; `None` if none has."""
        present = [value for value in self.values(algorithm, figure) if not math.isnan(value)]
        return mean_interval(present, self.level) if present else None

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Differences of every figure and algorithm from the first algorithm, or from every one before it; none if no
        run depends on its seed.
        """
        if self.alike:
            return ()
        return differences_of(
            [
                Pairs(figure, other, base, self.values(other, figure), self.values(base, figure))
                for figure in self.figures
                for base, other in self.compared
            ],
            self.level,
        )

    @cached_property
    def compared(self) -> tuple[tuple[str, str], ...]:
        """The pairs of variants that are compared: the baseline of each, and the other."""
        bases = list(self.runs) if self.pairs else [self.baseline]
        names = list(self.runs)
        return tuple((base, other) for base in bases for other in names[names.index(base) + 1 :])

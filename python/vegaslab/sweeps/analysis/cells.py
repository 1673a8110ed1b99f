"""The figures of a sweep's cells: means over seeds, and differences from a baseline."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vegaslab.runs.seeds.figures import Difference, Pairs, differences_of
from vegaslab.statistics import Interval, mean_interval
from vegaslab.util.errors import InputError

_NUMBER = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)([a-zA-Z%]*)")


class AnalysisError(InputError, ValueError):
    """A sweep's runs lack the requested figures or keys: one line.

    >>> import vegaslab
    >>> comparison = vegaslab.compare("quic", ["vegas", "reno"], set={"duration": "1s"})
    >>> vegaslab.figure(comparison, kind="pie")
    Traceback (most recent call last):
        ...
    vegaslab.sweeps.analysis.cells.AnalysisError: kind: 'pie' was given; lines, box, ecdf
    """


@dataclass(frozen=True)
class Cell:
    """A combination of the varied keys: their values as text, and its runs' figures by seed."""

    values: tuple[str, ...]
    runs: Mapping[int, Mapping[str, float]]

    def of_seeds(self, figure: str, seeds: Sequence[int]) -> list[float]:
        """Returns a figure's values, one for each seed; NaN where it is missing."""
        return [self.runs.get(seed, {}).get(figure, math.nan) for seed in seeds]


class Cells:
    """The figures of all cells by seed. A cell is compared with the one that has the baseline's values."""

    def __init__(
        self,
        sweep: str,
        keys: Sequence[str],
        cells: Sequence[Cell],
        figures: Sequence[str],
        *,
        baseline: Mapping[str, str],
        level: float,
        failed: int,
        alike: bool = False,
        several: bool = False,
    ) -> None:
        """Takes the parts that `analyse` computes; `failed` runs were left out. `alike`: no run depends on its seed;
        `several`: a run has several flows.
        """
        self.sweep = sweep
        self.keys = tuple(keys)
        self.cells = list(cells)
        self.figures = tuple(figures)
        self.baseline = dict(baseline)
        self.level = level
        self.failed = failed
        self.alike = alike
        self.several = several
        self.seeds = sorted({seed for cell in cells for seed in cell.runs})

    def mean(self, cells: Sequence[Cell], figure: str) -> Interval | None:
        """Returns the mean over the seeds that have the figure in all of these cells; `None` if none has."""
        whole = self.of_whole_seeds(cells, figure)
        return mean_interval(whole, self.level) if whole else None

    def of_whole_seeds(self, cells: Sequence[Cell], figure: str) -> list[float]:
        """Returns the mean of these cells for each seed that has the figure in all of them."""
        by_seed = zip(*(cell.of_seeds(figure, self.seeds) for cell in cells), strict=True)
        return [sum(values) / len(values) for values in by_seed if not any(map(math.isnan, values))]

    def cells_at(self, place: Mapping[str, str]) -> list[Cell]:
        """Returns the cells with these values, whatever their other keys."""
        wanted = [(self.keys.index(key), value) for key, value in place.items()]
        return [cell for cell in self.cells if all(cell.values[at] == value for at, value in wanted)]

    def values_of(self, key: str) -> list[str]:
        """Returns the values of a key, in the plan's order."""
        return list(dict.fromkeys(cell.values[self.keys.index(key)] for cell in self.cells))

    @cached_property
    def differences(self) -> dict[tuple[str, tuple[str, ...]], Difference]:
        """The differences by figure and cell; a cell has none if no baseline equals it in all other keys, and no cell
        has one if no run depends on its seed.
        """
        if self.alike:
            return {}
        by_values = {cell.values: cell for cell in self.cells}
        pairs, places = [], {}
        for figure in self.figures:
            for cell in self.cells:
                base = by_values.get(self._baseline_of(cell))
                if base is None or base is cell:
                    continue
                name = " ".join(cell.values)
                places[figure, name] = (figure, cell.values)
                values, bases = cell.of_seeds(figure, self.seeds), base.of_seeds(figure, self.seeds)
                pairs.append(Pairs(figure, name, " ".join(base.values), values, bases))
        return {places[one.figure, one.algorithm]: one for one in differences_of(pairs, self.level)}

    def _baseline_of(self, cell: Cell) -> tuple[str, ...]:
        return tuple(self.baseline.get(key, value) for key, value in zip(self.keys, cell.values, strict=True))

    def record(self, cell: Cell, figure: str) -> dict[str, Any]:
        """Returns mean and difference of a cell as plain values; a missing one is `None`."""
        mean, difference = self.mean([cell], figure), self.differences.get((figure, cell.values))
        interval = difference.interval if difference else None
        tested = difference is not None and not difference.constant
        return {
            "seeds": mean.values if mean else 0,
            "mean": mean.mean if mean else None,
            "low": _plain(mean.low) if mean else None,
            "high": _plain(mean.high) if mean else None,
            "difference": interval.mean if interval else None,
            "difference_low": _plain(interval.low) if interval and tested else None,
            "difference_high": _plain(interval.high) if interval and tested else None,
            "adjusted_p": _plain(difference.adjusted_p) if difference else None,
            "verdict": difference.verdict if difference else None,
        }

    def axes(self, x: str | None = None, y: str | None = None) -> tuple[str, ...]:
        """Returns one or two keys to draw over: those given; by default first the numeric key with most values."""
        for key in (x, y):
            if key is not None and key not in self.keys:
                raise AnalysisError(f'{self.sweep}: "{key}" is not varied; draw over {" or ".join(self.keys)}')
        varying = [key for key in self.keys if len(self.values_of(key)) > 1]
        order = sorted(varying, key=lambda key: (numbers(self.values_of(key)) is None, -len(self.values_of(key))))
        first = x or next((key for key in order if key != y), None)
        second = y or next((key for key in order if key != first), None)
        return tuple(key for key in (first, second) if key is not None)


def numbers(values: Sequence[str]) -> list[float] | None:
    """Returns the values as numbers, if all are numbers with one unit."""
    matches = [_NUMBER.fullmatch(value) for value in values]
    if not all(matches) or len({match[2] for match in matches if match}) > 1:
        return None
    return [float(match[1]) for match in matches if match]


def unit(values: Sequence[str]) -> str:
    """Returns the unit of values that are numbers with one unit, otherwise nothing."""
    match = _NUMBER.fullmatch(values[0]) if numbers(values) else None
    return match[2] if match else ""


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value

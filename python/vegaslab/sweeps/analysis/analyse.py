"""Analysis of a sweep's runs: a mean with its interval over seeds for each cell, and differences from a baseline."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow

from vegaslab.reports.optional import optional_picture
from vegaslab.runs.metrics import of_flows, of_link
from vegaslab.runs.seeds.compare import Difference, Pairs, differences_of
from vegaslab.statistics import Interval, mean_interval
from vegaslab.sweeps.columns import FAILED
from vegaslab.sweeps.dataset import read_runs
from vegaslab.util.folder import whole_folder

FIGURES = (
    "goodput_mbps",
    "jain_index",
    "retransmitted_percent",
    "timeouts",
    "mean_rtt_ms",
    "utilisation_percent",
    "drops",
    "mean_queueing_ms",
)
"""The default figures; docs/comparing.md describes each."""

_NUMBER = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)([a-zA-Z%]*)")


class AnalysisError(ValueError):
    """A sweep's runs lack the requested figures or keys: one line."""


@dataclass(frozen=True)
class Cell:
    """A combination of the varied keys: their values as text, and its runs' figures by seed."""

    values: tuple[str, ...]
    runs: Mapping[int, Mapping[str, float]]

    def of_seeds(self, figure: str, seeds: Sequence[int]) -> list[float]:
        """Returns a figure's values, one for each seed; NaN where it is missing."""
        return [self.runs.get(seed, {}).get(figure, math.nan) for seed in seeds]


def analyse(
    dir: str | PathLike[str],
    figures: str | Sequence[str] | None = None,
    *,
    baseline: Mapping[str, object] | None = None,
    level: float = 0.95,
) -> "SweepAnalysis":
    """Analyses the runs in a sweep's folder; those that failed are left out.

    `figures` are of `FIGURES`, which is the default, or columns of numbers of the runs. Each cell is compared with the
    one that has the values of `baseline`, by key, and is otherwise the same (default: the first value of the first
    key), seed by seed. Raises `AnalysisError` for what the runs do not have, `FolderError` for a folder without runs.

    >>> import tempfile, vegaslab
    >>> grid = {"flow.0.algorithm": ["vegas", "reno"], "duration": ["5s"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     swept = vegaslab.sweep(vegaslab.Plan("lossy", grid=grid, replications=4), folder)
    ...     analysis = vegaslab.analyse(folder, "flow.0.goodput_mbps")
    >>> for (figure, cell), difference in analysis.differences.items():
    ...     print(figure, cell, difference.verdict)
    flow.0.goodput_mbps ('reno', '5s') lower
    """
    if not 0 < level < 1:
        raise AnalysisError(f"level: {level:g} was given; a number between 0 and 1, such as 0.95")
    table = read_runs(dir)
    keys = table.column_names[: table.column_names.index("seed")]
    asked = [figures] if isinstance(figures, str) else figures or []
    cells, known, failed = _cells(table, keys, asked)
    wanted = list(dict.fromkeys(asked or [name for name in FIGURES if name in known]))
    for name in wanted:
        if name not in known:
            close = get_close_matches(name, known, 3, 0.5) or list(FIGURES)
            raise AnalysisError(f'{dir}: "{name}" is no figure of the runs; did you mean {" or ".join(close)}?')
    chosen = _baseline(str(dir), keys, cells, baseline)
    name = Path(dir).resolve().name
    return SweepAnalysis(name, keys, cells, wanted, baseline=chosen, level=level, failed=failed)


def _cells(table: pyarrow.Table, keys: Sequence[str], asked: Sequence[str]) -> tuple[list[Cell], dict[str, None], int]:
    """Returns the cells in the plan's order, the names of the figures that occur, and the number of failed runs."""
    numeric = {
        field.name
        for field in table.schema
        if pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)
    }
    flows = sorted({name.split(".")[1] for name in numeric if re.fullmatch(r"flow\.[0-9]+\.goodput_mbps", name)})
    found: dict[tuple[str, ...], dict[int, dict[str, float]]] = {}
    known: dict[str, None] = {}
    link, failed = "", 0
    rows = table.to_pylist()
    labels = {key: _labels([row[key] for row in rows]) for key in keys}
    for row in rows:
        place = found.setdefault(tuple(labels[key][row[key]] for key in keys), {})
        if row["status"] == FAILED:
            failed += 1
            continue
        # the first run decides for all runs which link is the bottleneck
        link = link or _busiest(row)
        columns = {name: _number(row[name]) for name in asked if name in numeric}
        present = [_part(row, f"flow.{flow}.") for flow in flows if row[f"flow.{flow}.goodput_mbps"] is not None]
        of_its_link = of_link(_part(row, f"link.{link}.")) if row[f"link.{link}.utilisation"] is not None else {}
        place[row["seed"]] = {**of_flows(present), **of_its_link, **columns}
        known.update(dict.fromkeys(place[row["seed"]]))
    known.update(dict.fromkeys(sorted(numeric - {*keys, "seed"}) if not all(name in known for name in asked) else ()))
    return [Cell(values, runs) for values, runs in found.items()], known, failed


def _part(row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)}


def _busiest(row: Mapping[str, Any]) -> str:
    links = {name: value for name, value in row.items() if name.endswith(".utilisation") and value is not None}
    return max(links, key=lambda name: float(links[name])).removeprefix("link.").removesuffix(".utilisation")


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _labels(values: Sequence[object]) -> dict[object, str]:
    """Returns a word for each value; tables that would share a word are written out."""
    words = {value: _text(value) for value in values}
    taken = list(words.values())
    return {value: word if taken.count(word) == 1 else str(value) for value, word in words.items()}


def _text(value: object) -> str:
    """Returns a varied value as a word; for a table its name, or else its content."""
    if value is None:
        return "-"
    if isinstance(value, str) and value.startswith("{"):
        table = json.loads(value)
        words = [item if isinstance(item, str) else f"{key}-{json.dumps(item)}" for key, item in table.items()]
        return str(table.get("name") or "+".join(words))
    return value if isinstance(value, str) else json.dumps(value)


def _baseline(
    source: str, keys: Sequence[str], cells: Sequence[Cell], given: Mapping[str, object] | None
) -> dict[str, str]:
    if given is None:
        varying = [place for place in range(len(keys)) if len({cell.values[place] for cell in cells}) > 1]
        return {keys[varying[0]]: cells[0].values[varying[0]]} if varying else {}
    for key, value in given.items():
        if key not in keys:
            raise AnalysisError(f'{source}: "{key}" is not varied; baseline takes {" or ".join(keys) or "nothing"}')
        values = list(dict.fromkeys(cell.values[keys.index(key)] for cell in cells))
        if _text(value) not in values:
            raise AnalysisError(f"{source}: {key} is never {_text(value)}; baseline takes {' or '.join(values)}")
    return {key: _text(value) for key, value in given.items()}


class SweepAnalysis:
    """Means of every cell, and differences from the baseline. `analyse` makes one.

    >>> import tempfile, vegaslab
    >>> plan = vegaslab.Plan("lossy", grid={"flow.0.algorithm": ["vegas", "reno"], "duration": ["5s"]}, replications=2)
    >>> with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
    ...     swept = vegaslab.sweep(plan, folder)
    ...     analysis = vegaslab.analyse(folder)
    >>> analysis.keys, analysis.values_of("flow.0.algorithm"), analysis.seeds
    (('flow.0.algorithm', 'duration'), ['vegas', 'reno'], [1, 2])
    """

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
    ) -> None:
        """Takes the parts that `analyse` computes; `failed` runs were left out."""
        self.sweep = sweep
        self.keys = tuple(keys)
        self.cells = list(cells)
        self.figures = tuple(figures)
        self.baseline = dict(baseline)
        self.level = level
        self.failed = failed
        self.seeds = sorted({seed for cell in cells for seed in cell.runs})

    def __repr__(self) -> str:
        """Names the sweep, and its keys and extent."""
        return f"<vegaslab.SweepAnalysis {self.sweep}: {len(self.cells)} cells of {', '.join(self.keys)}>"

    def mean(self, cells: Sequence[Cell], figure: str) -> Interval | None:
        """Returns the mean over the seeds that have the figure in all of these cells; `None` if none has."""
        by_seed = zip(*(cell.of_seeds(figure, self.seeds) for cell in cells), strict=True)
        whole = [sum(values) / len(values) for values in by_seed if not any(map(math.isnan, values))]
        return mean_interval(whole, self.level) if whole else None

    def values_of(self, key: str) -> list[str]:
        """Returns the values of a key, in the plan's order."""
        return list(dict.fromkeys(cell.values[self.keys.index(key)] for cell in self.cells))

    @cached_property
    def differences(self) -> dict[tuple[str, tuple[str, ...]], Difference]:
        """The differences by figure and cell; a cell has none if no baseline equals it in all other keys."""
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

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab analyse --json` prints."""
        return {
            "sweep": self.sweep,
            "keys": list(self.keys),
            "baseline": self.baseline,
            "level": self.level,
            "figures": list(self.figures),
            "cells": [
                {
                    **dict(zip(self.keys, cell.values, strict=True)),
                    "figures": {figure: self.record(cell, figure) for figure in self.figures},
                }
                for cell in self.cells
            ],
        }

    def report(self) -> str:
        """Returns the tables of all figures as text."""
        # that module imports this one, as does `picture`, which loads matplotlib
        from vegaslab.sweeps.analysis.report import report

        return report(self)

    def write(self, dir: str | PathLike[str], *, plot: bool = True, x: str | None = None, y: str | None = None) -> Path:
        """Writes `analysis.json` and a folder a figure, with CSV, LaTeX and pictures over the keys `x` and `y`.

        All of it or nothing, but for pictures: one that cannot be drawn is a `PictureWarning`. Raises `FolderError` for
        a folder that holds anything else, `AnalysisError` for keys that are not varied, `OSError`.
        """
        from vegaslab.sweeps.analysis.report import write_tables

        axes = self.axes(x, y)
        with whole_folder(Path(dir)) as folder:
            for figure in self.figures:
                (folder / figure).mkdir()
                write_tables(self, figure, folder / figure)
                if plot and axes:
                    self._draw(figure, folder / figure, axes)
            (folder / "analysis.json").write_text(json.dumps(self.summary, indent=2) + "\n", encoding="utf-8")
        return Path(dir)

    def _draw(self, name: str, folder: Path, axes: Sequence[str]) -> None:
        with optional_picture(f"picture of {name}"):
            from vegaslab.reports.figure import save
            from vegaslab.sweeps.analysis.picture import draw

            figure = draw(self, name, axes)
            save(figure, folder / "picture.png")
            save(figure, folder / "picture.svg")

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


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value

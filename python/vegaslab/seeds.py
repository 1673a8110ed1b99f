"""Algorithms compared over several seeds: means and differences with intervals."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from vegaslab.comparison import load_variants
from vegaslab.figures import figures
from vegaslab.pool import run_all, usable_cores
from vegaslab.result import Result
from vegaslab.sheet import bottleneck
from vegaslab.source import Overrides, ScenarioLike
from vegaslab.statistics import Interval, holm, mean_interval, paired_difference

Verdict = Literal["higher", "lower", "not told apart", "same"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How an algorithm's figure differs from that of the baseline, seed by seed."""

    figure: str
    algorithm: str
    baseline: str
    interval: Interval
    baseline_mean: float
    """Over the seeds that have the figure with both."""
    adjusted_p: float
    """P-value adjusted for the number of differences looked at (Holm); NaN where there is no test."""

    @property
    def constant(self) -> bool:
        """Whether it is the same in every seed: no chance is in it, so there is nothing to test."""
        return self.interval.half_width == 0

    @property
    def verdict(self) -> Verdict:
        """What can be said of the algorithm, in all differences together with the interval's confidence."""
        if self.constant and self.interval.mean == 0:
            return "same"
        if not self.constant and not self.adjusted_p < 1 - self.interval.level:
            return "not told apart"
        return "higher" if self.interval.mean > 0 else "lower"


def compare_seeds(
    scenario: ScenarioLike,
    algorithms: Sequence[str],
    seeds: int = 10,
    *,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
    level: float = 0.95,
    jobs: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> "SeedComparison":
    """Runs a scenario with each algorithm and each of `seeds` seeds, counted up from `seed` (default: the scenario's).

    All flows use the algorithm; the first one is the baseline. `seeds` is at least 2, `level` lies between 0 and 1;
    `jobs` runs are made at a time (default: one a core). `progress` is called some ten times a second with the
    simulated time of all runs so far, s. For the others, and what is raised, see `vegaslab.compare`.
    """
    if seeds < 2:
        raise ValueError(f"seeds: {seeds} was given; at least 2")
    if not 0 < level < 1:
        raise ValueError(f"level: {level:g} was given; a number between 0 and 1, such as 0.95")
    if len({*algorithms}) != len(algorithms):
        raise ValueError(f"algorithms: {', '.join(algorithms)} were given; each once")
    first = next(iter(load_variants(scenario, algorithms, seed=seed, set=set).values())).seed
    chosen = range(first, first + seeds)
    by_seed = [load_variants(scenario, algorithms, seed=number, set=set) for number in chosen]
    variants = [by_seed[number][algorithm] for algorithm in algorithms for number in range(seeds)]
    links: list[str] = []

    def kept(_number: int, result: Result) -> tuple[dict[str, float], str]:
        # the first run says for all which link is the bottleneck
        if not links:
            links.append(bottleneck(result))
        return figures(result, links[0]), _fingerprint(result.summary)

    begun_s = variants[0].duration_s
    later = (lambda reached_s: progress(begun_s + reached_s)) if progress is not None else None
    made = run_all(variants[:1], kept, jobs=1, progress=progress)
    made += run_all(variants[1:], kept, jobs=jobs or usable_cores(), progress=later)
    of_algorithm = {name: made[seeds * place : seeds * (place + 1)] for place, name in enumerate(algorithms)}
    return SeedComparison(
        {name: [figures for figures, _ in runs] for name, runs in of_algorithm.items()},
        chosen,
        level=level,
        alike=all(len({fingerprint for _, fingerprint in runs}) == 1 for runs in of_algorithm.values()),
        scenario=variants[0].name,
        duration_s=variants[0].duration_s,
        bottleneck=links[0],
    )


def _fingerprint(summary: Mapping[str, Any]) -> str:
    """A run without what seed and wall clock alone make of it."""
    return json.dumps({key: value for key, value in summary.items() if key not in ("seed", "wall_s")})


class SeedComparison:
    """Figures of each algorithm and seed, and what their differences are worth."""

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
    ) -> None:
        """`runs` are figures by name, a dict a seed, by algorithm; `alike`: no run depends on its seed."""
        self.runs = {algorithm: [dict(run) for run in figures] for algorithm, figures in runs.items()}
        self.seeds = seeds
        self.level = level
        self.alike = alike
        self.scenario = scenario
        self.duration_s = duration_s
        self.bottleneck = bottleneck

    @property
    def baseline(self) -> str:
        """The algorithm that the others are compared with: the first."""
        return next(iter(self.runs))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures that some run has."""
        names = dict.fromkeys(name for runs in self.runs.values() for run in runs for name in run)
        return tuple(name for name in names if not all(math.isnan(v) for a in self.runs for v in self.values(a, name)))

    def values(self, algorithm: str, figure: str) -> list[float]:
        """A figure's values, one a seed; NaN where it is missing."""
        return [run.get(figure, math.nan) for run in self.runs[algorithm]]

    def mean(self, algorithm: str, figure: str) -> Interval | None:
        """The mean over the seeds that have the figure; `None` if none has."""
        present = [value for value in self.values(algorithm, figure) if not math.isnan(value)]
        return mean_interval(present, self.level) if present else None

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Of every figure and every algorithm but the first from the first; none if no run depends on its seed."""
        if self.alike:
            return ()
        others = [algorithm for algorithm in self.runs if algorithm != self.baseline]
        pairs = [(figure, other, self._paired(figure, other)) for figure in self.figures for other in others]
        found = [(figure, other, *paired) for figure, other, paired in pairs if paired is not None]
        tested = [math.nan if interval.half_width == 0 else interval.p_value for _, _, interval, _ in found]
        return tuple(
            Difference(
                figure=figure,
                algorithm=other,
                baseline=self.baseline,
                interval=interval,
                baseline_mean=mean,
                adjusted_p=p,
            )
            for (figure, other, interval, mean), p in zip(found, holm(tested), strict=True)
        )

    def _paired(self, figure: str, other: str) -> tuple[Interval, float] | None:
        pairs = zip(self.values(other, figure), self.values(self.baseline, figure), strict=True)
        both = [(value, base) for value, base in pairs if not math.isnan(value) and not math.isnan(base)]
        if len(both) < 2:
            return None
        values, bases = zip(*both, strict=True)
        return paired_difference(values, bases, self.level), sum(bases) / len(bases)

    @property
    def summary(self) -> dict[str, Any]:
        """What `vegaslab compare --seeds N --json` prints."""
        return {
            "scenario": self.scenario,
            "duration_s": self.duration_s,
            "bottleneck": self.bottleneck,
            "seeds": list(self.seeds),
            "level": self.level,
            "seeds_matter": not self.alike,
            "baseline": self.baseline,
            "means": {
                algorithm: {figure: self._mean_record(algorithm, figure) for figure in self.figures}
                for algorithm in self.runs
            },
            "differences": [_record(difference) for difference in self.differences],
        }

    def _mean_record(self, algorithm: str, figure: str) -> dict[str, Any] | None:
        mean = self.mean(algorithm, figure)
        if mean is None:
            return None
        ends = {} if self.alike else {"low": _plain(mean.low), "high": _plain(mean.high)}
        return {"mean": mean.mean, **ends, "seeds": mean.values}

    def runs_table(self) -> pa.Table:
        """One row a run: `algorithm`, `seed`, figures."""
        rows = [
            {"algorithm": algorithm, "seed": seed, **{name: _plain(run.get(name, math.nan)) for name in self.figures}}
            for algorithm, runs in self.runs.items()
            for seed, run in zip(self.seeds, runs, strict=True)
        ]
        figures = [pa.field(name, pa.float64()) for name in self.figures]
        schema = pa.schema([pa.field("algorithm", pa.string()), pa.field("seed", pa.uint64()), *figures])
        return pa.Table.from_pylist(rows, schema)

    def differences_table(self) -> pa.Table:
        """One row a difference."""
        schema = pa.schema(
            [(name, pa.string()) for name in ("figure", "algorithm", "baseline")]
            + [(name, pa.float64()) for name in ("difference", "low", "high", "baseline_mean", "adjusted_p")]
            + [("seeds", pa.int64()), ("verdict", pa.string())]
        )
        return pa.Table.from_pylist([_record(difference) for difference in self.differences], schema)

    def write(self, dir: str | PathLike[str], *, csv: bool = False, plot: bool = True) -> Path:
        """Writes `comparison.json`, `runs.parquet`, `differences.parquet` and pictures into `dir`; returns it."""
        import pyarrow.csv
        import pyarrow.parquet

        folder = Path(dir)
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in (("runs", self.runs_table()), ("differences", self.differences_table())):
            pyarrow.parquet.write_table(table, folder / f"{name}.parquet")
            if csv:
                pyarrow.csv.write_csv(table, folder / f"{name}.csv")
        if plot:
            from vegaslab.figure import save
            from vegaslab.seeds_picture import draw

            figure = draw(self)
            save(figure, folder / "picture.png")
            save(figure, folder / "picture.svg")
        (folder / "comparison.json").write_text(json.dumps(self.summary, indent=2) + "\n", encoding="utf-8")
        return folder


def _record(difference: Difference) -> dict[str, Any]:
    known = asdict(difference)
    interval: Interval = difference.interval
    return {
        **{name: known[name] for name in ("figure", "algorithm", "baseline")},
        "difference": interval.mean,
        "low": None if difference.constant else _plain(interval.low),
        "high": None if difference.constant else _plain(interval.high),
        "baseline_mean": difference.baseline_mean,
        "adjusted_p": _plain(difference.adjusted_p),
        "seeds": interval.values,
        "verdict": difference.verdict,
    }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value

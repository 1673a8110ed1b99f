"""Algorithms compared over several seeds: means and differences with intervals."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from vegaslab import _vegaslab
from vegaslab.reports.optional import optional_picture
from vegaslab.reports.sheet import bottleneck
from vegaslab.runs.metrics import figures as figures_of
from vegaslab.runs.pool import run_all, usable_cores
from vegaslab.runs.result import Result
from vegaslab.runs.seeds.figures import Difference, Figures
from vegaslab.runs.seeds.report import seeds_report
from vegaslab.scenario.source import Overrides, ScenarioLike
from vegaslab.scenario.variants import (
    AlgorithmLike,
    VariantError,
    Varied,
    algorithms_in,
    flow_ids,
    load_variants,
    singled_out,
)
from vegaslab.util.folder import whole_folder
from vegaslab.util.parquet import with_origin
from vegaslab.util.progress import Progress, notebook
from vegaslab.util.text import did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUNS_MAX = 100_000
"""The limit on runs: all their scenarios are checked, and held in memory, before the first one runs."""


def compare_seeds(
    scenario: ScenarioLike,
    algorithms: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    seeds: int = 10,
    *,
    flows: Sequence[int] | None = None,
    vary: Mapping[str, Sequence[object]] | None = None,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
    level: float = 0.95,
    figures: str | Sequence[str] | None = None,
    pairs: bool = False,
    jobs: int | None = None,
    progress: Callable[[float], object] | None = None,
    memory: str | int | None = None,
) -> "SeedComparison":
    """Runs a scenario with each algorithm and each of `seeds` seeds, counted up from `seed` (default: the scenario's).

    All flows use the algorithm, or those of `flows` alone; `vary` is a list of values by dotted key. The first variant
    is the baseline; with `pairs` every two variants are compared. Flows that alone are varied have figures of their
    own. `figures` are those to compare (default: all); the verdicts allow for their number. `seeds` is at least 2,
    `level` lies between 0 and 1; `jobs` runs are made at a time (default: one a core). `progress` is called some ten
    times a second with the simulated time of all runs so far, s; without it, a notebook says how far they are. For the
    others, and what is raised, see `vegaslab.compare`.

    >>> import vegaslab
    >>> comparison = vegaslab.compare_seeds("lossy", ["vegas", "reno"], 5, set={"duration": "10s"})
    >>> comparison
    <vegaslab.SeedComparison lossy: vegas, reno; seeds 1 to 5>
    >>> for difference in comparison.differences:
    ...     if difference.figure == "goodput_mbps":
    ...         print(difference.algorithm, difference.verdict, "than", difference.baseline)
    reno lower than vegas
    """
    if seeds < 2:
        raise VariantError(f"seeds: {seeds} was given; at least 2")
    if not 0 < level < 1:
        raise VariantError(f"level: {level:g} was given; a number between 0 and 1, such as 0.95")
    varied: Varied = {"flows": flows, "vary": vary}
    first_seed = load_variants(scenario, algorithms, **varied, seed=seed, set=set)
    names, first = list(first_seed), next(iter(first_seed.values())).seed
    if seeds * len(names) > RUNS_MAX:
        runs = seeds * len(names)
        raise VariantError(f"seeds: {seeds} was given, for {runs} runs; {RUNS_MAX // len(names)} at most")
    chosen = range(first, first + seeds)
    by_seed = [load_variants(scenario, algorithms, **varied, seed=number, set=set) for number in chosen]
    variants = [by_seed[number][name] for name in names for number in range(seeds)]
    tables = singled_out(flows, vary)
    links: list[str] = []
    wanted = [figures] if isinstance(figures, str) else figures

    def kept(_number: int, result: Result) -> tuple[dict[str, float], str]:
        # the first run decides for all runs which link is the bottleneck
        if not links:
            links.append(bottleneck(result))
        # the number of flows in a table may vary between variants
        alone = {table: flow_ids(result.scenario, table) for table in tables}
        given = figures_of(result, links[0], alone)
        return given if wanted is None else _chosen(given, wanted), _fingerprint(result.summary)

    begun_s = variants[0].duration_s
    with Progress(begun_s * len(variants), f"{len(variants)} runs: ", notebook()) as shown:
        told = progress or shown
        made = run_all(variants[:1], kept, jobs=1, progress=told, memory=memory)
        made += run_all(
            variants[1:],
            kept,
            jobs=jobs or usable_cores(),
            progress=lambda reached_s: told(begun_s + reached_s),
            memory=memory,
        )
    of_algorithm = {name: made[seeds * place : seeds * (place + 1)] for place, name in enumerate(names)}
    return SeedComparison(
        {name: [figures for figures, _ in runs] for name, runs in of_algorithm.items()},
        chosen,
        level=level,
        alike=all(len({fingerprint for _, fingerprint in runs}) == 1 for runs in of_algorithm.values()),
        scenario=variants[0].name,
        duration_s=variants[0].duration_s,
        bottleneck=links[0],
        flows=tables,
        column="variant" if vary else "algorithm",
        pairs=pairs,
        algorithms=_algorithms(first_seed.values()),
        several=any(len(variant.algorithms()) > 1 for variant in first_seed.values()),
    )


def _algorithms(variants: Iterable[_vegaslab.Scenario]) -> list[object]:
    """Returns the algorithms of all flows and variants, each once."""
    named = [one for variant in variants for one in algorithms_in(json.loads(variant.document_json()))]
    return [one for place, one in enumerate(named) if one not in named[:place]]


def _chosen(given: Mapping[str, float], wanted: Sequence[str]) -> dict[str, float]:
    """Returns the figures of these names. Raises `VariantError`: after the first run, before all others."""
    for name in wanted:
        if name not in given:
            raise VariantError(f'figures: "{name}" is no figure of these runs; {did_you_mean(name, given)}')
    return {name: given[name] for name in dict.fromkeys(wanted)}


def _fingerprint(summary: Mapping[str, Any]) -> str:
    """Returns a summary of a run without its seed and its wall-clock times, as text."""
    return json.dumps({key: value for key, value in summary.items() if key not in ("seed", "wall_s")})


class SeedComparison(Figures):
    """Figures of each algorithm and seed, and which of their differences are significant.

    >>> import vegaslab
    >>> comparison = vegaslab.compare_seeds("lossy", ["vegas", "reno"], 5, set={"duration": "10s"})
    >>> comparison.baseline, list(comparison.seeds)
    ('vegas', [1, 2, 3, 4, 5])
    >>> mean = comparison.mean("reno", "goodput_mbps")
    >>> mean.low < mean.mean < mean.high
    True
    >>> comparison.runs_table().num_rows
    10
    >>> comparison.differences_table().column_names[:4]
    ['figure', 'algorithm', 'baseline', 'difference']
    """

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab compare --seeds N --json` prints."""
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
            "differences": [_record(difference, self.column) for difference in self.differences],
            "algorithms": self.algorithms,
            **({"flows": list(self.flows)} if self.flows else {}),
        }

    def _mean_record(self, algorithm: str, figure: str) -> dict[str, Any] | None:
        mean = self.mean(algorithm, figure)
        if mean is None:
            return None
        ends = {} if self.alike else {"low": _plain(mean.low), "high": _plain(mean.high)}
        return {"mean": mean.mean, **ends, "seeds": mean.values}

    def __repr__(self) -> str:
        """Names the scenario, the algorithms and the seeds."""
        algorithms = ", ".join(self.runs)
        return f"<vegaslab.SeedComparison {self.scenario}: {algorithms}; seeds {self.seeds[0]} to {self.seeds[-1]}>"

    def report(self) -> str:
        """Returns means, differences and verdicts as text, as `vegaslab compare --seeds N` prints them."""
        return seeds_report(self)

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows: the picture, and the report's tables."""
        # loads matplotlib, which a comparison without pictures does not need
        from vegaslab.reports.figure import shown

        return shown(self.plot(), f"<pre>{escape(self.report())}</pre>")

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Draws the figures that vary, each run a dot; writes them to `path` (`.png`, `.svg`, `.pdf`)."""
        from vegaslab.reports.figure import save
        from vegaslab.runs.seeds.picture import draw

        figure = draw(self)
        if path is not None:
            save(figure, Path(path))
        return figure

    def runs_table(self) -> pa.Table:
        """Returns a table with a row for each run: `algorithm`, `seed`, figures."""
        rows = [
            {self.column: algorithm, "seed": seed, **{name: _plain(run.get(name, math.nan)) for name in self.figures}}
            for algorithm, runs in self.runs.items()
            for seed, run in zip(self.seeds, runs, strict=True)
        ]
        figures = [pa.field(name, pa.float64()) for name in self.figures]
        schema = pa.schema([pa.field(self.column, pa.string()), pa.field("seed", pa.uint64()), *figures])
        return pa.Table.from_pylist(rows, schema)

    def differences_table(self) -> pa.Table:
        """Returns a table with a row for each difference."""
        schema = pa.schema(
            [(name, pa.string()) for name in ("figure", self.column, "baseline")]
            + [(name, pa.float64()) for name in ("difference", "low", "high", "baseline_mean", "adjusted_p")]
            + [("seeds", pa.int64()), ("verdict", pa.string())]
        )
        return pa.Table.from_pylist([_record(difference, self.column) for difference in self.differences], schema)

    def write(self, dir: str | PathLike[str], *, csv: bool = False, plot: bool = True) -> Path:
        """Writes `comparison.json`, `runs.parquet`, `differences.parquet` and pictures into `dir`; returns it.

        All of it or nothing, but for pictures: one that cannot be drawn is a `PictureWarning`. Raises `FolderError` for
        a folder that holds anything else, `OSError` if it cannot be written.
        """
        with whole_folder(Path(dir)) as folder:
            for name, table in (("runs", self.runs_table()), ("differences", self.differences_table())):
                pyarrow.parquet.write_table(with_origin(table, self.scenario), folder / f"{name}.parquet")
                if csv:
                    pyarrow.csv.write_csv(table, folder / f"{name}.csv")
            (folder / "comparison.json").write_text(json.dumps(self.summary, indent=2) + "\n", encoding="utf-8")
            if plot:
                self._draw(folder)
        return Path(dir)

    def _draw(self, folder: Path) -> None:
        with optional_picture("picture"):
            from vegaslab.reports.figure import save

            figure = self.plot()
            for ending in ("png", "svg", "pdf"):
                save(figure, folder / f"picture.{ending}")


def _record(difference: Difference, column: str) -> dict[str, Any]:
    interval = difference.interval
    return {
        "figure": difference.figure,
        column: difference.algorithm,
        "baseline": difference.baseline,
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

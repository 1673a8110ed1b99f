"""Sweeps: they make the missing runs of a plan."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow

from vegaslab import _vegaslab
from vegaslab.runs.kept.cache import opened
from vegaslab.runs.kept.rows import Rows, Run, Sweep
from vegaslab.runs.pool import usable_cores
from vegaslab.sweeps.dataset import RUNS, Dataset
from vegaslab.sweeps.plans.plan import Plan, PlanLike, load_plan
from vegaslab.sweeps.where import LOCAL, cluster_of
from vegaslab.util.progress import SweepProgress, notebook

_FLUSH_S = 5.0
# writing takes at most this part of the time
_FLUSH_PART = 0.05
_SAMPLE_RUNS = 16
_SAMPLE_S = 3.0


class Runner(Protocol):
    """Makes runs, on this machine or elsewhere."""

    @property
    def jobs(self) -> int:
        """The number of runs made at a time."""

    @property
    def world(self) -> dict[str, Any] | None:
        """What decides the results beside the scenario; None for the simulator."""

    def __call__(self, plan: Plan, runs: Iterator[Run], deliver: Callable[[pyarrow.Table], None]) -> None:
        """Makes all runs, and delivers them in tables of `place`, `error` and figures, in any order."""


@dataclass(frozen=True)
class Local:
    """Makes runs on threads of this process, with the interpreter released."""

    jobs: int
    world = None

    def __call__(self, plan: Plan, runs: Iterator[Run], deliver: Callable[[pyarrow.Table], None]) -> None:
        """See `Runner`."""
        options = plan.run_options
        _vegaslab.sweep(plan.template, runs, self.jobs, lambda table: deliver(pyarrow.table(table)), **options)


@dataclass(frozen=True)
class Swept:
    """The result of a sweep."""

    plan: str
    folder: Path
    runs: int
    """The number of the plan's runs."""
    there: int
    """The number of runs in the folder before the sweep."""
    made: int
    failed: int
    """The number of failed runs among those in the folder now."""
    wall_s: float

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab sweep --json` prints."""
        return {**asdict(self), "folder": str(self.folder), "dataset": str(self.folder / RUNS)}


@dataclass(frozen=True)
class Forecast:
    """The forecast of a sweep."""

    plan: str
    runs: int
    there: int
    sampled: int
    """The number of runs that were made and discarded, to measure their time."""
    run_s: float | None
    """The mean time of these runs on one core, s; None if no run is missing."""
    jobs: int

    @property
    def wall_s(self) -> float:
        """The time that the missing runs should take, s."""
        return (self.run_s or 0.0) * (self.runs - self.there) / self.jobs

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab sweep --dry-run --json` prints."""
        return {**asdict(self), "wall_s": self.wall_s}


Observer = Callable[[int, int, int], None]
"""Called with the number of runs in the folder, of all runs of the plan, and of failed runs."""


def sweep(
    plan: PlanLike,
    folder: str | PathLike[str],
    *,
    jobs: int | None = None,
    on: str = LOCAL,
    set: Mapping[str, object] | None = None,
    series: Sequence[str] | None = None,
    retry_failed: bool = False,
    runner: Runner | None = None,
    observer: Observer | None = None,
) -> Swept:
    """Makes the runs of a plan that `folder` does not have, on `jobs` cores (default: all), or `on` the workers of a
    Dask scheduler, such as "tcp://10.0.0.1:8786".

    `set` are values of all cells, by dotted key. `series` are the time series to be kept of each run, of "flows" and
    "links" (default: the plan's); a run that is there without them is made again. `observer` is called with the runs
    that there are, those of the plan, and those that failed; without it, a notebook says how far the sweep is.

    Rows are written every few seconds; whatever ends the sweep, the next one goes on from there. Raises `FolderError`
    for a folder that is not a sweep's or that another sweep is writing, `OSError` if writing fails, and what `Plan`
    raises.

    >>> import tempfile, vegaslab
    >>> plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.alpha": [1, 2], "duration": ["5s"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     swept = vegaslab.sweep(plan, folder)
    ...     again = vegaslab.sweep(plan, folder)
    >>> swept.runs, swept.made, swept.failed, again.made
    (2, 2, 0, 0)
    """
    plan = load_plan(plan)
    plan = plan.with_set(set) if set else plan
    plan = plan if series is None else plan.with_series(series)
    with cluster_of(on, jobs) as cluster:
        run: Runner = runner or cluster or Local(jobs or usable_cores())
        return _made(plan, Path(folder), run, retry_failed, observer)


def _made(plan: Plan, folder: Path, run: Runner, retry_failed: bool, observer: Observer | None) -> Swept:
    started = time.monotonic()
    with Dataset(folder, plan, run.world) as dataset:
        if retry_failed:
            dataset.forget_failed()
        missing = dataset.missing()
        try:
            with SweepProgress(place=notebook()) as progress:
                _make(run, plan, missing, _Writer(dataset, len(dataset), observer or progress))
        except BaseException:
            # a full disk is still full; the first error is the one to report
            with suppress(OSError):
                dataset.flush()
            raise
        dataset.finish()
        there = len(dataset) - len(missing)
        wall_s = time.monotonic() - started
        return Swept(plan.name, folder, len(dataset), there, len(missing), dataset.failed, wall_s)


def _make(
    run: Runner,
    plan: Plan,
    places: np.ndarray[Any, np.dtype[np.int64]],
    deliver: Callable[[pyarrow.Table], None],
) -> None:
    """Makes the runs at these places, but for those that are in the cache; it holds no series."""
    runs = runs_of(plan, places)
    store = None if plan.series or run.world is not None else opened()
    if store is None:
        run(plan, runs, deliver)
        return
    limits = f"{plan.limits.events} {plan.limits.memory_bytes}"
    rows = Rows(store.keys(), Sweep(plan.template, plan.scenario[0], limits, run.jobs), deliver)
    run(plan, rows.missing(runs), rows)


def forecast(plan: PlanLike, folder: str | PathLike[str], *, runner: Runner, alone: Runner | None = None) -> Forecast:
    """Forecasts the number of runs that a sweep would make, and their time; writes nothing.

    Measures up to 16 of the missing runs, spread evenly over the plan, one after the other on one core of this
    machine, for three seconds or until the first of them is finished; `alone` makes them. Raises what `sweep` does.
    """
    plan = load_plan(plan)
    there, missing = Dataset.look(Path(folder), plan, runner.world)
    spread = missing[np.unique(np.linspace(0, len(missing) - 1, _SAMPLE_RUNS).astype(int))] if len(missing) else missing
    started = time.monotonic()
    sampled = 0
    alone = alone or Local(1)
    for run in runs_of(plan, spread):
        alone(plan, iter([run]), lambda _: None)
        sampled += 1
        if time.monotonic() - started > _SAMPLE_S:
            break
    run_s = (time.monotonic() - started) / sampled if sampled else None
    return Forecast(plan.name, there + len(missing), there, sampled, run_s, runner.jobs)


def runs_of(plan: Plan, places: np.ndarray[Any, np.dtype[np.int64]]) -> Iterator[Run]:
    """Yields the runs at these places of the plan, in order."""
    number, text = -1, ""
    for place in places.tolist():
        cell, replication = divmod(place, plan.replications)
        if cell != number:
            number, text = cell, json.dumps(plan.cell(cell))
        yield place, text, plan.seeds[replication]


class _Writer:
    """Adds delivered runs to the dataset, and writes them every few seconds."""

    def __init__(self, dataset: Dataset, there: int, observer: Observer | None) -> None:
        self._dataset = dataset
        self._there = there
        self._observer = observer
        self._flushed = time.monotonic()
        self._wait_s = _FLUSH_S

    def __call__(self, runs: pyarrow.Table) -> None:
        self._dataset.add(runs)
        self._there += len(runs)
        if self._observer is not None:
            self._observer(self._there, len(self._dataset.ids), self._dataset.failed)
        began = time.monotonic()
        if began - self._flushed >= self._wait_s:
            self._dataset.flush()
            self._flushed = time.monotonic()
            self._wait_s = max(_FLUSH_S, (self._flushed - began) / _FLUSH_PART)

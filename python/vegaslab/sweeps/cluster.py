"""Sweeps on a cluster, through Dask distributed. Needs `vegaslab[cluster]` here and on every worker."""

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import pyarrow

from vegaslab import _vegaslab
from vegaslab.sweeps.columns import united
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.sweeps.sweep import Run
from vegaslab.util.errors import InputError

if TYPE_CHECKING:
    import distributed

_BATCH_S = 1.0
_FIRST_BATCH_RUNS = 16
_BATCH_RUNS_MAX = 20_000
# a worker has its next batch before it asks for one
_BATCHES_A_THREAD = 2
_CONNECT_S = 10


class ClusterError(InputError):
    """The cluster cannot be used: one line that names it and what would be right."""


class Cluster:
    """Runs on the workers of a Dask scheduler, in batches of about a second."""

    def __init__(self, address: str) -> None:
        """Connects to the scheduler, such as `tcp://10.0.0.1:8786`. Raises `ClusterError`."""
        try:
            # an optional dependency: `vegaslab[cluster]`
            import distributed
        except ImportError:
            raise ClusterError(f"{address}: Dask is not installed; pip install 'vegaslab[cluster]'") from None
        try:
            self._client = distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(f"{address}: no Dask scheduler answers: {error}") from None
        self._address = address

    def __enter__(self) -> Self:
        """Returns the connected cluster."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnects; batches under way are abandoned."""
        self._client.close()

    @property
    def jobs(self) -> int:
        """The threads of all workers. Raises `ClusterError` without workers, or if one lacks vegaslab or has another
        version.
        """
        threads = self._client.nthreads()
        if not threads:
            raise ClusterError(f"{self._address}: the scheduler has no workers; start some")
        try:
            versions = self._client.run(_engine_version)
        except ImportError as error:
            raise ClusterError(f"{self._address}: a worker lacks vegaslab: {error}; install it there") from None
        for worker, version in versions.items():
            _check_version(worker, version, _vegaslab.version)
        return sum(threads.values())

    @contextmanager
    def scheduler_is_there(self) -> Iterator[None]:
        """Raises `ClusterError` once the scheduler has gone away."""
        from distributed import CancelledError
        from distributed.comm.core import CommClosedError

        try:
            yield
        except (CancelledError, CommClosedError):
            raise ClusterError(f"{self._address}: the scheduler is gone; the same command goes on elsewhere") from None

    def submit(self, function: Callable[..., Any], *arguments: object) -> "distributed.Future[Any]":
        """Submits a call of a function to a worker; Dask may not reuse an earlier result."""
        return self._client.submit(function, *arguments, pure=False)

    def completed(self) -> "distributed.as_completed":
        """Returns an empty iterator: it yields futures that are added to it as they complete."""
        from distributed import as_completed

        with self._client.as_current():
            return as_completed()

    def __call__(self, plan: Plan, runs: Iterator[Run], deliver: Callable[[pyarrow.Table], None]) -> None:
        """See `vegaslab.sweeps.sweep.Runner`. Raises `ClusterError` too."""
        with self.scheduler_is_there():
            self._make_all(plan, runs, deliver)

    def _make_all(self, plan: Plan, runs: Iterator[Run], deliver: Callable[[pyarrow.Table], None]) -> None:
        from distributed import KilledWorker

        batches = _Batches(self, plan)
        done = self.completed()
        size = _FIRST_BATCH_RUNS
        room = self.jobs * _BATCHES_A_THREAD
        while True:
            while done.count() < room and (batch := list(islice(runs, size))):
                done.add(batches.submit(batch))
            if done.is_empty():
                return
            future = next(done)
            batch = batches.of(future)
            try:
                wall_s, stream = future.result()
            except KilledWorker as error:
                if len(batch) == 1:
                    deliver(_lost(batch[0], str(error)))
                else:
                    # one of its runs ended the workers: each is made by itself to find out which
                    for run in batch:
                        done.add(batches.submit([run]))
                continue
            deliver(_read(stream))
            size = min(max(1, round(len(batch) * _BATCH_S / max(wall_s, 1e-3))), _BATCH_RUNS_MAX, 4 * size)


class _Batches:
    """Batches under way."""

    def __init__(self, cluster: Cluster, plan: Plan) -> None:
        self._cluster = cluster
        self._fixed = (plan.scenario, plan.run_options, _vegaslab.version)
        self._runs: dict[object, list[Run]] = {}

    def submit(self, runs: list[Run]) -> "distributed.Future[Any]":
        future = self._cluster.submit(_make, *self._fixed, runs)
        self._runs[future.key] = runs
        return future

    def of(self, future: "distributed.Future[Any]") -> list[Run]:
        return self._runs.pop(future.key)


def _make(
    scenario: tuple[str, Literal["toml", "json"], str], options: dict[str, Any], version: str, runs: list[Run]
) -> tuple[float, bytes]:
    """Makes a batch, on the worker; returns the time that it took, in s, and the rows as an Arrow stream."""
    from distributed import get_worker

    _check_version(get_worker().address, _vegaslab.version, version)
    started = time.monotonic()
    tables: list[pyarrow.Table] = []
    _vegaslab.sweep(_template(*scenario), runs, 1, lambda table: tables.append(pyarrow.table(table)), **options)
    rows = united(tables)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return time.monotonic() - started, sink.getvalue().to_pybytes()


@functools.lru_cache(maxsize=4)
def _template(text: str, file_format: Literal["toml", "json"], source: str) -> _vegaslab.Template:
    return _vegaslab.Template(text, file_format, source)


def _read(stream: bytes) -> pyarrow.Table:
    with pyarrow.ipc.open_stream(stream) as reader:
        return reader.read_all()


def _lost(run: Run, error: str) -> pyarrow.Table:
    """Returns the row of a run that ended every worker to which it was given."""
    schema = pyarrow.schema(
        [pyarrow.field("place", pyarrow.uint64(), nullable=False), pyarrow.field("error", pyarrow.string())]
    )
    return pyarrow.table([[run[0]], [f"every worker that made it died: {error}".replace("\n", " ")]], schema=schema)


def _engine_version() -> str:
    """Returns the version of the worker's engine."""
    return _vegaslab.version


def _check_version(worker: str, theirs: str, ours: str) -> None:
    if theirs != ours:
        raise ClusterError(f"worker {worker} has engine {theirs}, and this is {ours}; install {ours} there")

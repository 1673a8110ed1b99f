"""Batches of runs on a cluster, through Dask distributed. Needs `vegaslab[cluster]` here and on every worker."""

import functools
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import pyarrow

from vegaslab import _vegaslab
from vegaslab.runs.kept.rows import Run
from vegaslab.sweeps.columns import failed_row, united
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.util.errors import InputError

_Batch = TypeVar("_Batch", bound=Sequence[Any])
_Item = TypeVar("_Item")

_BATCH_S = 1.0
_FIRST_BATCH_RUNS = 16
_BATCH_RUNS_MAX = 20_000
# a worker has its next batch before it asks for one
_BATCHES_A_THREAD = 2
_AHEAD_MAX = 500_000
_COUNT_THREADS_S = 1.0
_CONNECT_S = 10


class ClusterError(InputError):
    """The cluster cannot be used: one line that names it and what would be right.

    >>> import vegaslab
    >>> vegaslab.sweep("vegas-or-gallop", "results/swept", on="nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    vegaslab.sweeps.cluster.ClusterError: ...
    """


class Killed(str):
    """Why an item of a batch has no result: it ended every worker to which it was given."""

    __slots__ = ()


class Cluster:
    """The workers of a Dask scheduler, which make batches of runs."""

    world = None

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
        self._threads, self._counted_s = 0, -math.inf

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
        self._check_workers()
        return self.threads

    def _check_workers(self) -> None:
        if not self._client.nthreads():
            raise ClusterError(f"{self._address}: the scheduler has no workers; start some")
        try:
            versions = self._client.run(_engine_version)
        except ImportError as error:
            raise ClusterError(f"{self._address}: a worker lacks vegaslab: {error}; install it there") from None
        for worker, version in versions.items():
            _check_version(worker, version, _vegaslab.version)

    @property
    def threads(self) -> int:
        """The threads of all workers that there are, or were within the last second; some workers may come later."""
        if time.monotonic() - self._counted_s > _COUNT_THREADS_S:
            self._threads, self._counted_s = sum(self._client.nthreads().values()), time.monotonic()
        return self._threads

    def carry_out(
        self, function: Callable[..., Any], batches: Iterator[_Batch], *fixed: object
    ) -> Iterator[tuple[_Batch, Any]]:
        """Yields each batch with what `function(*fixed, batch)` returns on a worker, in the order of completion.

        A batch that ended every worker to which it was given is made again, each item by itself, to find out which
        does; an item that then ends workers, too, has a `Killed` in place of its result. A batch of one is made again
        as well: it may only have waited on a worker that another batch ended. Raises `ClusterError` if the scheduler
        goes away.
        """
        from distributed import CancelledError, KilledWorker, as_completed
        from distributed.comm.core import CommClosedError

        of_future: dict[object, tuple[_Batch, bool]] = {}

        def submit(batch: _Batch, *, again: bool = False) -> None:
            # Dask may not reuse an earlier result
            future = self._client.submit(function, *fixed, batch, pure=False)
            of_future[future.key] = (batch, again)
            done.add(future)

        try:
            with self._client.as_current():
                done = as_completed()
            self._check_workers()
            while True:
                room = max(1, self.threads) * _BATCHES_A_THREAD
                for batch in islice(batches, max(0, room - done.count())):
                    submit(batch)
                if done.is_empty():
                    return
                future = next(done)
                batch, was_again = of_future.pop(future.key)
                try:
                    result = future.result()
                except KilledWorker as error:
                    if not was_again:
                        for at in range(len(batch)):
                            submit(batch[at : at + 1], again=True)  # type: ignore[arg-type]
                        continue
                    result = Killed(f"every worker that made it died: {error}".replace("\n", " "))
                yield batch, result
        except (CancelledError, CommClosedError):
            raise ClusterError(f"{self._address}: the scheduler is gone; the same command goes on elsewhere") from None

    def __call__(self, plan: Plan, runs: Iterator[Run], deliver: Callable[[pyarrow.Table], None]) -> None:
        """See `vegaslab.sweeps.sweep.Runner`. Batches take about a second. Raises `ClusterError` too."""
        size = _FIRST_BATCH_RUNS
        batches = shared_out(runs, lambda: self.threads, lambda: size)
        for batch, made in self.carry_out(_make, batches, plan.scenario, plan.run_options, _vegaslab.version):
            if isinstance(made, Killed):
                deliver(failed_row(batch[0][0], made))
                continue
            wall_s, stream = made
            deliver(_read(stream))
            size = min(max(1, round(len(batch) * _BATCH_S / max(wall_s, 1e-3))), _BATCH_RUNS_MAX, 4 * size)


def shared_out(items: Iterable[_Item], threads: Callable[[], int], most: Callable[[], int]) -> Iterator[list[_Item]]:
    """Yields the items in batches of `most()` at most. The last ones become smaller and smaller, so that no worker is
    left alone with a long batch: none is longer than a thread's share of half of the items that are left.
    """
    left, ahead = iter(items), deque[_Item]()
    while True:
        size, shares = most(), 2 * max(1, threads())
        ahead.extend(islice(left, max(0, min(shares * size, _AHEAD_MAX) - len(ahead))))
        if not ahead:
            return
        yield [ahead.popleft() for _ in range(min(size, math.ceil(len(ahead) / shares)))]


def _make(
    scenario: tuple[str, Literal["toml", "json"], str], options: dict[str, Any], version: str, runs: list[Run]
) -> tuple[float, bytes]:
    """Makes a batch, on the worker; returns the time that it took, in s, and the rows as an Arrow stream."""
    check_worker(version)
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


def _engine_version() -> str:
    """Returns the version of the worker's engine."""
    return _vegaslab.version


def check_worker(version: str) -> None:
    """Raises `ClusterError` if the worker that calls this has another version of the engine."""
    from distributed import get_worker

    _check_version(get_worker().address, _vegaslab.version, version)


def _check_version(worker: str, theirs: str, ours: str) -> None:
    if theirs != ours:
        raise ClusterError(f"worker {worker} has engine {theirs}, and this is {ours}; install {ours} there")

"""Runs of a dossier on a cluster, through Dask distributed."""

from collections.abc import Sequence
from typing import Any

from vegaslab import _vegaslab
from vegaslab.runs.extracted import Due, Made, Maker, Run
from vegaslab.runs.result import run_checked
from vegaslab.sweeps.cluster import Cluster, ClusterError
from vegaslab.util.progress import Progress

_BATCHES_A_THREAD = 2
_BATCH_RUNS = 8


def on_cluster(cluster: Cluster) -> Maker:
    """Makes runs on the workers of a cluster. Files of own algorithms must lie at the same place there."""

    def make(due: Sequence[Due], made: Made) -> None:
        with cluster.scheduler_is_there(), Progress(len(due), f"{len(due)} runs: ") as progress:
            _make_all(cluster, [one.run for one in due], made, progress)

    return make


def _make_all(cluster: Cluster, runs: Sequence[Run], made: Made, progress: Progress) -> None:
    # an optional dependency
    from distributed import KilledWorker

    waiting = iter([range(at, min(at + _BATCH_RUNS, len(runs))) for at in range(0, len(runs), _BATCH_RUNS)])
    done, of_future, finished = cluster.completed(), {}, 0
    room = cluster.jobs * _BATCHES_A_THREAD
    while True:
        while done.count() < room and (batch := next(waiting, None)) is not None:
            future = cluster.submit(_data, [runs[place] for place in batch], _vegaslab.version)
            of_future[future.key] = batch
            done.add(future)
        if done.is_empty():
            return
        future = next(done)
        batch = of_future.pop(future.key)
        try:
            found = future.result()
        except KilledWorker as error:
            raise ClusterError(f"every worker that made {runs[batch[0]].scenario} died: {error}") from None
        for place, data in zip(batch, found, strict=True):
            made(place, data)
        finished += len(batch)
        progress(finished)


def _data(runs: Sequence[Run], version: str) -> list[Any]:
    """Makes runs, on a worker."""
    if _vegaslab.version != version:
        raise ClusterError(f"a worker has engine {_vegaslab.version}, and this is {version}; install {version} there")
    return [run.extract(run_checked(run.check()), **run.arguments) for run in runs]

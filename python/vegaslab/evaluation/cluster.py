"""Runs of a dossier on a cluster, through Dask distributed."""

from collections.abc import Sequence
from typing import Any

from vegaslab import _vegaslab
from vegaslab.runs.extracted import Due, Made, Maker, Run
from vegaslab.runs.result import run_checked
from vegaslab.sweeps.cluster import Cluster, ClusterError, Killed, check_worker, shared_out
from vegaslab.util.progress import Progress

_BATCH_RUNS = 8


def on_cluster(cluster: Cluster) -> Maker:
    """Makes runs on the workers of a cluster. Files of own algorithms must lie at the same place there."""

    def make(due: Sequence[Due], made: Made) -> None:
        runs = ((place, one.run) for place, one in enumerate(due))
        batches = shared_out(runs, lambda: cluster.threads, lambda: _BATCH_RUNS)
        finished = 0
        with Progress(len(due), f"{len(due)} runs: ") as progress:
            for batch, found in cluster.carry_out(_data, batches, _vegaslab.version):
                if isinstance(found, Killed):
                    raise ClusterError(f"{batch[0][1].scenario}: {found}")
                for (place, _), data in zip(batch, found, strict=True):
                    made(place, data)
                finished += len(batch)
                progress(finished)

    return make


def _data(version: str, batch: Sequence[tuple[int, Run]]) -> list[Any]:
    """Makes runs, on a worker."""
    check_worker(version)
    return [run.extract(run_checked(run.check(), cached=False), **run.arguments) for _, run in batch]

"""Measures what docs/sweeps.md says about many workers: the part of their time that is lost to scheduling.

`.venv/bin/python tools/measure_cluster.py` starts a Dask scheduler and 64 workers, all in this process. A run is a
sleep in its place, so that 64 workers need no 64 cores. What a sleep takes longer than it should, because the machine
is busy, does not count as lost.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from unittest import mock

import pyarrow
from distributed import LocalCluster

from vegaslab import Plan, _vegaslab
from vegaslab.evaluation import cluster as dossier
from vegaslab.runs.extracted import Due, Run
from vegaslab.sweeps import cluster as sweeps
from vegaslab.sweeps.cluster import Cluster


def length_s(number: int, mean_s: float) -> float:
    """The length of a run: as runs of a plan differ, from a half of the mean to three halves, always the same."""
    return mean_s * random.Random(number).uniform(0.5, 1.5)


def sleeping_rows(mean_s: float) -> Callable[..., tuple[float, bytes]]:
    """Stands for the function that makes a batch of a plan's runs, on a worker: each row has the time that it took."""

    def make(
        _scenario: object, _options: object, _version: str, runs: list[tuple[int, str, int]]
    ) -> tuple[float, bytes]:
        spent_s = []
        for place, _, _ in runs:
            began = time.monotonic()
            time.sleep(length_s(place, mean_s))
            spent_s.append(time.monotonic() - began)
        rows = pyarrow.table({"place": [run[0] for run in runs], "spent_s": spent_s})
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
        return sum(spent_s), sink.getvalue().to_pybytes()

    return make


def sleeping_data(mean_s: float) -> Callable[..., list[float]]:
    """Stands for the function that makes a batch of a dossier's runs."""

    def make(_version: str, batch: Sequence[tuple[int, Run]]) -> list[float]:
        spent_s = []
        for place, _ in batch:
            began = time.monotonic()
            time.sleep(length_s(place, mean_s))
            spent_s.append(time.monotonic() - began)
        return spent_s

    return make


def sweep_s(cluster: Cluster, runs: int) -> float:
    """Makes a plan's runs; returns the time that workers spent in them, s."""
    plan = Plan("gallop-50mbit", grid={"duration": ["1s"]}, replications=runs)
    spent: list[float] = []
    cluster(plan, ((place, "{}", 1) for place in range(runs)), lambda rows: spent.extend(rows["spent_s"].to_pylist()))
    assert len(spent) == runs
    return sum(spent)


def dossier_s(cluster: Cluster, runs: int) -> float:
    """Makes a dossier's runs, likewise."""
    run = Run(scenario="gallop-50mbit", extract=length_s)
    due = Due(run, 1, 1.0, _vegaslab.Template("", "toml", ""), may_be_kept=False)
    spent = dict[int, float]()
    dossier.on_cluster(cluster)([due] * runs, spent.__setitem__)
    assert len(spent) == runs
    return sum(spent.values())


def measured(workers: int, work: Callable[[], float]) -> str:
    """The wall time of the work, the part of the workers' time that is not spent in runs, and the processor time of
    scheduler, workers and command.
    """
    began, cpu_began = time.monotonic(), time.process_time()
    spent_s = work()
    wall_s, cpu_s = time.monotonic() - began, time.process_time() - cpu_began
    return f"{wall_s:.1f} s, {100 * (1 - spent_s / (workers * wall_s)):.1f} % lost, {cpu_s:.1f} s of processor time"


@contextmanager
def cluster_of(workers: int) -> Iterator[Cluster]:
    """A scheduler and its workers, with a thread each; processes of their own would take six gigabytes."""
    options = {"threads_per_worker": 1, "processes": False, "protocol": "tcp", "dashboard_address": None}
    with LocalCluster(n_workers=workers, **options) as local, Cluster(local.scheduler_address) as cluster:
        yield cluster


def main() -> None:
    """Prints a line for each kind of work."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=30, help="of work for each worker")
    options = parser.parse_args()
    for mean_s in (0.01, 0.1, 1.0):
        runs = round(options.workers * options.seconds / mean_s)
        with (
            cluster_of(options.workers) as cluster,
            mock.patch.object(sweeps, "_make", sleeping_rows(mean_s)),
            mock.patch.object(dossier, "_data", sleeping_data(mean_s)),
        ):
            for name, work in {"sweep": sweep_s, "dossier": dossier_s}.items():
                what = f"{name}, {runs} runs of {mean_s:g} s, {options.workers} workers"
                print(f"{what}: {measured(options.workers, partial(work, cluster, runs))}", flush=True)


if __name__ == "__main__":
    main()

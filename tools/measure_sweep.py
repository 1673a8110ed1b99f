"""Measures what docs/sweeps.md says about sweeps: gain of two cores, overhead of a run, hash look-up, memory.

`.venv/bin/python tools/measure_sweep.py` takes some ten seconds; with `--runs 100000` it makes the long sweep too.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from vegaslab import Plan, cache, sweep
from vegaslab.sweeps.cluster import Cluster
from vegaslab.sweeps.dataset import Dataset, run_ids
from vegaslab.sweeps.sweep import Local, runs_of

REPEATS = 5
SHORT_RUNS = 1000
EMPTY_RUNS = 20_000


def plan(duration: str, runs: int) -> Plan:
    """`runs` runs of Vegas or Gallop-Vegas on 50 Mb/s and 20 ms."""
    scenario = {
        "name": "measured",
        "duration": duration,
        "topology": {
            "kind": "dumbbell",
            "access": {"rate": "1gbit", "delay": "1ms"},
            "bottleneck": {"rate": "50mbit", "delay": "8ms", "queue": "100p", "loss": 0.001},
        },
        "flow": [{"algorithm": "vegas"}],
    }
    return Plan(scenario, grid={"flow.0.algorithm": ["vegas", "gallop"]}, replications=runs // 2)


@contextmanager
def timed(into: list[float]) -> Iterator[None]:
    """Adds the wall time of the block, s."""
    started = time.perf_counter()
    yield
    into.append(time.perf_counter() - started)


def gain_of_two_cores() -> float:
    """Wall time of 1,000 runs of 1 s on one core over that on two, the best of several each."""
    short = plan("1s", SHORT_RUNS)
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(REPEATS):
        for jobs, taken in times.items():
            with timed(taken):
                make(short, jobs)
    return min(times[1]) / min(times[2])


def make(of: Plan, jobs: int) -> None:
    """Makes all runs of a plan and throws them away."""
    with tempfile.TemporaryDirectory() as folder, Dataset(Path(folder), of) as dataset:
        Local(jobs)(of, runs_of(of, dataset.missing()), lambda _: None)


def overhead_us(series: Sequence[str] = ()) -> float:
    """Processor time from scenario to written row of a run that simulates next to nothing."""
    empty = plan("1us", EMPTY_RUNS)
    used_s = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        sweep(empty, folder, jobs=1, series=series)
    return (time.process_time() - used_s) / len(empty) * 1e6


def overhead_on_dask_us() -> float:
    """Overhead with a scheduler in this process and one worker in another, of both processes together."""
    from distributed import LocalCluster

    empty = plan("1us", EMPTY_RUNS)
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as local, local.get_client() as client:
        (before_s,) = client.run(time.process_time).values()
        used_s = time.process_time()
        with tempfile.TemporaryDirectory() as folder, Cluster(local.scheduler_address) as cluster:
            sweep(empty, folder, runner=cluster)
        used_s = time.process_time() - used_s
        (after_s,) = client.run(time.process_time).values()
    return (used_s + after_s - before_s) / len(empty) * 1e6


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000, help="runs of 1 s to make in one sweep")
    options = parser.parse_args()
    cache(use=False)
    print(f"two cores over one, {SHORT_RUNS} runs of 1 s, best of {REPEATS}: {gain_of_two_cores():.2f}")
    print(
        f"overhead of a run, processor time: {overhead_us():.0f} us, on Dask {overhead_on_dask_us():.0f} us,", end=" "
    )
    print(f"with both series {overhead_us(('flows', 'links')):.0f} us")
    long = plan("1s", options.runs)
    hashing: list[float] = []
    sweeping: list[float] = []
    with timed(hashing):
        run_ids(long)
    with tempfile.TemporaryDirectory() as folder:
        with timed(sweeping):
            sweep(long, folder)
        size = sum(file.stat().st_size for file in (Path(folder) / "runs").iterdir())
        files = len(list((Path(folder) / "runs").iterdir()))
        with timed(hashing):
            sweep(long, folder)
    print(f"{options.runs} runs of 1 s: {sweeping[0]:.1f} s, {files} files, {size / options.runs:.0f} bytes a row")
    print(f"hashes: {100 * hashing[0] / sweeping[0]:.2f} % of that; the sweep again, all there: {hashing[1]:.2f} s")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

"""Sweeps on a real Dask scheduler and real worker processes, all on the loopback interface."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Command
from test_sweep import PLAN, dataset, wait_until

import vegaslab
from vegaslab.cluster import Cluster, ClusterError

Worker = subprocess.Popen[bytes]


class Loopback:
    """A scheduler and its workers."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self._log = (folder / "log.txt").open("wb")
        self._processes: list[Worker] = []
        self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self._file))
        wait_until(self._file.exists)
        self.address = str(json.loads(self._file.read_text())["address"])

    def worker(self, *options: str) -> Worker:
        fixed = ["--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--death-timeout", "30"]
        return self._start("dask_worker", self.address, *fixed, *options)

    def _start(self, module: str, *arguments: str) -> Worker:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *arguments]
        process = subprocess.Popen(command, stdout=self._log, stderr=self._log, cwd=self._file.parent)
        self._processes.append(process)
        return process

    def wait_for_workers(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=60)

    def close(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self._log.close()


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[Loopback]:
    cluster = Loopback(tmp_path)
    yield cluster
    cluster.close()


def test_three_workers_of_which_one_is_killed_give_the_bytes_of_one_core(loopback: Loopback, tmp_path: Path) -> None:
    plan = tmp_path / "thousand.toml"
    plan.write_text(PLAN)
    vegaslab.sweep(plan, tmp_path / "local", jobs=1)
    workers = [loopback.worker() for _ in range(3)]
    loopback.wait_for_workers(3)
    there: list[int] = []

    def observe(so_far: int, _runs: int, _failed: int) -> None:
        if not there:
            workers[0].kill()
        there.append(so_far)

    with Cluster(loopback.address) as cluster:
        assert cluster.jobs == 3
        done = vegaslab.sweep(plan, tmp_path / "cluster", runner=cluster, observer=observe)
    assert workers[0].wait() == -9
    assert there[0] < 1000
    assert (done.made, done.failed) == (1000, 0)
    assert dataset(tmp_path / "cluster") == dataset(tmp_path / "local")


def test_the_command_sweeps_on_a_cluster(loopback: Loopback, tmp_path: Path, vegaslab: Command) -> None:
    plan = tmp_path / "small.toml"
    plan.write_text(PLAN.replace("replications = 125", "replications = 2").replace('"cubic"', '"kubic"'))
    loopback.worker()
    loopback.wait_for_workers(1)
    done = vegaslab("sweep", plan, "-o", "cluster", "--on", loopback.address, "--json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["failed"] == 4
    assert vegaslab("sweep", plan, "-o", "local").returncode == 1
    assert dataset(tmp_path / "here" / "cluster") == dataset(tmp_path / "here" / "local")


def test_a_worker_with_another_engine_is_refused_by_name(loopback: Loopback, tmp_path: Path, vegaslab: Command) -> None:
    plan = tmp_path / "small.toml"
    plan.write_text(PLAN.replace("replications = 125", "replications = 2"))
    other = tmp_path / "other_engine.py"
    other.write_text('from vegaslab import _vegaslab\n\n_vegaslab.version = "0.0.1"\n')
    loopback.worker()
    loopback.worker("--preload", str(other), "--name", "old")
    loopback.wait_for_workers(2)
    done = vegaslab("sweep", plan, "--on", loopback.address)
    assert done.returncode == 2
    assert "worker tcp://127.0.0.1:" in done.stderr
    assert "has engine 0.0.1, and this is" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_worker_with_another_engine_that_comes_later_is_refused_too(loopback: Loopback, tmp_path: Path) -> None:
    plan = tmp_path / "thousand.toml"
    plan.write_text(PLAN.replace('"2s"', '"40s"'))
    other = tmp_path / "other_engine.py"
    other.write_text('from vegaslab import _vegaslab\n\n_vegaslab.version = "0.0.1"\n')
    loopback.worker()
    loopback.wait_for_workers(1)
    late = threading.Timer(0.5, lambda: loopback.worker("--preload", str(other)))
    late.start()
    with Cluster(loopback.address) as cluster, pytest.raises(ClusterError, match=r"has engine 0\.0\.1"):
        vegaslab.sweep(plan, tmp_path / "out", runner=cluster)
    assert len(vegaslab.read_runs(tmp_path / "out")) > 0


def test_what_cannot_be_reached_is_one_line(tmp_path: Path, vegaslab: Command, here: Path) -> None:
    plan = tmp_path / "small.toml"
    plan.write_text(PLAN)
    for where, why in [
        ("ftp://x:1", "local, or an address such as tcp://"),
        ("tcp://127.0.0.1:1", "no Dask scheduler"),
    ]:
        done = vegaslab("sweep", plan, "--on", where)
        assert done.returncode == 2, done.stderr
        assert why in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert list(here.iterdir()) == []

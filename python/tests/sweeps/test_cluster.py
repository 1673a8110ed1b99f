"""Sweeps on a real Dask scheduler and real worker processes, all on the loopback interface."""

import json
import signal
from pathlib import Path

import pytest

import vegaslab
from documentation import ROOT
from tests.conftest import STRICT, Command, Loopback, interrupted, wait_until
from tests.sweeps.test_sweep import AT_ONCE, PLAN, dataset
from vegaslab.runs.kept import cache
from vegaslab.sweeps.cluster import Cluster, ClusterError
from vegaslab.sweeps.sweep import forecast


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


@pytest.mark.usefixtures("cached")
def test_rows_of_a_cluster_are_kept_where_the_command_runs(loopback: Loopback, tmp_path: Path) -> None:
    plan = vegaslab.Plan("gallop-50mbit", grid={"duration": ["2s", "3s"]}, replications=3)
    loopback.worker()
    loopback.wait_for_workers(1)
    with Cluster(loopback.address) as cluster:
        for name in ("first", "second"):
            vegaslab.sweep(plan, tmp_path / name, runner=cluster)
    assert (cache.count.made, cache.count.taken) == (6, 6)
    assert dataset(tmp_path / "first") == dataset(tmp_path / "second")


AIMD = ROOT / "examples" / "own-algorithm" / "aimd.py"


def test_own_algorithms_run_on_a_cluster(loopback: Loopback, tmp_path: Path) -> None:
    """A Python file and a module, which every worker reads where they are."""
    own = [{"python": str(AIMD)}, {"wasm": str(AIMD.with_name("modules") / "reno-c.wasm")}]
    plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.algorithm": ["vegas", *own], "duration": ["2s", "3s"]})
    loopback.worker()
    loopback.wait_for_workers(1)
    with Cluster(loopback.address) as cluster:
        done = vegaslab.sweep(plan, tmp_path / "cluster", runner=cluster)
    assert (done.made, done.failed) == (6, 0)
    vegaslab.sweep(plan, tmp_path / "local", jobs=1)
    assert dataset(tmp_path / "cluster") == dataset(tmp_path / "local")
    rows = vegaslab.read_runs(tmp_path / "cluster")
    assert len(set(rows["flow.0.goodput_mbps"].to_pylist())) == 6


def test_series_come_back_from_a_cluster_though_a_worker_is_killed(loopback: Loopback, tmp_path: Path) -> None:
    plan = tmp_path / "series.toml"
    plan.write_text('series = ["flows", "links"]\n' + PLAN.replace("replications = 125", "replications = 20"))
    vegaslab.sweep(plan, tmp_path / "local", jobs=1)
    workers = [loopback.worker() for _ in range(2)]
    loopback.wait_for_workers(2)
    with Cluster(loopback.address) as cluster:
        vegaslab.sweep(plan, tmp_path / "cluster", runner=cluster, observer=lambda *_: workers[0].kill())
    assert workers[0].wait() == -9
    for part in ("runs", "flow_series", "link_series"):
        assert dataset(tmp_path / "cluster", part) == dataset(tmp_path / "local", part)


def test_ctrl_c_on_a_cluster_keeps_what_is_done_and_leaves_the_workers_free(loopback: Loopback, tmp_path: Path) -> None:
    plan, folder = tmp_path / "slow.toml", tmp_path / "out"
    plan.write_text(PLAN.replace('"2s"', '"120s"'))
    loopback.worker()
    loopback.wait_for_workers(1)
    done = interrupted(["sweep", plan, "-o", folder, "--on", loopback.address], 40, signal.SIGINT, AT_ONCE)
    assert done.returncode == 130, done.stderr
    assert done.stderr == f"vegaslab: interrupted; {folder} keeps the runs so far, the same command goes on\n"
    there = len(vegaslab.read_runs(folder))
    assert 0 < there < 1000
    with Cluster(loopback.address) as cluster:
        # batches that were given up do not run on
        wait_until(lambda: not any(cluster._client.processing().values()))
        assert forecast(plan, folder, runner=cluster).there == there


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
    there: list[int] = []

    def observe(so_far: int, _runs: int, _failed: int) -> None:
        if not there:
            loopback.worker("--preload", str(other))
            loopback.wait_for_workers(2)
        there.append(so_far)

    with Cluster(loopback.address) as cluster, pytest.raises(ClusterError, match=r"has engine 0\.0\.1"):
        vegaslab.sweep(plan, tmp_path / "out", runner=cluster, observer=observe)
    assert len(vegaslab.read_runs(tmp_path / "out")) > 0


DEADLY = """\
import os
from vegaslab import _vegaslab


def deadly(template, runs, *rest, make=_vegaslab.sweep, **limits):
    if any(place == 5 for place, _, _ in runs):
        os._exit(1)
    make(template, runs, *rest, **limits)


if _vegaslab.sweep.__name__ == "sweep":
    _vegaslab.sweep = deadly
"""


@pytest.mark.parametrize("loopback", [STRICT], indirect=True)
def test_a_run_that_ends_its_workers_is_a_row_and_the_others_go_on(loopback: Loopback, tmp_path: Path) -> None:
    plan = tmp_path / "small.toml"
    plan.write_text(PLAN.replace("replications = 125", "replications = 2"))
    deadly = tmp_path / "deadly.py"
    deadly.write_text(DEADLY)
    for _ in range(3):
        loopback.worker("--preload", str(deadly))
    loopback.wait_for_workers(3)
    with Cluster(loopback.address) as cluster:
        done = vegaslab.sweep(plan, tmp_path / "out", runner=cluster)
    assert (done.made, done.failed) == (16, 1)
    errors = vegaslab.read_runs(tmp_path / "out")["error"].to_pylist()
    assert [place for place, error in enumerate(errors) if error is not None] == [5]
    assert errors[5].startswith("every worker that made it died: ")


def test_a_scheduler_that_goes_away_ends_the_sweep_which_goes_on_elsewhere(loopback: Loopback, tmp_path: Path) -> None:
    plan = tmp_path / "thousand.toml"
    plan.write_text(PLAN)
    loopback.worker()
    loopback.wait_for_workers(1)
    with Cluster(loopback.address) as cluster, pytest.raises(ClusterError, match="scheduler is gone"):
        vegaslab.sweep(plan, tmp_path / "out", runner=cluster, observer=lambda *_: loopback.scheduler.kill())
    there = len(vegaslab.read_runs(tmp_path / "out"))
    assert 0 < there < 1000
    assert vegaslab.sweep(plan, tmp_path / "out").there == there


def test_what_is_no_address_is_one_line(tmp_path: Path, vegaslab: Command, here: Path) -> None:
    plan = tmp_path / "small.toml"
    plan.write_text(PLAN)
    done = vegaslab("sweep", plan, "--on", "ftp://x:1")
    assert done.returncode == 2
    assert done.stderr == "vegaslab: on: 'ftp://x:1' was given; local, or an address such as tcp://10.0.0.1:8786\n"
    assert list(here.iterdir()) == []


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vegaslab.sweeps.cluster._CONNECT_S", 0.5)
    with pytest.raises(ClusterError, match=r"^tcp://127\.0\.0\.1:1: no Dask scheduler answers: "):
        Cluster("tcp://127.0.0.1:1")

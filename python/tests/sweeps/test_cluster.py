"""Sweeps on a real Dask scheduler and real worker processes, all on the loopback interface."""

import heapq
import json
import random
import signal
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import vegaslab
from documentation import ROOT
from tests.conftest import STRICT, Command, Loopback, interrupted, wait_until
from tests.sweeps.test_sweep import AT_ONCE, PLAN, dataset
from vegaslab import _vegaslab
from vegaslab.evaluation import cluster as of_dossiers
from vegaslab.runs.extracted import Due, Run
from vegaslab.runs.kept import cache
from vegaslab.sweeps import cluster as of_sweeps
from vegaslab.sweeps.cluster import Cluster, ClusterError, shared_out
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


def late() -> Callable[[object], None]:
    """Returns a function that holds a worker back for a time that looks random; the worker cannot import this module,
    and gets the function whole.
    """

    def hold_back(batch: object) -> None:
        time.sleep(random.Random(repr(batch)).uniform(0, 0.2))

    return hold_back


def test_rows_are_in_the_order_of_the_plan_whatever_the_timing(
    loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = vegaslab.Plan("gallop-50mbit", grid={"duration": ["1s", "2s", "3s"]}, replications=20)
    vegaslab.sweep(plan, tmp_path / "local", jobs=1)
    for _ in range(3):
        loopback.worker()
    loopback.wait_for_workers(3)
    make, read, hold_back = of_sweeps._make, of_sweeps._read, late()
    delivered: list[int] = []

    def held_back(*given: Any) -> tuple[float, bytes]:
        hold_back(given)
        return make(*given)

    def noted(stream: bytes) -> pyarrow.Table:
        rows = read(stream)
        delivered.extend(rows["place"].to_pylist())
        return rows

    monkeypatch.setattr(of_sweeps, "_make", held_back)
    monkeypatch.setattr(of_sweeps, "_read", noted)
    with Cluster(loopback.address) as cluster:
        vegaslab.sweep(plan, tmp_path / "cluster", runner=cluster)
    assert delivered != sorted(delivered)
    assert sorted(delivered) == list(range(60))
    assert dataset(tmp_path / "cluster") == dataset(tmp_path / "local")


def test_data_of_a_dossier_come_to_their_runs_whatever_the_timing(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        loopback.worker()
    loopback.wait_for_workers(3)
    hold_back = late()

    def seeds(_version: str, batch: list[tuple[int, Run]]) -> list[int | None]:
        hold_back(batch)
        return [run.seed for _, run in batch]

    monkeypatch.setattr(of_dossiers, "_data", seeds)
    template = _vegaslab.Template("", "toml", "")
    runs = [Run(scenario="gallop-50mbit", extract=len, seed=1000 + place) for place in range(60)]
    made: dict[int, int] = {}
    with Cluster(loopback.address) as cluster:
        due = [Due(run, 1, 1.0, template, may_be_kept=False) for run in runs]
        of_dossiers.on_cluster(cluster)(due, made.__setitem__)
    assert list(made) != sorted(made)
    assert made == {place: 1000 + place for place in range(60)}


def test_the_last_batches_are_short() -> None:
    batches = list(shared_out(range(1000), lambda: 5, lambda: 16))
    assert list(chain.from_iterable(batches)) == list(range(1000))
    lengths = [len(batch) for batch in batches]
    assert lengths == sorted(lengths, reverse=True)
    # at most an equal share of half of what is left, for each of the five
    assert all(length <= max(1, -(-sum(lengths[at:]) // 10)) for at, length in enumerate(lengths))
    assert (lengths[0], lengths[-5:]) == (16, [1] * 5)


@pytest.mark.parametrize(("mean_s", "runs", "most"), [(0.01, 64_000, 100), (0.1, 6_400, 10), (1.0, 2_000, 8)])
def test_sixty_four_workers_lose_less_than_a_twentieth_of_their_time(mean_s: float, runs: int, most: int) -> None:
    """By a clock of its own: the worker that is free first takes the next batch, and each batch costs 5 ms beside its
    runs, which take from half of the mean to three halves. Batches of eight runs of a second, each, would lose 9 %.
    """
    draw = random.Random(1)
    lengths = [draw.uniform(0.5, 1.5) * mean_s for _ in range(runs)]
    free = [0.0] * 64
    for batch in shared_out(lengths, lambda: 64, lambda: most):
        heapq.heapreplace(free, free[0] + 0.005 + sum(batch))
    assert sum(lengths) > 0.95 * 64 * max(free)


def test_a_plan_is_read_ahead_only_as_far_as_workers_need_it() -> None:
    left = iter(range(10_000))
    assert next(shared_out(left, lambda: 5, lambda: 16)) == list(range(16))
    assert next(left) == 160


def test_workers_that_come_later_get_batches(loopback: Loopback) -> None:
    loopback.worker()
    loopback.wait_for_workers(1)
    begun = finished = 0
    under_way: list[int] = []

    def batches() -> Iterator[list[int]]:
        nonlocal begun
        # as long as it takes until the second worker is counted
        while max(under_way, default=0) < 4:
            begun += 1
            yield [begun]

    with Cluster(loopback.address) as cluster:
        for _ in cluster.carry_out(lambda _: time.sleep(0.05), batches()):
            under_way.append(begun - finished)
            finished += 1
            if finished == 4:
                assert max(under_way) == 2
                loopback.worker()
    assert begun == finished


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

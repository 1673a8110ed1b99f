"""Sweeps: whatever happens to one, its dataset is one."""

import fcntl
import json
import os
import signal
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas
import polars
import pyarrow.parquet
import pytest

import vegaslab
from tests.conftest import TIMEOUT_S, Command, interrupted
from vegaslab import Plan
from vegaslab.runs.kept.rows import Run
from vegaslab.sweeps.sweep import Local, forecast
from vegaslab.util.folder import FolderError
from vegaslab.util.progress import readable_time, sweep_line

PLAN = """\
replications = 125

[grid]
"flow.0.algorithm" = ["vegas", "reno", "gallop", "cubic"]
"topology.bottleneck.queue" = ["5p", "20p"]

[scenario]
name = "tiny"
duration = "2s"
topology = { kind = "dumbbell", access = { rate = "100mbit", delay = "1ms" }, bottleneck = { rate = "10mbit", delay = "3ms", queue = "10p", loss = 0.01 } }
flow = [{ algorithm = "vegas" }]
"""  # noqa: E501


@pytest.fixture(scope="session")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan of 1,000 runs."""
    path = tmp_path_factory.mktemp("plan") / "thousand.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture(scope="session")
def reference(thousand: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The dataset of a sweep on one core that nothing disturbed."""
    folder = tmp_path_factory.mktemp("reference")
    done = vegaslab.sweep(thousand, folder, jobs=1)
    assert (done.runs, done.there, done.made, done.failed) == (1000, 0, 1000, 0)
    return dataset(folder)


def dataset(folder: Path, part: str = "runs") -> dict[str, bytes]:
    files = {path.name: path.read_bytes() for path in (folder / part).iterdir()}
    assert files
    return files


def small(tmp_path: Path, text: str = "", name: str = "small.toml") -> Path:
    path = tmp_path / name
    path.write_text(PLAN.replace("replications = 125", f"replications = 2\n{text}"))
    return path


def test_two_cores_give_the_bytes_of_one(thousand: Path, tmp_path: Path, reference: dict[str, bytes]) -> None:
    vegaslab.sweep(thousand, tmp_path, jobs=2)
    assert dataset(tmp_path) == reference


IN_PORTIONS = "from reliability.calls import sweep_in_portions; sweep_in_portions(50)"
"""Rows are written after this number of runs; nothing runs meanwhile."""
AT_ONCE = "import vegaslab.sweeps.sweep as s; s._FLUSH_S = 0.0"
"""Rows are written when they come; other runs are under way."""


def test_kills_at_random_change_nothing(thousand: Path, tmp_path: Path, reference: dict[str, bytes]) -> None:
    folder = tmp_path / "killed"
    random = Random(1)
    sizes: list[int] = []
    command = ["sweep", thousand, "-o", folder, "-j", "1"]
    # of 20 portions, of 20 points and more each
    while (done := interrupted(command, random.randrange(400), signal.SIGKILL, IN_PORTIONS)).returncode:
        assert done.returncode == -signal.SIGKILL, done.stderr
        ids = vegaslab.read_runs(folder)["run_id"].to_pylist() if any((folder / "runs").glob("*.parquet")) else []
        assert len(ids) == len(set(ids))
        sizes.append(len(ids))
    assert sizes == sorted(sizes)
    assert len(set(sizes) - {0, 1000}) >= 3, f"few kills came in the middle: {sizes}"
    assert dataset(folder) == reference


@pytest.mark.parametrize(("signal_", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_is_done_and_says_so(
    thousand: Path, tmp_path: Path, signal_: signal.Signals, code: int
) -> None:
    folder = tmp_path / "out"
    slow = tmp_path / "slow.toml"
    slow.write_text(thousand.read_text().replace('"2s"', '"60s"'))
    done = interrupted(["sweep", slow, "-o", folder, "-j", "2"], 40, signal_, AT_ONCE)
    assert done.returncode == code
    assert "interrupted" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert 0 < len(vegaslab.read_runs(folder)) < 1000


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    plan, folder = small(tmp_path), tmp_path / "out"
    assert vegaslab.sweep(plan, folder).made == 16
    before = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    again = vegaslab.sweep(plan, folder)
    assert (again.there, again.made) == (16, 0)
    assert {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()} == before


def test_a_plan_that_changed_keeps_the_runs_that_it_still_names(tmp_path: Path) -> None:
    folder, fresh = tmp_path / "out", tmp_path / "fresh"
    vegaslab.sweep(small(tmp_path), folder)
    fewer = small(tmp_path)
    fewer.write_text(fewer.read_text().replace('["vegas", "reno", "gallop", "cubic"]', '["sack", "gallop"]'))
    changed = vegaslab.sweep(fewer, folder)
    assert (changed.runs, changed.there, changed.made) == (8, 4, 4)
    vegaslab.sweep(fewer, fresh)
    assert dataset(folder) == dataset(fresh)
    # and what the plan no longer names is not lost
    back = vegaslab.sweep(small(tmp_path), folder)
    assert (back.runs, back.there, back.made) == (16, 16, 0)


def test_a_changed_rate_trace_is_run_again(tmp_path: Path) -> None:
    trace = tmp_path / "down.trace"
    trace.write_text("".join(f"{ms}\n" for ms in range(2, 102, 2)))
    plan = small(tmp_path)
    text = plan.read_text().replace('bottleneck = { rate = "10mbit"', 'bottleneck = { rate = { trace = "down.trace" }')
    scenario = text.partition("[scenario]\n")[2].replace("queue =", 'backward = { rate = "10mbit" }, queue =', 1)
    (tmp_path / "traced.toml").write_text(scenario)
    plan.write_text('scenario = "traced.toml"\n' + text.partition("[scenario]\n")[0])
    assert vegaslab.sweep(plan, tmp_path / "out").made == 16
    assert vegaslab.sweep(plan, tmp_path / "out").made == 0
    slow = vegaslab.read_runs(tmp_path / "out")["flow.0.throughput_mbps"].to_pylist()
    # 1500 bytes a ms: twice the rate
    trace.write_text("".join(f"{ms}\n" for ms in range(1, 101)))
    assert vegaslab.sweep(plan, tmp_path / "out").made == 16
    fast = vegaslab.read_runs(tmp_path / "out")["flow.0.throughput_mbps"].to_pylist()
    assert sum(fast) > 1.2 * sum(slow)
    vegaslab.sweep(plan, tmp_path / "fresh")
    assert dataset(tmp_path / "out") == dataset(tmp_path / "fresh")


def test_rows_are_typed_and_have_the_figures_and_id_of_a_run(tmp_path: Path, vegaslab_in: Command, here: Path) -> None:
    plan, folder = small(tmp_path, 'zip = { "flow.0.alpha" = [1, 2], "flow.0.delayed_ack" = [false, "40ms"] }'), here
    vegaslab.sweep(plan, folder / "out")
    rows = vegaslab.read_runs(folder / "out").to_pylist()
    schema = vegaslab.read_runs(folder / "out").schema
    assert str(schema.field("flow.0.alpha").type) == "int64"
    assert str(schema.field("flow.0.algorithm").type) == "string"
    assert schema.field("flow.0.throughput_mbps").metadata[b"unit"] == b"Mb/s"
    row = rows[-1]
    scenario = here / "tiny.json"
    scenario.write_text(json.dumps(Plan.from_file(plan).document["scenario"]))
    keys = ["flow.0.algorithm", "topology.bottleneck.queue", "flow.0.alpha", "flow.0.delayed_ack"]
    sets = [part for key in keys for part in ("--set", f"{key}={row[key]}")]
    done = vegaslab_in("run", scenario, *sets, "--seed", str(row["seed"]), "-o", "one", "--no-plot")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((here / "one" / "manifest.json").read_text())
    assert manifest["run_id"] == row["run_id"]
    assert manifest["summary"]["flows"][0]["throughput_mbps"] == row["flow.0.throughput_mbps"]
    assert (
        manifest["summary"]["links"][0]["utilisation"]
        == row[f"link.{manifest['summary']['links'][0]['id']}.utilisation"]
    )


@pytest.fixture(name="vegaslab_in")
def _vegaslab_in(vegaslab: Command) -> Command:
    return vegaslab


def test_readers_that_people_use_open_the_dataset(tmp_path: Path) -> None:
    vegaslab.sweep(small(tmp_path), tmp_path / "out")
    assert len(pandas.read_parquet(tmp_path / "out" / "runs")) == 16
    assert polars.read_parquet(tmp_path / "out" / "runs" / "*.parquet")["seed"].unique().sort().to_list() == [1, 2]
    assert len(polars.from_arrow(vegaslab.read_runs(tmp_path / "out"))) == 16
    averages = (
        duckdb.connect()
        .execute(
            f"""SELECT "flow.0.algorithm", avg("link.r1->r2.drops"), count(*) FROM '{tmp_path}/out/runs/*.parquet'
        GROUP BY 1 ORDER BY 1"""
        )
        .fetchall()
    )
    assert [(name, count) for name, _, count in averages] == [(n, 4) for n in ("cubic", "gallop", "reno", "vegas")]


def test_cells_of_different_networks_have_the_columns_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vegaslab.sweeps.dataset.ROWS_A_FILE", 2)
    lots = [
        {"topology": {"kind": "parking-lot", "hops": hops, "access": {"rate": "100mbit", "delay": "1ms"},
                      "bottleneck": {"rate": "10mbit", "delay": "3ms", "queue": "10p"}}}
        for hops in (1, 2, 3)
    ]  # fmt: skip
    plan = Plan({"name": "lot", "duration": "100ms", "flow": [{"algorithm": "vegas"}], **lots[0]}, list=lots)
    vegaslab.sweep(plan, tmp_path / "out")
    files = sorted((tmp_path / "out" / "runs").iterdir())
    assert len(files) == 2
    assert len({str(pyarrow.parquet.read_schema(file)) for file in files}) == 1
    rows = vegaslab.read_runs(tmp_path / "out").to_pylist()
    assert [row["link.r3->r4.drops"] for row in rows] == [None, None, 0]


def failing(tmp_path: Path) -> Path:
    path = small(tmp_path, 'limits = { time = "1h", memory = "100mb" }')
    path.write_text(path.read_text().replace('"cubic"', '"kubic"'))
    return path


def test_a_bad_value_is_a_row_with_its_error_and_the_others_go_on(
    tmp_path: Path, vegaslab: Command, here: Path
) -> None:
    plan = failing(tmp_path)
    done = vegaslab("sweep", plan, "-o", "out", "--json")
    assert done.returncode == 1
    summary = json.loads(done.stdout)
    assert (summary["made"], summary["failed"]) == (16, 4)
    rows = rows_of(here / "out")
    failed = [row for row in rows if row["status"] == "failed"]
    assert [row["flow.0.algorithm"] for row in failed] == ["kubic"] * 4
    assert all('flow.0.algorithm: "kubic" is no preset; did you mean "cubic"?' in row["error"] for row in failed)
    assert all(row["flow.0.throughput_mbps"] is None for row in failed)
    assert all(row["error"] is None and row["flow.0.throughput_mbps"] > 0 for row in rows if row["status"] == "ok")
    # failed runs are there: made again only when asked for
    assert json.loads(vegaslab("sweep", plan, "-o", "out", "--json").stdout)["made"] == 0
    again = vegaslab("sweep", plan, "-o", "out", "--json", "--retry-failed")
    assert again.returncode == 1
    assert json.loads(again.stdout)["made"] == 4
    assert rows_of(here / "out") == rows


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = vegaslab.read_runs(folder).to_pylist()
    return rows


def test_limits_fail_a_run(tmp_path: Path) -> None:
    plan = small(tmp_path, "limits = { events = 100 }")
    assert vegaslab.sweep(plan, tmp_path / "events").failed == 16
    assert {row["error"] for row in rows_of(tmp_path / "events")} == {"limit of 100 events reached"}
    slow = Plan(
        Plan.from_file(plan).document["scenario"] | {"duration": "2400h", "sample": "off"}, limits={"time": "50ms"}
    )
    assert vegaslab.sweep(slow, tmp_path / "time").failed == 1
    assert rows_of(tmp_path / "time")[0]["error"] == "time limit of 0.05 s reached"


class Part(Local):
    """Makes the first 300 runs only."""

    def __call__(self, plan: Plan, runs: Iterator[Run], deliver: Callable[[pyarrow.Table], None]) -> None:
        super().__call__(plan, islice(runs, 300), deliver)


def test_a_full_disk_leaves_what_was_written(
    thousand: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: dict[str, bytes]
) -> None:
    folder = tmp_path / "out"
    vegaslab.sweep(thousand, folder, runner=Part(1))
    before = dataset(folder)
    fsync, calls = os.fsync, iter(range(1000))

    def full(file: int) -> None:
        # plan.json and its folder still fit
        if next(calls) >= 2:
            raise OSError(28, "No space left on device")
        fsync(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        vegaslab.sweep(thousand, folder)
    assert dataset(folder) == before
    assert len(vegaslab.read_runs(folder)) == 300
    assert not list(folder.rglob("*.new"))
    monkeypatch.undo()
    vegaslab.sweep(thousand, folder)
    assert dataset(folder) == reference


def test_one_sweep_at_a_time_writes_a_folder(tmp_path: Path) -> None:
    plan, folder = small(tmp_path), tmp_path / "out"
    vegaslab.sweep(plan, folder)
    with (folder / ".lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(FolderError, match="another sweep is writing there"):
            vegaslab.sweep(plan, folder)
    vegaslab.sweep(plan, folder)


def test_a_folder_that_is_not_a_sweeps_is_left_alone(tmp_path: Path, vegaslab: Command, here: Path) -> None:
    (here / "thesis.tex").write_text("x")
    done = vegaslab("sweep", small(tmp_path), "-o", ".")
    assert done.returncode == 2
    assert "holds files but no sweep" in done.stderr
    assert [path.name for path in here.iterdir()] == ["thesis.tex"]


def test_a_dry_run_says_what_there_is_and_writes_nothing(tmp_path: Path, vegaslab: Command, here: Path) -> None:
    plan = small(tmp_path)
    said = json.loads(vegaslab("sweep", plan, "--dry-run", "--json").stdout)
    assert (said["runs"], said["there"]) == (16, 0)
    assert 1 <= said["sampled"] <= 16, "as many as three seconds allow, which is one on a busy machine"
    assert said["wall_s"] > 0
    assert list(here.iterdir()) == []
    vegaslab("sweep", plan, "-o", "out")
    assert "16 runs, 16 of them there" in vegaslab("sweep", plan, "-o", "out", "--dry-run").stdout


def test_a_forecast_samples_runs_all_over_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # however busy the machine is
    monkeypatch.setattr("vegaslab.sweeps.sweep._SAMPLE_S", TIMEOUT_S)
    seen = forecast(Plan.from_file(small(tmp_path)), tmp_path / "none", runner=Local(1))
    assert (seen.runs, seen.there, seen.sampled) == (16, 0, 16)


def test_a_bad_plan_is_one_line_and_exit_code_two(tmp_path: Path, vegaslab: Command, here: Path) -> None:
    plan = small(tmp_path, "replicas = 3")
    done = vegaslab("sweep", plan)
    assert done.returncode == 2
    assert done.stderr == f'vegaslab: {plan}:2: replicas: unknown key; did you mean "replications"?\n'
    assert list(here.iterdir()) == []


def test_the_bar_shows_runs_rate_time_left_and_failures() -> None:
    line = sweep_line(there=250, runs=1000, rate=5.0, failed=3, width=8)
    assert line == "##...... 250/1000 runs, 5/s, 2:30 min left, 3 failed"
    assert [readable_time(s) for s in (0.25, 59, 60, 7260)] == ["0.25 s", "59 s", "1:00 min", "2:01 h"]

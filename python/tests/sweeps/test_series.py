"""Time series that a sweep keeps: those of the run itself, whatever happens to the sweep."""

import json
import signal
import threading
import time
from pathlib import Path
from random import Random

import duckdb
import pandas
import polars
import pyarrow
import pytest

import vegaslab
from tests.conftest import Command, interrupted
from tests.sweeps.test_sweep import IN_PORTIONS, PLAN, Part
from vegaslab import Plan, PlanError
from vegaslab.sweeps.sweep import Local
from vegaslab.util.folder import FolderError

KEPT = 'series = ["flows", "links"]\n'


def plan_of(tmp_path: Path, replications: int = 2, text: str = KEPT) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(text + PLAN.replace("replications = 125", f"replications = {replications}"))
    return path


def everything(folder: Path) -> dict[str, bytes]:
    """All files of the dataset."""
    parts = ("runs", "flow_series", "link_series", "earlier")
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for part in parts
        for file in (folder / part).rglob("*")
        if file.is_file()
    }


def numbers(folder: Path) -> tuple[int, ...]:
    return tuple(len(list((folder / part).glob("*"))) for part in ("runs", "flow_series", "link_series"))


def test_series_are_those_of_the_run_by_itself(tmp_path: Path) -> None:
    plan = Plan.from_file(plan_of(tmp_path))
    vegaslab.sweep(plan, tmp_path / "out")
    assert numbers(tmp_path / "out") == (1, 16, 16)
    row = vegaslab.read_runs(tmp_path / "out").to_pylist()[5]
    cell = {key: row[key] for key in plan.varied}
    alone = vegaslab.run(plan.document["scenario"], set=cell, seed=row["seed"])
    for name, expected in (("flows", alone.series.flows), ("links", alone.series.links)):
        kept = vegaslab.read_series(tmp_path / "out", name, [row["run_id"]])
        assert set(kept["run_id"].to_pylist()) == {row["run_id"]}
        assert kept.drop_columns("run_id").to_pylist() == expected.to_pylist()
        assert len(kept) > 0
        field = kept.schema.field("throughput_mbps")
        assert field.metadata[b"unit"] == b"Mb/s"


def test_the_reader_gives_all_runs_in_the_order_of_the_rows(tmp_path: Path) -> None:
    vegaslab.sweep(plan_of(tmp_path), tmp_path / "out")
    series = vegaslab.read_series(tmp_path / "out", "links")
    ids = vegaslab.read_runs(tmp_path / "out")["run_id"].to_pylist()
    assert list(dict.fromkeys(series["run_id"].to_pylist())) == ids
    with pytest.raises(FolderError, match=r"nothing\.parquet: is not there"):
        vegaslab.read_series(tmp_path / "out", "links", ["nothing"])
    with pytest.raises(FolderError, match="holds no series of flows"):
        vegaslab.read_series(tmp_path, "flows")


def test_readers_that_people_use_open_the_series(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    vegaslab.sweep(plan_of(tmp_path), folder)
    ids = vegaslab.read_runs(folder)["run_id"].to_pylist()
    rows = len(vegaslab.read_series(folder, "flows"))
    frame = pandas.read_parquet(folder / "flow_series", filters=[("run_id", "==", ids[0])])
    assert set(frame["run_id"]) == {ids[0]}
    assert frame["time_s"].is_monotonic_increasing
    scanned = polars.scan_parquet(folder / "flow_series" / "*.parquet")
    assert scanned.select(polars.col("run_id").n_unique()).collect().item() == len(ids)
    joined = (
        duckdb.connect()
        .execute(
            f"""SELECT count(*), count(DISTINCT r.run_id) FROM '{folder}/flow_series/*.parquet' s
        JOIN '{folder}/runs/*.parquet' r USING (run_id)"""
        )
        .fetchall()
    )
    assert joined == [(rows, len(ids))]


def test_rows_and_their_figures_are_the_same_with_and_without_series(tmp_path: Path) -> None:
    vegaslab.sweep(plan_of(tmp_path), tmp_path / "with")
    vegaslab.sweep(plan_of(tmp_path, text=""), tmp_path / "without")
    rows = {name: text for name, text in everything(tmp_path / "with").items() if name.startswith("runs/")}
    assert everything(tmp_path / "without") == rows


def test_kills_at_random_change_nothing(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, replications=40)
    vegaslab.sweep(plan, tmp_path / "reference", jobs=1)
    folder = tmp_path / "killed"
    random = Random(1)
    sizes: list[int] = []
    command = ["sweep", plan, "-o", folder, "-j", "2"]
    # of seven portions, of some 850 points each
    while (done := interrupted(command, random.randrange(2500), signal.SIGKILL, IN_PORTIONS)).returncode:
        assert done.returncode == -signal.SIGKILL, done.stderr
        rows = vegaslab.read_runs(folder)["run_id"].to_pylist() if any((folder / "runs").glob("*.parquet")) else []
        sizes.append(len(rows))
        for name in ("flows", "links") if rows else ():
            # a row has its series, and no file is torn
            assert len(vegaslab.read_series(folder, name, rows)) > 0
    assert sizes == sorted(sizes)
    assert len(set(sizes) - {0, 320}) >= 3, f"few kills came in the middle: {sizes}"
    assert everything(folder) == everything(tmp_path / "reference")


def test_series_asked_for_later_make_their_runs_again(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    plan = plan_of(tmp_path, text="")
    vegaslab.sweep(plan, folder)
    before = everything(folder)
    assert (vegaslab.sweep(plan, folder, series=["links"]).made, numbers(folder)) == (16, (1, 0, 16))
    assert {name: text for name, text in everything(folder).items() if name in before} == before
    vegaslab.sweep(plan, tmp_path / "whole", series=["links"])
    assert everything(folder) == everything(tmp_path / "whole")
    # what is there is kept when it is not asked for
    assert (vegaslab.sweep(plan, folder).made, numbers(folder)) == (0, (1, 0, 16))
    # and a file that was lost is made again
    next((folder / "link_series").iterdir()).unlink()
    assert vegaslab.sweep(plan, folder, series=["links"]).made == 1
    assert everything(folder) == everything(tmp_path / "whole")


def test_a_plan_that_changed_keeps_the_series_that_it_still_names(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    plan = plan_of(tmp_path)
    vegaslab.sweep(plan, folder)
    first = everything(folder)
    text = plan.read_text()
    plan.write_text(text.replace('["vegas", "reno", "gallop", "cubic"]', '["sack", "gallop"]'))
    assert (vegaslab.sweep(plan, folder).made, numbers(folder)) == (4, (1, 8, 8))
    vegaslab.sweep(plan, tmp_path / "fresh")
    here = {name: text for name, text in everything(folder).items() if not name.startswith("earlier/")}
    assert here == everything(tmp_path / "fresh")
    plan.write_text(text)
    assert vegaslab.sweep(plan, folder).made == 0
    here = {name: text for name, text in everything(folder).items() if not name.startswith("earlier/")}
    assert here == first


def test_a_full_disk_leaves_no_torn_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, plan = tmp_path / "out", plan_of(tmp_path)
    written, calls = Path.write_bytes, iter(range(1000))

    def full(path: Path, data: bytes) -> int:
        if next(calls) < 9:
            return written(path, data)
        written(path, bytes(data)[:100])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            vegaslab.sweep(plan, folder, runner=Part(1))
    assert not list(folder.rglob("*.new"))
    for file in folder.glob("*_series/*"):
        assert pyarrow.parquet.read_table(file).num_rows > 0
    vegaslab.sweep(plan, folder)
    vegaslab.sweep(plan, tmp_path / "fresh")
    assert everything(folder) == everything(tmp_path / "fresh")


def test_a_failed_run_has_no_series_and_is_not_made_again_for_them(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    plan.write_text(plan.read_text().replace('"cubic"', '"kubic"'))
    done = vegaslab.sweep(plan, tmp_path / "out")
    assert (done.made, done.failed, numbers(tmp_path / "out")) == (16, 4, (1, 12, 12))
    assert vegaslab.sweep(plan, tmp_path / "out").made == 0


def test_the_command_keeps_series(tmp_path: Path, vegaslab: Command, here: Path) -> None:
    plan = plan_of(tmp_path, text="")
    assert vegaslab("sweep", plan, "-o", "out", "--series", "links,flows").returncode == 0
    assert numbers(here / "out") == (1, 16, 16)
    dry = vegaslab("sweep", plan, "-o", "out", "--series", "flows", "--dry-run", "--json")
    assert json.loads(dry.stdout)["there"] == 16
    next((here / "out" / "flow_series").iterdir()).unlink()
    dry = vegaslab("sweep", plan, "-o", "out", "--series", "flows", "--dry-run", "--json")
    assert json.loads(dry.stdout)["there"] == 15
    wrong = vegaslab("sweep", plan, "--series", "queues")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "vegaslab: --series: 'queues' was given; flows, links or flows,links\n",
    )


def test_bad_series_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"plan\.toml:1: series: \['flow'\] was given; expected a list of \"flows\""):
        Plan.from_file(plan_of(tmp_path, text='series = ["flow"]\n'))
    scenario = Plan.from_file(plan_of(tmp_path)).document["scenario"]
    with pytest.raises(PlanError, match=r'Plan: series: the scenario has sample = "off"'):
        Plan({**scenario, "sample": "off"}, series=["flows"])
    varied = Plan(scenario, grid={"sample": ["off", "10ms"]}, series=["flows"])
    done = vegaslab.sweep(varied, tmp_path / "out")
    assert (done.failed, numbers(tmp_path / "out")) == (1, (1, 1, 0))
    assert vegaslab.read_runs(tmp_path / "out")["error"].to_pylist()[0].startswith('sample: "off" leaves nothing')


def wait_until_others_wait() -> None:
    """Waits until no other thread of this process has anything to do: all runs are made, or held up."""
    seen = 0
    while seen < 50:
        time.sleep(0.01)
        others = {int(task.name) for task in Path("/proc/self/task").iterdir()} - {threading.get_native_id()}
        states = [state(thread) for thread in others]
        seen = seen + 1 if all(one == "S" for one in states) else 0


def state(thread: int) -> str:
    """As in `man proc`: "S" sleeps; a thread that only other processes keep waiting is "R"; one that has ended since it
    was listed is "X"."""
    try:
        return Path(f"/proc/self/task/{thread}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def test_what_waits_for_a_slow_disk_is_bounded(tmp_path: Path) -> None:
    scenario = Plan.from_file(plan_of(tmp_path)).document["scenario"]
    plan = Plan({**scenario, "duration": "20s", "sample": "1ms"}, series=["flows", "links"], replications=200)
    sizes: list[int] = []

    def deliver(runs: pyarrow.Table) -> None:
        sizes.append(runs.nbytes)
        if len(sizes) == 1:
            wait_until_others_wait()

    Local(2)(plan, ((place, "{}", plan.seeds[place]) for place in range(200)), deliver)
    assert sum(sizes) > 48 << 20
    assert max(sizes) < 40 << 20

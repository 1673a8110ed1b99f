"""What a results folder holds is read back, or refused in one line that names it."""

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import vegaslab
from vegaslab.measuring.campaign import Journal, Plan
from vegaslab.sweeps.dataset import read_runs, read_series
from vegaslab.util.folder import FolderError

PLAN = Plan(paths=("host",), sizes_bytes=(1000,), algorithms=("vegas", "reno"), repeat=2, seed=1)
ROW = "0,host,1000,vegas,0.5,1.5,0,2.5,,"
HEAD = (
    "number,path,size_bytes,algorithm,completion_s,throughput_mbps,retransmits,min_rtt_ms,lateness_p99_us,trustworthy\n"
)


def written(file: Path, **columns: list[object]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file


def refused(folder: Path) -> str:
    with pytest.raises(FolderError) as raised:
        read_runs(folder)
    assert str(raised.value).startswith(str(folder))
    assert str(raised.value).isprintable()
    return str(raised.value)


def test_damaged_runs_are_named(tmp_path: Path) -> None:
    file = written(tmp_path / "runs" / "00000.parquet", run_id=["0"], status=["ok"], error=["none"])
    assert read_runs(tmp_path).num_rows == 1
    whole = file.read_bytes()
    for damaged in (b"", b"PAR1", whole[:-1], whole[: len(whole) // 2], b"x" * 1000):
        file.write_bytes(damaged)
        assert f"{file}: is no Parquet file, or is damaged" in refused(tmp_path)


def test_a_column_name_that_is_no_text_is_damage(tmp_path: Path) -> None:
    file = tmp_path / "runs" / "00000.parquet"
    file.parent.mkdir()
    table = pyarrow.table({"run_id": ["0"], "status": ["ok"], "error": ["none"], "surplus": [1]})
    pyarrow.parquet.write_table(table, file, store_schema=False)
    file.write_bytes(file.read_bytes().replace(b"surplus", b"\x91urplus"))
    assert f"{file}: is no Parquet file, or is damaged" in refused(tmp_path)


def test_a_row_group_longer_than_any_writer_makes_is_damage(tmp_path: Path) -> None:
    file = tmp_path / "runs" / "00000.parquet"
    file.parent.mkdir()
    table = pyarrow.table({"run_id": pyarrow.nulls((1 << 20) + 1, pyarrow.string())})
    pyarrow.parquet.write_table(table, file, row_group_size=table.num_rows)
    assert f"{file}: is no Parquet file, or is damaged" in refused(tmp_path)


def test_a_strangers_tables_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "runs" / "00000.parquet", status=["ok"], error=["none"])
    assert f"{file}: has no column run_id of text" in refused(tmp_path)
    written(file, run_id=[1], status=["ok"], error=["none"])
    assert f"{file}: has no column run_id of text" in refused(tmp_path)
    written(file, run_id=["0"], status=["ok"], error=["none"], seed=[1])
    written(tmp_path / "runs" / "00001.parquet", run_id=["1"], status=["ok"], error=["none"], seed=["1"])
    assert "columns of one name differ in type" in refused(tmp_path)


def test_damaged_series_are_named(tmp_path: Path) -> None:
    file = written(tmp_path / "flow_series" / "0.parquet", time_s=[0.5])
    assert read_series(tmp_path, "flows", ["0"]).num_rows == 1
    written(tmp_path / "flow_series" / "1.parquet", time_s=["0.5"])
    with pytest.raises(FolderError, match="files have different columns"):
        read_series(tmp_path, "flows", ["0", "1"])
    file.write_bytes(b"PAR1")
    with pytest.raises(FolderError, match="is no Parquet file, or is damaged"):
        read_series(tmp_path, "flows", ["0"])


def test_a_journals_transfers_are_read_back(tmp_path: Path) -> None:
    Journal(tmp_path, PLAN).close()
    (tmp_path / "transfers.csv").write_text(f"{HEAD}{ROW}\n")
    with Journal(tmp_path, PLAN) as journal:
        assert journal.done[0].completion_s == 0.5


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("transfers.csv", f"{HEAD}0,host,1000\n"),
        ("transfers.csv", f"number\n{ROW}\n"),
        ("transfers.csv", HEAD + ROW.replace("0.5", "nan") + "\n"),
        ("transfers.csv", HEAD + ROW.replace("0.5", "0") + "\n"),
        ("transfers.csv", HEAD + ROW.replace("0,", "-1,", 1) + "\n"),
        ("transfers.csv", HEAD + "x" * 200_000 + "\n"),
        ("transfers.csv", f"{HEAD}\0\n"),
        ("plan.json", "[]"),
        ("plan.json", "[" * 100_000),
        ("plan.json", "{"),
    ],
)
def test_a_damaged_journal_is_refused_in_a_line(tmp_path: Path, file: str, text: str) -> None:
    Journal(tmp_path, PLAN).close()
    (tmp_path / file).write_text(text)
    with pytest.raises(FolderError) as raised:
        Journal(tmp_path, PLAN)
    assert str(raised.value).startswith(str(tmp_path))
    assert str(raised.value).isprintable()


def test_a_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    made = vegaslab.run("gallop-50mbit", set={"duration": "5s"})
    opened = vegaslab.Result.open(made.write(tmp_path / "run"))
    assert opened.summary == made.summary
    for table in ("flows", "links", "traffic", "incidents"):
        assert getattr(opened, table).to_pylist() == getattr(made, table).to_pylist(), table
    for table in ("flows", "links"):
        assert opened.series[table].to_pylist() == made.series[table].to_pylist(), table
    assert opened.scenario.document_json() == made.scenario.document_json()
    assert repr(opened) == repr(made)
    opened.plot(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 0
    assert vegaslab.Result.open(opened.write(tmp_path / "copy")).summary == made.summary


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [
        (None, "No such file or directory; give the folder of a run"),
        ("{", "is no manifest"),
        ("[" * 100_000, "is no manifest"),
        ("[1]", "is not vegaslab's"),
        ('{"generator": "other"}', "is not vegaslab's"),
        ('{"generator": "vegaslab", "format": 2}', "another format than 1"),
        ('{"generator": "vegaslab", "format": 1, "summary": {}, "scenario": {}}', "is not that of a run"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, manifest: str | None, complaint: str) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(FolderError) as raised:
        vegaslab.Result.open(tmp_path)
    assert str(raised.value).startswith(f"{tmp_path / 'manifest.json'}: ")
    assert complaint in str(raised.value)


def test_a_run_without_a_table_is_named_when_that_is_asked_for(tmp_path: Path) -> None:
    folder = vegaslab.run("gallop-50mbit", set={"duration": "1s"}).write(tmp_path / "run")
    (folder / "links.parquet").unlink()
    opened = vegaslab.Result.open(folder)
    assert opened.flows.num_rows == 1
    with pytest.raises(FolderError, match=r"links\.parquet: is missing"):
        _ = opened.links

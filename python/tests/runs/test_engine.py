"""Both engines: the same results, by the command line and from Python."""

import json
from pathlib import Path

import pytest

import vegaslab
from vegaslab.commands import cli
from vegaslab.runs.result import Engine

FLOW = {"flow.0.algorithm": "vegas", "duration": "3s"}


def tables(engine: Engine, folder: Path) -> dict[str, bytes]:
    vegaslab.run("dynamic-vegas-and-reno", set=FLOW, engine=engine).write(folder)
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def test_the_reference_gives_the_same_tables(tmp_path: Path) -> None:
    fast = tables("fast", tmp_path / "fast")
    assert len(fast) > 3
    assert tables("reference", tmp_path / "reference") == fast


def test_the_command_line_takes_an_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summaries = []
    for engine in ("fast", "reference"):
        assert cli.main(["run", "gallop-50mbit", "--set", "duration=2s", "--json", "--engine", engine]) == 0
        summary = json.loads(capsys.readouterr().out)
        summaries.append({key: summary[key] for key in ("flows", "links")})
    assert summaries[0] == summaries[1]
    assert not list(tmp_path.iterdir())


def test_another_engine_is_refused() -> None:
    with pytest.raises(ValueError, match='engine: "slow" was given; "fast" or "reference"'):
        vegaslab.run("gallop-50mbit", engine="slow")  # type: ignore[arg-type]

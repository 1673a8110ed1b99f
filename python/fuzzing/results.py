"""Any bytes in the place of what results folders hold, read back."""

import shutil
from collections.abc import Callable
from pathlib import Path

from fuzzing.rules import check_line, folder
from vegaslab.measuring.campaign import Journal, Plan, table
from vegaslab.runs.result import KeptResult, Result
from vegaslab.sweeps.dataset import read_runs, read_series
from vegaslab.util.folder import FolderError

_PLAN = Plan(paths=("host",), sizes_bytes=(1000,), algorithms=("vegas", "reno"), repeat=2, seed=1)


def check(data: bytes) -> None:
    """The first byte says what the others are. They are read, or refused in a line that names file or folder."""
    place = folder() / "results"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    read = _READERS[data[0] % len(_READERS)] if data else _runs
    try:
        read(place, data[1:])
    except FolderError as error:
        check_line(str(error), place)


def _runs(place: Path, data: bytes) -> None:
    (place / "runs").mkdir()
    (place / "runs" / "00000.parquet").write_bytes(data)
    assert "run_id" in read_runs(place).column_names


def _series(place: Path, data: bytes) -> None:
    (place / "flow_series").mkdir()
    (place / "flow_series" / "0.parquet").write_bytes(data)
    read_series(place, "flows", ["0"])


def _table(place: Path, data: bytes) -> None:
    (place / "flows.parquet").write_bytes(data)
    assert KeptResult(place, {}, {}).flows.num_columns >= 0


def _manifest(place: Path, data: bytes) -> None:
    (place / "manifest.json").write_bytes(data)
    assert Result.open(place).summary


def _transfers(place: Path, data: bytes) -> None:
    Journal(place, _PLAN).close()
    (place / "transfers.csv").write_bytes(data)
    with Journal(place, _PLAN) as journal:
        table(_PLAN, journal.done)


def _transfers_plan(place: Path, data: bytes) -> None:
    (place / "plan.json").write_bytes(data)
    Journal(place, _PLAN).close()


_READERS: list[Callable[[Path, bytes], None]] = [_runs, _series, _table, _transfers, _transfers_plan, _manifest]

"""A sweep's folder: one Parquet dataset that grows, a row a run.

Each file of `runs/` holds the rows of a fixed stretch of the plan, in the plan's order, and is only ever replaced as a
whole by one with more rows (`docs/architecture.md` says why). So a file is never torn, no row comes twice, and what
the files hold in the end does not depend on how the sweep got there.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from vegaslab import _vegaslab
from vegaslab.columns import FAILED, assemble, delivered_again, united
from vegaslab.folder import FolderError, sync_folder
from vegaslab.plan import Plan
from vegaslab.series import COLUMNS, SeriesFiles

if TYPE_CHECKING:
    import numpy as np
    import pyarrow

ROWS_A_FILE = 10_000
RUNS = "runs"
_EARLIER = "earlier"
_PLAN = "plan.json"
_LOCK = ".lock"
_CELLS_AT_ONCE = 10_000
_COMPRESSION = "zstd"


def read_runs(folder: str | PathLike[str]) -> "pyarrow.Table":
    """The runs of a sweep's folder as one Arrow table, a row a run, in the plan's order.

    pandas, polars and DuckDB take it without a copy. Runs that failed have their `error` and no figures. Raises
    `FolderError` for a folder without runs.
    """
    import pyarrow.parquet

    files = _files(Path(folder) / RUNS)
    if not files:
        raise FolderError(f"{folder}: holds no runs of a sweep; give the folder of `vegaslab sweep`")
    return united([pyarrow.parquet.read_table(file) for file in files])


class Dataset:
    """The rows that a folder has of a plan's runs, and those that are being added. One process has it at a time."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        """Takes hold of the folder; what an earlier plan left there that this one needs is taken over."""
        self.folder = folder
        self._plan = plan
        self._stretches: dict[int, _Stretch] = {}
        self._series = SeriesFiles(folder, folder / _EARLIER, plan.series)

    @classmethod
    def look(cls, folder: Path, plan: Plan) -> "tuple[int, np.ndarray[Any, np.dtype[np.int64]]]":
        """How many of the plan's runs a folder has, and the places of those it has not; changes nothing there."""
        import numpy as np
        import pyarrow.parquet

        _check(folder)
        files = [*_files(folder / RUNS), *_files(folder / _EARLIER)]
        tables = [pyarrow.parquet.read_table(file, columns=["run_id", "status"]) for file in files]
        rows = [(row["run_id"], row["status"]) for table in tables for row in table.to_pylist()]
        whole = SeriesFiles(folder, folder / _EARLIER, plan.series).complete()
        known = {id_ for id_, status in rows if whole is None or status == FAILED or id_ in whole}
        ids, first = np.unique(run_ids(plan), return_index=True)
        missing = [place for id_, place in zip(ids, first, strict=True) if hexadecimal(id_) not in known]
        return len(ids) - len(missing), np.sort(np.array(missing, np.int64))

    def __enter__(self) -> "Dataset":
        """Locks the folder. Raises `FolderError` if it is another's or cannot be written."""
        import numpy as np

        try:
            _check(self.folder)
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self.folder)
        except OSError as error:
            raise FolderError(f"{self.folder}: cannot be written: {error.strerror}; give another with -o") from None
        try:
            (self.folder / RUNS).mkdir(exist_ok=True)
            for torn in self.folder.rglob("*.new"):
                torn.unlink()
            manifest = {"generator": "vegaslab", "version": _vegaslab.version, "plan": self._plan.document}
            _replace(self.folder / _PLAN, lambda file: file.write(json.dumps(manifest, indent=2).encode() + b"\n"))
            self.ids = run_ids(self._plan)
            _, first = np.unique(self.ids, return_index=True)
            self._once = np.zeros(len(self.ids), bool)
            self._once[first] = True
            self._there = np.zeros(len(self.ids), bool)
            self._failed = np.zeros(len(self.ids), bool)
            # rows whose series are asked for and missing: these runs are made again
            self._bare = np.zeros(len(self.ids), bool)
            self._take_stock()
            self._take_stock_of_series()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Lets go of the folder; what was not flushed is lost."""
        self._lock.close()

    def __len__(self) -> int:
        """How many of the plan's runs there are, those that failed included."""
        import numpy as np

        return int(np.count_nonzero(self._there & ~self._bare))

    @property
    def failed(self) -> int:
        """Rows of this plan with an error."""
        import numpy as np

        return int(np.count_nonzero(self._failed))

    def missing(self) -> "np.ndarray[Any, np.dtype[np.int64]]":
        """The places in the plan of the runs that are not there; of runs that are the same, only the first."""
        import numpy as np

        return np.flatnonzero(self._once & (~self._there | self._bare))

    def forget_failed(self) -> None:
        """Takes the rows of failed runs out, so that they are missing."""
        import numpy as np

        if self.failed:
            for number in {place // ROWS_A_FILE for place in np.flatnonzero(self._there)}:
                self._stretch(int(number)).forget_failed()

    def add(self, runs: "pyarrow.Table") -> None:
        """Takes finished runs as the native half delivers them: `place`, `error`, totals, series. Raises `OSError`."""
        import numpy as np

        places = runs["place"].to_numpy()
        runs = self._without_series(runs)
        for number in np.unique(places // ROWS_A_FILE):
            self._stretch(int(number)).add(runs.filter(places // ROWS_A_FILE == number))

    def flush(self) -> None:
        """Writes what was added. Raises `OSError`; the files are then as they were."""
        self._series.flush()
        for number, stretch in list(self._stretches.items()):
            stretch.write()
            if stretch.complete():
                del self._stretches[number]

    def finish(self) -> None:
        """Writes what was added; if all runs are there, gives every file the same columns."""
        self.flush()
        if self._once.sum() == len(self):
            _unite(_files(self.folder / RUNS))
            self._drop_earlier()

    def _without_series(self, runs: "pyarrow.Table") -> "pyarrow.Table":
        """Puts delivered series into their files, and gives the rest."""
        columns = [name for name in runs.column_names if name in COLUMNS]
        for row, place in enumerate(runs["place"].to_pylist() if columns else ()):
            files = {COLUMNS[name]: runs[name][row] for name in columns}
            # runs that failed have none
            present = {name: file.as_buffer() for name, file in files.items() if file.is_valid}
            self._series.add(hexadecimal(self.ids[place]), present)
        return runs.drop_columns(columns)

    def _stretch(self, number: int) -> "_Stretch":
        if number not in self._stretches:
            self._stretches[number] = _Stretch(self, number)
        return self._stretches[number]

    def _take_stock(self) -> None:
        """Finds out what is there. Files that do not belong to this plan are put aside, and asked for its rows."""
        import pyarrow.parquet

        places: dict[int, list[int]] = {}
        for file in _files(self.folder / RUNS):
            found = self._places_of(file)
            if found is None:
                self._put_aside()
                places = {}
                break
            places[int(file.stem)] = found
        for number, found in places.items():
            self._there[found] = True
            status = pyarrow.parquet.read_table(self._file(number), columns=["status"])["status"].to_pylist()
            self._failed[found] = [word == FAILED for word in status]
        self._adopt_earlier()

    def _take_stock_of_series(self) -> None:
        import numpy as np

        if self._series.any():
            there = {hexadecimal(id_) for id_ in self.ids[self._there]}
            self._series.tidy({hexadecimal(id_) for id_ in self.ids}, there)
        whole = self._series.complete()
        if whole is not None:
            for place in np.flatnonzero(self._there & ~self._failed).tolist():
                self._bare[place] = hexadecimal(self.ids[place]) not in whole

    def _places_of(self, file: Path) -> list[int] | None:
        """The places of a file's rows; none if it holds a row that is not of its stretch."""
        import pyarrow.parquet

        if not file.stem.isdigit():
            return None
        places = self.places_by_id(int(file.stem))
        ids = pyarrow.parquet.read_table(file, columns=["run_id"])["run_id"].to_pylist()
        return [places[id_] for id_ in ids] if all(id_ in places for id_ in ids) else None

    def places_by_id(self, number: int) -> dict[str, int]:
        """The places of a stretch, by the run's id."""
        start = number * ROWS_A_FILE
        ids = self.ids[start : start + ROWS_A_FILE]
        return {hexadecimal(id_): start + place for place, id_ in enumerate(ids) if self._once[start + place]}

    def _put_aside(self) -> None:
        (self.folder / _EARLIER).mkdir(exist_ok=True)
        taken = [int(file.stem) for file in _files(self.folder / _EARLIER)]
        for number, file in enumerate(_files(self.folder / RUNS), max(taken, default=-1) + 1):
            file.rename(self.folder / _EARLIER / f"{number:05}.parquet")

    def _adopt_earlier(self) -> None:
        import numpy as np
        import pyarrow.parquet

        earlier = _files(self.folder / _EARLIER)
        if not earlier:
            return
        order = np.argsort(self.ids)
        for file in earlier:
            table = pyarrow.parquet.read_table(file)
            ids = np.array([bytes.fromhex(id_) for id_ in table["run_id"].to_pylist()], "S32")
            found = np.minimum(np.searchsorted(self.ids, ids, sorter=order), len(order) - 1)
            places = order[found]
            wanted = (self.ids[places] == ids) & self._once[places] & ~self._there[places]
            if wanted.any():
                self.add(delivered_again(table.filter(wanted), places[wanted]))
        self.flush()

    def _drop_earlier(self) -> None:
        """Removes files put aside of which this plan has every row."""
        import pyarrow.parquet

        known = {hexadecimal(id_) for id_ in self.ids} if (self.folder / _EARLIER).exists() else set()
        for file in _files(self.folder / _EARLIER):
            if known.issuperset(pyarrow.parquet.read_table(file, columns=["run_id"])["run_id"].to_pylist()):
                file.unlink()
        with contextlib.suppress(OSError):
            (self.folder / _EARLIER).rmdir()

    def _file(self, number: int) -> Path:
        return self.folder / RUNS / f"{number:05}.parquet"


class _Stretch:
    """The rows of one file."""

    def __init__(self, dataset: Dataset, number: int) -> None:
        """Reads what the file holds."""
        import pyarrow.parquet

        self._dataset = dataset
        self._start = number * ROWS_A_FILE
        self._file = dataset._file(number)
        self._tables: list[pyarrow.Table] = []
        self._dirty = False
        if self._file.exists():
            table = pyarrow.parquet.read_table(self._file)
            places = dataset.places_by_id(number)
            self._tables.append(delivered_again(table, [places[id_] for id_ in table["run_id"].to_pylist()]))

    def add(self, runs: "pyarrow.Table") -> None:
        import numpy as np

        dataset, places = self._dataset, runs["place"].to_numpy()
        if dataset._there[places].any():
            self._tables = [table.filter(~np.isin(table["place"].to_numpy(), places)) for table in self._tables]
        self._tables.append(runs)
        dataset._there[places] = True
        dataset._bare[places] = False
        dataset._failed[places] = runs["error"].is_valid().to_numpy()
        self._dirty = True

    def forget_failed(self) -> None:
        for number, table in enumerate(self._tables):
            places = table["place"].to_numpy()[table["error"].is_valid().to_numpy()]
            self._dataset._there[places] = False
            self._dataset._failed[places] = False
            self._tables[number] = table.filter(table["error"].is_null())

    def complete(self) -> bool:
        stretch = slice(self._start, self._start + ROWS_A_FILE)
        return not (self._dataset._once[stretch] & (~self._dataset._there | self._dataset._bare)[stretch]).any()

    def write(self) -> None:
        if not self._dirty:
            return
        runs = united(self._tables).sort_by("place").combine_chunks()
        self._tables = [runs]
        places = runs["place"].to_numpy()
        ids = [hexadecimal(id_) for id_ in self._dataset.ids[places]]
        _write(self._file, assemble(self._dataset._plan, runs, ids))
        self._dirty = False


def run_ids(plan: Plan) -> "np.ndarray[Any, np.dtype[np.bytes_]]":
    """The id of every run of a plan, 32 bytes each, in the plan's order."""
    import numpy as np

    return np.concatenate([np.frombuffer(part, "S32") for part in _ids_in_parts(plan)])


def _ids_in_parts(plan: Plan) -> Iterator[bytes]:
    seeds = list(plan.seeds)
    for start in range(0, plan.number_of_cells, _CELLS_AT_ONCE):
        cells = range(start, min(start + _CELLS_AT_ONCE, plan.number_of_cells))
        yield plan.template.run_ids([json.dumps(plan.cell(number)) for number in cells], seeds)


def hexadecimal(id_: bytes) -> str:
    """An id as it is written; numpy leaves out zeros at its end."""
    return id_.ljust(32, b"\0").hex()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def _check(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder}: is a file; give a folder with -o")
    if folder.exists() and any(folder.iterdir()) and not (folder / _PLAN).exists() and not (folder / _LOCK).exists():
        raise FolderError(f"{folder}: holds files but no sweep; give a new folder with -o")


def _lock(folder: Path) -> BinaryIO:
    """Holds the folder until the file is closed or the process is gone, however it goes."""
    lock = (folder / _LOCK).open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise FolderError(f"{folder}: another sweep is writing there; wait for it, or give another -o") from None
    return lock


def _write(path: Path, table: "pyarrow.Table") -> None:
    import pyarrow.parquet

    # one row group: what is in the file must depend on the rows alone
    def write(file: BinaryIO) -> None:
        pyarrow.parquet.write_table(table, file, compression=_COMPRESSION, row_group_size=ROWS_A_FILE)

    _replace(path, write)


def _replace(path: Path, write: Any) -> None:
    """Writes a file whole or not at all, whatever happens in between."""
    new = path.with_suffix(".new")
    try:
        with new.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _unite(files: Sequence[Path]) -> None:
    """Readers take the columns of the first file for those of all."""
    import pyarrow.parquet

    schemas = [pyarrow.parquet.read_schema(file) for file in files]
    if all(schema.equals(schemas[0]) for schema in schemas):
        return
    empty = united([schema.empty_table() for schema in schemas])
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(empty.schema):
            _write(file, united([empty, pyarrow.parquet.read_table(file)]).combine_chunks())

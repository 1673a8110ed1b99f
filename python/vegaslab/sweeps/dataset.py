"""A sweep's folder: one Parquet dataset that grows by a row for each run.

Each file of `runs/` holds the rows of a fixed stretch of the plan, in the plan's order, and is only ever replaced as a
whole by one with more rows (`docs/architecture.md` gives the reasons). So a file is never torn, no row appears twice,
and the final content of the files does not depend on the interruptions of the sweep.
"""

import contextlib
import copy
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow
import pyarrow.parquet

from vegaslab import _vegaslab
from vegaslab.scenario.variants import algorithms_in, each_flow
from vegaslab.sweeps.columns import FAILED, assemble, delivered_again, united
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.sweeps.plans.reading import SERIES
from vegaslab.sweeps.series import COLUMNS, FOLDER_OF, FOLDERS, SUFFIX, SeriesFiles, check_series, names_in
from vegaslab.util.folder import LOCK, FolderError, check_names, lock_folder, replace_file, writing
from vegaslab.util.parquet import read_table, with_origin

ROWS_A_FILE = 10_000
RUNS = "runs"
_EARLIER = "earlier"
_PLAN = "plan.json"
_NEW_PLAN = "plan.new"
_FILE = re.compile(r"[0-9]{5,}\.(parquet|new)")
_CELLS_AT_ONCE = 10_000
_COMPRESSION = "zstd"
_GENERATOR = "vegaslab"
_TEXTS = ("run_id", "status", "error")


def read_runs(folder: str | PathLike[str]) -> pyarrow.Table:
    """Returns the runs of a sweep's folder as one Arrow table, a row for each run, in the plan's order.

    pandas, polars and DuckDB take it without a copy. Runs that failed have their `error` and no figures. Raises
    `FolderError` for a folder without runs.

    >>> import tempfile, vegaslab
    >>> plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.alpha": [1, 2], "duration": ["20s"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     swept = vegaslab.sweep(plan, folder)
    ...     runs = vegaslab.read_runs(folder)
    >>> runs.select(["flow.0.alpha", "flow.0.goodput_mbps"]).to_pylist()
    [{'flow.0.alpha': 1, 'flow.0.goodput_mbps': 10.825344}, {'flow.0.alpha': 2, 'flow.0.goodput_mbps': 10.825344}]
    """
    files = _files(Path(folder) / RUNS)
    if not files:
        raise FolderError(f"{folder}: holds no runs of a sweep; give the folder of one")
    tables = [_read(file) for file in files]
    try:
        return united(tables)
    except pyarrow.ArrowException:
        raise FolderError(f"{files[0].parent}: columns of one name differ in type; make the folder again") from None


def flows_of(folder: str | PathLike[str]) -> list[Mapping[str, Any]]:
    """Returns the table of each flow of the scenario that was swept, in the order of their ids; none without a plan."""
    plan = Path(folder) / _PLAN
    manifest = _manifest(plan) if plan.exists() else None
    return each_flow(manifest["plan"]["scenario"]["flow"] if manifest else [])


def algorithms_of(folder: str | PathLike[str]) -> list[object]:
    """Returns the algorithms of a sweep's runs, names or tables: those that vary, and those of the other flows."""
    runs, manifest = read_runs(folder), _manifest(Path(folder) / _PLAN)
    keys = [name for name in runs.column_names[: runs.column_names.index("seed")] if ".algorithm" in name]
    varied = [value for key in keys for value in runs[key].unique().to_pylist() if isinstance(value, str)]
    kept = copy.deepcopy(manifest["plan"]["scenario"]) if manifest else {}
    for number, flow in enumerate(kept.get("flow", [])):
        if f"flow.{number}.algorithm" in keys:
            flow.pop("algorithm", None)
    return [*algorithms_in(kept), *(json.loads(value) if value.startswith("{") else value for value in varied)]


def read_series(folder: str | PathLike[str], series: str, runs: Iterable[str] | None = None) -> pyarrow.Table:
    """The time series, "flows" or "links", of some runs (values of `run_id`; default: all) as one Arrow table.

    Run after run; its columns are `run_id` and those of `flow_series` or `link_series` (docs/results.md). Raises
    `FolderError` for a folder without such series and for a run without; `ValueError` for another name.

    >>> import tempfile, vegaslab
    >>> plan = vegaslab.Plan("gallop-50mbit", grid={"flow.0.alpha": [1, 2], "duration": ["5s"]}, series=["flows"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     swept = vegaslab.sweep(plan, folder)
    ...     series = vegaslab.read_series(folder, "flows")
    >>> series.num_rows, series.column_names[:4]
    (100, ['run_id', 'time_s', 'flow', 'cwnd_segments'])
    """
    if series not in SERIES:
        raise ValueError(f"series: {series!r} was given; one of {', '.join(SERIES)}")
    place = Path(folder) / FOLDER_OF[series]
    wanted = _with_series(Path(folder), place) if runs is None else list(runs)
    if not wanted:
        raise FolderError(f"{folder}: holds no series of {series}; sweep again with series {series}")
    tables = []
    for run in wanted:
        file = place / f"{run}{SUFFIX}"
        if not file.exists():
            raise FolderError(f"{file}: is not there; sweep again with series {series}")
        tables.append(read_table(file))
    try:
        return pyarrow.concat_tables(tables).unify_dictionaries()
    except pyarrow.ArrowException:
        raise FolderError(f"{place}: files have different columns; make the folder again") from None


def _with_series(folder: Path, place: Path) -> list[str]:
    """Returns the runs with a file in `place`, in the plan's order."""
    there = names_in(place)
    return [run for run in read_runs(folder)["run_id"].to_pylist() if run in there] if there else []


class Dataset:
    """The rows in a folder of a plan's runs, and those that are being added. One process has the folder at a time."""

    def __init__(self, folder: Path, plan: Plan, world: dict[str, Any] | None = None) -> None:
        """Opens the folder; rows of an earlier plan that this one needs are reused. `world` is the runner's."""
        self.folder = folder
        self._plan = plan
        self._world = world
        self._stretches: dict[int, _Stretch] = {}
        self._series = SeriesFiles(folder, folder / _EARLIER, plan.series)

    @classmethod
    def look(
        cls, folder: Path, plan: Plan, world: dict[str, Any] | None = None
    ) -> "tuple[int, np.ndarray[Any, np.dtype[np.int64]]]":
        """Returns how many of the plan's runs a folder has, and the places of the missing ones; changes nothing."""
        _check(folder, world)
        files = [*_files(folder / RUNS), *_files(folder / _EARLIER)]
        tables = [_read(file, ["run_id", "status"]) for file in files]
        rows = [(row["run_id"], row["status"]) for table in tables for row in table.to_pylist()]
        whole = SeriesFiles(folder, folder / _EARLIER, plan.series).complete()
        known = {id_ for id_, status in rows if whole is None or status == FAILED or id_ in whole}
        ids, first = np.unique(run_ids(plan), return_index=True)
        missing = [place for id_, place in zip(ids, first, strict=True) if hexadecimal(id_) not in known]
        return len(ids) - len(missing), np.sort(np.array(missing, np.int64))

    def __enter__(self) -> "Dataset":
        """Locks the folder. Raises `FolderError` if it is not a sweep's, `OSError` if it cannot be written."""
        with writing(self.folder):
            _check(self.folder, self._world)
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(self.folder, "sweep")
        try:
            _check_files(self.folder)
            with writing(self.folder):
                (self.folder / RUNS).mkdir(exist_ok=True)
                for torn in _torn(self.folder):
                    torn.unlink(missing_ok=True)
            manifest = {"generator": _GENERATOR, "version": _vegaslab.version, "plan": self._plan.document}
            if self._world is not None:
                manifest["world"] = self._world
            replace_file(self.folder / _PLAN, lambda file: file.write(json.dumps(manifest, indent=2).encode() + b"\n"))
            self.ids = run_ids(self._plan)
            _, first = np.unique(self.ids, return_index=True)
            self._once = np.zeros(len(self.ids), bool)
            self._once[first] = True
            self._there = np.zeros(len(self.ids), bool)
            self._failed = np.zeros(len(self.ids), bool)
            # rows without the requested series: these runs are made again
            self._bare = np.zeros(len(self.ids), bool)
            self._take_stock()
            self._take_stock_of_series()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Unlocks the folder; rows that were not flushed are lost."""
        self._lock.close()

    def __len__(self) -> int:
        """The number of the plan's runs in the folder, including failed ones."""
        return int(np.count_nonzero(self._there & ~self._bare))

    @property
    def failed(self) -> int:
        """The number of rows of this plan with an error."""
        return int(np.count_nonzero(self._failed))

    def missing(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Returns the places in the plan of the missing runs; of identical runs, only the first."""
        return np.flatnonzero(self._once & (~self._there | self._bare))

    def forget_failed(self) -> None:
        """Removes the rows of failed runs, so that these are missing."""
        if self.failed:
            for number in {place // ROWS_A_FILE for place in np.flatnonzero(self._there)}:
                self._stretch(int(number)).forget_failed()

    def add(self, runs: pyarrow.Table) -> None:
        """Adds finished runs as the native half delivers them: `place`, `error`, totals, series. Raises `OSError`."""
        places = runs["place"].to_numpy()
        runs = self._without_series(runs)
        for number in np.unique(places // ROWS_A_FILE):
            self._stretch(int(number)).add(runs.filter(places // ROWS_A_FILE == number))

    def flush(self) -> None:
        """Writes the added rows. Raises `OSError`; the files then stay unchanged."""
        self._series.flush()
        for number, stretch in list(self._stretches.items()):
            stretch.write()
            if stretch.complete():
                del self._stretches[number]

    def finish(self) -> None:
        """Writes the added rows; if no run is missing, gives every file the same columns."""
        self.flush()
        if self._once.sum() == len(self):
            _unite(_files(self.folder / RUNS))
            self._drop_earlier()

    def _without_series(self, runs: pyarrow.Table) -> pyarrow.Table:
        """Moves delivered series into their files, and returns the other columns."""
        columns = [name for name in runs.column_names if name in COLUMNS]
        for row, place in enumerate(runs["place"].to_pylist() if columns else ()):
            files = {COLUMNS[name]: runs[name][row] for name in columns}
            # failed runs have no series
            present = {name: file.as_buffer() for name, file in files.items() if file.is_valid}
            self._series.add(hexadecimal(self.ids[place]), present)
        return runs.drop_columns(columns)

    def _stretch(self, number: int) -> "_Stretch":
        if number not in self._stretches:
            self._stretches[number] = _Stretch(self, number)
        return self._stretches[number]

    def _take_stock(self) -> None:
        """Reads the files. Files that do not belong to this plan are put aside, and searched for its rows."""
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
            status = _read(self._file(number), ["status"])["status"].to_pylist()
            self._failed[found] = [word == FAILED for word in status]
        self._adopt_earlier()

    def _take_stock_of_series(self) -> None:
        if self._series.any():
            there = {hexadecimal(id_) for id_ in self.ids[self._there]}
            self._series.tidy({hexadecimal(id_) for id_ in self.ids}, there)
        whole = self._series.complete()
        if whole is not None:
            for place in np.flatnonzero(self._there & ~self._failed).tolist():
                self._bare[place] = hexadecimal(self.ids[place]) not in whole

    def _places_of(self, file: Path) -> list[int] | None:
        """Returns the places of a file's rows; None if it holds a row that is not of its stretch."""
        places = self.places_by_id(int(file.stem))
        ids = _read(file, ["run_id"])["run_id"].to_pylist()
        return [places[id_] for id_ in ids] if all(id_ in places for id_ in ids) else None

    def places_by_id(self, number: int) -> dict[str, int]:
        """Returns the places of a stretch, by the run's id."""
        start = number * ROWS_A_FILE
        ids = self.ids[start : start + ROWS_A_FILE]
        return {hexadecimal(id_): start + place for place, id_ in enumerate(ids) if self._once[start + place]}

    def _put_aside(self) -> None:
        with writing(self.folder):
            (self.folder / _EARLIER).mkdir(exist_ok=True)
        taken = [int(file.stem) for file in _files(self.folder / _EARLIER)]
        for number, file in enumerate(_files(self.folder / RUNS), max(taken, default=-1) + 1):
            file.rename(self.folder / _EARLIER / f"{number:05}.parquet")

    def _adopt_earlier(self) -> None:
        earlier = _files(self.folder / _EARLIER)
        if not earlier:
            return
        order = np.argsort(self.ids)
        for file in earlier:
            table = _read(file)
            ids = np.array([bytes.fromhex(id_) for id_ in table["run_id"].to_pylist()], "S32")
            found = np.minimum(np.searchsorted(self.ids, ids, sorter=order), len(order) - 1)
            places = order[found]
            wanted = (self.ids[places] == ids) & self._once[places] & ~self._there[places]
            if wanted.any():
                self.add(delivered_again(table.filter(wanted), places[wanted]))
        self.flush()

    def _drop_earlier(self) -> None:
        """Removes files put aside if this plan has every row of them."""
        known = {hexadecimal(id_) for id_ in self.ids} if (self.folder / _EARLIER).exists() else set()
        for file in _files(self.folder / _EARLIER):
            if known.issuperset(_read(file, ["run_id"])["run_id"].to_pylist()):
                file.unlink()
        with contextlib.suppress(OSError):
            (self.folder / _EARLIER).rmdir()

    def _file(self, number: int) -> Path:
        return self.folder / RUNS / f"{number:05}.parquet"


class _Stretch:
    """The rows of one file."""

    def __init__(self, dataset: Dataset, number: int) -> None:
        """Reads what the file holds."""
        self._dataset = dataset
        self._start = number * ROWS_A_FILE
        self._file = dataset._file(number)
        self._tables: list[pyarrow.Table] = []
        self._dirty = False
        if self._file.exists():
            table = _read(self._file)
            places = dataset.places_by_id(number)
            self._tables.append(delivered_again(table, [places[id_] for id_ in table["run_id"].to_pylist()]))

    def add(self, runs: pyarrow.Table) -> None:
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
        plan = self._dataset._plan
        _write(self._file, with_origin(assemble(plan, runs, ids), Path(plan.source).stem))
        self._dirty = False


def run_ids(plan: Plan) -> np.ndarray[Any, np.dtype[np.bytes_]]:
    """Returns the id of every run of a plan, 32 bytes each, in the plan's order."""
    return np.concatenate([np.frombuffer(part, "S32") for part in _ids_in_parts(plan)])


def _ids_in_parts(plan: Plan) -> Iterator[bytes]:
    seeds = list(plan.seeds)
    for start in range(0, plan.number_of_cells, _CELLS_AT_ONCE):
        cells = range(start, min(start + _CELLS_AT_ONCE, plan.number_of_cells))
        yield plan.template.run_ids([json.dumps(plan.cell(number)) for number in cells], seeds)


def hexadecimal(id_: bytes) -> str:
    """Returns an id as text; numpy drops zeros at the end of bytes."""
    return id_.ljust(32, b"\0").hex()


def _read(file: Path, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """Returns the table in a file of runs, or only these columns. Raises `FolderError`."""
    return read_table(file, columns, columns or _TEXTS)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def remove_dataset(folder: Path) -> None:
    """Removes a sweep's folder, unless it holds files that no sweep writes."""
    ours = {LOCK, _PLAN, _NEW_PLAN, RUNS, _EARLIER, *FOLDERS}
    if folder.is_dir() and all(entry.name in ours for entry in folder.iterdir()):
        with contextlib.suppress(FolderError):
            _check_files(folder)
            shutil.rmtree(folder)


def _check(folder: Path, world: dict[str, Any] | None) -> None:
    """Checks that the folder is empty or that of a sweep in this world. Raises `FolderError`."""
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder}: is a file; give a folder")
    names = {entry.name for entry in folder.iterdir()} if folder.exists() else set()
    if _PLAN in names:
        manifest = _manifest(folder / _PLAN)
        if manifest is None:
            raise FolderError(f"{folder}: holds {_PLAN!r}, which no sweep wrote; give a new folder")
        if manifest.get("world") != world:
            raise FolderError(f"{folder}: holds runs of another world, kernel or QEMU; give a new folder")
    # a sweep that was killed at its start has not written its plan
    others = names - {LOCK, _NEW_PLAN, RUNS}
    if _PLAN not in names and (others or (names and LOCK not in names) or any((folder / RUNS).glob("*"))):
        stranger = min(others or names)
        raise FolderError(f"{folder}: holds files but no sweep, {stranger!r} first; give a new folder")


def _manifest(plan: Path) -> dict[str, Any] | None:
    """Returns what a sweep has written in a file; none if it is another's."""
    try:
        found = json.loads(plan.read_bytes())
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.get("generator") == _GENERATOR and "plan" in found else None


def _check_files(folder: Path) -> None:
    """Checks that folders in which a sweep replaces files hold its own files only. Raises `FolderError`."""
    check_names(folder / RUNS, _FILE)
    check_names(folder / _EARLIER, _FILE, folders=re.compile("|".join(FOLDERS)))
    for place in (folder, folder / _EARLIER):
        check_series(place)


def _torn(folder: Path) -> Iterator[Path]:
    """Yields the files that a killed sweep was writing."""
    yield folder / _NEW_PLAN
    for place in (
        folder / RUNS,
        folder / _EARLIER,
        *(at / name for at in (folder, folder / _EARLIER) for name in FOLDERS),
    ):
        yield from place.glob("*.new")


def _write(path: Path, table: pyarrow.Table) -> None:
    # one row group: the file's bytes must depend on the rows alone
    def write(file: BinaryIO) -> None:
        pyarrow.parquet.write_table(table, file, compression=_COMPRESSION, row_group_size=ROWS_A_FILE)

    replace_file(path, write)


def _unite(files: Sequence[Path]) -> None:
    """Gives all files the same columns: readers assume the columns of the first file for all."""
    schemas = [pyarrow.parquet.read_schema(file) for file in files]
    if all(schema.equals(schemas[0]) for schema in schemas):
        return
    empty = united([schema.empty_table() for schema in schemas])
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(empty.schema):
            _write(file, united([empty, _read(file)]).combine_chunks())

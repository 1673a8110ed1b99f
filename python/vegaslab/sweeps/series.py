"""The time series that a sweep keeps: a Parquet file for each run, named by the run's id.

A file depends on its run alone, so an interrupted sweep cannot leave two versions of it. It gets its name only after it
is on the disk, and before the run's row is written; a row without its series counts as a missing run.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from pathlib import Path

import pyarrow

from vegaslab.sweeps.plans.reading import SERIES
from vegaslab.util.folder import FolderError, check_names, sync_folder, writing
from vegaslab.util.parquet import read_table

COLUMNS = {f"series.{name}": name for name in SERIES}
"""The columns of delivered runs that hold such files."""

_FOLDERS = {"flows": "flow_series", "links": "link_series"}
FOLDERS = frozenset(_FOLDERS.values())
"""The folders of the files, within a sweep's folder."""

_SUFFIX = ".parquet"
_FILE = re.compile(r"[0-9a-f]{64}\.(parquet|new)")


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
    place = Path(folder) / _FOLDERS[series]
    wanted = _in_order(Path(folder), place) if runs is None else list(runs)
    if not wanted:
        raise FolderError(f"{folder}: holds no series of {series}; sweep again with series {series}")
    tables = []
    for run in wanted:
        file = place / f"{run}{_SUFFIX}"
        if not file.exists():
            raise FolderError(f"{file}: is not there; sweep again with series {series}")
        tables.append(read_table(file))
    try:
        return pyarrow.concat_tables(tables).unify_dictionaries()
    except pyarrow.ArrowException:
        raise FolderError(f"{place}: files have different columns; make the folder anew") from None


def check_series(folder: Path) -> None:
    """Checks that the folders of series in `folder` hold nothing else. Raises `FolderError`."""
    for name in FOLDERS:
        check_names(folder / name, _FILE)


def _in_order(folder: Path, place: Path) -> list[str]:
    # that module imports this one
    from vegaslab.sweeps.dataset import read_runs

    there = _names(place)
    return [run for run in read_runs(folder)["run_id"].to_pylist() if run in there] if there else []


class SeriesFiles:
    """The files of the series that a sweep keeps."""

    def __init__(self, folder: Path, earlier: Path, kept: Collection[str]) -> None:
        """Takes the series to keep, the sweep's folder, and the place for files of earlier plans."""
        self._folder = folder
        self._earlier = earlier
        self._kept = kept
        self._written: list[Path] = []

    def complete(self) -> set[str] | None:
        """Returns the runs that have all series to keep, here or put aside; None if there are none to keep."""
        if not self._kept:
            return None
        folders = (_FOLDERS[name] for name in self._kept)
        return set.intersection(*(_names(self._folder / name) | _names(self._earlier / name) for name in folders))

    def any(self) -> bool:
        """Returns whether there are any files, here or put aside."""
        return any((place / name).exists() for place in (self._folder, self._earlier) for name in _FOLDERS.values())

    def tidy(self, named: Collection[str], there: Collection[str]) -> None:
        """Adapts the files to the rows: `named` are the runs of the plan, `there` those of them that have rows.

        The file of a run that the plan does not name is put aside, and returns with its row. A file without a row is
        left from a sweep that ended before it wrote the row; the run will be made again.
        """
        for name in _FOLDERS.values():
            place, aside = self._folder / name, self._earlier / name
            for run in _names(place).difference(there):
                file = place / f"{run}{_SUFFIX}"
                if run in named:
                    file.unlink()
                else:
                    aside.mkdir(parents=True, exist_ok=True)
                    file.rename(aside / file.name)
            for run in _names(aside).intersection(there):
                place.mkdir(exist_ok=True)
                (aside / f"{run}{_SUFFIX}").rename(place / f"{run}{_SUFFIX}")
            for left in (place, aside):
                if left.exists() and not any(left.iterdir()):
                    left.rmdir()

    def add(self, run: str, files: Mapping[str, pyarrow.Buffer]) -> None:
        """Writes a run's series, by name; they have their final names after `flush`. Raises `OSError`."""
        for name, file in files.items():
            place = self._folder / _FOLDERS[name]
            new = place / f"{run}.new"
            with writing(new.with_suffix(_SUFFIX)):
                place.mkdir(exist_ok=True)
                try:
                    new.write_bytes(file)
                except OSError:
                    new.unlink(missing_ok=True)
                    raise
            self._written.append(new)

    def flush(self) -> None:
        """Gives the files their names once they are on the disk. Raises `OSError`; all are then made again."""
        written, self._written = self._written, []
        with writing(self._folder):
            try:
                for new in written:
                    with new.open("rb") as file:
                        os.fsync(file.fileno())
            except OSError:
                for new in written:
                    new.unlink(missing_ok=True)
                raise
            for new in written:
                new.replace(new.with_suffix(_SUFFIX))
            for place in {new.parent for new in written}:
                sync_folder(place)


def _names(place: Path) -> set[str]:
    if not place.is_dir():
        return set()
    with os.scandir(place) as entries:
        return {entry.name.removesuffix(_SUFFIX) for entry in entries if entry.name.endswith(_SUFFIX)}

"""The time series that a sweep keeps: a Parquet file for each run, named by the run's id.

A file depends on its run alone, so an interrupted sweep cannot leave two versions of it. It gets its name only after it
is on the disk, and before the run's row is written; a row without its series counts as a missing run.
"""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

import pyarrow

from vegaslab.sweeps.plans.reading import SERIES
from vegaslab.util.folder import check_names, sync_folder, writing

COLUMNS = {f"series.{name}": name for name in SERIES}
"""The columns of delivered runs that hold such files."""

FOLDER_OF = {"flows": "flow_series", "links": "link_series"}
FOLDERS = frozenset(FOLDER_OF.values())
"""The folders of the files, within a sweep's folder."""

SUFFIX = ".parquet"
_FILE = re.compile(r"[0-9a-f]{64}\.(parquet|new)")


def check_series(folder: Path) -> None:
    """Checks that the folders of series in `folder` hold nothing else. Raises `FolderError`."""
    for name in FOLDERS:
        check_names(folder / name, _FILE)


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
        folders = (FOLDER_OF[name] for name in self._kept)
        return set.intersection(*(names_in(self._folder / name) | names_in(self._earlier / name) for name in folders))

    def any(self) -> bool:
        """Returns whether there are any files, here or put aside."""
        return any((place / name).exists() for place in (self._folder, self._earlier) for name in FOLDER_OF.values())

    def tidy(self, named: Collection[str], there: Collection[str]) -> None:
        """Adapts the files to the rows: `named` are the runs of the plan, `there` those of them that have rows.

        The file of a run that the plan does not name is put aside, and returns with its row. A file without a row is
        left from a sweep that ended before it wrote the row; the run will be made again.
        """
        for name in FOLDER_OF.values():
            place, aside = self._folder / name, self._earlier / name
            for run in names_in(place).difference(there):
                file = place / f"{run}{SUFFIX}"
                if run in named:
                    file.unlink()
                else:
                    aside.mkdir(parents=True, exist_ok=True)
                    file.rename(aside / file.name)
            for run in names_in(aside).intersection(there):
                place.mkdir(exist_ok=True)
                (aside / f"{run}{SUFFIX}").rename(place / f"{run}{SUFFIX}")
            for left in (place, aside):
                if left.exists() and not any(left.iterdir()):
                    left.rmdir()

    def add(self, run: str, files: Mapping[str, pyarrow.Buffer]) -> None:
        """Writes a run's series, by name; they have their final names after `flush`. Raises `OSError`."""
        for name, file in files.items():
            place = self._folder / FOLDER_OF[name]
            new = place / f"{run}.new"
            with writing(new.with_suffix(SUFFIX)):
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
                new.replace(new.with_suffix(SUFFIX))
            for place in {new.parent for new in written}:
                sync_folder(place)


def names_in(place: Path) -> set[str]:
    """Returns the runs that have a file in this folder."""
    if not place.is_dir():
        return set()
    with os.scandir(place) as entries:
        return {entry.name.removesuffix(SUFFIX) for entry in entries if entry.name.endswith(SUFFIX)}

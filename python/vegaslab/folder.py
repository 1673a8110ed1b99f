"""Results folders: built beside their place and moved there whole."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FIRST_FILES = ("manifest.json", "comparison.json", "factorial.json")
_SUFFIXES = {".csv", ".html", ".json", ".parquet", ".pcapng", ".png", ".svg"}
_NAMES = {"effects.tex"}


class FolderError(Exception):
    """A results folder cannot be written: one line that names it and what would be right."""


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder as lasting as the files that bear them. Raises `OSError`."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Gives a new folder to write into, which takes the place of `target` if the block ends without an exception.

    Otherwise nothing is left behind and an earlier folder stays. That `target` can be written is found out first.
    Only an empty folder or an earlier results folder is replaced. Raises `FolderError`.
    """
    target = target.resolve()
    try:
        _check_replaceable(target)
        made = _make_parents(target)
    except OSError as error:
        raise _refusal(target, error) from None
    try:
        with _workshop_beside(target) as workshop:
            new = workshop / target.name
            new.mkdir()
            yield new
            _put(new, target, workshop)
    except BaseException:
        _remove_while_empty(made)
        raise


@contextmanager
def _workshop_beside(target: Path) -> Iterator[Path]:
    try:
        workshop = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise _refusal(target, error) from None
    try:
        yield workshop
    except OSError as error:
        raise _refusal(target, error) from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _refusal(target: Path, error: OSError) -> FolderError:
    reason = error.strerror or str(error)
    return FolderError(f"{target}: cannot be written: {reason}; give another folder with -o")


def _check_replaceable(target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise FolderError(f"{target}: is a file; give a folder with -o")
    names = {path.name for path in target.iterdir()}
    if names and not names.intersection(_FIRST_FILES):
        raise FolderError(f"{target}: holds files but no result; give a new folder with -o")
    files = (path for path in target.rglob("*") if path.is_file())
    foreign = sorted(path for path in files if path.suffix not in _SUFFIXES and path.name not in _NAMES)
    if foreign:
        raise FolderError(f"{target}: holds {foreign[0].name}, which is no result's; give a new folder with -o")


def _make_parents(target: Path) -> list[Path]:
    """Makes the missing folders above `target`; returns them, the innermost first."""
    missing = [parent for parent in target.parents if not parent.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    return missing


def _put(new: Path, target: Path, workshop: Path) -> None:
    """Moves the new folder to its place; an earlier one goes back there if that fails or is interrupted."""
    earlier = workshop / "earlier"
    if target.exists():
        target.rename(earlier)
    try:
        new.rename(target)
    except BaseException:
        if earlier.exists() and not target.exists():
            earlier.rename(target)
        raise


def _remove_while_empty(folders: list[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            return

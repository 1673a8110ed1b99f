"""Folders and files, written whole or not at all, and never over files of another origin."""

import errno
import fcntl
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vegaslab import _vegaslab
from vegaslab.util.errors import FolderError

__all__ = [
    "LOCK",
    "FolderError",
    "check_folder",
    "check_names",
    "check_unedited",
    "is_full",
    "lock_folder",
    "replace_file",
    "sync_folder",
    "user_cache",
    "whole_folder",
    "write_file",
    "write_new",
    "writing",
]

LOCK = ".lock"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yields a new folder to write into, which replaces `target` if the block ends without an exception.

    Otherwise nothing is left behind and an earlier folder stays. First it checks that `target` can be written. Only an
    empty folder, or one that holds nothing but files of vegaslab, is replaced. Raises `FolderError` for another,
    `OSError` that names `target` if writing fails.
    """
    with writing(target):
        place = _vegaslab.Place(target)
        try:
            yield Path(place.new_folder)
            place.put()
        finally:
            place.discard()


def check_folder(target: Path) -> None:
    """Checks that `whole_folder` could write there; raises its errors."""
    with writing(target):
        _vegaslab.Place(target).discard()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Converts an `OSError` of the block to one that names `path` and a remedy."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EIO
        reason = os.strerror(number) if error.errno else str(error)
        raise OSError(number, f"cannot be written: {reason}; {_vegaslab.remedy(number)}", str(path)) from error


def write_file(path: Path, content: bytes | memoryview) -> None:
    """Writes a file whole, or leaves none. Raises `OSError`, naming it."""
    with writing(path):
        try:
            path.write_bytes(content)
        except OSError:
            path.unlink(missing_ok=True)
            raise


def write_new(path: Path, content: bytes, ours: bytes | None = None) -> None:
    """Writes a file that a user has named. One that is there is replaced only if it begins with `ours`, or is the same.

    Raises `FolderError` for another, and as `write_file` does.
    """
    if path.exists():
        there = path.read_bytes()
        if there != content and (ours is None or not there.startswith(ours)):
            raise FolderError(f"{path}: is there and holds something else; give another name, or move it away")
    write_file(path, content)


def check_unedited(folder: Path, last: str) -> None:
    """Checks that no scenario file of a folder is newer than the file that was written there last.

    A user may edit these. Raises `FolderError`.
    """
    if not (folder / last).exists():
        return
    written_ns = (folder / last).stat().st_mtime_ns
    for file in sorted(folder.glob("*.toml")):
        if file.stat().st_mtime_ns > written_ns:
            raise FolderError(f"{file}: was edited since vegaslab wrote it; move it away, or give another folder")


def is_full(error: OSError) -> bool:
    """Returns whether the disk is full, which no input causes."""
    return error.errno in _FULL


def check_names(folder: Path, ours: re.Pattern[str], folders: re.Pattern[str] | None = None) -> None:
    """Checks that a folder, if it exists, holds only files and folders of these names. Raises `FolderError`."""
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            names = folders if entry.is_dir(follow_symlinks=False) else ours
            if names is None or not names.fullmatch(entry.name) or entry.is_symlink():
                raise FolderError(f"{folder}: holds {entry.name!r}, which vegaslab does not write; move it away")


def lock_folder(folder: Path, what: str) -> BinaryIO:
    """Locks a folder until the file is closed or the process is gone, however it ends. Raises `FolderError`."""
    lock = (folder / LOCK).open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise FolderError(f"{folder}: another {what} is writing there; wait for it, or give another folder") from None
    return lock


def replace_file(path: Path, write: Callable[[BinaryIO], object], *, new_suffix: str = ".new") -> None:
    """Writes a file whole or not at all, whatever happens, and onto the disk. Raises `OSError`, naming it."""
    new = path.with_suffix(new_suffix)
    with writing(path):
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


def sync_folder(folder: Path) -> None:
    """Writes the names in a folder to the disk, as `fsync` does with files. Raises `OSError`."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def user_cache() -> Path:
    """The folder of what this user can make or fetch again (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "vegaslab"

"""Values by key in a folder of bounded size, which many processes share; a damaged one counts as missing."""

import fcntl
import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

_CHECK_BYTES = 32
_PART = 32
"""The greatest value, and what is written before the folder's size is looked at, are this part of the limit."""
_BLOCK_BYTES = 4096
_NEW = ".new-"
_NEW_FOR_S = 24 * 3600
"""The age of a file without its name yet, s, from which on its process counts as gone."""
_FOLDER = re.compile("[0-9a-f]{2}")
_NAME = re.compile("[0-9a-f]{62}")
_WRITTEN = "written"


@dataclass(frozen=True)
class Size:
    """The extent of a store."""

    entries: int
    bytes: int
    """The space on the disk."""


@dataclass(frozen=True)
class Store:
    """Values by key. A key is a SHA-256 in hex, and says all of its value.

    A value is in a file of its own, behind a SHA-256 of key and value: no power failure, no other program and no fault
    of the disk makes a value that was not put there. It is written beside its place and renamed, so a process that
    is killed leaves the earlier state, and at most a file that is later removed. Where values cannot be written, they
    are not kept.
    """

    folder: Path
    limit_bytes: int

    def get(self, key: str) -> bytes | None:
        """Returns the value of a key, None if there is none; it then counts as used."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        value = content[_CHECK_BYTES:]
        is_whole = content[:_CHECK_BYTES] == _check(key, value)
        with suppress(OSError):
            if is_whole:
                os.utime(path)
            else:
                path.unlink()
        return value if is_whole else None

    def put(self, key: str, value: bytes) -> None:
        """Keeps a value, unless it takes too much of the limit, or cannot be written."""
        if len(value) > self.limit_bytes // _PART:
            return
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, prefix=_NEW, delete=False) as new:
                try:
                    new.write(_check(key, value) + value)
                    new.flush()
                    Path(new.name).replace(path)
                except BaseException:
                    Path(new.name).unlink(missing_ok=True)
                    raise
            self._count(_space(_CHECK_BYTES + len(value)))

    def keys(self) -> set[str]:
        """Returns all keys; their values may be gone, or damaged."""
        return {entry.parent.name + entry.name for entry in self._entries()}

    def size(self) -> Size:
        """Returns how many values there are, and what they take."""
        spaces = [space for _, space, _ in self._by_use()]
        return Size(len(spaces), sum(spaces))

    def clear(self) -> Size:
        """Removes all values; returns what was there."""
        before = self.size()
        for path in [*self._entries(), *self._unnamed()]:
            path.unlink(missing_ok=True)
        for folder in self._folders():
            # a value may come meanwhile
            with suppress(OSError):
                folder.rmdir()
        return before

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]

    def _folders(self) -> list[Path]:
        with suppress(OSError):
            return [folder for folder in self.folder.iterdir() if _FOLDER.fullmatch(folder.name)]
        return []

    def _files(self) -> Iterator[Path]:
        for folder in self._folders():
            with suppress(OSError):
                yield from list(folder.iterdir())

    def _entries(self) -> Iterator[Path]:
        return (path for path in self._files() if _NAME.fullmatch(path.name))

    def _unnamed(self) -> Iterator[Path]:
        return (path for path in self._files() if path.name.startswith(_NEW))

    def _by_use(self) -> list[tuple[int, int, Path]]:
        """Returns when each value was last used, its space, and its file, the longest unused first."""
        found = []
        for path in self._entries():
            with suppress(OSError):
                about = path.stat()
                found.append((about.st_mtime_ns, _space(about.st_size), path))
        return sorted(found)

    def _count(self, space: int) -> None:
        """Notes what was written by all processes; removes what was not used for longest before the limit is reached.

        A process that ends between its value and this line has written more than is noted, which the next look finds.
        """
        with (self.folder / _WRITTEN).open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            noted = file.read(20)
            # a new file, or one that is damaged: what was written is not known
            written = int(noted) + space if noted.isdigit() else self.limit_bytes
            if written > self.limit_bytes // _PART:
                self._make_room()
                written = 0
            file.seek(0)
            file.truncate()
            file.write(b"%d" % written)

    def _make_room(self) -> None:
        """Leaves room for what is written until the next look, and for a value of each of several writers."""
        values = self._by_use()
        over = sum(space for _, space, _ in values) - self.limit_bytes * (_PART - 4) // _PART
        for _, space, path in values:
            if over <= 0:
                break
            path.unlink(missing_ok=True)
            over -= space
        for path in self._unnamed():
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _NEW_FOR_S:
                    path.unlink()


def _check(key: str, value: bytes) -> bytes:
    return hashlib.sha256(key.encode() + value).digest()


def _space(size: int) -> int:
    """Returns about what a file takes on a disk, bytes."""
    return -(-size // _BLOCK_BYTES) * _BLOCK_BYTES

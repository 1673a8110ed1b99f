"""The cache of runs: whether it is in use, the keys of what it holds, and how often it was of use."""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from vegaslab import _vegaslab
from vegaslab.runs.kept.code import engine_digest
from vegaslab.scenario.own.loading import is_in_its_file
from vegaslab.util.errors import InputError
from vegaslab.util.folder import user_cache
from vegaslab.util.store import Store

VARIABLE = "VEGASLAB_CACHE"
"""The environment variable: off, or the most that the cache may take, such as 2gb."""
LEAST_S = 0.01
"""A run of less time is not kept, s: to read its result would take as long."""

_LIMIT_BYTES = 5 * 10**9
_OFF = ("off", "0")


class CacheError(InputError):
    """The cache's settings are wrong."""


@dataclass
class Count:
    """How many runs of this process were taken from the cache, and how many were made."""

    taken: int = 0
    made: int = 0

    def note(self, *, taken: int = 0, made: int = 0) -> None:
        """Counts runs; threads may call it at the same time."""
        with _lock:
            self.taken += taken
            self.made += made


_lock = Lock()
count = Count()
_said: list[bool] = []
"""Whether this process uses the cache, if that was said; the newest word last."""


def switch(*, on: bool) -> None:
    """Says whether this process uses the cache, whatever the environment says."""
    _said[:] = [on]


@contextmanager
def off() -> Iterator[None]:
    """Makes every run of the block, and keeps none."""
    _said.append(False)
    try:
        yield
    finally:
        _said.pop()


def is_on() -> bool:
    """Returns whether runs are taken from the cache, and kept. Raises `CacheError`."""
    return _said[-1] if _said else _limit_bytes() > 0


def given() -> str:
    """Returns what the environment says."""
    return os.environ.get(VARIABLE, "")


def limit_bytes() -> int:
    """Returns the most that the cache may take. Raises `CacheError`."""
    return _limit_bytes() or _LIMIT_BYTES


def folder() -> Path:
    """Returns the folder that holds the cache."""
    return user_cache() / "runs"


def opened() -> Store | None:
    """Returns the cache, None if it is off. Raises `CacheError`."""
    return Store(folder(), limit_bytes()) if is_on() else None


def _limit_bytes() -> int:
    """Returns the limit that the environment gives, 0 if it says off."""
    said = given()
    if not said:
        return _LIMIT_BYTES
    try:
        return 0 if said in _OFF else _vegaslab.size_bytes(said)
    except ValueError as error:
        raise CacheError(f"{VARIABLE}: {error}; or off") from None


def key_of(kind: str, *parts: str) -> str:
    """Returns the key of what is kept of a run. `parts` say, with the simulator's build, all that decides it: first
    the run's id, which holds scenario, seed, traces and own algorithms.
    """
    whole = (kind, *parts, _engine(), str(sys.implementation.cache_tag))
    return hashlib.sha256("\0".join(whole).encode()).hexdigest()


@cache
def _engine() -> str:
    return engine_digest(opened())


def may_be_kept(own_sha256: Sequence[str]) -> bool:
    """Returns whether a run's id says all: each own algorithm is in its file, so that the digest is that of all its
    code.
    """
    return all(map(is_in_its_file, own_sha256))


def taken(kind: str, *parts: str, runs: int = 1) -> bytes | None:
    """Returns what is kept of a run, or of this number of `runs`; None if nothing is."""
    store = opened()
    value = None if store is None else store.get(key_of(kind, *parts))
    if value is not None:
        count.note(taken=runs)
    return value


def keep(value: bytes, kind: str, *parts: str) -> None:
    """Keeps what runs have given."""
    store = opened()
    if store is not None:
        store.put(key_of(kind, *parts), value)

"""What code decides a run, and what is taken from its result: by digests."""

import hashlib
import inspect
import sys
from functools import cache
from pathlib import Path
from uuid import uuid4

from vegaslab import _vegaslab
from vegaslab.util.store import Store

_LIBRARY = Path(str(_vegaslab.__file__))
_REPLACED = uuid4().hex


@cache
def code_digest(module: str) -> str:
    """Returns a digest of a module, and of those of this package that it takes names from, near and far."""
    found, waiting = {module}, [module]
    while waiting:
        new = {_origin(value) for value in vars(sys.modules[waiting.pop()]).values()} - found - {""}
        found |= new
        waiting += sorted(new)
    digests = [file_digest(Path(str(sys.modules[name].__file__))) for name in sorted(found)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _origin(value: object) -> str:
    """Returns the module that a value is, or in which it was made; empty for a package, or one from outside."""
    name = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
    ours = isinstance(name, str) and name.startswith("vegaslab.") and name in sys.modules
    return name if ours and not hasattr(sys.modules[name], "__path__") else ""


def engine_digest(store: Store | None = None) -> str:
    """Returns the SHA-256 of the simulator's library, which `store` may know: to read it takes as long as a short run.

    A library that was replaced since this process began has a digest that no other process has: what runs here is not
    what the file holds.
    """
    if _about() != _LOADED:
        return _REPLACED
    if store is None:
        return file_digest(_LIBRARY)
    key = hashlib.sha256(repr(_LOADED).encode()).hexdigest()
    known = store.get(key)
    if known is None:
        known = file_digest(_LIBRARY).encode()
        store.put(key, known)
    return known.decode()


def _about() -> tuple[object, ...]:
    """Returns what tells the library's file from any other: one that is written again has other times."""
    about = _LIBRARY.stat()
    return str(_LIBRARY), about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


@cache
def file_digest(file: Path) -> str:
    """Returns the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


_LOADED = _about()

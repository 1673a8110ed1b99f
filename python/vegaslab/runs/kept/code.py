"""What code decides a run, and what is taken from its result: by digests."""

import hashlib
import inspect
import os
import sys
import time
from functools import cache
from pathlib import Path

from vegaslab import _vegaslab
from vegaslab.util.store import Store

_LIBRARY = Path(str(_vegaslab.__file__))
_BEGAN_S = time.time()
_OF_THIS_PROCESS = os.urandom(16).hex()


@cache
def code_digest(module: str) -> str:
    """Returns a digest of a module, and of those of this package that it takes names from, near and far."""
    found, waiting = {module}, [module]
    while waiting:
        new = {_origin(value) for value in vars(sys.modules[waiting.pop()]).values()} - found - {""}
        found |= new
        waiting += sorted(new)
    digests = [_of_what_runs(Path(str(sys.modules[name].__file__))) for name in sorted(found)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _origin(value: object) -> str:
    """Returns the module that a value is, or in which it was made; empty for a package, or one from outside."""
    name = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
    ours = isinstance(name, str) and name.startswith("vegaslab.") and name in sys.modules
    return name if ours and not hasattr(sys.modules[name], "__path__") else ""


def engine_digest(store: Store | None = None) -> str:
    """Returns the SHA-256 of the simulator's library, which `store` may know: to read it takes as long as a run."""
    about = _LIBRARY.stat()
    if store is None or _is_newer(_LIBRARY):
        return _of_what_runs(_LIBRARY)
    # a file that is written again has other times
    known_by = (_LIBRARY, about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    key = hashlib.sha256(repr(known_by).encode()).hexdigest()
    known = store.get(key)
    if known is None:
        known = file_digest(_LIBRARY).encode()
        store.put(key, known)
    return known.decode()


def _of_what_runs(file: Path) -> str:
    """Returns the SHA-256 of a file of code. One that was written since this process began is not what runs here: it
    has a digest that no other process has.
    """
    return _OF_THIS_PROCESS if _is_newer(file) else file_digest(file)


def _is_newer(file: Path) -> bool:
    return file.stat().st_ctime > _BEGAN_S


@cache
def file_digest(file: Path) -> str:
    """Returns the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()

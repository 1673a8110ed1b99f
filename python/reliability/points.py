"""Counted points: where a process is killed or interrupted depends on what it has done, and not on how fast it is.

`points.c` says what they are; it is compiled when it is first needed.
"""

import ctypes
import os
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path

_SOURCE = Path(__file__).with_name("points.c")
# kept until this process ends
_FOLDERS: list["tempfile.TemporaryDirectory[str]"] = []


@cache
def library() -> Path:
    """Returns the compiled library."""
    folder = tempfile.TemporaryDirectory(prefix="vegaslab-points-")
    _FOLDERS.append(folder)
    path = Path(folder.name) / "points.so"
    compile_ = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", str(path), str(_SOURCE), "-ldl"]
    subprocess.run(compile_, check=True)
    return path


def preloaded() -> bool:
    """Returns whether this process has points."""
    return hasattr(ctypes.CDLL(None), "points_begin")


def begin(point: int = -1) -> None:
    """Counts this process's points from here on, and kills it at one of them; at none if `point` is negative."""
    ctypes.CDLL(None).points_begin(ctypes.c_long(point), int(signal.SIGKILL))


def passed() -> int:
    """Returns the number of points since `begin`."""
    count = ctypes.CDLL(None).points_passed
    count.restype = ctypes.c_long
    return int(count())


def at_point(point: int, number: signal.Signals) -> dict[str, str]:
    """Returns the environment in which a process sends itself a signal at a point of its own."""
    # Python's own files of bytecode would be counted
    own = {"POINTS_AT": str(point), "POINTS_SIGNAL": str(int(number)), "PYTHONDONTWRITEBYTECODE": "1"}
    return os.environ | {"LD_PRELOAD": str(library())} | own

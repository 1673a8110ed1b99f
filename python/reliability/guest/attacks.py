"""The host's side: a guest with a Python in it, and what an attack there came to."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vegaslab.measuring.guest import kernels
from vegaslab.measuring.guest.exchange import Exchange, Parcel
from vegaslab.measuring.guest.machine import Description
from vegaslab.measuring.linux import LinuxError, program

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_LIMIT_S = 3600.0
"""The limit of an attack by the clock of this machine."""

# the files of Python that the guest's side imports, and python -m
_LISTED = """
import sys
sys.path.insert(0, sys.argv[1])
import runpy
from reliability.guest.inside import kernel, kills, objects, packets, users
print(*(module.__file__ for module in sys.modules.values() if getattr(module, "__file__", None)), sep="\\n")
"""


@dataclass(frozen=True)
class Row:
    """What one attack came to."""

    target: str
    stage: str
    left: tuple[str, ...]
    next_call: str
    problems: tuple[str, ...]

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Row":
        """Reads a row that the guest has printed."""
        lists = (tuple(told.get(key, ())) for key in ("left", "problems"))
        left, problems = lists
        return cls(told["target"], told["stage"], left, told.get("next", "-"), problems)


class Attacks:
    """A machine that has booted, of which each attack has a copy. Raises `LinuxError` for what is missing."""

    def __init__(self) -> None:
        """Finds the kernel."""
        self._kernel = kernels.find()

    def carry_out(self, kind: str, points: int, only: Sequence[str] = ()) -> list[Row]:
        """Carries attacks of a kind out. Raises `LinuxError`."""
        saved = self._described.saved
        command = ["-S", "-E", "-m", "reliability.guest.attack", kind, str(points), *only]
        request = Parcel({"program": _python(), "arguments": command, "folder": "", "seed": 1}, self._files)
        with ExitStack() as places:
            exchange = Exchange()
            places.callback(exchange.close)
            exchange.ask(request)
            machine = places.enter_context(saved.copy(exchange))
            machine.wait(_LIMIT_S)
            answer = exchange.answer()
            if answer is None:
                raise machine.ended_without("an answer")
        said = answer.files["stderr"].decode(errors="replace").strip()
        if answer.head["code"] != 0:
            raise LinuxError(f"the attack {kind} ended with {answer.head['code']}: {said}")
        return [Row.of(json.loads(line)) for line in answer.files["stdout"].decode().splitlines()]

    @cached_property
    def _described(self) -> Description:
        return Description(self._kernel, Path(program()), _python_files())

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """The guest's side by its places there."""
        packages = [_HERE.parent / "__init__.py", _HERE / "__init__.py"]
        files = [*packages, _HERE / "attack.py", *sorted((_HERE / "inside").glob("*.py"))]
        return {"stages.so": _library()} | {str(file.relative_to(_ROOT)): file.read_bytes() for file in files}


def _library() -> bytes:
    """Returns what kills the program at its stages, compiled."""
    with tempfile.TemporaryDirectory(prefix="vegaslab-stages-") as folder:
        library = Path(folder) / "stages.so"
        compile_ = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", str(library)]
        subprocess.run([*compile_, str(_HERE / "stages.c"), "-ldl"], check=True)
        return library.read_bytes()


def _python() -> str:
    """Returns the Python that runs here, as the guest has it."""
    return os.path.realpath(sys.executable)


def _python_files() -> list[Path]:
    """Returns the files of Python that the guest's side needs."""
    command = [_python(), "-S", "-E", "-c", _LISTED, str(_ROOT)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [Path(_python()), *(Path(file) for file in listed if not file.startswith(str(_ROOT)))]

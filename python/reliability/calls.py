"""Calls of the command in processes of their own, forked from one that has everything imported.

So a call takes the time of its work alone, and what disturbs it meets that.
"""

import importlib
import math
import mmap
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from reliability import points
from reliability.targets import CACHE, FILES, OUT, Target

_HEAVY = (
    "pyarrow.parquet",
    "vegaslab.commands.cli",
    "vegaslab.sweeps.factorial.experiment",
    "vegaslab.sweeps.factorial.picture",
    "vegaslab.reports.figure",
    "vegaslab.measuring.paths",
    "vegaslab.reports.page.runs",
    "vegaslab.papers.report.page",
    "vegaslab.papers.report.reproduce",
    "vegaslab.runs.seeds.compare",
    "vegaslab.runs.seeds.picture",
    "vegaslab.runs.seeds.report",
    "vegaslab.sweeps.sweep",
)
_PORTION_RUNS = 10


def prepare() -> None:
    """Imports what calls need."""
    for name in _HEAVY:
        importlib.import_module(name)
    sweep_in_portions(_PORTION_RUNS)
    # the targets' runs are short
    keeping: Any = importlib.import_module("vegaslab.runs.kept.cache")
    keeping.LEAST_S = 0.0


def sweep_in_portions(portion_runs: int) -> None:
    """Has sweeps write after this number of runs, not every five seconds: some are over by then."""
    sweeping: Any = importlib.import_module("vegaslab.sweeps.sweep")
    columns: Any = importlib.import_module("vegaslab.sweeps.columns")
    make = sweeping.Local.__call__

    def portions(self: object, plan: object, runs: Iterator[object], deliver: Callable[[Any], None]) -> None:
        while portion := list(islice(runs, portion_runs)):
            made: list[Any] = []
            make(self, plan, iter(portion), made.append)
            deliver(columns.united(made))

    sweeping.Local.__call__ = portions
    sweeping._FLUSH_S, sweeping._FLUSH_PART = 0.0, math.inf


def place(folder: Path) -> None:
    """Writes the targets' files into a new folder."""
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)


def call(target: Target, folder: Path, *, output: Path | None = None, file_bytes: int | None = None) -> tuple[int, str]:
    """Runs a target to its end; returns exit code and stderr. Files may grow to `file_bytes`."""
    return _run(lambda: _call(target, folder, output, file_bytes))


def count_points(target: Target, folder: Path) -> int:
    """Runs a target to its end; returns the number of its points. Raises `SystemExit` if it fails."""
    with mmap.mmap(-1, 8) as count:

        def counted() -> int:
            points.begin()
            code = _call(target, folder)
            count[:] = points.passed().to_bytes(8, "little")
            return code

        code, said = _run(counted)
        if code != 0:
            raise SystemExit(f"{target.name}: ended with {code}: {said}")
        return int.from_bytes(count[:], "little")


def kill(target: Target, folder: Path, point: int) -> bool:
    """Runs a target that is killed at a point; returns whether it came to that point."""

    def killed() -> int:
        points.begin(point)
        return _call(target, folder)

    return _run(killed)[0] == -signal.SIGKILL


def _run(work: Callable[[], int]) -> tuple[int, str]:
    """Runs `work` in a process of its own; returns exit code and stderr."""
    sys.stdout.flush()
    sys.stderr.flush()
    stderr, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.dup2(theirs, 2)
            os._exit(work())
        finally:
            # whatever happens, this process must not go on as its parent does
            os._exit(70)
    os.close(theirs)
    with os.fdopen(stderr, encoding="utf-8") as said:
        text = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


def _call(target: Target, folder: Path, output: Path | None = None, file_bytes: int | None = None) -> int:
    try:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = str(folder / CACHE)
        os.environ["VEGASLAB_CACHE"] = "1gb" if target.cached else "off"
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout, sys.stderr = (open(number, "w", closefd=False, buffering=1) for number in (1, 2))  # noqa: SIM115
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        cli = importlib.import_module("vegaslab.commands.cli")
        code: int = cli.main([*target.arguments, "-o", str(output or OUT)])
        sys.stderr.flush()
        return code
    except BaseException:
        os.write(2, traceback.format_exc().encode())
        return 70


@contextmanager
def receiving() -> Iterator[int]:
    """A process that takes in transfers; gives its port."""
    from vegaslab.measuring.receiver import Limits, Receiver

    receiver = Receiver(("127.0.0.1", 0), Limits(), lambda _line: None)
    pid = os.fork()
    if not pid:
        try:
            receiver.serve()
        finally:
            os._exit(0)
    try:
        yield receiver.port
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        receiver.close()

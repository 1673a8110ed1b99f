"""Calls of the command in processes of their own, forked from one that has everything imported.

So a call takes the time of its work alone, and what disturbs it meets that.
"""

import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reliability.targets import FILES, OUT, Target

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
# a sweep writes every five seconds, these targets are over by then
_FLUSH_S = 0.1


def prepare() -> None:
    """Imports what calls need."""
    for name in _HEAVY:
        importlib.import_module(name)
    sweeping: Any = importlib.import_module("vegaslab.sweeps.sweep")
    sweeping._FLUSH_S, sweeping._FLUSH_PART = _FLUSH_S, 1.0


def place(folder: Path) -> None:
    """Writes the targets' files into a new folder."""
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)


def call(target: Target, folder: Path, *, output: Path | None = None, file_bytes: int | None = None) -> tuple[int, str]:
    """Runs a target to its end; returns exit code and stderr. Files may grow to `file_bytes`."""
    pid, stderr = _start(target, folder, output, file_bytes)
    with os.fdopen(stderr, encoding="utf-8") as said:
        text = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


def kill(target: Target, folder: Path, after_s: float) -> bool:
    """Starts a target and kills it; returns whether it still ran."""
    pid, stderr = _start(target, folder, None, None)
    time.sleep(after_s)
    os.kill(pid, signal.SIGKILL)
    os.close(stderr)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def _start(target: Target, folder: Path, output: Path | None, file_bytes: int | None) -> tuple[int, int]:
    sys.stdout.flush()
    sys.stderr.flush()
    stderr, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.dup2(theirs, 2)
            os._exit(_call(target, folder, output, file_bytes))
        finally:
            # whatever happens, this process must not go on as its parent does
            os._exit(70)
    os.close(theirs)
    return pid, stderr


def _call(target: Target, folder: Path, output: Path | None, file_bytes: int | None) -> int:
    try:
        os.chdir(folder)
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

"""What the tests share."""

import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from reliability.points import at_point
from vegaslab.runs.kept import cache
from vegaslab.util.store import Store

# a test makes its runs, and leaves those of the user alone; that of the cache has one of its own
os.environ["VEGASLAB_CACHE"] = "off"

SHORT = """\
name = "short"
duration = "3s"
seed = 1

[topology]
kind = "dumbbell"
access = { rate = "100mbit", delay = "1ms" }
bottleneck = { rate = "10mbit", delay = "8ms", queue = "10p" }

[[flow]]
algorithm = "reno"

[[flow]]
algorithm = "vegas"
start = "500ms"
"""

TIMEOUT_S = 900
"""Of anything that a test waits for; it ends what would wait for ever. Long: other work may hold the processors."""


def cpu_s(process: "subprocess.Popen[str]") -> float:
    """CPU time of a running process so far: what a busy machine does not change, as it does the time of day."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ended_cpu_s() -> float:
    """CPU time of all processes that this one started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


Command = Callable[..., subprocess.CompletedProcess[str]]

SAMPLED = ("mutants", "site", "faults")
"""Marks of tests that take long and seldom find a fault: CI runs one in ONE_IN, `make nightly` all."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The commit chooses the sample: others at the next one, the same when a failure is looked for; at least one."""
    one_in, commit = int(os.environ.get("ONE_IN", "1")), os.environ.get("COMMIT", "")
    left_out = {item for mark in SAMPLED for item in drawn_last(items, mark, one_in, commit)}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def drawn_last(items: Sequence[pytest.Item], mark: str, one_in: int, commit: str) -> list[pytest.Item]:
    """The tests of a mark but one in `one_in`, rounded up, in an order that the commit gives."""
    marked = [item for item in items if item.get_closest_marker(mark)]
    marked.sort(key=lambda item: zlib.crc32(f"{commit} {item.nodeid}".encode()))
    return marked[math.ceil(len(marked) / one_in) :]


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The cache of runs, which is in use, in a folder of the test's own, for runs of any length."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(cache.VARIABLE, "1gb")
    monkeypatch.setattr(cache, "LEAST_S", 0.0)
    monkeypatch.setattr(cache, "count", cache.Count())
    opened = cache.opened()
    assert opened is not None
    assert opened.folder == tmp_path / "home" / "vegaslab" / "runs"
    return opened


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A file of three seconds, two flows and a queue that overflows."""
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    return path


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The empty folder in which the command runs."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


@pytest.fixture
def vegaslab(here: Path) -> Command:
    """Runs the command."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "vegaslab", *map(str, arguments)]
        return subprocess.run(command, cwd=here, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)

    return run


def prepared(line: str, arguments: Sequence[object]) -> list[str]:
    """The command in a process that a line of Python prepares."""
    program = f"import sys; {line}\nfrom vegaslab.commands.cli import main; sys.exit(main())"
    return [sys.executable, "-c", program, *map(str, arguments)]


def interrupted(
    arguments: Sequence[object], point: int, number: signal.Signals, line: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the prepared command, which sends itself a signal at one of its points (`reliability/points.c`)."""
    return subprocess.run(
        prepared(line, arguments),
        env=at_point(point, number),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


# the first report of simulated time is from the middle of a run that takes hours
_SAYS_UNDER_WAY = """\
from vegaslab.util.progress import Progress

def report(self, reached_s):
    if reached_s > 0:
        Progress.__call__ = lambda *_: None
        print("under way", flush=True)

Progress.__call__ = report"""
FOR_AGES = ["--set", "duration=500000s", "--set", "sample=off"]


@contextmanager
def under_way(arguments: Sequence[object], folder: Path) -> "Iterator[subprocess.Popen[str]]":
    """A command with runs that take hours, in the middle of them."""
    command = prepared(_SAYS_UNDER_WAY, [*arguments, *FOR_AGES])
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "under way\n"
            yield process
        finally:
            process.kill()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


# the first worker that a batch ends is enough, and no other batch waits at that worker
STRICT = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0", "DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "1.0"}

Worker = subprocess.Popen[bytes]


class Loopback:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self._file = folder / "scheduler.json"
        self._environment = os.environ | settings
        self._log = (folder / "log.txt").open("wb")
        self._processes: list[Worker] = []
        self.scheduler = self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self._file)
        )

    def wait_for_scheduler(self) -> None:
        # the file is there, and empty, for a moment before its text is
        wait_until(lambda: self._file.exists() and self._file.read_text().endswith("}"))
        self.address = str(json.loads(self._file.read_text())["address"])

    def worker(self, *options: str) -> Worker:
        fixed = ["--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--death-timeout", str(TIMEOUT_S)]
        return self._start("dask_worker", self.address, *fixed, *options)

    def _start(self, module: str, *arguments: str) -> Worker:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *arguments]
        process = subprocess.Popen(
            command, stdout=self._log, stderr=self._log, cwd=self._file.parent, env=self._environment
        )
        self._processes.append(process)
        return process

    def wait_for_workers(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=TIMEOUT_S)

    def close(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self._log.close()


@pytest.fixture
def loopback(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Loopback]:
    cluster = Loopback(tmp_path, getattr(request, "param", {}))
    try:
        cluster.wait_for_scheduler()
        yield cluster
    finally:
        cluster.close()

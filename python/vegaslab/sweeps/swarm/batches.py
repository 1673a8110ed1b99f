"""Random networks, each checked against the rules that hold in all of them, in batches made by a program."""

import contextlib
import functools
import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.util.errors import InputError
from vegaslab.util.folder import replace_file, writing
from vegaslab.util.programs import find

PROGRAM = "vegaslab-swarm"
BATCH_NETWORKS = 50
"""The networks of a batch: about a second's work. A swarm that is continued keeps this size."""

_SILENT_S = 120.0
"""The time, s, after which a network is abandoned, with its batch: it gets no verdict, but is a finding of its own."""
_ADDRESSES_BYTES = 2 << 30
"""The address space of the program; the simulator stops a run at 256 MB."""
_GLANCE_S = 0.1
_FINDINGS = "findings"
_BATCHES = "batches.jsonl"
_SWARM = "swarm.json"


class SwarmError(InputError):
    """A swarm cannot begin, or cannot go on: one line."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """The result of a batch of networks."""

    first: int
    """The number of the first network."""
    networks: int
    held: int = 0
    refused: int = 0
    too_long: int = 0
    failed: int = 0
    events: int = 0
    """The events of the runs themselves, without those of the runs that they were compared with."""
    compared: dict[str, int] = field(default_factory=dict)
    """The number of runs compared, by relation."""
    cpu_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A network that fails a check."""

    network: int
    check: str
    place: str
    message: str
    toml: str
    """The scenario, reduced in size."""
    traces: dict[str, str]
    """The rate traces that the scenario names, by name."""


Made = tuple[Batch, list[Finding]]
Runner = Callable[[int, Iterable[range]], Iterator[Made]]
"""Makes batches of a swarm's networks from its seed and their numbers, and yields each when it is finished."""


Observer = Callable[[int, int, int], None]
"""Called with the number of finished networks, the number of all, and the number that failed."""


def program() -> Path:
    """Returns the path of the program that makes the networks; raises `SwarmError` if it is missing or of another
    version.
    """
    found = find(PROGRAM)
    if found is None:
        raise SwarmError(f"{PROGRAM} is not installed; `make swarm-program` in the sources builds it")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.split()
    if version != [PROGRAM, _vegaslab.version]:
        given = " ".join(version) or "unknown"
        raise SwarmError(f"{found} is {given}, and this is engine {_vegaslab.version}; `make swarm-program` builds it")
    return Path(found)


def make(
    path: Path, seed: int, networks: range, relation: str | None = None, stop: threading.Event | None = None
) -> Made:
    """Makes a batch, with random relations or with this one alone.

    A network that ends the program, takes two minutes, or needs more memory than the program may have, is a finding of
    its own.
    """
    rows: list[dict[str, Any]] = []
    cpu_s = 0.0
    first = networks.start
    while first < networks.stop:
        command = [str(path), "examine", "--seed", str(seed), "--first", str(first)]
        command += ["--relation", relation] if relation else []
        done, cpu, complaint = _run([*command, "--count", str(networks.stop - first)], stop)
        rows += done
        cpu_s += cpu
        first += len(done)
        if first < networks.stop:
            rows.append(_no_end(path, seed, first, complaint))
            first += 1
    failed = ((network, row) for network, row in zip(networks, rows, strict=True) if row["verdict"] == "failed")
    return batch_of(networks, rows, cpu_s), [finding_of(network, row) for network, row in failed]


_FINDING_KEYS = ("check", "place", "message", "toml", "traces")


def lost(path: Path, seed: int, network: int, why: str) -> Made:
    """Returns the finding for a network that ended every process that made it."""
    alone = range(network, network + 1)
    row = _no_end(path, seed, network, why)
    return batch_of(alone, [row], 0.0), [finding_of(network, row)]


def united(parts: list[Made]) -> Made:
    """Joins consecutive batches into one."""
    batches = sorted((batch for batch, _ in parts), key=lambda batch: batch.first)
    findings = [finding for _, found in parts for finding in found]
    return Batch(first=batches[0].first, **_totals(batches)), findings


def _no_end(path: Path, seed: int, network: int, why: str) -> dict[str, Any]:
    row = {"verdict": "failed", "check": "no_end", "message": why, "place": ""}
    return row | {"toml": _show(path, seed, network), "traces": {}}


def finding_of(network: int, row: dict[str, Any]) -> Finding:
    """Returns the finding of a verdict that a check failed."""
    return Finding(network=network, **{key: row[key] for key in _FINDING_KEYS})


def batch_of(networks: range, rows: list[dict[str, Any]], cpu_s: float) -> Batch:
    """Returns the batch of networks with these verdicts."""

    def count(verdict: str) -> int:
        return sum(row["verdict"] == verdict for row in rows)

    names = [name for row in rows for name in row.get("compared", [])]
    return Batch(
        first=networks.start,
        networks=len(networks),
        held=count("held"),
        refused=count("refused"),
        too_long=count("too-long"),
        failed=count("failed"),
        events=sum(row.get("events", 0) for row in rows),
        compared={name: names.count(name) for name in dict.fromkeys(names)},
        cpu_s=round(cpu_s, 3),
    )


class _Watch:
    """Ends a program that prints nothing for too long, or on request."""

    def __init__(self, running: "subprocess.Popen[str]", stop: threading.Event | None) -> None:
        self._running = running
        self._stop = stop
        self._alive = threading.Event()
        self._over = threading.Event()
        self.gave_up = False
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def alive(self) -> None:
        self._alive.set()

    def over(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        silent_s = 0.0
        while not self._over.wait(_GLANCE_S):
            silent_s = 0.0 if self._alive.is_set() else silent_s + _GLANCE_S
            self._alive.clear()
            self.gave_up = silent_s >= _SILENT_S
            if self.gave_up or (self._stop is not None and self._stop.is_set()):
                self._running.kill()
                return


def _run(command: list[str], stop: threading.Event | None) -> tuple[list[dict[str, Any]], float, str]:
    """Returns the program's verdicts, its CPU time, s, and the reason for an early end, if any."""
    rows: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        if sys.platform == "linux":
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(running.pid, resource.RLIMIT_AS, (_ADDRESSES_BYTES, _ADDRESSES_BYTES))
        watch = _Watch(running, stop)
        try:
            assert running.stdout is not None
            for line in running.stdout:
                watch.alive()
                if line.endswith("\n") and "verdict" in (row := json.loads(line)):
                    rows.append(row)
            complaint = running.stderr.read() if running.stderr is not None else ""
            _, waited, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(waited)
        except BaseException:
            running.kill()
            raise
        finally:
            watch.over()
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
    why = (
        f"no verdict after {_SILENT_S:g} s"
        if watch.gave_up
        else f"the program ended with {running.returncode}: {complaint}"
    )
    return rows, usage.ru_utime + usage.ru_stime, " ".join(why.split())


def _show(path: Path, seed: int, network: int) -> str:
    command = [str(path), "show", "--seed", str(seed), "--network", str(network)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def known_relation(path: Path, relation: str | None) -> str | None:
    """Returns the relation if the program knows it; raises `SwarmError` if not."""
    if relation is not None:
        command = [str(path), "examine", "--seed", "0", "--first", "0", "--count", "0", "--relation", relation]
        refused = subprocess.run(command, capture_output=True, text=True, check=False).stderr.splitlines()
        if refused:
            raise SwarmError(refused[0].removeprefix("error: "))
    return relation


class Local:
    """Makes batches on this many cores of this machine."""

    def __init__(self, jobs: int, relation: str | None = None) -> None:
        """Takes the number of batches made at once, `jobs`, and the only `relation` to compare.

        Raises `SwarmError` if the program is missing, or knows no such relation.
        """
        self.jobs = jobs
        self.program = program()
        self._relation = known_relation(self.program, relation)

    def make(self, seed: int, networks: range, stop: threading.Event) -> Made:
        """Makes a batch, in a thread of its own; ends early by `KeyboardInterrupt` once `stop` is set."""
        return make(self.program, seed, networks, self._relation, stop)

    def __call__(self, seed: int, batches: Iterable[range]) -> Iterator[Made]:
        """See `Runner`."""
        stop = threading.Event()
        left = iter(batches)
        with ThreadPoolExecutor(self.jobs) as pool:
            pending: set[Future[Made]] = set()
            try:
                while True:
                    for batch in islice(left, 2 * self.jobs - len(pending)):
                        pending.add(pool.submit(self.make, seed, batch, stop))
                    if not pending:
                        return
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)


@functools.lru_cache(maxsize=1)
def _worker_program() -> Path:
    return program()


def make_on_worker(seed: int, networks: range) -> Made:
    """Makes a batch on a worker of a cluster, with the program that is installed there."""
    return make(_worker_program(), seed, networks)


@dataclass(kw_only=True)
class Swarm:
    """A swarm in its folder: its finished batches."""

    folder: Path
    seed: int
    batches: dict[int, Batch]
    """The finished batches by the number of their first network."""
    findings: int
    batch_networks: int = BATCH_NETWORKS

    @classmethod
    def open(cls, folder: Path, seed: int, by: Mapping[str, Any], batch_networks: int = BATCH_NETWORKS) -> "Swarm":
        """Continues the folder's swarm, or begins one; raises `SwarmError` if the folder has another one."""
        same = {"seed": seed, "engine": _vegaslab.version, "batch_networks": batch_networks, **by}
        kept = folder / _SWARM
        if kept.exists():
            there = json.loads(kept.read_text())
            if there != same:
                raise SwarmError(f"{kept}: is of {there}, and this is {same}; give another folder")
        elif folder.exists() and any(folder.iterdir()):
            raise SwarmError(f"{folder}: holds something else than a swarm; give another folder")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(kept, lambda file: file.write(json.dumps(same).encode() + b"\n"))
        (folder / _FINDINGS).mkdir(exist_ok=True)
        batches = {batch.first: batch for batch in _kept(folder / _BATCHES)}
        findings = sum(batch.failed for batch in batches.values())
        return cls(folder=folder, seed=seed, batches=batches, findings=findings, batch_networks=batch_networks)

    def missing(self, networks: int) -> list[range]:
        """Returns the missing batches for this number of networks; batches are whole."""
        firsts = range(0, networks, self.batch_networks)
        return [range(first, first + self.batch_networks) for first in firsts if first not in self.batches]

    def add(self, made: Made) -> None:
        """Writes a batch, its findings first, so that a batch that counts has them. Raises `OSError`."""
        batch, findings = made
        with writing(self.folder):
            for finding in findings:
                self._keep(finding)
            with (self.folder / _BATCHES).open("a") as log:
                log.write(json.dumps(asdict(batch)) + "\n")
        self.batches[batch.first] = batch
        self.findings += len(findings)

    def _keep(self, finding: Finding) -> None:
        folder = self.folder / _FINDINGS
        for name, text in finding.traces.items():
            (folder / name).write_text(text)
        at = f" at {finding.place}" if finding.place else ""
        message = " ".join(finding.message.split())
        head = f"# network {finding.network} of seed {self.seed}: {finding.check}{at}\n# {message}\n"
        (folder / f"{finding.network}-{finding.check}.toml").write_text(head + finding.toml)

    @property
    def summary(self) -> dict[str, Any]:
        """The totals of all finished batches."""
        return {"folder": str(self.folder), "seed": self.seed, **_totals(list(self.batches.values()))}


_TOTALS = ("networks", "held", "refused", "too_long", "failed", "events", "cpu_s")


def _totals(batches: list[Batch]) -> dict[str, Any]:
    names = {name for batch in batches for name in batch.compared}
    compared = {name: sum(batch.compared.get(name, 0) for batch in batches) for name in sorted(names)}
    return {**{key: sum(getattr(batch, key) for batch in batches) for key in _TOTALS}, "compared": compared}


def _kept(path: Path) -> Iterator[Batch]:
    """Yields the batches of a file; a line that was cut short when the swarm ended is skipped."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    whole = [line for line in lines if line.endswith("\n")]
    if len(whole) < len(lines):
        path.write_text("".join(whole))
    yield from (Batch(**json.loads(line)) for line in whole)


def swarm(
    folder: Path,
    seed: int,
    networks: int,
    runner: Runner,
    observer: Observer,
    *,
    by: Mapping[str, Any] | None = None,
    batch_networks: int = BATCH_NETWORKS,
) -> Swarm:
    """Makes the missing batches of a swarm of this many networks. Ctrl-C keeps the finished batches.

    `by` is what the runner compares by, such as the only relation; by something else it is another swarm.
    """
    with writing(folder):
        there = Swarm.open(folder, seed, by or {}, batch_networks)
    missing = there.missing(networks)
    wanted = networks + -networks % batch_networks

    def observe() -> None:
        left = batch_networks * sum(batch.start not in there.batches for batch in missing)
        observer(wanted - left, wanted, there.findings)

    observe()
    for made in runner(seed, missing):
        there.add(made)
        observe()
    return there


def check(files: list[Path]) -> list[dict[str, Any]]:
    """Returns the verdict on each scenario file, by every check."""
    command = [str(program()), "check", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if len(rows) < len(files):
        raise SwarmError(" ".join(done.stderr.split()).removeprefix(f"{PROGRAM}: "))
    return rows

"""Networks of a swarm in both worlds: the runner of `vegaslab swarm --judge kernel`."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vegaslab.measuring.guest.qemu import EndedError
from vegaslab.measuring.guest.world import Guest, KernelWorld
from vegaslab.measuring.judging.rules import Difference, Figures, difference, figures
from vegaslab.measuring.linux import LinuxError
from vegaslab.runs.result import Result, run_checked
from vegaslab.scenario.source import load
from vegaslab.sweeps.swarm.batches import Local, Made, SwarmError, batch_of, finding_of
from vegaslab.util.errors import ScenarioError

BATCH_NETWORKS = 1
"""A network takes seconds, and its verdict is kept at once."""
_SMALLER = 8
"""The most networks that are judged to make a finding small: each takes up to half a minute."""
_SEGMENTS = 20_000
"""The longest run, by the segments that the simulator's flows send: half a minute in the kernel."""
_HOST = {"kind": "linux", "handshake": "full", "delayed_ack": "linux"}
"""What a host needs for both worlds to have one."""
_PACKET = "1500b"
"""The size of packets for which both worlds acknowledge alike: docs/deviations.md."""
_STARTS = 5
"""The starts of the last flow at which both worlds run: of two flows spread evenly over a mean round trip, of one that
differs over a tick.
"""
_TICK_S = 0.004
"""Of Debian's kernels, which have 250 a second; the clock of time stamps has milliseconds."""
_RULE_OF_MODULE = {"lp": "reno-linux"}
"""The preset that does what the kernel's module of a name does: docs/deviations.md, "LP of the kernel"."""

Row = dict[str, Any]


class InBothWorlds(Local):
    """Makes networks one by one in both worlds, `jobs` of them at a time."""

    def __init__(self, jobs: int, world: KernelWorld) -> None:
        """Boots the machine that all runs copy. Raises `SwarmError` and `LinuxError` for what is missing."""
        super().__init__(jobs)
        self._world = world
        # before threads ask for it
        self._world.boot()

    def make(self, seed: int, networks: range, stop: threading.Event) -> Made:
        """See `Local`. What differs is made small."""
        rows = [self._row(seed, network, stop) for network in networks]
        failed = ((network, row) for network, row in zip(networks, rows, strict=True) if row["verdict"] == "failed")
        return batch_of(networks, rows, 0.0), [finding_of(network, row) for network, row in failed]

    def _row(self, seed: int, network: int, stop: threading.Event) -> Row:
        command = [str(self.program), "judge", "--seed", str(seed), "--network", str(network)]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, text=True) as asking:
            assert asking.stdin is not None
            assert asking.stdout is not None
            judged = _Judged(lambda document: verdict_on(document, self._world, stop))
            toml = ""
            for line in asking.stdout:
                said = json.loads(line)
                if "toml" in said:
                    toml = said["toml"]
                    break
                asking.stdin.write("differs\n" if judged.differs(said["document"]) else "agrees\n")
                asking.stdin.flush()
        if not judged.row:
            raise SwarmError(f"{self.program} draws no network; `make swarm-program` builds it")
        return judged.row | ({"toml": toml} if judged.row["verdict"] == "failed" else {})


class _Judged:
    """The verdict on a network, and on the smaller ones that have it too."""

    def __init__(self, judge: Callable[[Row], Row]) -> None:
        self._judge = judge
        self._smaller = 0
        self.row: Row = {}

    def differs(self, document: Row) -> bool:
        """Judges the first document; of smaller ones says whether they differ by the same rule."""
        if not self.row:
            self.row = self._judge(document)
            return bool(self.row["verdict"] == "failed")
        if self._smaller >= _SMALLER or not _is_for_both(document):
            return False
        row = self._judge(document)
        self._smaller += "compared" in row
        alike: bool = row["verdict"] == "failed" and row["check"] == self.row["check"]
        self.row = row if alike else self.row
        return alike


def check_files(files: list[Path], kernel: str | None) -> list[Row]:
    """Returns the verdict on each scenario file. Raises `ScenarioError`, `LinuxError`."""
    world = KernelWorld(kernel)
    return [{"file": str(file), **verdict_on(json.loads(load(file).document_json()), world)} for file in files]


def verdict_on(document: Row, world: KernelWorld, stop: threading.Event | None = None) -> Row:
    """Returns the verdict on a scenario, as the program of the swarm gives verdicts."""
    try:
        first = _simulated(document)
        if sum(flow["segments_sent"] for flow in first.summary["flows"]) > _SEGMENTS:
            return {"verdict": "too-long"}
        found = _difference(first, _starts(document, first), world, stop)
    except EndedError as error:
        found = Difference("no_end", str(error))
    except (ScenarioError, LinuxError) as error:
        return {"verdict": "refused", "message": str(error)}
    if found is None:
        return {"verdict": "held", "compared": ["kernel"]}
    failed = {"verdict": "failed", "check": found.rule, "message": found.message, "place": "", "traces": {}}
    return failed | {"compared": ["kernel"]}


def _simulated(document: Row) -> Result:
    return run_checked(load(_by_rule_of_module(document)), cached=False)


def _in_kernel(document: Row, world: KernelWorld, stop: threading.Event | None) -> Figures:
    with TemporaryDirectory(prefix="vegaslab-") as folder, Guest(load(document), Path(folder), world) as guest:
        return figures(guest.result(Path(folder) / "results", stop=stop))


def _difference(
    first: Result, starts: Iterator[Row], world: KernelWorld, stop: threading.Event | None
) -> Difference | None:
    """Returns what differs between both worlds' runs of all starts; of one flow, of the first runs if these agree.
    `first` is the simulator's run of the first start.
    """
    simulated: list[Figures] = []
    kernel: list[Figures] = []
    for document in starts:
        simulated.append(figures(_simulated(document) if simulated else first))
        kernel.append(_in_kernel(document, world, stop))
        if len(document["flow"]) == 1 and len(kernel) == 1 and difference(simulated, kernel) is None:
            return None
    return difference(simulated, kernel)


def _starts(document: Row, simulated: Result) -> Iterator[Row]:
    """Yields the scenario, first as it is, and then with later starts of its last flow."""
    *others, last = document["flow"]
    flows = simulated.summary["flows"]
    # the queue is part of it: on a slow path one packet takes longer than the round trip of an empty one
    round_trip_s = max(flow["mean_rtt_ms"] or 0.0 for flow in flows) / 1e3
    spread_s = round_trip_s if others else _TICK_S
    for number in range(_STARTS):
        later_s = flows[-1]["start_s"] + spread_s * number / _STARTS
        yield document | {"flow": [*others, last | {"start": f"{round(later_s * 1e9)}ns"}]}


def _by_rule_of_module(document: Row) -> Row:
    flows = [
        flow | {"algorithm": _RULE_OF_MODULE.get(flow["algorithm"], flow["algorithm"])}
        if isinstance(flow.get("algorithm"), str)
        else flow
        for flow in document.get("flow", [])
    ]
    return document | {"flow": flows}


def _is_for_both(document: Row) -> bool:
    """Whether a smaller network still has what both worlds need."""

    def kept(flow: Row) -> bool:
        host = flow.get("host")
        return isinstance(host, dict) and host.items() >= _HOST.items() and flow.get("packet") == _PACKET

    flows = document.get("flow", [])
    return bool(flows) and all(kept(flow) for flow in flows)

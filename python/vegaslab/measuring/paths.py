"""The paths of measured transfers: hosts, and scenarios carried out with real sockets on this machine."""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from vegaslab.measuring.campaign import Cell, Transfer
from vegaslab.measuring.linux import PROGRAM, LinuxError, program
from vegaslab.measuring.sender import send
from vegaslab.scenario.source import load, read

KERNELS = "kernel:"
"""The prefix of the kernel's own congestion controls: the family has a `reno` and a `cubic` too."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """A host on which `vegaslab linux receive` runs."""

    address: tuple[str, int]
    congestion: Mapping[str, str]
    """The kernel's name of each algorithm."""
    pause_s: float
    limit_s: float

    def transfer(self, number: int, cell: Cell) -> Transfer:
        """Pauses, and makes a transfer. Raises `TransferError`."""
        time.sleep(self.pause_s if number > 0 else 0.0)
        sent = send(self.address, cell.size_bytes, self.congestion[cell.algorithm], self.limit_s)
        return Transfer(
            number=number,
            path=cell.path,
            size_bytes=cell.size_bytes,
            algorithm=cell.algorithm,
            completion_s=sent.completion_s,
            throughput_mbps=cell.size_bytes * 8e-6 / sent.completion_s,
            retransmits=sent.retransmits,
            min_rtt_ms=sent.min_rtt_ms,
            lateness_p99_us=None,
            trustworthy=None,
        )


@dataclass(frozen=True, kw_only=True)
class Emulated:
    """The network of a scenario in real time, which each transfer has to itself."""

    name: str
    file: str
    duration_s: float

    def transfer(self, number: int, cell: Cell) -> Transfer:
        """Carries the scenario out with this size and algorithm. Raises `LinuxError`."""
        sets = {
            "until_complete": "true",
            "sample": "off",
            "flow.0.size": f"{cell.size_bytes}b",
            # by this time the sender's thread is running
            "flow.0.start": "200ms",
            "flow.0.algorithm": cell.algorithm,
        }
        options = [option for key, value in sets.items() for option in ("--set", f"{key}={value}")]
        done = subprocess.run(
            [program(), "run", self.file, "--json", "--with-parent", "--seed", str(number), *options],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise LinuxError(done.stderr.strip() or f"{PROGRAM} ended with {done.returncode}")
        summary = json.loads(done.stdout)
        flow = summary["flows"][0]
        if flow["completion_s"] is None:
            raise LinuxError(f"{self.name}: {cell.size_bytes} bytes took longer than the file's {self.duration_s:g} s")
        return Transfer(
            number=number,
            path=cell.path,
            size_bytes=cell.size_bytes,
            algorithm=cell.algorithm,
            completion_s=flow["completion_s"],
            throughput_mbps=cell.size_bytes * 8e-6 / flow["completion_s"],
            retransmits=flow["segments_retransmitted"],
            min_rtt_ms=flow["base_rtt_ms"],
            lateness_p99_us=summary["linux"]["lateness_p99_us"],
            trustworthy=summary["linux"]["trustworthy"],
        )


def emulated(file: str) -> Emulated:
    """Returns the path of a scenario's file or name. Raises `ScenarioError`, `OSError` or `LinuxError`."""
    scenario = load(file)
    name = read(file)[2]
    if len(json.loads(scenario.document_json())["flow"]) != 1:
        raise LinuxError(f"{name}: flow: one is measured; others belong into traffic")
    return Emulated(name=scenario.name, file=name, duration_s=scenario.duration_s)


@contextmanager
def congestion_controls(algorithms: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yields the kernel's name of each algorithm: an installed one, or one that is registered while the block lasts.

    The program that registers them ends with its input, so they vanish even if this process is killed. Raises
    `LinuxError`.
    """
    own = {name: name.removeprefix(KERNELS) for name in algorithms if name.startswith(KERNELS)}
    presets = [name for name in algorithms if name not in own]
    if not presets:
        yield own
        return
    with subprocess.Popen(
        [program(), "hold", *presets], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stderr is not None
        line = holder.stdout.readline()
        if not line:
            raise LinuxError(holder.stderr.read().strip() or f"{PROGRAM} ended")
        try:
            yield own | json.loads(line)
        finally:
            holder.stdin.close()

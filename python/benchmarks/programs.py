"""Runs a program and says what it cost."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCHES = ROOT / "benches"


class BenchmarkError(Exception):
    """A program is missing or failed; the message is one line."""


@dataclass(frozen=True)
class Cost:
    """What a process took from its start to its end."""

    cpu_s: float
    """User and system time: on an idle core the same as wall time, and hardly disturbed by a busy one."""
    memory_mib: float
    """Greatest resident size."""


@dataclass(frozen=True)
class Work:
    """What a run did."""

    delivered: int
    """Data packets that arrived."""
    sent: int
    """Segments sent, over all flows."""

    @classmethod
    def of(cls, summary: str) -> "Work":
        """From a printed summary."""
        delivered, *_ = re.findall(r'"delivered_packets": (\d+)', summary)
        return cls(int(delivered), sum(int(sent[1]) for sent in re.finditer(r'"segments_sent": (\d+)', summary)))


def measure(command: Sequence[str | Path], keep: str = "") -> tuple[str, Cost]:
    """Runs a command to its end; the lines that it printed, of those in which `keep` is found, and what it cost.

    The kernel counts this process's memory, up to the start of a program, as that program's: so hold little of it.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if process.returncode:
            errors.seek(0)
            raise BenchmarkError(f"{command[0]}: exit code {process.returncode}: {errors.read().strip()[-300:]}")
        lines = "".join(line for line in out if re.search(keep, line))
        return lines, Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def scenario_file(name: str) -> Path:
    """The scenario `name` of benches/scenarios."""
    return BENCHES / "scenarios" / f"{name}.toml"


def simulate(program: Path, scenario: Path, changes: Mapping[str, str] | None = None) -> tuple[Work, Cost]:
    """Runs a scenario file with some keys changed, as a whole process that writes its folder."""
    with tempfile.TemporaryDirectory() as folder:
        overrides = [f"{key}={value}" for key, value in (changes or {}).items()]
        command: list[str | Path] = [program, scenario, Path(folder) / "results", *overrides]
        printed, cost = measure(command, keep="delivered_packets|segments_sent")
    return Work.of(printed), cost

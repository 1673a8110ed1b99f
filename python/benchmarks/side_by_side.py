"""Ours and ns-2, the same scenarios in turn: CPU seconds a delivered data packet, as ratios of medians."""

import os
import platform
import shutil
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.programs import BENCHES, BenchmarkError, Cost, measure, scenario_file, simulate

OURS_A_TURN = 3
"""Runs of ours to one of ns-2's, which takes ten times as long: what disturbs a run disturbs both medians as much."""


@dataclass(frozen=True)
class Row:
    """A scenario, and the arguments with which ns-2 runs the same (benches/ns2.tcl)."""

    scenario: str
    target_mpps: float
    """The project's target, millions of delivered packets a second."""
    ns2: tuple[str, ...] = ()
    """Agent, flows, rate, delay, queue, access, seconds; empty where it is not run."""
    scheduler: str = "Calendar"
    """ns-2's fastest here."""
    may_differ: float = 0.0
    """By how much of their number the segments sent may differ: one dialect of Vegas, but B and C lose packets where
    segments of several flows arrive at one instant and the order of events decides; SACK is not ns-2's
    (docs/deviations.md)."""


ROWS = (
    Row("one-flow", 10, ("Vegas", "1", "50", "48", "100", "1000", "700"), "Splay", 0.001),
    Row("ten-flows", 8, ("Vegas", "10", "100", "48", "100", "1000", "70"), "Splay", 0.005),
    Row("hundred-flows", 5, ("Vegas", "100", "1000", "48", "100", "1000", "20"), "Calendar", 0.01),
    Row("ten-sack-flows", 5, ("Sack1", "10", "1000", "48", "100", "10000", "60"), "Calendar", 0.02),
    Row("thousand-flows", 3),
    Row("ten-thousand-flows", 2),
    Row("five-hops", 2),
)


@dataclass
class Runs:
    """Repeated runs of one program: how many packets it delivered, and what that cost each time."""

    delivered: int
    costs: list[Cost]

    def mpps(self) -> float:
        """Millions of delivered packets a CPU second, the median."""
        return self.delivered / statistics.median(cost.cpu_s for cost in self.costs) / 1e6

    def memory_mib(self) -> float:
        """The median of the greatest resident sizes."""
        return statistics.median(cost.memory_mib for cost in self.costs)


def main(program: Path, repeats: int) -> int:
    """Prints the table; 1 if the two did not do the same work."""
    ns2 = shutil.which("ns")
    if ns2 is None:
        print("SKIPPED: ns-2 is not installed (Debian: apt-get install ns2), so nothing is compared with it")
    print_machine()
    print(
        "\n| scenario | delivered | ours, M/s | target | memory, MiB | ns-2 at its best | ratio | as it comes | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    failures: list[str] = []
    for row in ROWS:
        print(compare(row, program, ns2, repeats, failures), flush=True)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


def compare(row: Row, program: Path, ns2: str | None, repeats: int, failures: list[str]) -> str:
    """Runs a scenario in both, in turn; a line of the table."""
    ours, best, usual = Runs(0, []), Runs(0, []), Runs(0, [])
    for _ in range(repeats):
        for _ in range(OURS_A_TURN if row.ns2 else 1):
            work, cost = simulate(program, scenario_file(row.scenario))
            ours.delivered = work.delivered
            ours.costs.append(cost)
        if ns2 and row.ns2:
            sent = run_ns2([ns2, BENCHES / "ns2.tcl", *row.ns2, "needed", row.scheduler], best)
            run_ns2([ns2, BENCHES / "ns2.tcl", *row.ns2, "all", "Calendar"], usual)
            check(row, work.sent, sent, failures)
    cells = [
        row.scenario,
        str(ours.delivered),
        f"{ours.mpps():.2f}",
        f"{row.target_mpps:g}",
        f"{ours.memory_mib():.0f}",
    ]
    for theirs in (best, usual):
        cells += [f"{theirs.mpps():.2f}", f"{ours.mpps() / theirs.mpps():.1f}"] if theirs.costs else ["", ""]
    return f"| {' | '.join(cells)} |"


def run_ns2(command: Sequence[str | Path], runs: Runs) -> int:
    """Runs ns-2 once; how many segments it sent."""
    printed, cost = measure(command)
    words = printed.split()
    if len(words) != 3:
        raise BenchmarkError(f"ns-2 printed {printed.strip()[:200]!r}, not three counts")
    runs.delivered = int(words[1])
    runs.costs.append(cost)
    return int(words[0])


def check(row: Row, sent: int, sent_by_ns2: int, failures: list[str]) -> None:
    """Notes it if the two did not send the same number of segments, but for what may differ."""
    failure = f"{row.scenario}: {sent} segments sent here, {sent_by_ns2} in ns-2; {row.may_differ:.1%} may differ"
    if abs(sent - sent_by_ns2) > row.may_differ * sent_by_ns2 and failure not in failures:
        failures.append(failure)


def print_machine() -> None:
    """What the figures belong to."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"{model}, {os.cpu_count()} cores, load {load}; {platform.system()} {platform.release()}")
    if shutil.which("dpkg-query"):
        query = subprocess.run(["dpkg-query", "-W", "ns2"], capture_output=True, text=True, check=False)
        print(query.stdout.replace("\t", " ").strip())

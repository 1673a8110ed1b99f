"""Simulator and kernel side by side: each algorithm over a few paths, several runs of each, agreeing or not.

One flow over an emulated path, in the simulator and on real sockets. A run agrees where the window at the end of slow
start is the same, the time until the window holds the path's own capacity differs by no more than 5 %, and the median
window of the last two seconds, in whole segments, by no more than one. A run that the router marks untrustworthy is
shown and made again.
"""

import csv
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import product
from math import floor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vegaslab.measuring import linux
from vegaslab.runs.result import Result, run_checked
from vegaslab.scenario.source import load

ALGORITHMS = ("vegas", "vegas-linux", "gallop", "streak", "dynamic")
RATES_MBPS = (10, 20)
RTTS_MS = (40, 100)

_PACKET_BYTES = 1500
_ACCESS_DELAY_MS = 1
_LONGEST_S = 90.0
_STEADY_S = 2.0
_TIME_MAY_DIFFER = 0.05
_WINDOW_MAY_DIFFER = 1
_SHARE = 0.9
_SETTLED_WITHIN = 3.0
_WIDTHS = (12, 16, 11, 11, 10, 9, 13, 8)
# runs of a cell, at most, for each that is asked for
_ATTEMPTS = 5


@dataclass(frozen=True)
class EmulatedPath:
    """A bottleneck between two access links of 1 Gb/s and 1 ms."""

    rate_mbps: int
    rtt_ms: int

    def capacity_segments(self) -> float:
        """What it holds without a queue."""
        return self.rate_mbps * 1e6 * self.rtt_ms / 1e3 / 8 / _PACKET_BYTES

    def scenario(self, algorithm: str, duration_s: float) -> dict[str, Any]:
        """One flow over it, between hosts as Linux's, without what the kernel does its own way."""
        parts = {"fine_retransmit": False, "recheck_after_retransmit": False, "burst": "none"}
        delay_ms = self.rtt_ms / 2 - 2 * _ACCESS_DELAY_MS
        return {
            "name": f"{algorithm}-{self.rate_mbps}mbit-{self.rtt_ms}ms",
            "duration": f"{duration_s}s",
            "sample": "2ms",
            "topology": {
                "kind": "dumbbell",
                "access": {"rate": "1gbit", "delay": f"{_ACCESS_DELAY_MS}ms"},
                "bottleneck": {"rate": f"{self.rate_mbps}mbit", "delay": f"{delay_ms}ms", "queue": "1000p"},
            },
            "flow": [
                {
                    "algorithm": {"preset": algorithm, **parts},
                    "host": "linux",
                    "packet": f"{_PACKET_BYTES}b",
                    # mid-speed start aims at it
                    **({"ssthresh": round(self.capacity_segments())} if algorithm == "dynamic" else {}),
                },
            ],
        }


@dataclass(frozen=True)
class Behaviour:
    """What a flow did that is compared."""

    slow_start_end_segments: float | None
    filled_s: float | None
    steady_segments: int

    @staticmethod
    def of(result: Result, path: EmulatedPath) -> "Behaviour":
        """Read from the series of windows."""
        rows = _windows(result)
        filled = next((at for at, window in rows if window >= path.capacity_segments()), None)
        exit_window = result.summary["flows"][0]["cwnd_at_slow_start_end"]
        return Behaviour(exit_window, filled, floor(_steady_segments(rows)))

    def agrees_with(self, other: "Behaviour") -> bool:
        """Whether they count as equal."""
        return (
            _near(self.slow_start_end_segments, other.slow_start_end_segments, 0.5)
            and _near(self.filled_s, other.filled_s, _TIME_MAY_DIFFER * (self.filled_s or 0))
            and abs(self.steady_segments - other.steady_segments) <= _WINDOW_MAY_DIFFER
        )

    def cells(self) -> tuple[str, str, str]:
        """For a row of the table."""
        return _shown(self.slow_start_end_segments), _shown(self.filled_s), str(self.steady_segments)


@dataclass(frozen=True)
class Lateness:
    """How late the router was at most, and how late it may be."""

    lateness_max_us: float
    lateness_bound_us: float

    def is_trustworthy(self) -> bool:
        """As the run's own summary says."""
        return self.lateness_max_us <= self.lateness_bound_us


@dataclass(frozen=True)
class Measured:
    """A run on real sockets."""

    behaviour: Behaviour
    lateness: Lateness


@dataclass(frozen=True)
class Cell:
    """An algorithm on a path."""

    algorithm: str
    path: EmulatedPath

    def key(self) -> tuple[str, ...]:
        """How its rows begin in the file."""
        return (self.algorithm, str(self.path.rate_mbps), str(self.path.rtt_ms))

    def scenario(self) -> Any:
        """As long as the window takes to settle in the simulator, and a while."""
        longest = run_checked(load(self.path.scenario(self.algorithm, _LONGEST_S)))
        duration_s = min(_LONGEST_S, round(_settled_s(longest) + 2 * _STEADY_S))
        return load(self.path.scenario(self.algorithm, duration_s))


class Journal:
    """All runs made so far, in a file: an interrupted command goes on there. Runs count as long as the simulator's side
    is what it was.
    """

    _COLUMNS = (
        "algorithm",
        "rate_mbps",
        "rtt_ms",
        *(f"simulated_{field.name}" for field in fields(Behaviour)),
        *(field.name for field in fields(Behaviour)),
        *(field.name for field in fields(Lateness)),
    )

    def __init__(self, file: Path) -> None:
        self._file = file

    def runs(self, cell: Cell, simulated: Behaviour) -> list[Measured]:
        """Those of a cell."""
        if not self._file.exists():
            return []
        begin = (*cell.key(), *map(str, astuple(simulated)))
        with self._file.open(newline="") as lines:
            rows = [row for row in csv.reader(lines) if tuple(row[: len(begin)]) == begin]
        return [_measured(row[len(begin) :]) for row in rows]

    def add(self, cell: Cell, simulated: Behaviour, measured: Measured) -> None:
        """Writes a run down."""
        begins = not self._file.exists()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        values = (astuple(simulated), astuple(measured.behaviour), astuple(measured.lateness))
        with self._file.open("a", newline="") as lines:
            writer = csv.writer(lines)
            if begins:
                writer.writerow(self._COLUMNS)
            # a value that is missing is written as None, so that it is not taken for another
            writer.writerow([*cell.key(), *(str(value) for part in values for value in part)])


def main(
    program: Path,
    repeats: int,
    algorithms: Sequence[str],
    rates_mbps: Sequence[int],
    rtts_ms: Sequence[int],
    journal: Journal,
) -> int:
    """Prints a row a run; 1 unless each cell has its trustworthy runs, and nine in ten of all these agree."""
    _print_row("algorithm", "path", "run", "slow start", "filled, s", "steady", "late, us", "verdict")
    runs: list[tuple[bool, bool]] = []
    missing = 0
    for algorithm, rate_mbps, rtt_ms in product(algorithms, rates_mbps, rtts_ms):
        cell = Cell(algorithm, EmulatedPath(rate_mbps, rtt_ms))
        of_cell = list(_verdicts(program, repeats, cell, journal))
        missing += max(0, repeats - sum(trusted for trusted, _ in of_cell))
        runs += of_cell
    trusted = [agrees for trustworthy, agrees in runs if trustworthy]
    others = [agrees for trustworthy, agrees in runs if not trustworthy]
    print(f"{sum(trusted)} of {len(trusted)} trustworthy runs agree, and {sum(others)} of {len(others)} others")
    if missing:
        print(f"{missing} trustworthy runs are missing: the machine was late in the others; the same command goes on")
    return 0 if not missing and sum(trusted) >= _SHARE * len(trusted) else 1


def _verdicts(program: Path, repeats: int, cell: Cell, journal: Journal) -> Iterator[tuple[bool, bool]]:
    """Of each run, those made earlier first: whether it is trustworthy, and whether it agrees."""
    scenario = cell.scenario()
    simulated = Behaviour.of(run_checked(scenario), cell.path)
    name = f"{cell.path.rate_mbps} Mb/s {cell.path.rtt_ms} ms"
    _print_row(cell.algorithm, name, "simulator", *simulated.cells())
    earlier = journal.runs(cell, simulated)
    trusted = 0
    for number in range(max(len(earlier), repeats * _ATTEMPTS)):
        if number < len(earlier):
            measured = earlier[number]
        elif trusted >= repeats:
            return
        else:
            measured = _measure(program, scenario, cell.path)
            journal.add(cell, simulated, measured)
        agrees, lateness = simulated.agrees_with(measured.behaviour), measured.lateness
        trusted += lateness.is_trustworthy()
        late = f"{lateness.lateness_max_us:.0f}/{lateness.lateness_bound_us:.0f}"
        verdict = f"{'agrees' if agrees else 'differs'}{'' if lateness.is_trustworthy() else ', late'}"
        _print_row("", "", f"linux {number + 1}", *measured.behaviour.cells(), late, verdict)
        yield lateness.is_trustworthy(), agrees


def _print_row(*cells: str) -> None:
    # at once: all rows together take an hour
    print("".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)).rstrip(), flush=True)


def _measure(program: Path, scenario: Any, path: EmulatedPath) -> Measured:
    with TemporaryDirectory() as folder:
        result = linux.run(scenario, Path(folder) / "run", program)
        late = result.summary["linux"]
        return Measured(Behaviour.of(result, path), Lateness(late["lateness_max_us"], late["lateness_bound_us"]))


def _measured(row: Sequence[str]) -> Measured:
    exit_window, filled, steady, latest, bound = row
    behaviour = Behaviour(_number(exit_window), _number(filled), int(steady))
    return Measured(behaviour, Lateness(float(latest), float(bound)))


def _number(text: str) -> float | None:
    return None if text == str(None) else float(text)


def _windows(result: Result) -> list[tuple[float, float]]:
    series = result.series.flows.to_pydict()
    return list(zip(series["time_s"], series["cwnd_segments"], strict=True))


def _steady_segments(rows: Sequence[tuple[float, float]]) -> float:
    last_s = rows[-1][0]
    return statistics.median(window for at, window in rows if at >= last_s - _STEADY_S)


def _settled_s(result: Result) -> float:
    rows = _windows(result)
    steady = _steady_segments(rows)
    return max((at for at, window in rows if abs(window - steady) > _SETTLED_WITHIN), default=0.0)


def _near(one: float | None, other: float | None, by: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= by


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

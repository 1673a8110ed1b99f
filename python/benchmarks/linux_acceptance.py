"""Simulator and kernel side by side: each algorithm over a few paths, several runs of each, agreeing or not.

One flow over an emulated path, in the simulator and on real sockets. A run agrees where the window at the end of slow
start is the same, the time until the window holds the path's own capacity differs by no more than 5 %, and the median
window of the last two seconds by no more than a segment.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vegaslab import linux
from vegaslab.result import Result, run_checked
from vegaslab.source import load

ALGORITHMS = ("vegas", "vegas-linux", "gallop", "streak", "dynamic")
RATES_MBPS = (10, 20)
RTTS_MS = (40, 100)

_PACKET_BYTES = 1500
_ACCESS_DELAY_MS = 1
_LONGEST_S = 90.0
_STEADY_S = 2.0
_TIME_MAY_DIFFER = 0.05
_WINDOW_MAY_DIFFER = 1.0
_SETTLED_WITHIN = 3.0
_WIDTHS = (12, 16, 11, 11, 10, 9, 11, 8)


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
    steady_segments: float
    settled_s: float

    @staticmethod
    def of(result: Result, path: EmulatedPath) -> "Behaviour":
        """Read from the series of windows."""
        exit_window = result.summary["flows"][0]["cwnd_at_slow_start_end"]
        series = result.series.flows.to_pydict()
        rows = list(zip(series["time_s"], series["cwnd_segments"], strict=True))
        filled = next((at for at, window in rows if window >= path.capacity_segments()), None)
        last_s = rows[-1][0]
        steady = statistics.median(window for at, window in rows if at >= last_s - _STEADY_S)
        settled = max((at for at, window in rows if abs(window - steady) > _SETTLED_WITHIN), default=0.0)
        return Behaviour(exit_window, filled, steady, settled)

    def agrees_with(self, other: "Behaviour") -> bool:
        """Whether they count as the same."""
        return (
            _near(self.slow_start_end_segments, other.slow_start_end_segments, 0.5)
            and _near(self.filled_s, other.filled_s, _TIME_MAY_DIFFER * (self.filled_s or 0))
            and abs(self.steady_segments - other.steady_segments) <= _WINDOW_MAY_DIFFER
        )

    def cells(self) -> tuple[str, str, str]:
        """For a row of the table."""
        return _shown(self.slow_start_end_segments), _shown(self.filled_s), _shown(self.steady_segments)


def main(
    program: Path, repeats: int, algorithms: Sequence[str], rates_mbps: Sequence[int], rtts_ms: Sequence[int]
) -> int:
    """Prints a row a run; 1 if fewer than nine in ten of them agree and are trustworthy."""
    _print_row("algorithm", "path", "run", "slow start", "filled, s", "steady", "late, us", "verdict")
    runs = agreeing = good = 0
    for algorithm, rate_mbps, rtt_ms in product(algorithms, rates_mbps, rtts_ms):
        path = EmulatedPath(rate_mbps, rtt_ms)
        scenario = load(path.scenario(algorithm, _duration_s(algorithm, path)))
        simulated = Behaviour.of(run_checked(scenario), path)
        _print_row(algorithm, f"{rate_mbps} Mb/s {rtt_ms} ms", "simulator", *simulated.cells())
        for number in range(1, repeats + 1):
            measured, late = _measure(program, scenario, path)
            agrees = simulated.agrees_with(measured)
            runs, agreeing, good = runs + 1, agreeing + agrees, good + (agrees and late["trustworthy"])
            lateness = f"{late['lateness_max_us']:.0f}/{late['lateness_bound_us']:.0f}"
            _print_row("", "", f"linux {number}", *measured.cells(), lateness, "agrees" if agrees else "differs")
    print(f"{agreeing} of {runs} runs agree; {good} of these were trustworthy")
    return 0 if good >= 0.9 * runs else 1


def _print_row(*cells: str) -> None:
    # at once: all rows together take an hour
    print("".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)).rstrip(), flush=True)


def _duration_s(algorithm: str, path: EmulatedPath) -> float:
    """As long as the window takes to settle in the simulator, and a while."""
    longest = run_checked(load(path.scenario(algorithm, _LONGEST_S)))
    return min(_LONGEST_S, round(Behaviour.of(longest, path).settled_s + 2 * _STEADY_S))


def _measure(program: Path, scenario: Any, path: EmulatedPath) -> tuple[Behaviour, dict[str, Any]]:
    with TemporaryDirectory() as folder:
        result = linux.run(scenario, Path(folder) / "run", program)
        return Behaviour.of(result, path), result.summary["linux"]


def _near(one: float | None, other: float | None, by: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= by


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

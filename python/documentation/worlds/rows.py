"""The runs of the plan `both-worlds` in the simulator and in the kernel, as two sweeps keep them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vegaslab
from vegaslab.measuring.judging.rules import BOTTLENECK, Difference, Figures, Flow, differences

PLAN = "both-worlds"

MODULES = (
    *("reno-linux", "vegas-linux", "cubic-linux", "bbr1", "nv", "veno", "westwood", "yeah", "illinois", "htcp", "bic"),
    *("highspeed", "hybla", "scalable", "cdg", "lp"),
)
"""The presets that the kernel runs by modules of its own: docs/kernel-world.md, "Congestion controls"."""

_ALGORITHM = "flow.0.algorithm"
_PATH = ("rate", "delay", "queue", "loss")

Run = Mapping[str, Any]
"""A row of a sweep."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """An algorithm on a path in both worlds, with the runs of all starts."""

    algorithm: str
    path: tuple[object, ...]
    """Rate, delay, queue and loss of the bottleneck."""
    simulated: Sequence[Run]
    kernel: Sequence[Run]

    @property
    def differs_in(self) -> tuple[str, ...]:
        """The judge's rules that the runs do not keep."""
        return tuple(dict.fromkeys(difference.rule for difference in self.differences))

    @property
    def differences(self) -> Sequence[Difference]:
        """What is beyond the judge's rules."""
        simulated, kernel = ([_figures(self.algorithm, run) for run in runs] for runs in (self.simulated, self.kernel))
        return list(differences(simulated, kernel))


def rows(simulated: Path, kernel: Path) -> Iterator[Row]:
    """Yields a row for each algorithm and path that both sweeps have, in the order of the plan.

    Raises `ValueError` for a run that failed.
    """
    one, other = map(_by_cell, (simulated, kernel))
    if [*one] != [*other]:
        raise ValueError(f"{simulated} and {kernel} are sweeps of two plans")
    for cell, runs in one.items():
        algorithm, *path = cell
        yield Row(algorithm=str(algorithm), path=tuple(path), simulated=runs, kernel=other[cell])


def _by_cell(sweep: Path) -> Mapping[tuple[object, ...], Sequence[Run]]:
    cells: dict[tuple[object, ...], list[Run]] = {}
    for run in vegaslab.read_runs(sweep).to_pylist():
        if run["status"] != "ok":
            raise ValueError(f"{cell_of(run)}: {run['error']}")
        cells.setdefault(cell_of(run), []).append(run)
    return cells


def world_of(kernel: Path) -> Mapping[str, str]:
    """Returns what made the kernel's sweep: QEMU, kernel and others."""
    world: Mapping[str, str] = json.loads((kernel / "plan.json").read_text(encoding="utf-8"))["world"]
    return world


def cell_of(run: Run) -> tuple[object, ...]:
    """Returns the preset, and the path, of a run of the plan: a row of a sweep, or values by key."""
    algorithm = run[_ALGORITHM]
    if isinstance(algorithm, str) and algorithm.startswith("{"):
        algorithm = json.loads(algorithm)
    name = algorithm if isinstance(algorithm, str) else algorithm["preset"]
    return (name, *(run.get(f"topology.bottleneck.{key}") for key in _PATH))


def _figures(algorithm: str, run: Run) -> Figures:
    """The row of a sweep does not say which segments were lost; it counts those that were retransmitted."""
    ended_s, window = (run[f"flow.0.{key}"] for key in ("slow_start_end_s", "cwnd_at_slow_start_end"))
    flow = Flow(
        algorithm=algorithm,
        slow_start=None if ended_s is None else (ended_s, window),
        lost=(),
        retransmitted=run["flow.0.segments_retransmitted"],
        timeouts=run["flow.0.timeouts"],
        delivered_bytes=run["flow.0.delivered_bytes"],
        completion_s=None,
    )
    return Figures(
        flows=(flow,),
        mean_queue_packets=run[f"link.{BOTTLENECK}.mean_queue_packets"],
        round_trip_s=run["flow.0.base_rtt_ms"] / 1e3,
    )

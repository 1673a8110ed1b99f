"""Vegaslab's algorithms in the kernel, by BPF: whole connections that decide as in the simulator, twice the same bytes.

The kernel reports to an algorithm what the simulator's host reports, but for this: a round trip has some 20 us more,
which the guest takes for its packets; no round trip is measured in a recovery (docs/linux.md, "Vegas's heirs"); where
an acknowledgement shows a loss, its row has the window before the cut or after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import vegaslab
from tests.measuring.guest.test_guest import hashes, whole
from vegaslab import _vegaslab
from vegaslab.measuring.guest.world import Guest, KernelWorld
from vegaslab.runs.result import Result, run_checked
from vegaslab.scenario.source import load

PRESETS = {preset["name"]: preset for preset in _vegaslab.algorithms()}

NOT_FOR_THE_KERNEL = {"fine_retransmit": False, "recheck_after_retransmit": False, "burst": "none"}
"""The mechanisms of BSD's hosts are off: Linux repairs losses itself."""

PACKET_S = 1.2e-3
"""The time of a packet on the link: 1500 bytes at 10 Mb/s."""
SEGMENT_BYTES = 1448


@dataclass(frozen=True)
class Bound:
    """How far a window of the kernel may be from the simulator's of the same acknowledged byte."""

    part: float = 0.0
    """As a part of the window."""
    segments: int = 1
    """The simulator's windows are those from this number of segments before the byte to as many after it."""
    until_s: float = 3.0
    """The time that is compared, of the run."""
    exit_segments: int = 0
    """Slow start may end this number of segments sooner or later."""


BOUNDS = {
    # their windows are functions of round trips in microseconds
    **dict.fromkeys(("dynamic", "vegas-next", "ledbat++"), Bound(part=0.01)),
    **dict.fromkeys(("copa", "copa-mvfst", "fast"), Bound(part=0.025, segments=2)),
    # no round trips are measured in its recovery, from which it takes how far to cut and to grow
    "illinois": Bound(part=0.1, segments=2),
    # its growth follows the smoothed round trip; after slow start's losses a saw-tooth ends sooner
    "hybla": Bound(until_s=0.9),
    # rates are measured over a round, which ends an acknowledgement sooner or later: one of 34 segments on this path;
    # when version 3 probes, after two to three seconds, each world draws for itself (docs/deviations.md). Slow start
    # ends with a round: the same kernel ends it two segments sooner with 0.7 ms of the path's delay on the access link
    **dict.fromkeys(("bbr1", "bbr3", "bbr3-linux"), Bound(part=1 / 34, segments=35, until_s=2.0, exit_segments=2)),
}

BY_CHANCE = ("cdg",)
"""It cuts by chance, from the kernel's random numbers: docs/deviations.md."""


def scenario_of(name: str, **link: object) -> _vegaslab.Scenario:
    """Returns one flow on 10 Mb/s and 40 ms, with a queue that some slow starts overflow."""
    algorithm = name if PRESETS[name]["hosts"]["linux"] is None else {"preset": name, **NOT_FOR_THE_KERNEL}
    bottleneck = {"rate": "10mbit", "delay": "18ms", "queue": "100p", **link}
    # no window of a receiver's limits the flow: both worlds tune it a little differently (docs/deviations.md)
    host = {"kind": "linux", "receive_window": 1_048_576}
    document = {
        "name": "decisions",
        "duration": "3s",
        "sample": "change",
        "topology": {"kind": "dumbbell", "access": {"rate": "1gbit", "delay": "1ms"}, "bottleneck": bottleneck},
        "flow": [{"algorithm": algorithm, "packet": "1500b", "initial_window": 10, "host": host}],
    }
    return load(document)


@pytest.fixture(scope="module")
def world() -> KernelWorld:
    """One boot for all."""
    return KernelWorld(bpf=True)


def twice_in_kernel(scenario: _vegaslab.Scenario, world: KernelWorld, folder: Path) -> Result:
    """Runs it twice, side by side, and checks that both give the same bytes."""
    with Guest(scenario, folder, world) as one, Guest(scenario, folder, world) as other:
        result = one.result(folder / "one")
        other.result(folder / "other")
    assert hashes(folder / "one") == hashes(folder / "other")
    return result


CARRIED = [name for name, preset in PRESETS.items() if preset["hosts"]["kernel"] is None and name not in BY_CHANCE]


@whole
@pytest.mark.parametrize("name", CARRIED)
def test_the_kernel_decides_as_the_simulator(name: str, world: KernelWorld, tmp_path: Path) -> None:
    """The same incidents in order, slow start's end within a packet's time, the same windows at the same byte; what may
    be further is in `BOUNDS`.
    """
    scenario = scenario_of(name)
    kernel = world.run(scenario, tmp_path)
    simulated = run_checked(scenario, cached=False)
    bound = BOUNDS.get(name, Bound())
    is_exact = bound == Bound()
    there, here = (incidents(run, to_slow_starts_end=not is_exact) for run in (kernel, simulated))
    assert [kind for kind, _ in there] == [kind for kind, _ in here]
    for (kind, kernels), (_, simulators) in zip(there, here, strict=True):
        segments = bound.exit_segments if kind == "slow-start-exit" else 0
        assert abs(kernels - simulators) <= segments * SEGMENT_BYTES, kind
    assert slow_starts_end(kernel) == pytest.approx(slow_starts_end(simulated), rel=max(bound.part, 1e-9))
    ended_s, here_s = (run.summary["flows"][0]["slow_start_end_s"] for run in (kernel, simulated))
    assert abs(ended_s - here_s) < (1 + bound.exit_segments) * PACKET_S
    assert furthest_window(simulated, kernel, bound) <= bound.part + 1e-9


FAMILY = ("gallop", "streak", "dynamic", "rovegas", "vegas-next")


@whole
@pytest.mark.parametrize("name", FAMILY)
def test_the_family_answers_a_loss_as_in_the_simulator(name: str, world: KernelWorld, tmp_path: Path) -> None:
    """The path above loses nothing of theirs. In the recovery round trips are missing, so that after it the window is a
    few segments larger or smaller. Two runs give the same bytes.
    """
    scenario = scenario_of(name, drop=[1000])
    kernel = twice_in_kernel(scenario, world, tmp_path)
    simulated = run_checked(scenario, cached=False)
    lost = [incident for incident in incidents(kernel) if incident[0] == "loss"]
    assert len(lost) == 1
    assert incidents(kernel) == incidents(simulated)
    assert furthest_window(simulated, kernel, Bound()) <= 0.1


@whole
def test_rovegas_sees_the_empty_path_and_outdoes_vegas_on_a_narrow_return(world: KernelWorld) -> None:
    """By hand: 40 ms, and the transmission of a packet at 10 Mb/s (1.2 ms) and an acknowledgement at 1 Mb/s (0.4 ms).
    Acknowledgements wait behind bursts, some 30 ms in the mean; the routers' times take that off.
    """

    def goodput_mbps(algorithm: str, world: KernelWorld | None) -> float:
        settings = {"duration": "6s", "flow.0.algorithm": algorithm}
        (flow,) = vegaslab.run("rovegas-narrow-return", set=settings, world=world).summary["flows"]
        assert 41.5 < flow["base_rtt_ms"] < 41.7
        assert flow["mean_rtt_ms"] > 70
        goodput: float = flow["goodput_mbps"]
        return goodput

    in_kernel = goodput_mbps("rovegas", world)
    assert in_kernel == pytest.approx(goodput_mbps("rovegas", None), rel=0.05)
    assert in_kernel > 1.4 * goodput_mbps("vegas", world)


def incidents(run: Result, *, to_slow_starts_end: bool = False) -> Sequence[tuple[str, int]]:
    """Returns what happened to which segment, in order; the first byte names it."""
    rows = [(row["kind"], row["sequence"]) for row in run.incidents.to_pylist()]
    kinds = [kind for kind, _ in rows]
    return rows[: kinds.index("slow-start-exit") + 1] if to_slow_starts_end else rows


def slow_starts_end(run: Result) -> float:
    window: float = run.summary["flows"][0]["cwnd_at_slow_start_end"]
    return window


def furthest_window(simulated: Result, kernel: Result, bound: Bound) -> float:
    """Returns how far a window of the kernel is at most outside of the simulator's around the same byte, as a part."""
    columns = ["acked_bytes", "cwnd_segments", "time_s"]
    here, there = (run.series.flows.to_pandas()[columns].to_numpy() for run in (simulated, kernel))
    around = bound.segments * SEGMENT_BYTES
    is_common = there[:, 0] <= simulated.summary["flows"][0]["delivered_bytes"]
    common = there[is_common & (there[:, 2] <= bound.until_s)]
    assert len(common) > 100
    furthest = 0.0
    for byte, window, _ in common:
        first = max(0, np.searchsorted(here[:, 0], byte - around, side="right") - 1)
        last = np.searchsorted(here[:, 0], byte + around, side="right")
        windows = here[first : max(last, first + 1), 1]
        furthest = max(furthest, window / windows.max() - 1, 1 - window / windows.min())
    return float(furthest)

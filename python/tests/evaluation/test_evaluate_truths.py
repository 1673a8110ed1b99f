"""What is known of congestion controls comes out of the dossier's scenarios by themselves."""

from typing import Any

import pytest

import vegaslab
from vegaslab.evaluation.extract import figures

SEEDS = (1, 2, 3)
DEEP, HALF, THREE = "667p", "33p", "200p"


def measured(scenario: str, algorithm: str, seed: int = 1, *, tested: tuple[int, ...] = (0,), **given: Any) -> Any:
    link = given.pop("link", "r1->r2")
    values = {f"flow.{table}.algorithm": algorithm for table in tested} | given.get("set", {})
    return figures(vegaslab.run(scenario, set=values, seed=seed), tested=tested, link=link)


@pytest.mark.parametrize("seed", SEEDS)
def test_cubic_starves_vegas(seed: int) -> None:
    """100 Mb/s, 40 ms, a queue of one BDP: less than a tenth of an equal share."""
    path = {"topology.bottleneck.rate": "100mbit", "topology.bottleneck.queue": "333p"}
    shared = measured("evaluate/beside", "vegas", seed, set=path)
    assert shared["goodput_mbps"] < 5
    assert shared["old_goodput_mbps"] > 90
    # and not because the flow cannot do better
    assert measured("evaluate/alone", "vegas", seed, set=path)["goodput_mbps"] > 40


def test_cubic_fills_a_deep_buffer_and_vegas_does_not() -> None:
    """Bufferbloat: the queue of ten BDP is 400 ms long."""
    assert measured("evaluate/bufferbloat", "cubic")["p95_queueing_ms"] > 300
    assert measured("evaluate/bufferbloat", "vegas")["p95_queueing_ms"] < 5


@pytest.mark.parametrize("seed", SEEDS)
def test_fq_codel_restores_fairness(seed: int) -> None:
    tail = {"topology.bottleneck.queue.kind": "drop-tail"}
    assert measured("evaluate/managed-queue", "vegas", seed, set=tail)["share_percent"] < 10
    assert measured("evaluate/managed-queue", "vegas", seed)["share_percent"] == pytest.approx(50, abs=3)


@pytest.mark.parametrize("seed", SEEDS)
def test_bbr1_loses_in_shallow_buffers(seed: int) -> None:
    """RFC 9743, section 5.1.3: steadily below some 1.5 BDP, where CUBIC does not."""

    def loss_percent(algorithm: str, queue: str) -> float:
        path = {"topology.bottleneck.queue": queue}
        found: float = measured("evaluate/shallow-buffer", algorithm, seed, set=path)["loss_percent"]
        return found

    for queue in (HALF, "67p"):
        assert loss_percent("bbr1", queue) > 5 * loss_percent("cubic", queue)
        assert loss_percent("bbr1", queue) > 4
    assert loss_percent("bbr1", THREE) < loss_percent("cubic", THREE)


@pytest.mark.parametrize("seed", SEEDS)
def test_reno_favours_the_near_flow(seed: int) -> None:
    """Its rate goes with a power of 1/RTT between one and two: 40 and 160 ms, and up to 80 ms of queue."""
    two = vegaslab.run("evaluate/round-trips", set={f"flow.{n}.algorithm": "sack" for n in (0, 1)}, seed=seed)
    near, far = (flow["goodput_mbps"] for flow in two.summary["flows"])
    assert 2 < near / far < 16


def test_streak_fills_the_path_without_a_burst() -> None:
    """Its doubled rounds are paced: sooner than Vegas, with a queue that slow start of Reno exceeds many times."""
    streak, vegas, sack = (measured("evaluate/bufferbloat", name) for name in ("streak", "vegas", "sack"))
    assert streak["fill_s"] < vegas["fill_s"]
    assert streak["overshoot_packets"] < 5
    assert streak["p99_queueing_ms"] < 3
    assert sack["overshoot_packets"] > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_rovegas_is_fairer_where_one_way_back_is_busy(seed: int) -> None:
    """The acknowledgements of one of two flows wait: Vegas takes that for a backlog, routers tell RoVegas otherwise."""
    vegas, rovegas = (
        measured("evaluate/way-back", name, seed, tested=(0, 1), link="r2->r3") for name in ("vegas", "rovegas")
    )
    assert rovegas["jain_index"] > vegas["jain_index"] + 0.1
    assert rovegas["max_to_min"] < vegas["max_to_min"] / 2

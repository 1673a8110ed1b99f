"""The queues of `dualpi2`: figures of each in the summary and in the terminal."""

from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command

PRAGUE_BESIDE_CUBIC = """
name = "queues"
duration = "8s"

[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "1ms" }
bottleneck = { rate = "20mbit", delay = "10ms", queue = { kind = "dualpi2", limit = "1000p" } }

[[flow]]
algorithm = "prague"

[[flow]]
algorithm = "cubic"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "queues.toml"
    path.write_text(PRAGUE_BESIDE_CUBIC)
    return path


def test_each_queue_has_its_figures(scenario: Path) -> None:
    summary = vegaslab.run(scenario).summary
    low_latency, classic = [queue for queue in summary["queues"] if queue["marks"] or queue["drops"]]
    link = next(link for link in summary["links"] if link["id"] == low_latency["link"])
    assert (low_latency["queue"], classic["queue"]) == ("low-latency", "classic")
    assert low_latency["marks"] == link["marks"]
    assert classic["drops"] == link["drops"]
    assert low_latency["p95_queueing_ms"] < 3 < classic["p50_queueing_ms"]


@pytest.mark.usefixtures("here")
def test_the_terminal_shows_queues_that_carried_packets(vegaslab: Command, scenario: Path) -> None:
    done = vegaslab("run", scenario, "--no-plot", "-o", "out")
    assert done.returncode == 0, done.stderr
    table = done.stdout[done.stdout.index("\nqueues of") :]
    assert [line.split()[1] for line in table.splitlines()[2:4]] == ["low-latency", "classic"]

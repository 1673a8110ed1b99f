"""Faults seeded into a copy of the simulator, both engines alike: the swarm finds each by the check named here.

Both engines agree on these faults, and packets are conserved, so no other check finds them.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from documentation import ROOT

SEED = 7
NETWORKS_MOST = 20_000
NETWORKS_AT_ONCE = 500
SOURCES = "crates/vegas-sim/src"


@dataclass(frozen=True)
class Fault:
    """What is wrong, the check that finds it, and for each file a text that is there once and what replaces it."""

    name: str
    check: str
    edits: tuple[tuple[str, str, str], ...]


FAULTS = (
    Fault(
        "a policer lets twice its rate pass",
        "within_policed_rate",
        (
            ("network/fast/impairment.rs", "let came = u128::from(self.rate", "let came = 2 * u128::from(self.rate"),
            ("network/reference/faults.rs", "= u128::from(policer.rate", "= 2 * u128::from(policer.rate"),
        ),
    ),
    Fault(
        "a batch comes out a nanosecond late",
        "first_packet_on_time",
        (
            ("network/fast/impairment.rs", "next_multiple_of(batch_ns))", "next_multiple_of(batch_ns) + 1)"),
            (
                "network/reference/faults.rs",
                "(due_ns.div_ceil(batch_ns) * batch_ns)",
                "(due_ns.div_ceil(batch_ns) * batch_ns + u64::from(batch_ns > 1))",
            ),
        ),
    ),
    Fault(
        "delay schedules delay twice as long",
        "first_packet_on_time",
        (("scenario/model/delay.rs", "|last| self.points[last].1)", "|last| self.points[last].1.times(2))"),),
    ),
    Fault(
        "the least important layer of media leaves first",
        "layers_in_order",
        (
            (
                "tcp/sending/media.rs",
                "in &mut self.layers {\n            while self.left",
                "in self.layers.iter_mut().rev() {\n            while self.left",
            ),
        ),
    ),
    Fault(
        "requests come without a time to think",
        "written_before_sent",
        (("tcp/sending/application.rs", "self.due = Some(now + *think)", "self.due = Some(now + think.times(0))"),),
    ),
    Fault(
        "an application at a rate writes two segments for one",
        "written_before_sent",
        (
            (
                "tcp/sending/application.rs",
                "            given += 1;\n            self.written += 1;",
                "            given += 2;\n            self.written += 1;",
            ),
        ),
    ),
    Fault(
        "a player of video has no end of its buffer",
        "written_before_sent",
        (
            (
                "tcp/sending/application.rs",
                "        now + Span::from_nanos(full)",
                "        now + Span::from_nanos(full).times(0)",
            ),
        ),
    ),
    Fault(
        "the retransmission timer does not back off",
        "timeouts_back_off",
        (("tcp/rtt/rto.rs", "self.backoff = (self.backoff + 1)", "self.backoff = self.backoff"),),
    ),
    Fault(
        "DualPI2 has no step",
        "marked_beyond_step",
        (("network/queue/dualpi2.rs", "> self.spec.step;", "> self.spec.step.times(1 << 40);"),),
    ),
    Fault(
        "a receiver counts each mark twice",
        "marks_are_counted",
        (("tcp/ecn.rs", "{ packets as u8 } else", "{ 2 * packets as u8 } else"),),
    ),
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, in a folder that keeps its place from one run to the next if FAULTS names it: cargo builds less."""
    folder = Path(os.environ.get("FAULTS", tmp_path_factory.mktemp("faults")))
    subprocess.run([ROOT / "tools" / "copy_sources.sh", folder], check=True)
    return folder


@pytest.fixture
def faulty(copy: Path, fault: Fault) -> Iterator[Path]:
    """The copy, with the fault."""
    for file, right, wrong in fault.edits:
        path = copy / SOURCES / file
        text = path.read_text()
        assert text.count(right) == 1, f"{file}: {right!r} is not there once"
        path.write_text(text.replace(right, wrong))
    yield copy
    for file, _, _ in fault.edits:
        shutil.copy(ROOT / SOURCES / file, copy / SOURCES / file)


@pytest.mark.faults
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_swarm_finds_a_fault_that_engines_share(faulty: Path, fault: Fault) -> None:
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--package", "vegas-swarm"], cwd=faulty, check=True)
    assert first_failed_check(faulty) == fault.check


def first_failed_check(folder: Path) -> str | None:
    """The check that fails in the first network in which one fails."""
    program = Path(os.environ.get("CARGO_TARGET_DIR", folder / "target"), "debug", "vegaslab-swarm")
    for first in range(0, NETWORKS_MOST, NETWORKS_AT_ONCE):
        numbers = ["--seed", str(SEED), "--first", str(first), "--count", str(NETWORKS_AT_ONCE)]
        done = subprocess.run([program, "examine", *numbers], check=True, capture_output=True, text=True)
        for verdict in map(json.loads, done.stdout.splitlines()):
            if verdict.get("verdict") == "failed":
                return str(verdict["check"])
    return None

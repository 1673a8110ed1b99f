#!/usr/bin/env python3
"""Seeds faults into a copy of the simulator, both engines alike, each of which the swarm must find by one check.

`python3 tools/test_seeded_faults.py FOLDER` takes a minute or two for each; with ONE_IN and COMMIT in the environment
it takes one fault in ONE_IN, which the commit draws.

Both engines agree on these faults, and packets are conserved, so no other check finds them.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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
)


def main() -> None:
    """Exits with an error that names the faults which the swarm does not find by their checks."""
    folder = Path(sys.argv[1])
    one_in, commit = int(os.environ.get("ONE_IN", "1")), os.environ.get("COMMIT", "")
    drawn = sorted(FAULTS, key=lambda fault: zlib.crc32(f"{commit} {fault.name}".encode()))
    drawn = drawn[: math.ceil(len(drawn) / one_in)]
    copy_sources(folder)
    missed = [fault.name for fault in drawn if not is_found(fault, folder)]
    shutil.rmtree(folder)
    if missed:
        sys.exit("not found: " + "; ".join(missed))


def copy_sources(folder: Path) -> None:
    """Copies what git knows, or would add."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def is_found(fault: Fault, folder: Path) -> bool:
    """Whether the first finding of the swarm with this fault in the copy is by its check."""
    for file, right, wrong in fault.edits:
        path = folder / SOURCES / file
        text = path.read_text()
        if text.count(right) != 1:
            sys.exit(f"{file}: {right!r} is there {text.count(right)} times, and should be there once")
        path.write_text(text.replace(right, wrong))
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--package", "vegas-swarm"], cwd=folder, check=True)
    found = first_finding(folder)
    for file, _, _ in fault.edits:
        shutil.copy(ROOT / SOURCES / file, folder / SOURCES / file)
    number, check = found or (NETWORKS_MOST, "nothing")
    print(f"{fault.name}: {check} by network {number}", flush=True)
    return check == fault.check


def first_finding(folder: Path) -> tuple[int, str] | None:
    """The number of the first network that fails, and the check."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", folder / "target"))
    for first in range(0, NETWORKS_MOST, NETWORKS_AT_ONCE):
        numbers = ["--seed", str(SEED), "--first", str(first), "--count", str(NETWORKS_AT_ONCE)]
        lines = subprocess.run(
            [target / "debug/vegaslab-swarm", "examine", *numbers], check=True, capture_output=True, text=True
        ).stdout.splitlines()
        for number, verdict in zip(lines[::2], lines[1::2], strict=True):
            line = json.loads(verdict)
            if line["verdict"] == "failed":
                return json.loads(number)["network"], line["check"]
    return None


if __name__ == "__main__":
    main()

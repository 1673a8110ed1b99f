"""What simulated senders leave for the commands that read captures."""

from collections.abc import Mapping
from pathlib import Path

import vegaslab
from documentation import ROOT

INPUTS = ROOT / "crates" / "vegas-measured" / "tests" / "inputs"

_PATH = """\
name = "sent"
duration = "30s"
capture = true

[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "0s" }
bottleneck = { rate = "10mbit", delay = "30ms", queue = "60p" }

[[flow]]
algorithm = "cubic-linux"
initial_window = 10
host = { kind = "linux", delayed_ack = "linux" }
"""


def sent(
    folder: Path,
    *,
    rate: str,
    queue: str,
    duration: str,
    algorithm: str = "cubic-linux",
    more: Mapping[str, object] | None = None,
) -> Path:
    """A capture of a sender over 60 ms; `more` are further keys of its scenario."""
    path = {"topology.bottleneck.rate": rate, "topology.bottleneck.queue": queue, "duration": duration}
    run = vegaslab.run(_PATH, algorithm=algorithm, set={**path, **(more or {})})
    return run.write(folder, pcapng=True) / "capture.pcapng"

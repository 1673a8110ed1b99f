"""What is disturbed: commands of one to three seconds, and what has to be equal in the end."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SCENARIO = """\
name = "small"
duration = "2s"
seed = 1

[topology]
kind = "dumbbell"
access = { rate = "100mbit", delay = "1ms" }
bottleneck = { rate = "20mbit", delay = "8ms", queue = "10p", loss = "1%" }

[[flow]]
algorithm = "reno"
"""
SWEEP = """\
scenario = "small.toml"
replications = 10

[grid]
"topology.bottleneck.queue" = ["5p", "10p", "20p", "40p"]
"flow.0.algorithm" = ["reno", "vegas", "gallop"]
"""
DESIGN = """\
scenario = "small.toml"
replications = 10

[factorial]
responses = ["flow.0.goodput_mbps", "flow.0.segments_retransmitted"]

[factorial.factor.A]
name = "queue"
low = { "topology.bottleneck.queue" = "5p" }
high = { "topology.bottleneck.queue" = "20p" }

[factorial.factor.B]
name = "window"
low = { "flow.0.initial_window" = 2 }
high = { "flow.0.initial_window" = 10 }
"""
FILES = {"small.toml": SCENARIO, "sweep.toml": SWEEP, "design.toml": DESIGN}

OUT = "out"
"""The folder that every target writes."""
CACHE = "cache"
"""What a call leaves there is for the next one to judge: no file of it is compared."""

Tree = dict[str, bytes]
_WALL = re.compile(rb'"wall_s": ?[-0-9.e]+')


@dataclass(frozen=True)
class Target:
    """A command, without `-o`."""

    name: str
    arguments: tuple[str, ...]
    problem: Callable[[Tree, Tree, Tree], str | None]
    """What is wrong with the folder in the end, given it undisturbed, as the disturbed call left it, and in the end."""
    cached: bool = False
    """Whether it uses a cache of runs, which lies in `CACHE`."""


def tree(folder: Path) -> Tree:
    """Every file below a folder by its path, hidden ones too; wall clock times and the cache are left out."""
    files = (path for path in sorted(folder.rglob("*")) if not path.is_dir() and folder / CACHE not in path.parents)
    return {str(path.relative_to(folder)): _WALL.sub(b'"wall_s": 0', path.read_bytes()) for path in files}


def same_bytes(undisturbed: Tree, _left: Tree, found: Tree) -> str | None:
    """Every byte is that of an undisturbed call."""
    if found.keys() != undisturbed.keys():
        return f"files differ: {sorted(found.keys() ^ undisturbed.keys())}"
    other = [name for name, content in undisturbed.items() if found[name] != content]
    return f"bytes differ: {other}" if other else None


def goes_on(undisturbed: Tree, left: Tree, found: Tree) -> str | None:
    """Of what is measured no two calls agree: what was there stays, and each transfer is there once."""
    if found.keys() != undisturbed.keys():
        return f"files differ: {sorted(found.keys() ^ undisturbed.keys())}"
    name = f"{OUT}/transfers.csv"
    earlier = left.get(name, b"")
    whole = earlier[: earlier.rfind(b"\n") + 1]
    if not found[name].startswith(whole):
        return "transfers that were there are not as they were"
    numbers = [row["number"] for row in csv.DictReader(found[name].decode().splitlines())]
    expected = [row["number"] for row in csv.DictReader(undisturbed[name].decode().splitlines())]
    return None if numbers == expected else f"transfers {numbers}"


def targets(port: int) -> list[Target]:
    """All targets; `port` is that of a receiver on this machine."""
    measure = ("linux", "measure", f"127.0.0.1:{port}", "--sizes", "100kb,1mb", "--pause", "0.01", "--repeat", "10")
    controls = ("-a", "kernel:reno", "-a", "kernel:cubic")
    return [
        Target("sweep", ("sweep", "sweep.toml"), same_bytes),
        Target("series", ("sweep", "sweep.toml", "--series", "flows,links"), same_bytes),
        Target("compare", ("compare", "small.toml", "-a", "vegas", "-a", "reno"), same_bytes),
        Target("seeds", ("compare", "small.toml", "-a", "vegas", "-a", "reno", "--seeds", "10"), same_bytes),
        Target("factorial", ("factorial", "design.toml"), same_bytes),
        Target("reproduce", ("reproduce", "G-fig8", "--quick"), same_bytes),
        Target("measure", (*measure, *controls), goes_on),
        Target("cached", ("compare", "small.toml", "-a", "vegas", "-a", "reno"), same_bytes, cached=True),
        Target("cached-sweep", ("sweep", "sweep.toml"), same_bytes, cached=True),
    ]

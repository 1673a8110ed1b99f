"""`kill -9` at each stage of a command: what is left over, and whether the next call clears it."""

import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reliability.guest.inside.kernel import held, more, settled
from reliability.guest.inside.program import PROGRAM, call, run_arguments

Call = tuple[str, ...]
FOLDER = Path("/tmp/kills")
DEVICE = "lo"
"""A device that the guest has."""


@dataclass(frozen=True)
class Target:
    """A command that is killed."""

    name: str
    command: Call
    before: Sequence[Call] = ()
    undo: Sequence[Call] = (("remove",),)
    leaves: bool = True
    """Whether it may leave anything behind."""


def targets() -> list[Target]:
    """Returns all commands that make something."""
    FOLDER.mkdir(exist_ok=True)
    return [
        Target("install", ("install", "gallop")),
        Target("install a second", ("install", "streak"), before=(("install", "gallop"),)),
        Target("option", ("echo", DEVICE)),
        Target("install with the option", ("install", "rovegas", "--device", DEVICE)),
        Target("remove", ("remove",), before=(("install", "rovegas", "--device", DEVICE), ("install", "gallop"))),
        Target("run", tuple(run_arguments(FOLDER)), undo=(), leaves=False),
    ]


def attack(points: int, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yields a row for each kill; at most `points` for a command, evenly spread over its stages."""
    for target in targets():
        if not only or target.name in only:
            yield from _of_target(target, points)
    if not only or "watch" in only:
        yield _of_watch()


def _of_target(target: Target, points: int) -> Iterator[dict[str, Any]]:
    clean = held()
    problems = _all(target.before)
    stages = _stages(target)
    problems += _all(target.undo) + _differs(clean)
    yield {"target": target.name, "stage": "undisturbed", "problems": problems, "calls": len(stages)}
    for at in _chosen(stages, points):
        yield {"target": target.name, "stage": stages[at], **_killed(target, at)}
    if not target.leaves:
        said = call(*target.command)
        yield {"target": target.name, "stage": "afterwards", "problems": _listed(said.problem(0)) + _differs(clean)}


def _killed(target: Target, at: int) -> dict[str, Any]:
    """Kills a command before call number `at`; then calls it again, and takes everything away."""
    clean = held()
    problems = _all(target.before)
    started = held()
    said = call(*target.command, environment=_environment(at))
    if said.code != -signal.SIGKILL:
        problems.append(f"was not killed: ended with {said.code}: {said.error}")
    wanted = started if target.leaves else clean
    left = more(started, settled(wanted, 1.0))
    if left and not target.leaves:
        problems.append(f"left {left}")
    problems += _listed(call("status").problem(0)) if target.leaves else []
    again = call(*target.command) if target.leaves else None
    next_call = "-" if again is None else "done" if again.code == 0 else again.error
    if again is not None and again.code and not next_call.endswith("remove it first"):
        problems.append(f"the next call {again.problem(0)}")
    problems += _all(target.undo) + _differs(clean)
    return {"left": left, "next": next_call, "problems": problems}


def _of_watch() -> dict[str, Any]:
    """Kills the reader of a trace: the next one has its place, and the kernel soon traces no more."""
    clean = held()
    problems = _all([("install", "gallop")])
    with subprocess.Popen([PROGRAM, "watch"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as watching:
        time.sleep(2.0)
        is_seen = "watched" in call("status").out
        watching.kill()
    time.sleep(4.0)
    if not is_seen:
        problems.append("a watch was not seen by status")
    if "watched" in (status := call("status").out):
        problems.append(f"watched after its end: {status}")
    problems += _all([("remove",)]) + _differs(clean)
    return {"target": "watch", "stage": "reading", "left": [], "next": "-", "problems": problems}


def _stages(target: Target) -> list[str]:
    """Returns the names of the calls that a command makes; it stays carried out."""
    call(*target.command, environment=_environment(-1))
    return (FOLDER / "stages").read_text().splitlines()


def _chosen(stages: Sequence[str], points: int) -> list[int]:
    """Returns the first and the last of equal calls in a row, at most `points` of them."""
    last = len(stages) - 1
    ends = [
        at
        for at, name in enumerate(stages)
        if at in (0, last) or stages[at - 1] != name or stages[min(at + 1, last)] != name
    ]
    return [ends[number * len(ends) // points] for number in range(points)] if len(ends) > points else ends


def _environment(at: int) -> dict[str, str]:
    (FOLDER / "stages").unlink(missing_ok=True)
    return {"LD_PRELOAD": "/asked/stages.so", "STAGES": str(FOLDER / "stages"), "STAGES_KILL": str(at)}


def _all(calls: Sequence[Call]) -> list[str]:
    """Carries calls out; returns what is wrong with them."""
    return [f"{one}: {problem}" for one in calls if (problem := call(*one).problem(0))]


def _differs(clean: dict[str, list[str]]) -> list[str]:
    return [f"left in the end: {left}"] if (left := more(clean, settled(clean))) else []


def _listed(problem: str | None) -> list[str]:
    return [problem] if problem else []

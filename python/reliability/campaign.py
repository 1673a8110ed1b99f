"""The campaigns: kills at random points, and a disk that is full at each write."""

import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reliability.calls import call, count_points, kill, place
from reliability.targets import FILES, OUT, Target, Tree, tree


@dataclass
class Undisturbed:
    """What a target leaves in the end, and how many points it has: over a fresh place, and over earlier results."""

    folder: Path
    found: Tree
    points: int
    points_over: int


Known = dict[Target, Undisturbed]


@dataclass
class Count:
    """What came of a target."""

    points: int = 0
    running: int = 0
    """Of them, how many met a running call: all, unless a call does not have as many points each time."""
    unfinished: int = 0
    """Of them, how many left something that was not all."""
    problems: list[str] = field(default_factory=list)

    def text(self) -> str:
        """One line."""
        return f"{self.points} points, {self.running} hit, {self.unfinished} left work, {len(self.problems)} problems"


def undisturbed(target: Target, folder: Path) -> Undisturbed:
    """Makes a target's results once, in a new folder."""
    place(folder)
    points = count_points(target, folder)
    found = _results(folder)
    points_over = count_points(target, folder)
    if problem := target.problem(found, found, _results(folder)):
        raise SystemExit(f"{target.name}: called again: {problem}")
    return Undisturbed(folder, found, points, points_over)


def _results(folder: Path) -> Tree:
    """All but what was put there for the call: what is left beside the results counts, too."""
    return {name: content for name, content in tree(folder).items() if name not in FILES}


def crash(known: Known, folder: Path, points: int, seed: int) -> dict[str, Count]:
    """Kills calls at `points` random points, over a fresh place or earlier results; each is then called again."""
    draws = random.Random(seed)
    counts = {target.name: Count() for target in known}
    chosen = list(known)
    for number in range(points):
        target = chosen[number % len(chosen)]
        whole, count = known[target], counts[target.name]
        work = folder / "work"
        place(work)
        # what is replaced whole is killed over earlier results, too; the rest would find nothing to do
        over = target.name in ("compare", "seeds") and draws.random() < 0.5
        if over:
            shutil.copytree(whole.folder / OUT, work / OUT)
        point = draws.randrange(whole.points_over if over else whole.points)
        count.points += 1
        count.running += kill(target, work, point)
        left = _results(work)
        count.unfinished += left.keys() != whole.found.keys()
        problem = _lost(whole, left) if over else None
        code, said = call(target, work)
        problem = problem or (f"then ended with {code}: {said}" if code else None)
        problem = problem or target.problem(whole.found, left, _results(work))
        if problem:
            count.problems.append(f"kill {number} of seed {seed}, {target.name} at point {point}: {problem}")
        shutil.rmtree(work)
        _show(f"{number + 1}/{points} kills", counts)
    return counts


def _lost(whole: Undisturbed, left: Tree) -> str | None:
    """Earlier results are there at any time."""
    missing = [name for name, content in whole.found.items() if left.get(name) != content]
    return f"earlier results lost: {missing}" if missing else None


def full(known: Known, folder: Path, points: int, *, disk: bool) -> dict[str, Count]:
    """Has each target end for lack of room, at `points` sizes each; then gives room, and calls it again.

    `disk`: a file system of its own that is full (as root); otherwise files that may not grow beyond a size.
    """
    counts = {target.name: Count() for target in known}
    folder.mkdir()
    for target, whole in known.items():
        for size in _sizes(whole.found, points, disk=disk):
            count = counts[target.name]
            count.points += 1
            with _small_disk(folder / "disk", size if disk else None) as place_:
                problem = _without_room(target, folder / "work", place_, whole, count, None if disk else size)
            if problem:
                count.problems.append(f"{target.name} with {size} bytes: {problem}")
            shutil.rmtree(folder / "work")
            _show("full", counts)
    return counts


def _sizes(found: Tree, points: int, *, disk: bool) -> list[int]:
    """Of a disk: evenly up to what is needed. Of files: just too small for each of those that are written."""
    if disk:
        needed = sum(-(-len(content) // 4096) * 4096 + 4096 for content in found.values())
        return [4096 + needed * point // points // 4096 * 4096 for point in range(points)]
    sizes = sorted({len(content) - 1 for content in found.values() if len(content) > 1})
    return sizes[:: max(1, len(sizes) // points)]


def _without_room(
    target: Target, work: Path, disk: Path, whole: Undisturbed, count: Count, file_bytes: int | None
) -> str | None:
    place(work)
    output = disk / OUT
    code, said = call(target, work, output=output, file_bytes=file_bytes)
    left = _results(disk)
    if code == 0 and "cannot be drawn" not in said:
        # it was enough, or what was too large is not written
        return None if not said else f"ended with 0, but said {said}"
    count.running += 1
    count.unfinished += bool(left)
    if len(said.splitlines()) != 1 and "cannot be drawn" not in said:
        return f"ended with {code} and {len(said.splitlines())} lines: {said}"
    if "Traceback" in said or "give another folder" not in said or code not in (0, 1):
        return f"ended with {code}: {said}"
    if code and str(output) not in said and OUT not in said:
        return f"names no path: {said}"
    with _more_room(disk, file_bytes):
        code, said = call(target, work, output=output)
        if code:
            return f"with room it ended with {code}: {said}"
        return target.problem(whole.found, left, _results(disk))


@contextmanager
def _small_disk(at: Path, size: int | None) -> Iterator[Path]:
    at.mkdir()
    if size is not None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(at)], check=True)
    try:
        yield at
    finally:
        if size is not None:
            subprocess.run(["umount", str(at)], check=True)
        shutil.rmtree(at)


@contextmanager
def _more_room(disk: Path, file_bytes: int | None) -> Iterator[None]:
    if file_bytes is None:
        subprocess.run(["mount", "-o", "remount,size=256m", str(disk)], check=True)
    yield


def _show(what: str, counts: dict[str, Count]) -> None:
    problems = sum(len(count.problems) for count in counts.values())
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{what}, {problems} problems")
        sys.stderr.flush()

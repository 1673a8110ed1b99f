"""`python -m reliability`: kills commands at random points, and lets disks be full, and says what came of it."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from reliability import points
from reliability.calls import prepare, receiving
from reliability.campaign import Count, Known, crash, full, undisturbed
from reliability.guest.campaign import campaign
from reliability.targets import targets


def main() -> int:
    """Runs the campaigns; returns 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="reliability", description=__doc__)
    parser.add_argument("--points", type=int, default=200, metavar="N", help="kills in all (default: 200)")
    parser.add_argument("--full", type=int, default=12, metavar="N", help="sizes of a full disk a target (default: 12)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the kills (default: 1)")
    parser.add_argument("--only", metavar="NAMES", help="targets, or kinds of attacks, with commas")
    parser.add_argument("--guest", action="store_true", help="attack the kernel part in a guest instead")
    given = parser.parse_args()
    if given.guest:
        return 1 if campaign(given.only.split(",") if given.only else []) else 0
    if not points.preloaded():
        command = [sys.executable, "-m", "reliability", *sys.argv[1:]]
        return subprocess.run(command, env=os.environ | {"LD_PRELOAD": str(points.library())}, check=False).returncode
    prepare()
    folder = Path(tempfile.mkdtemp(prefix="vegaslab-crash-"))
    started = time.monotonic()
    problems = []
    try:
        with receiving() as port:
            chosen = [one for one in targets(port) if given.only is None or one.name in given.only.split(",")]
            known = {target: undisturbed(target, folder / target.name) for target in chosen}
            problems += _report(f"kills, seed {given.seed}", crash(known, folder / "kills", given.points, given.seed))
            if given.full:
                problems += _report("files that may not grow", full(known, folder / "files", given.full, disk=False))
                problems += _full_disk(known, folder / "disks", given.full)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if problems else 0


def _full_disk(known: Known, folder: Path, points: int) -> list[str]:
    if os.geteuid() != 0:
        print("SKIPPED: a full disk of its own needs root")
        return []
    return _report("a disk that is full", full(known, folder, points, disk=True))


def _report(what: str, counts: dict[str, Count]) -> list[str]:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    print(f"{what}:")
    for name, count in counts.items():
        print(f"  {name:10} {count.text()}", flush=True)
    problems = [problem for count in counts.values() for problem in count.problems]
    for problem in problems:
        print(f"  {problem}", flush=True)
    return problems


if __name__ == "__main__":
    sys.exit(main())

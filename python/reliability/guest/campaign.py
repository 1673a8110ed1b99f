"""The campaign in a guest: all kinds of attacks, and a table of what came of them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from reliability.guest.attacks import Attacks, Row

POINTS = {"kills": 12, "users": 0, "packets": 1000, "objects": 40}
"""How many kills of a command, commands of a user (0: all), random packets and random damages there are."""


def campaign(only: Sequence[str]) -> list[str]:
    """Carries attacks out, prints what came of them, and returns the problems. Raises `LinuxError`."""
    attacks = Attacks()
    problems = []
    for kind, points in POINTS.items():
        if only and kind not in only:
            continue
        rows = attacks.carry_out(kind, points)
        print(f"{kind}:")
        for line in table(rows):
            print(f"  {line}", flush=True)
        problems += [f"{row.target}, {row.stage}: {problem}" for row in rows for problem in row.problems]
    for problem in problems:
        print(f"  {problem}")
    return problems


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yields a line for the rows in a row of one target and stage."""
    for (target, stage), some in groupby(rows, lambda row: (row.target, row.stage)):
        same = list(some)
        left = sorted({item for row in same for item in row.left})
        next_calls = sorted({row.next_call for row in same})
        problems = sum(len(row.problems) for row in same)
        parts = [f"{len(same)} x", f"left: {'; '.join(left) or 'nothing'}", f"next: {'; '.join(next_calls)}"]
        yield f"{target}, {stage}: " + ", ".join([*parts, f"{problems} problems"])

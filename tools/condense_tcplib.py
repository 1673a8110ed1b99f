#!/usr/bin/env python3
"""Condenses tcplib's tables to the points in crates/vegas-sim/src/traffic/tcplib/tables.rs, printed as Rust.

Usage: tools/condense_tcplib.py FOLDER, where FOLDER holds one CSV a table, with the columns value and cdf.

A table is sampled as tcplib does: p is a multiple of 1/1000 below 1, the first row with cdf >= p is found, and the
value is uniform between the row before and this one. The quantile function of that is a sequence of straight lines; of
its corners, those are kept that matter most to its area: the mean and the median stay within a fraction of a percent.
"""

import csv
import sys
from itertools import pairwise
from pathlib import Path

TABLES = (
    "ftp.nitems",
    "ftp.ctlsize",
    "ftp.itemsize",
    "smtp.itemsize",
    "nntp.nitems",
    "nntp.itemsize",
    "telnet.duration",
    "telnet.interarrival",
    "telnet.pktsize",
)
POINTS = 40

Corner = tuple[int, float]
"""Parts in a thousand, and the value that they do not exceed."""


def corners(path: Path) -> list[Corner]:
    """The quantile function's corners, from 0 to 1000."""
    with path.open() as file:
        rows = [(float(row["value"]), round(1000 * float(row["cdf"]))) for row in csv.DictReader(file)]
    chain = [(0, rows[0][0])]
    for value, parts in rows:
        upto = min(parts + 1, 1000)
        if upto > chain[-1][0]:
            chain.append((upto, value))
    return chain


def area(first: Corner, last: Corner, between: list[Corner]) -> list[float]:
    """How far each corner between two is off the straight line, times the width that it governs."""
    (x0, y0), (x1, y1) = first, last
    around = [first, *between, last]
    widths = [after[0] - before[0] for before, after in zip(around, around[2:], strict=False)]
    return [abs(y - y0 - (y1 - y0) * (x - x0) / (x1 - x0)) * w for (x, y), w in zip(between, widths, strict=True)]


def condense(chain: list[Corner]) -> list[Corner]:
    """At most `POINTS` of the corners: both ends, those beside the median, and then those that are farthest off."""
    middle = next(index for index, corner in enumerate(chain) if corner[0] >= 500)
    kept = sorted({0, middle - 1, middle, len(chain) - 1})
    while len(kept) < min(POINTS, len(chain)):
        worst = (-1.0, 0)
        for low, high in pairwise(kept):
            off = area(chain[low], chain[high], chain[low + 1 : high])
            if off:
                most = max(range(len(off)), key=off.__getitem__)
                worst = max(worst, (sum(off), low + 1 + most))
        kept = sorted({*kept, worst[1]})
    return [chain[index] for index in kept]


def main() -> None:
    """Prints the tables."""
    for name in TABLES:
        few = condense(corners(Path(sys.argv[1]) / f"{name}.csv"))
        constant = name.upper().replace(".", "_")
        points = ", ".join(f"({parts}, {value!r})" for parts, value in few)
        print(f"pub(super) const {constant}: Quantiles = &[{points}];\n")


if __name__ == "__main__":
    main()

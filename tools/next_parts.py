"""Prints what each part of `vegas-next` does: python tools/next_parts.py [--compositions | --cells].

A two-level factorial design of its parts (see docs/factorial.md): base RTT, rivals, avoidance and slow start, each
off (as Vegas has it) and on (as `vegas-next` has it), on the cases of `tools/next_table.py`: the jittery pair,
beside CUBIC, and flows that join. With `--compositions` a table of Vegas and Gallop with the parts, with `--cells`
one of all combinations.
"""

import argparse
import itertools
from collections.abc import Mapping

import next_table

import vegaslab

PARTS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "base RTT: drains": ({"base_rtt": "least"}, {}),
    "rivals: compete": ({"rivals": "ignore"}, {}),
    "avoidance: by rate": ({"avoidance": "vegas"}, {}),
    "start: its own": ({"slow_start": "vegas"}, {}),
}
"""What the levels of each factor give a table with the preset `vegas-next`."""

COMPOSITIONS: dict[str, dict[str, str]] = {
    "drains": {"base_rtt": "drains"},
    "drains, compete": {"base_rtt": "drains", "rivals": "compete"},
    "by rate": {"avoidance": "by-rate"},
    "drains, by rate": {"base_rtt": "drains", "avoidance": "by-rate"},
    "drains, compete, by rate": {"base_rtt": "drains", "rivals": "compete", "avoidance": "by-rate"},
}

CASES = [case for case in next_table.CASES if case.scenario != "next/alone"]
COLUMNS = ("jitter: ratio", "utilisation %", "cubic: share %", "eight: Jain", "queue")


def figures(algorithm: Mapping[str, str], seed: int | None) -> next_table.Figures:
    """Returns the figures of all cases."""
    found: next_table.Figures = {}
    for case in CASES:
        overrides = {f"flow.{number}.algorithm": dict(algorithm) for number in range(case.flows)}
        found |= case.figures(vegaslab.run(f"scenarios/{case.scenario}.toml", set=overrides, seed=seed))
    return {column: found[column] for column in COLUMNS}


def print_row(name: str, row: next_table.Figures) -> None:
    """Prints a row as Markdown."""
    print(f"| {name} | " + " | ".join(f"{figure:.3g}" for figure in row.values()) + " |", flush=True)


def print_head(what: str) -> None:
    """Prints the head of a table."""
    print(f"| {what} | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")


def design(seed: int | None) -> dict[tuple[int, ...], next_table.Figures]:
    """Returns the figures of each combination, by the levels of the parts."""
    cells = {}
    for levels in itertools.product((0, 1), repeat=len(PARTS)):
        table = {"preset": "vegas-next", "name": "parts"}
        for level, choices in zip(levels, PARTS.values(), strict=True):
            table |= choices[level]
        cells[levels] = figures(table, seed)
    return cells


def print_effects(cells: Mapping[tuple[int, ...], next_table.Figures]) -> None:
    """Prints the means over all combinations without and with each part."""
    print_head("mean of eight combinations")
    for place, part in enumerate(PARTS):
        for level, word in enumerate(("without", "with")):
            chosen = [row for levels, row in cells.items() if levels[place] == level]
            mean = {column: sum(row[column] for row in chosen) / len(chosen) for column in COLUMNS}
            print_row(f"{part}: {word}", mean)


def print_cells(cells: Mapping[tuple[int, ...], next_table.Figures]) -> None:
    """Prints each combination, named by the parts that it has."""
    print_head("parts")
    for levels, row in cells.items():
        names = [part for part, level in zip(PARTS, levels, strict=True) if level]
        print_row("; ".join(names) or "none", row)


def print_compositions(seed: int | None) -> None:
    """Prints Vegas and Gallop with the parts."""
    print_head("composition")
    for preset in ("vegas", "gallop"):
        print_row(preset, figures({"preset": preset}, seed))
        for name, parts in COMPOSITIONS.items():
            print_row(f"{preset}: {name}", figures({"preset": preset, "name": "parts", **parts}, seed))


def main() -> None:
    """Prints tables as Markdown."""
    parser = argparse.ArgumentParser(description="Prints what each part of vegas-next does.")
    parser.add_argument("--compositions", action="store_true", help="Vegas and Gallop with the parts")
    parser.add_argument("--cells", action="store_true", help="every combination")
    parser.add_argument("--seed", type=int, help="another seed than the scenario's own")
    given = parser.parse_args()
    if given.compositions:
        print_compositions(given.seed)
    elif given.cells:
        print_cells(design(given.seed))
    else:
        print_effects(design(given.seed))


if __name__ == "__main__":
    main()

"""The rooms of `python/vegaslab` and its tests: few entries side by side, arrows one way, imports at a file's top."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from documentation import ROOT

PACKAGE = ROOT / "python" / "vegaslab"
ENTRIES_MAX = 12
LINES_MAX = 500
# schema objects are generated, a class for each table of a scenario file
GENERATED = PACKAGE / "scenario" / "objects.py"

ORDER = (
    "util",
    "statistics",
    "scenario",
    "reports",
    "runs",
    "sweeps",
    "measuring",
    "papers",
    "evaluation",
    "commands",
    "__main__",
)
"""A room imports from those before it. `__init__` names what is public of them all."""

FILES = [file for file in sorted(PACKAGE.rglob("*.py")) if not any(parent.is_symlink() for parent in file.parents)]


def test_few_entries_lie_side_by_side() -> None:
    """Rooms and modules; what no import finds is left out: type stubs, the compiled module, links to data."""
    folders = {file.parent for file in FILES} | {file.parent.parent for file in FILES} - {PACKAGE.parent}
    entries = {folder: [entry for entry in folder.iterdir() if is_code(entry)] for folder in folders}
    assert {folder: found for folder, found in entries.items() if len(found) > ENTRIES_MAX} == {}
    assert len(entries[PACKAGE]) == len(ORDER) + 1


def test_few_tests_lie_side_by_side() -> None:
    tests = PACKAGE.parent / "tests"
    folders = {file.parent for file in tests.rglob("*.py")}
    entries = {folder: [entry for entry in folder.iterdir() if entry.name != "__pycache__"] for folder in folders}
    assert len(folders) > len(ORDER) / 2, "nothing was found"
    assert {folder: found for folder, found in entries.items() if len(found) > ENTRIES_MAX} == {}


def is_code(entry: Path) -> bool:
    return entry.suffix == ".py" or (not entry.is_symlink() and (entry / "__init__.py").exists())


def test_names_of_modules_come_not_in_pairs() -> None:
    for folder in {file.parent for file in FILES}:
        names = sorted(entry.stem for entry in folder.iterdir() if is_code(entry) and entry.stem != "__init__")
        pairs = [(one, other) for one in names for other in names if other in (f"{one}s", f"{one}_file", f"{one}ing")]
        prefixes = Counter(name.split("_")[0] for name in names if "_" in name and name.split("_")[0] in names)
        assert (pairs, prefixes) == ([], {}), folder


def test_files_are_short() -> None:
    long = {file: lines for file in FILES if file != GENERATED and (lines := file.read_text().count("\n")) > LINES_MAX}
    assert long == {}


def place(module: str) -> tuple[str, ...]:
    """A module below `vegaslab`, as the rooms that lead to it: `vegaslab.runs.kept` is `("runs", "kept")`."""
    return tuple(module.split(".")[1:])


def place_of(file: Path) -> tuple[str, ...]:
    inside = file.relative_to(PACKAGE).with_suffix("").parts
    return inside[:-1] if inside[-1] == "__init__" and len(inside) > 1 else inside


def imported_by(text: str) -> Iterator[tuple[str, ...]]:
    """The places that the import statements name, wherever they stand in the file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.split(".")[0] == "vegaslab":
            yield from ((*place(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (place(alias.name) for alias in node.names if alias.name.startswith("vegaslab."))


Arrow = tuple[tuple[str, ...], tuple[str, ...]]
ARROWS: list[Arrow] = [(place_of(file), used) for file in FILES for used in imported_by(file.read_text())]


def test_arrows_between_rooms_point_one_way() -> None:
    between = {(user[0], used[0]) for user, used in ARROWS if user[0] != used[0] and used[0] != "_vegaslab"}
    inside = {arrow for arrow in between if arrow[0] != "__init__"}
    assert ("papers", "sweeps") in inside, "nothing was found"
    assert {arrow for arrow in inside if ORDER.index(arrow[1]) >= ORDER.index(arrow[0])} == set()


@pytest.mark.parametrize("room", [room for room in ORDER if (PACKAGE / room).is_dir()])
def test_a_room_has_no_circle_through_its_rooms(room: str) -> None:
    """Modules of one folder may know each other; a folder beside them is used, or uses, and not both."""
    inside = {
        (user[1], used[1]) for user, used in ARROWS if user[0] == used[0] == room and min(len(user), len(used)) > 1
    }
    folders = {entry.name for entry in (PACKAGE / room).iterdir() if is_code(entry) and entry.is_dir()}
    for name in in_a_circle({arrow for arrow in inside if arrow[0] != arrow[1]}):
        assert name not in folders


def in_a_circle(arrows: set[tuple[str, str]]) -> set[str]:
    """Names that come back to themselves."""
    reach = set(arrows)
    while more := {(a, d) for a, b in reach for c, d in arrows if b == c} - reach:
        reach |= more
    return {a for a, b in reach if a == b}


def test_circles_are_found() -> None:
    assert in_a_circle({("a", "b"), ("b", "c"), ("c", "b")}) == {"b", "c"}
    assert in_a_circle({("a", "b"), ("b", "c"), ("a", "c")}) == set()


def test_imports_inside_functions_say_why() -> None:
    """At the first of a file: imports stand at its top, unless a command's start need not wait for them."""
    for file in FILES:
        text = file.read_text()
        functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
        inside = (node for function in functions for node in ast.walk(function))
        lines = [node.lineno for node in inside if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not lines or text.splitlines()[min(lines) - 2].lstrip().startswith("#"), f"{file}:{min(lines)}"

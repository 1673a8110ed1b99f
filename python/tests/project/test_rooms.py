"""The rooms of `python/vegaslab` and its tests: few entries side by side, arrows one way, imports at a file's top."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

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
    """A module below `vegaslab`, as the rooms that lead to it: `vegaslab.runs.result` is `("runs", "result")`."""
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


T = TypeVar("T")

Arrow = tuple[tuple[str, ...], tuple[str, ...]]
ARROWS: list[Arrow] = [(place_of(file), used) for file in FILES for used in imported_by(file.read_text())]


def test_arrows_between_rooms_point_one_way() -> None:
    between = {(user[0], used[0]) for user, used in ARROWS if user[0] != used[0] and used[0] != "_vegaslab"}
    inside = {arrow for arrow in between if arrow[0] != "__init__"}
    assert ("papers", "sweeps") in inside, "nothing was found"
    assert {arrow for arrow in inside if ORDER.index(arrow[1]) >= ORDER.index(arrow[0])} == set()


def module_of(place: tuple[str, ...]) -> tuple[str, ...]:
    """The module that an imported name lies in; the compiled one has no file."""
    return next((place[:end] for end in range(len(place), 0, -1) if place[:end] in MODULES), ())


MODULES = {place_of(file) for file in FILES}
BETWEEN = {(user, used) for user, name in ARROWS if (used := module_of(name)) not in ((), user)}


def test_no_modules_import_each_other() -> None:
    assert (("runs", "result"), ("util", "folder")) in BETWEEN, "nothing was found"
    assert in_a_circle(BETWEEN) == set()


@pytest.mark.parametrize("folder", sorted({place[:-1] for place in MODULES}), ids=".".join)
def test_arrows_between_the_entries_of_a_folder_point_one_way(folder: tuple[str, ...]) -> None:
    """Even if other modules do: a room that uses another is not used by it."""
    depth = len(folder)
    inside = (arrow for arrow in BETWEEN if all(place[:depth] == folder and len(place) > depth for place in arrow))
    rooms = {(user[depth], used[depth]) for user, used in inside}
    assert in_a_circle({arrow for arrow in rooms if arrow[0] != arrow[1]}) == set()


def in_a_circle(arrows: set[tuple[T, T]]) -> set[tuple[T, T]]:
    """The arrows of which the end leads back to the beginning."""
    ways: dict[T, list[T]] = {}
    for user, used in arrows:
        ways.setdefault(user, []).append(used)

    def leads_back(user: T, used: T) -> bool:
        seen, ahead = {used}, [used]
        while ahead:
            further = set(ways.get(ahead.pop(), ())) - seen
            seen |= further
            ahead += further
        return user in seen

    return {arrow for arrow in arrows if leads_back(*arrow)}


def test_circles_are_found() -> None:
    assert in_a_circle({("a", "b"), ("b", "c"), ("c", "b")}) == {("b", "c"), ("c", "b")}
    assert in_a_circle({("a", "b"), ("b", "c"), ("a", "c")}) == set()


def test_imports_inside_functions_say_why() -> None:
    """At the first of a file: imports stand at its top, unless a command's start need not wait for them."""
    for file in FILES:
        text = file.read_text()
        functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
        inside = (node for function in functions for node in ast.walk(function))
        lines = [node.lineno for node in inside if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not lines or text.splitlines()[min(lines) - 2].lstrip().startswith("#"), f"{file}:{min(lines)}"

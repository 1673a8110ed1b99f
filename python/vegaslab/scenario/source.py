"""The source of a scenario: a file, a shipped scenario's name, a link, TOML text, a dict or a typed object."""

import errno
import json
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from vegaslab import _vegaslab
from vegaslab.scenario import link
from vegaslab.scenario.own.naming import table_of_class
from vegaslab.scenario.own.thread import file_being_loaded
from vegaslab.scenario.typed import Table
from vegaslab.util import reading
from vegaslab.util.errors import NotFoundError, ScenarioError
from vegaslab.util.memory import memory_bytes
from vegaslab.util.text import nearest, no_text, printable

if TYPE_CHECKING:
    from vegaslab.scenario.objects import Scenario

ScenarioLike: TypeAlias = "str | PathLike[str] | Mapping[str, object] | Scenario"
Overrides = Sequence[tuple[str, str]]

_SHIPPED = Path(__file__).parents[1] / "scenarios"
_HOLDS = "a scenario holds text, numbers, booleans, lists and dicts"
_PLANS = "plans"


def load(
    scenario: ScenarioLike,
    *,
    seed: int | None = None,
    set: Mapping[str, object] | Overrides | None = None,
    memory: str | int | None = None,
) -> _vegaslab.Scenario:
    """Checks a scenario.

    `scenario` is a path to a TOML or JSON file, the name of a shipped scenario, a link of the playground, TOML text (a
    string of several lines), a dict of the file's keys, or a `Scenario`. `set` overrides values by dotted key
    (`{"flow.0.algorithm": "reno"}`), `seed` the seed. Raises `ScenarioError` for what is wrong in the scenario,
    `OSError` for a file that cannot be read, `LimitError` for one that would take more than `memory` (as for
    `vegaslab.run`).
    """
    overrides = override_list(set)
    if seed is not None:
        overrides.append(("seed", str(seed)))
    text, file_format, source = read(scenario)
    try:
        return _vegaslab.load(text, file_format, printable(source), overrides, memory_bytes(memory))
    except UnicodeEncodeError as error:
        raise ScenarioError(f"{printable(source)}: {no_text(error)}") from None


class UnusedWarning(UserWarning):
    """A scenario gives a parameter that its algorithm does not use: one line that names it."""


def warn_of_unused(scenario: _vegaslab.Scenario) -> None:
    """Warns of each parameter in a scenario that has no effect, with an `UnusedWarning`."""
    for line in scenario.warnings():
        warnings.warn(line, UnusedWarning, stacklevel=3)


def shipped_scenarios() -> dict[str, Path]:
    """The scenarios that come with vegaslab: file by name, in the order of their names, those in folders last.

    Those that carry out a claim of a paper are named `papers/NAME`, those of dossiers `evaluate/NAME`, `c4/NAME` and
    `tcpeval/NAME`, those that `vegas-next` is judged by `next/NAME`, and those of the adversary `attack/NAME`.

    >>> import vegaslab
    >>> list(vegaslab.shipped_scenarios())[:2]
    ['adversarial-delay', 'applications']
    """
    return dict(_shipped())


@cache
def _shipped() -> dict[str, Path]:
    # a dossier asks for its scenarios thousands of times
    files = [*sorted(_SHIPPED.glob("*.toml"))]
    files += sorted(path for path in _SHIPPED.glob("*/*.toml") if path.parent.name != _PLANS)
    return {path.relative_to(_SHIPPED).with_suffix("").as_posix(): path for path in files}


def shipped_plans() -> dict[str, Path]:
    """The plans that come with vegaslab, for `vegaslab.Plan.from_file` and `vegaslab.sweep`: file by name.

    >>> import vegaslab
    >>> list(vegaslab.shipped_plans())
    ['both-worlds', 'next-parts', 'vegas-conditions', 'vegas-or-gallop', 'vegas-phases']
    """
    return {path.stem: path for path in sorted(_SHIPPED.glob(f"{_PLANS}/*.toml"))}


def read(scenario: ScenarioLike) -> tuple[str, Literal["toml", "json"], str]:
    """Returns a scenario's text, its format, and its name in messages. Raises as `load` does."""
    if (file := file_being_loaded()) is not None:
        message = f'{file}: runs a scenario while it is loaded; write that under if __name__ == "__main__"'
        raise ScenarioError(message)
    if isinstance(scenario, Table):
        return json.dumps(scenario.to_dict()), "json", "Scenario"
    if isinstance(scenario, Mapping):
        return _to_json(scenario), "json", "dict"
    if isinstance(scenario, str) and "\n" in scenario:
        return scenario, "toml", "text"
    if isinstance(scenario, str) and link.is_link(scenario):
        return link.scenario_of(scenario), "toml", link.SOURCE
    path = find(scenario, shipped_scenarios(), "scenario")
    return read_text(path), "json" if path.suffix == ".json" else "toml", str(path)


def folder_of(scenario: ScenarioLike) -> Path:
    """Returns the folder from which a scenario names files: its own, or the present one if it is no file."""
    if isinstance(scenario, Mapping | Table) or "\n" in str(scenario) or link.is_link(str(scenario)):
        return Path()
    return find(scenario, shipped_scenarios(), "scenario").parent


def _to_json(scenario: Mapping[str, object]) -> str:
    try:
        return json.dumps(dict(scenario))
    except (TypeError, ValueError, RecursionError) as error:
        raise ScenarioError(f"dict: {error}; {_HOLDS}") from None


def find(given: str | PathLike[str], shipped: Mapping[str, Path], what: str) -> Path:
    """Returns the file of that path, or the shipped one so named. Raises `NotFoundError`, naming similar ones."""
    if not isinstance(given, str | PathLike):
        raise ScenarioError(f"{what}: {given!r} was given; a file's path, a name, text of several lines, or a dict")
    path = Path(given)
    if path.exists():
        return path
    name = path.as_posix().removesuffix(".toml")
    if name in shipped:
        return shipped[name]
    near = nearest(name, shipped)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {len(shipped)}, such as {next(iter(shipped))}"
    raise NotFoundError(errno.ENOENT, f"no such file, nor a shipped {what} of that name; {hint}", str(path))


def read_text(path: Path) -> str:
    """Returns a file's text. Raises `ScenarioError` if it is no text or too long, `OSError` if it cannot be read."""
    try:
        return reading.read_text(path)
    except reading.UnreadableTextError as error:
        raise ScenarioError(f"{path}: {error}; a scenario is a TOML or JSON text file") from None


def override_list(overrides: Mapping[str, object] | Overrides | None) -> list[tuple[str, str]]:
    """Returns overrides as pairs of a key and the text that `--set` would take; text stays unchanged."""
    if overrides is None:
        return []
    pairs = overrides.items() if isinstance(overrides, Mapping) else overrides
    try:
        return [(_dotted(key), value if isinstance(value, str) else _toml(value)) for key, value in pairs]
    except (RecursionError, TypeError) as error:
        raise ScenarioError(f"set: {error}; {_HOLDS}") from None


def _dotted(key: object) -> str:
    if not isinstance(key, str):
        raise ScenarioError(f"set: {key!r} was given; a dotted key, such as flow.0.algorithm")
    return key


def _toml(value: object) -> str:
    """Formats a value as TOML in one line; JSON's form serves for all values but tables.

    >>> _toml({"preset": "vegas", "keep_up": False, "burst": 3})
    '{ "preset" = "vegas", "keep_up" = false, "burst" = 3 }'
    """
    if isinstance(value, Table):
        value = value.to_dict()
    if isinstance(value, type):
        value = table_of_class(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{json.dumps(key)} = {_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_toml, value))}]"
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"set: {error}; {_HOLDS}") from None

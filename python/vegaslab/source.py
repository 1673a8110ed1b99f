"""Where a scenario comes from: a file, a shipped scenario's name, TOML text, a dict or a typed object."""

import errno
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from vegaslab import _vegaslab
from vegaslab.objects import Scenario

ScenarioLike = str | PathLike[str] | Mapping[str, object] | Scenario
Overrides = Sequence[tuple[str, str]]

_SHIPPED = Path(__file__).parent / "scenarios"


def load(
    scenario: ScenarioLike, *, seed: int | None = None, set: Mapping[str, object] | Overrides | None = None
) -> _vegaslab.Scenario:
    """Checks a scenario.

    `scenario` is a path to a TOML or JSON file, the name of a shipped scenario, TOML text (a string of several
    lines), a dict of the file's keys, or a `Scenario`. `set` overrides values by dotted key
    (`{"flow.0.algorithm": "reno"}`), `seed` the seed. Raises `ScenarioError` for what is wrong in the scenario,
    `OSError` for a file that cannot be read.
    """
    overrides = _override_list(set)
    if seed is not None:
        overrides.append(("seed", str(seed)))
    text, file_format, source = read(scenario)
    return _vegaslab.load(text, file_format, source, overrides)


def shipped_scenarios() -> dict[str, Path]:
    """The scenarios that come with vegaslab: file by name, in the order of their names, the papers' ones last.

    Those that carry out a claim of a paper are named `papers/NAME`.
    """
    files = [*sorted(_SHIPPED.glob("*.toml")), *sorted(_SHIPPED.glob("papers/*.toml"))]
    return {path.relative_to(_SHIPPED).with_suffix("").as_posix(): path for path in files}


def read(scenario: ScenarioLike) -> tuple[str, Literal["toml", "json"], str]:
    """A scenario's text, its format, and its name in messages. Raises as `load` does."""
    if isinstance(scenario, Scenario):
        return json.dumps(scenario.to_dict()), "json", "Scenario"
    if isinstance(scenario, Mapping):
        return _to_json(scenario), "json", "dict"
    if isinstance(scenario, str) and "\n" in scenario:
        return scenario, "toml", "text"
    path = _find(Path(scenario))
    return _read_text(path), "json" if path.suffix == ".json" else "toml", str(path)


def _to_json(scenario: Mapping[str, object]) -> str:
    try:
        return json.dumps(dict(scenario))
    except (TypeError, ValueError) as error:
        message = f"dict: {error}; a scenario holds text, numbers, booleans, lists and dicts"
        raise _vegaslab.ScenarioError(message) from None


def _find(path: Path) -> Path:
    if path.exists():
        return path
    shipped = shipped_scenarios().get(path.as_posix().removesuffix(".toml"))
    if shipped is None:
        hint = "no such file, nor a shipped scenario of that name (`vegaslab list scenarios` shows them)"
        raise FileNotFoundError(errno.ENOENT, hint, str(path))
    return shipped


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        message = f"{path}: byte {error.start} is not UTF-8 text; a scenario is a TOML or JSON text file"
        raise _vegaslab.ScenarioError(message) from None


def _override_list(overrides: Mapping[str, object] | Overrides | None) -> list[tuple[str, str]]:
    if overrides is None:
        return []
    pairs = overrides.items() if isinstance(overrides, Mapping) else overrides
    return [(key, value if isinstance(value, str) else json.dumps(value)) for key, value in pairs]

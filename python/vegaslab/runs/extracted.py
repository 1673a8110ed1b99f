"""Runs of which a few numbers are kept: made on all cores or elsewhere, so that interrupted work continues."""

import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from vegaslab import _vegaslab
from vegaslab.runs.pool import run_all, usable_cores
from vegaslab.runs.result import Result
from vegaslab.scenario.source import override_list, read
from vegaslab.util.folder import replace_file, writing
from vegaslab.util.progress import Progress
from vegaslab.util.text import printable

HASH_DIGITS = 24
_Key = TypeVar("_Key")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One simulation: a scenario with values set, and the function that extracts data from its result.

    `extract` is a function of a module; its value must fit into JSON. A run is simulated again only if the scenario, a
    file that it names, a value, the seed, the engine, an argument or the code of `extract` changes.
    """

    scenario: str
    extract: Callable[..., Any]
    set: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `extract` beside the result; they fit into JSON."""

    def check(self) -> _vegaslab.Scenario:
        """Returns the checked scenario. Raises the errors of `vegaslab.scenario.source.load`."""
        text, file_format, source = read(self.scenario)
        overrides = [*override_list(self.set), *([("seed", str(self.seed))] if self.seed is not None else [])]
        return _vegaslab.load(text, file_format, printable(source), overrides)


Made = Callable[[int, Any], None]
"""Takes the place of a run and the data that were extracted from it."""

Maker = Callable[[Sequence[tuple[Run, _vegaslab.Scenario]], Made], None]
"""Makes runs, in any order."""


def on_cores(jobs: int | None = None) -> Maker:
    """Makes runs on `jobs` threads of this process (default: one a core), and shows how far they are."""

    def make(due: Sequence[tuple[Run, _vegaslab.Scenario]], made: Made) -> None:
        runs, scenarios = [run for run, _ in due], [scenario for _, scenario in due]

        def keep(number: int, result: Result) -> None:
            made(number, runs[number].extract(result, **runs[number].arguments))

        with Progress(sum(scenario.duration_s for scenario in scenarios), f"{len(due)} runs: ") as progress:
            run_all(scenarios, keep, jobs=jobs or usable_cores(), progress=progress)

    return make


def data_of_runs(runs: Mapping[_Key, Run], folder: Path, make: Maker | None = None) -> dict[_Key, Any]:
    """Returns the data of each run, by its key; runs with data in `folder` are not simulated again."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    scenarios = {key: run.check() for key, run in runs.items()}
    files = {key: folder / f"{_hash(run, scenarios[key])}.json" for key, run in runs.items()}
    # two keys may name the same run: it is simulated once
    due = {file: key for key, file in files.items() if not file.exists()}
    places = list(due)

    def made(number: int, data: Any) -> None:
        text = json.dumps(data).encode()
        replace_file(places[number], lambda file: file.write(text), new_suffix=".part")

    if due:
        (make or on_cores())([(runs[key], scenarios[key]) for key in due.values()], made)
    return {key: json.loads(file.read_text(encoding="utf-8")) for key, file in files.items()}


def _hash(run: Run, scenario: _vegaslab.Scenario) -> str:
    _, _, source = read(run.scenario)
    # the run's id covers rate traces and own algorithms
    document = _vegaslab.Template(scenario.document_json(), "json", printable(source))
    run_id = document.run_ids(["{}"], [scenario.seed]).hex()
    code = _code(run.extract.__module__)
    arguments = json.dumps(run.arguments, sort_keys=True)
    parts = (run_id, run.extract.__qualname__, code, arguments, engine_digest())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:HASH_DIGITS]


@cache
def _code(module: str) -> str:
    """Returns a digest of a module, and of those of this package that it takes names from, near and far."""
    found, waiting = {module}, [module]
    while waiting:
        new = {_origin(value) for value in vars(sys.modules[waiting.pop()]).values()} - found - {""}
        found |= new
        waiting += sorted(new)
    digests = [file_digest(Path(str(sys.modules[name].__file__))) for name in sorted(found)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _origin(value: object) -> str:
    """Returns the module that a value is, or in which it was made; empty for a package, or one from outside."""
    name = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
    ours = isinstance(name, str) and name.startswith("vegaslab.") and name in sys.modules
    return name if ours and not hasattr(sys.modules[name], "__path__") else ""


def engine_digest() -> str:
    """Returns the SHA-256 of the simulator's library."""
    return file_digest(Path(str(_vegaslab.__file__)))


@cache
def file_digest(file: Path) -> str:
    """Returns the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()

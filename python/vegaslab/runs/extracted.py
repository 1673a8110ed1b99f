"""Runs of which a few numbers are kept: made on all cores or elsewhere, so that interrupted work continues."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from vegaslab import _vegaslab
from vegaslab.runs.kept import cache as kept
from vegaslab.runs.kept.code import code_digest, engine_digest
from vegaslab.runs.pool import run_all, usable_cores
from vegaslab.runs.result import Result
from vegaslab.scenario.source import override_list, read
from vegaslab.util.folder import replace_file, writing
from vegaslab.util.progress import Progress, SweepProgress
from vegaslab.util.text import printable

HASH_DIGITS = 24
_ID_BYTES = 32
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


@dataclass(frozen=True)
class Due:
    """A run to be made. Its scenario was checked with another seed, and is built when the run begins: thousands of
    them would take hundreds of megabytes.
    """

    run: Run
    seed: int
    duration_s: float
    template: _vegaslab.Template
    may_be_kept: bool
    """Whether the cache may have its data, as its name says all that decides them."""

    def scenario(self) -> _vegaslab.Scenario:
        """Returns the scenario with the run's values and seed."""
        return self.template.scenario("{}", self.seed)


Maker = Callable[[Sequence[Due], Made], None]
"""Makes runs, in any order."""


def on_cores(jobs: int | None = None) -> Maker:
    """Makes runs on `jobs` threads of this process (default: one a core), and shows how far they are."""

    def make(due: Sequence[Due], made: Made) -> None:
        def keep(number: int, result: Result) -> None:
            run = due[number].run
            made(number, run.extract(result, **run.arguments))

        with Progress(sum(one.duration_s for one in due), f"{len(due)} runs: ") as progress:
            run_all([one.scenario for one in due], keep, jobs=jobs or usable_cores(), progress=progress, cached=False)

    return make


def data_of_runs(runs: Mapping[_Key, Run], folder: Path, make: Maker | None = None) -> dict[_Key, Any]:
    """Returns the data of each run, by its key; runs with data in `folder` or in the cache are not simulated again."""
    with _made(folder):
        return _data_of_runs(runs, folder, make or on_cores())


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Makes the folder, and at an error removes of what it made the folders that are empty."""
    new = [place for place in (folder, *folder.parents) if not place.exists()]
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for place in new:
            # not empty: runs that were finished are kept
            with suppress(OSError):
                place.rmdir()
        raise


def _data_of_runs(runs: Mapping[_Key, Run], folder: Path, make: Maker) -> dict[_Key, Any]:
    checked = _checked(runs)
    # two keys may name the same run: it is simulated once
    named = dict(checked.values())
    data = {name: text for name, due in named.items() if (text := _known(name, due, folder)) is not None}
    missing = {name: due for name, due in named.items() if name not in data}
    names = list(missing)

    def made(number: int, value: Any) -> None:
        text = json.dumps(value).encode()
        data[names[number]] = text
        _keep(names[number], missing[names[number]], folder, text)

    if missing:
        make(list(missing.values()), made)
    return {key: json.loads(data[name]) for key, (name, _) in checked.items()}


def _known(name: str, due: Due, folder: Path) -> bytes | None:
    """Returns the data of a run in the folder, or else in the cache."""
    file = folder / f"{name}.json"
    if file.exists():
        return file.read_bytes()
    return kept.taken("data", name) if due.may_be_kept else None


def _keep(name: str, due: Due, folder: Path, text: bytes) -> None:
    replace_file(folder / f"{name}.json", lambda file: file.write(text), new_suffix=".part")
    kept.count.note(made=1)
    if due.may_be_kept:
        kept.keep(text, "data", name)


def _checked(runs: Mapping[_Key, Run]) -> dict[_Key, tuple[str, Due]]:
    """Returns the name and the checked description of each run. Runs that differ in their seeds alone are checked
    together, as no seed makes a scenario wrong. Shows how far it is.
    """
    alike: dict[tuple[object, ...], list[_Key]] = {}
    for key, run in runs.items():
        alike.setdefault((run.scenario, *override_list(run.set)), []).append(key)
    found: dict[_Key, tuple[str, Due]] = {}
    with SweepProgress("runs checked") as progress:
        for keys in alike.values():
            progress(len(found), len(runs), 0)
            found |= _of_seeds({key: runs[key] for key in keys})
    return {key: found[key] for key in runs}


def _of_seeds(runs: Mapping[_Key, Run]) -> dict[_Key, tuple[str, Due]]:
    first = next(iter(runs.values()))
    scenario = first.check()
    _, _, source = read(first.scenario)
    template = _vegaslab.Template(scenario.document_json(), "json", printable(source))
    seeds = [scenario.seed if run.seed is None else run.seed for run in runs.values()]
    # the ids cover rate traces and own algorithms
    ids = template.run_ids(["{}"], seeds)
    may_be_kept = kept.may_be_kept(scenario.own_sha256())
    return {
        key: (_name(run, ids[at : at + _ID_BYTES].hex()), Due(run, seed, scenario.duration_s, template, may_be_kept))
        for (key, run), seed, at in zip(runs.items(), seeds, range(0, len(ids), _ID_BYTES), strict=True)
    }


def _name(run: Run, run_id: str) -> str:
    code = code_digest(run.extract.__module__)
    arguments = json.dumps(run.arguments, sort_keys=True)
    parts = (run_id, run.extract.__qualname__, code, arguments, engine_digest())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:HASH_DIGITS]

"""Makes runs on all cores and keeps their data, so that interrupted work continues."""

import hashlib
import inspect
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.papers.experiments.batch import Batch, carry_out_batch
from vegaslab.papers.experiments.experiment import Run
from vegaslab.runs.pool import run_all, usable_cores
from vegaslab.runs.result import Result
from vegaslab.scenario.source import load
from vegaslab.util.folder import replace_file, writing
from vegaslab.util.progress import Progress

_HASH_DIGITS = 24


def carry_out(runs: Mapping[str, Run | Batch], cache_folder: Path) -> dict[str, Any]:
    """Returns the data of each run or batch, by its key; runs with data in `cache_folder` are not simulated again."""
    with writing(cache_folder):
        cache_folder.mkdir(parents=True, exist_ok=True)
    single = {key: run for key, run in runs.items() if isinstance(run, Run)}
    batches = {key: batch for key, batch in runs.items() if isinstance(batch, Batch)}
    gave = _carry_out_single(single, cache_folder)
    return gave | {key: carry_out_batch(batch, cache_folder, _engine()) for key, batch in batches.items()}


def _carry_out_single(runs: Mapping[str, Run], cache_folder: Path) -> dict[str, Any]:
    scenarios = {key: load(run.scenario, seed=run.seed, set=run.set) for key, run in runs.items()}
    files = {key: cache_folder / f"{_hash(run, scenarios[key])}.json" for key, run in runs.items()}
    # two keys may name the same run: it is simulated once
    due = {file: key for key, file in files.items() if not file.exists()}
    _simulate({file: (runs[key], scenarios[key]) for file, key in due.items()})
    return {key: json.loads(file.read_text(encoding="utf-8")) for key, file in files.items()}


def _simulate(due: Mapping[Path, tuple[Run, _vegaslab.Scenario]]) -> None:
    files, runs = list(due), [run for run, _ in due.values()]
    scenarios = [scenario for _, scenario in due.values()]

    def keep(number: int, result: Result) -> None:
        gave = json.dumps(runs[number].extract(result)).encode()
        replace_file(files[number], lambda file: file.write(gave), new_suffix=".part")

    with Progress(sum(scenario.duration_s for scenario in scenarios), f"{len(due)} runs: ") as progress:
        run_all(scenarios, keep, jobs=usable_cores(), progress=progress)


def _hash(run: Run, scenario: _vegaslab.Scenario) -> str:
    parts = (scenario.document_json(), str(scenario.seed), run.extract.__qualname__, _code(run.extract), _engine())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_HASH_DIGITS]


def _code(extract: Any) -> str:
    return _digest(Path(inspect.getfile(extract)))


@cache
def _engine() -> str:
    return _digest(Path(str(_vegaslab.__file__)))


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()

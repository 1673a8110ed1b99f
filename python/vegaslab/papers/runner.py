"""Carries out runs on all cores and keeps what they gave, so that interrupted work goes on."""

import hashlib
import inspect
import json
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

from vegaslab import _vegaslab
from vegaslab.papers.experiment import Run
from vegaslab.progress import Progress
from vegaslab.result import run_checked
from vegaslab.source import load
from vegaslab.sweeping import usable_cores

_HASH_DIGITS = 24
_LOOK_S = 0.2


def carry_out(runs: Mapping[str, Run], cache_folder: Path) -> dict[str, Any]:
    """What each run gave, by its key; runs that `cache_folder` holds are not simulated again."""
    cache_folder.mkdir(parents=True, exist_ok=True)
    scenarios = {key: load(run.scenario, seed=run.seed, set=run.set) for key, run in runs.items()}
    files = {key: cache_folder / f"{_hash(run, scenarios[key])}.json" for key, run in runs.items()}
    # two keys may name the same run: it is simulated once
    due = {file: key for key, file in files.items() if not file.exists()}
    _simulate({file: (runs[key], scenarios[key]) for file, key in due.items()})
    return {key: json.loads(file.read_text(encoding="utf-8")) for key, file in files.items()}


def _simulate(due: Mapping[Path, tuple[Run, _vegaslab.Scenario]]) -> None:
    """All of them, as many at once as there are cores. The engine runs without the interpreter's lock."""
    total_s = sum(scenario.duration_s for _, scenario in due.values())
    stopped = Event()
    with Progress(total_s, f"{len(due)} runs: ") as progress, ThreadPoolExecutor(usable_cores()) as pool:
        pending = {
            pool.submit(_one, run, scenario, file, stopped): scenario.duration_s
            for file, (run, scenario) in due.items()
        }
        done_s = 0.0
        try:
            while pending:
                finished, _ = wait(pending, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
                for future in finished:
                    done_s += pending.pop(future)
                    future.result()
                progress(done_s)
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise


class _StoppedError(Exception):
    """Another run failed, or the user has had enough."""


def _one(run: Run, scenario: _vegaslab.Scenario, file: Path, stopped: Event) -> None:
    def look(_reached_s: float) -> None:
        if stopped.is_set():
            raise _StoppedError

    kept = json.dumps(run.extract(run_checked(scenario, look)))
    half_written = file.with_suffix(".part")
    half_written.write_text(kept, encoding="utf-8")
    half_written.replace(file)


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

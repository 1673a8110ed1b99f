"""Wrong implementations: they change the experiments' runs and closed forms, and the verdicts show whether that is
noticed.

A limit within which they stay says nothing about the algorithm. `make test-mutants` judges every claim under them.
"""

import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.experiment import Experiment, Flow, Mutant, Run
from vegaslab.papers.experiments.runner import carry_out
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.verdict import Finding, Word, word_of
from vegaslab.scenario.source import load

_WITHOUT_BACKLOG = ("reno", "newreno", "sack", "cubic", "cubic-linux")
"""The algorithms that the papers compare with; mutants leave them unchanged."""

_DEFAULT_ALPHA, _DEFAULT_BETA, _DEFAULT_GAMMA = 1, 3, 1
_OTHER_MARKS: Mapping[str, object] = {"alpha": 3, "beta": 9}
_HELD: Mapping[str, object] = {"algorithm": "reno", "initial_window": 20, "max_window": 20}
"""A window that nothing but a loss moves, of the size that ns-2 limits windows to by default."""
_NOT_FOUND = (TypeError, ValueError, ZeroDivisionError)


def words(experiment: Experiment, mutant: Mutant, cache_folder: Path) -> dict[str, Word | None]:
    """Returns the quick verdict of each claim under a mutant, "reproduced" if the mutant passes.

    A verdict is None where the mutant changes nothing that the claim is about, and where its runs lack what the
    experiment measures, such as the end of a slow start that never ends.
    """
    with _replaced(mutant.functions):
        runs = {key: _mutated(run, mutant) for key, run in experiment.runs(True).items()}
        try:
            findings = experiment.find(carry_out(runs, cache_folder))
        except _NOT_FOUND:
            return dict.fromkeys(experiment.claims)
    right = experiment.find(carry_out(experiment.runs(True), cache_folder))
    return {
        name: None if _judged(findings[name]) == _judged(right[name]) else _word(name, findings[name])
        for name in experiment.claims
    }


def _word(name: str, found: Finding) -> Word:
    """Returns the verdict without regard to what other mutants pass."""
    return word_of(replace(claims()[name], not_discriminating=""), found)


def _judged(found: Finding) -> tuple[object, ...]:
    return (found.values, found.holds, found.beyond, found.readings)


def _mutated(run: Run | Batch, mutant: Mutant) -> Run | Batch:
    if isinstance(run, Run):
        return replace(run, set=_with_changes(run.scenario, run.set, mutant))
    return replace(run, cells=[_with_changes(run.scenario, cell, mutant) for cell in run.cells])


def _with_changes(scenario: str, values: Mapping[str, object], mutant: Mutant) -> dict[str, object]:
    document = json.loads(load(scenario, set=values).document_json())
    changes = {
        f"flow.{number}.{key}": value
        for number, flow in enumerate(document.get("flow", ()))
        if _measures_backlog(flow["algorithm"])
        for key, value in mutant.change(flow).items()
    }
    kept = {key: value for key, value in values.items() if not _is_inside(key, changes)}
    return {**kept, **changes}


def _measures_backlog(algorithm: Any) -> bool:
    if isinstance(algorithm, dict) and "mechanisms" in algorithm:
        return bool(algorithm["mechanisms"])
    return _preset(algorithm) not in _WITHOUT_BACKLOG


def _is_inside(key: str, changes: Mapping[str, object]) -> bool:
    return any(key == changed or key.startswith(f"{changed}.") for changed in changes)


def _preset(algorithm: Any) -> str | None:
    found: str | None = algorithm.get("preset") if isinstance(algorithm, dict) else algorithm
    return found


def _next_gamma(flow: Flow) -> dict[str, object]:
    return {"gamma": (flow.get("gamma") or _DEFAULT_GAMMA) + 1}


def _another_preset(flow: Flow) -> dict[str, object]:
    """Replaces an algorithm by Vegas, and Vegas by the kernel's, on the same host."""
    preset = _preset(flow["algorithm"])
    is_vegas = preset is None or preset.startswith("vegas")
    return {"algorithm": "vegas-linux", "host": _same_host(flow)} if is_vegas else {"algorithm": "vegas"}


def _same_host(flow: Flow) -> dict[str, object]:
    """Returns the flow's host, which the kernel's Vegas would change by its default."""
    given = flow.get("host", {})
    return {"kind": given} if isinstance(given, str) else {"kind": "bsd", **given}


def _without_avoidance(flow: Flow) -> dict[str, object]:
    """Turns mechanism B off: the window grows until a loss."""
    algorithm = flow["algorithm"]
    if isinstance(algorithm, dict) and "mechanisms" in algorithm:
        return {"algorithm": {**algorithm, "mechanisms": algorithm["mechanisms"].replace("B", "")}}
    parts = algorithm if isinstance(algorithm, dict) else {"preset": algorithm}
    return {"algorithm": {**parts, "avoidance": "reno"}}


def _threefold_marks(flow: Flow) -> dict[str, object]:
    return {
        "alpha": 3 * (flow.get("alpha") or _DEFAULT_ALPHA),
        "beta": 3 * (flow.get("beta") or _DEFAULT_BETA),
    }


EVERYWHERE: Sequence[Mutant] = (
    Mutant(name="gamma one more", change=_next_gamma),
    Mutant(name="another preset", change=_another_preset),
    Mutant(name="Reno's avoidance", change=_without_avoidance),
    Mutant(name="alpha and beta threefold", change=_threefold_marks),
    Mutant(name="a window of 20", change=lambda _flow: _HELD),
)
"""The mutants of every experiment that names none of its own."""


def _rival(name: str, values: Mapping[str, object]) -> Mutant:
    """Replaces a paper's addition to Vegas, and leaves Vegas itself."""

    def change(flow: Flow) -> Mapping[str, object]:
        preset = _preset(flow["algorithm"])
        return {} if preset is None or preset.startswith("vegas") else values

    return Mutant(name=f"{name} in its place", change=change)


RIVALS: Sequence[Mutant] = (
    *(_rival(name, {"algorithm": name}) for name in ("reno", "newreno", "cubic")),
    _rival("vegas, alpha 3, beta 9,", {"algorithm": "vegas", **_OTHER_MARKS}),
    _rival("a window of 20", _HELD),
)
"""Senders that measure no backlog, and Vegas itself with more of it. A claim that one of them passes in place of a
paper's addition to Vegas says nothing about that addition.
"""


@contextmanager
def _replaced(functions: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    right = []
    for path, wrong in functions.items():
        name, _, function = path.rpartition(".")
        module = importlib.import_module(name)
        right.append((module, function, getattr(module, function)))
        setattr(module, function, wrong)
    try:
        yield
    finally:
        for module, function, was in right:
            setattr(module, function, was)

"""Two dossiers of an algorithm compared: significant changes only."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vegaslab.evaluation.criterion import EvaluationError
from vegaslab.evaluation.figures import FIGURES
from vegaslab.runs.seeds.figures import Difference, Pairs, differences_of

LEAST_CHANGE = 0.01
"""A change below this part of the old mean counts as none, even if all seeds agree on it."""

_JSON = "report.json"
_LEVEL = 0.95


@dataclass(frozen=True)
class Change:
    """A figure that is significantly better or worse than before."""

    case: str
    figure: str
    old: float
    new: float
    better: bool | None
    """None for a figure of which neither more nor less is better."""


def read_dossier(place: Path) -> dict[str, Any]:
    """Reads the document of a dossier, from its folder or its `report.json`. Raises `EvaluationError` and `OSError`."""
    file = place / _JSON if place.is_dir() else place
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        raise EvaluationError(f"{file}: is no JSON; give the folder of a dossier") from None
    if not isinstance(found, dict) or found.get("generator") != "vegaslab evaluate" or "criteria" not in found:
        raise EvaluationError(f"{file}: is no dossier; give the folder that vegaslab evaluate wrote")
    if found.get("format") != 1:
        raise EvaluationError(f"{file}: has another format than 1; read it with the version that wrote it")
    return found


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Returns what has changed in the algorithm under test, for the cases and seeds that both dossiers have.

    All differences are tested together (Holm), seed by seed; a figure without randomness has changed if it differs by
    more than one per cent. A figure that no run has any more, or that all have for the first time, has changed too.
    Raises `EvaluationError` if they have nothing in common.
    """
    before, after = dict(_values(old)), dict(_values(new))
    common = [key for key in before if key in after]
    if not common:
        raise EvaluationError(f"{old['name']} and {new['name']}: their dossiers have no case in common")
    pairs = [Pairs("\0".join(key), "new", "old", *_paired(after[key], before[key])) for key in common]
    found = [change for one in differences_of(pairs, _LEVEL) if (change := _change(one)) is not None]
    return found + list(_appeared(before, after, common))


def _values(dossier: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], list[float]]]:
    for chapter in dossier["criteria"]:
        for case in chapter["cases"]:
            row = case["rows"][0]
            for figure, found in row["values"].items():
                if found:
                    yield (case["id"], figure), [math.nan if value is None else value for value in found]


def _paired(values: list[float], bases: list[float]) -> tuple[list[float], list[float]]:
    seeds = min(len(values), len(bases))
    return values[:seeds], bases[:seeds]


def _change(difference: Difference) -> Change | None:
    case, figure = difference.figure.split("\0")
    old, new = difference.baseline_mean, difference.baseline_mean + difference.interval.mean
    if difference.verdict not in ("higher", "lower") or abs(new - old) <= LEAST_CHANGE * abs(old):
        return None
    return Change(case, figure, old, new, _is_better(figure, difference.verdict == "higher"))


def _is_better(figure: str, higher: bool) -> bool | None:
    better = FIGURES[figure].better if figure in FIGURES else "neither"
    return None if better == "neither" else (better == "higher") == higher


def _appeared(
    before: Mapping[tuple[str, str], list[float]],
    after: Mapping[tuple[str, str], list[float]],
    common: list[tuple[str, str]],
) -> Iterator[Change]:
    """Yields figures of events: what happened in each run and in none now, or the other way round.

    Without the event there is no time to it: that is worse for all of them, as they are times to something good.
    """
    for key in common:
        new, old = _paired(after[key], before[key])
        had, has = [not math.isnan(value) for value in old], [not math.isnan(value) for value in new]
        if (all(had) and not any(has)) or (not any(had) and all(has)):
            mean = sum(value for value in (old if all(had) else new)) / len(old)
            yield Change(*key, mean if all(had) else math.nan, mean if all(has) else math.nan, all(has))

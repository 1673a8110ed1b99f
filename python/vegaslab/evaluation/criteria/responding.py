"""Which signals of congestion an algorithm answers: the case `responds` of the conformance kit.

The chapters cannot tell it: their hosts answer losses by timeouts, whatever a window of a user's own does.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vegaslab import _vegaslab
from vegaslab.evaluation.criteria.questions import NO
from vegaslab.scenario.variants import algorithm_toml

_CASE = "responds"
_SEEN = re.compile(r"loss: (?P<loss>\w+) / delay: (?P<delay>\w+) / marks: (?P<marks>\w+),")
_SAFE = "safe to deploy beside"
NO_SIGNAL = "it answers no signal of congestion"
"""Why an algorithm is not safe, whatever the figure."""


def responses(algorithm: str) -> dict[str, Any]:
    """Returns on how many of three paths an algorithm answers each signal, and on how many none: by TCP, on Linux hosts
    where it can have them. `why` says why it is not judged, and is empty otherwise.
    """
    try:
        made = _vegaslab.conform(algorithm, algorithm_toml(algorithm), suite="generic", names=[_CASE], quick=True)
    except ValueError as error:
        return _found([], str(error))
    seen = [(_SEEN.match(text), text) for _, _, _, text, _ in made.rows]
    ended = [text for match, text in seen if match is None]
    return _found([match.groupdict() for match, _ in seen if match], ended[0] if ended else "")


def _found(answers: Sequence[Mapping[str, str]], why: str) -> dict[str, Any]:
    return {
        "why": why,
        "paths": len(answers),
        "answered": {name: sum(one[name] == "yes" for one in answers) for name in ("loss", "delay", "marks")},
        "none": sum("yes" not in one.values() for one in answers),
    }


def judged(answers: Sequence[Mapping[str, Any]], found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the answers of the first page: what answers no signal on a path is not safe."""
    unsafe = {"verdict": NO, "limit_is": NO_SIGNAL} if found["none"] else {}
    return [{**one, **unsafe} if one["question"].startswith(_SAFE) else {**one} for one in answers]


def sentences(dossier: Mapping[str, Any]) -> list[str]:
    """Returns what the first page says: the signals that are answered, and whether one is at all."""
    found = dossier["responds"]
    if found["why"]:
        return [f"Which signals of congestion it answers is not known: {found['why']}."]
    words = ", ".join(f"{signal}: {_word(count, found['paths'])}" for signal, count in found["answered"].items())
    on = "" if found["none"] == found["paths"] else f" on {found['none']} of {found['paths']} paths"
    unsafe = f"Unsafe to deploy: {dossier['name']} answers neither losses nor a standing queue nor marks{on}."
    return [*([unsafe] if found["none"] else []), f"It answers {words}."]


def _word(count: int, paths: int) -> str:
    return {0: "no", paths: "yes"}.get(count, f"on {count} of {paths} paths")

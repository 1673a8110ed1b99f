"""The algorithms of a dossier, and their runs of each case."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from vegaslab.evaluation.criteria import ALL
from vegaslab.evaluation.criteria.suites import C4_TRIALS
from vegaslab.evaluation.criterion import OLD, Case, Criterion, EvaluationError
from vegaslab.evaluation.extract import figures
from vegaslab.runs.extracted import Run
from vegaslab.scenario.source import load
from vegaslab.scenario.variants import algorithm_overrides
from vegaslab.util.errors import ScenarioError

Transport = Literal["tcp", "quic"]

SEEDS, QUICK_SEEDS, QUICK_TRIALS = 20, 5, 5
"""The seeds of each case in a full dossier and in a quick one, and the trials of the C4 cases in a quick one."""

_ALONE = "evaluate/alone"

SOLO = ""
"""The label of the runs in which the old algorithm is alone, for the harm to it."""

Key = tuple[str, str, int]
"""A case, an algorithm's label, and a seed."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a dossier is asked for."""

    name: str
    """The algorithm: a preset, a table of parts, or a file of a user's own, as on the command line."""
    baselines: Sequence[str] = OLD
    quick: bool = False
    transport: Transport = "tcp"
    criteria: Sequence[str] = ()
    """The chapters; none stands for all."""

    @property
    def contenders(self) -> dict[str, str]:
        """The algorithms by their labels, the one under test first."""
        named = dict.fromkeys([self.name, *self.baselines])
        return {label(algorithm): algorithm for algorithm in named}

    @property
    def host(self) -> str:
        """The host of every TCP flow, so that the congestion controls alone differ: that of the algorithm under test,
        and "bsd" beside one that runs there only.
        """
        if self.transport == "quic" or _host(self.name) == "bsd":
            return "bsd"
        return "linux" if all(map(_runs_on_linux, self.baselines)) else "bsd"

    @property
    def chapters(self) -> list[Criterion]:
        """The chapters that are asked for. Raises `EvaluationError` for one that does not exist."""
        known = {criterion.id: criterion for criterion in ALL}
        unknown = [name for name in self.criteria if name not in known]
        if unknown:
            raise EvaluationError(f"--criterion {unknown[0]}: no such chapter; expected one of {', '.join(known)}")
        return [criterion for criterion in ALL if not self.criteria or criterion.id in self.criteria]

    def cases(self, criterion: Criterion) -> list[Case]:
        """The cases of a chapter: fewer in a quick dossier."""
        return [case for case in criterion.cases if not (self.quick and case.full_only)]

    def seeds(self, case: Case) -> range:
        """The seeds of a case."""
        if case.is_bounded:
            return range(1, 1 + (QUICK_TRIALS if self.quick else C4_TRIALS))
        return range(1, 1 + (QUICK_SEEDS if self.quick else SEEDS))


def label(algorithm: str) -> str:
    """Returns what tables call an algorithm: its preset, the name of its table, or that of its class or file.

    >>> label("gallop"), label("slow = { preset = 'vegas' }"), label("/tmp/mine.py:Mine"), label("mine.wasm")
    ('gallop', 'slow', 'Mine', 'mine')
    """
    table = re.match(r"\s*([^={}]+?)\s*=\s*\{", algorithm)
    if table:
        return table[1]
    file = re.fullmatch(r"(?:.*/)?([^/]+)\.(py|wasm)(?::(\w+))?", algorithm)
    if file is None:
        return algorithm.strip()
    return file[3] or (_class_of(algorithm) if file[2] == "py" else file[1])


def _class_of(file: str) -> str:
    """The name of a file's only class, by which runs and comparisons call it, too."""
    return load(_ALONE, set=_chosen("flow.0", file)).algorithms()[0]


def runs_of(case: Case, request: Request) -> dict[Key, Run]:
    """Returns the runs of a case: each contender with each seed, and the old algorithm alone for the harm to it."""
    arguments: dict[str, object] = {"tested": list(case.tested), "link": case.link, "event": list(case.event)}
    if case.frames_ms is not None:
        arguments["frames_from_s"] = case.frames_from_s
    given = {
        (case.id, name, seed): Run(
            scenario=case.scenario,
            extract=figures,
            set=values(case, algorithm, request),
            seed=seed,
            arguments=arguments,
        )
        for name, algorithm in contenders_of(case, request).items()
        for seed in request.seeds(case)
    }
    if case.solo:
        given |= {
            (case.id, SOLO, seed): Run(
                scenario=case.solo,
                extract=figures,
                set={**case.set, **_flow("flow.0", case.beside, "tcp", request.host)},
                seed=seed,
                arguments=arguments,
            )
            for seed in request.seeds(case)
        }
    return given


def contenders_of(case: Case, request: Request) -> dict[str, str]:
    """Returns the algorithms of a case; for the harm also the old one beside itself, which is the yardstick."""
    return {**request.contenders, **({case.beside: case.beside} if case.solo else {})}


def values(case: Case, algorithm: str, request: Request) -> dict[str, object]:
    """Returns the values that a case sets in its scenario for one contender."""
    tables, sources = _tables(case.scenario)
    flows = {f"flow.{table}": table in case.tested for table in range(tables)}
    flows |= {f"traffic.{source}.flow": source in case.transfers for source in sources}
    given: dict[str, object] = dict(case.set)
    for flow, is_tested in flows.items():
        if is_tested:
            given |= _flow(flow, algorithm, request.transport, request.host)
        elif case.beside:
            given |= _flow(flow, case.beside, "tcp", request.host)
    return given


@cache
def _tables(scenario: str) -> tuple[int, list[int]]:
    """Returns the number of flow tables of a scenario, and the numbers of its sources that make connections."""
    document: dict[str, list[dict[str, object]]] = json.loads(load(scenario).document_json())
    return len(document["flow"]), [n for n, source in enumerate(document.get("traffic", ())) if "flow" in source]


def _flow(flow: str, algorithm: str, transport: Transport, host: str) -> dict[str, object]:
    chosen: dict[str, object] = dict(_chosen(flow, algorithm))
    if transport == "quic":
        return chosen | {f"{flow}.transport": "quic"}
    return chosen | ({f"{flow}.host.kind": host} if _host(algorithm) != host else {})


@cache
def _host(algorithm: str) -> str:
    """The host of an algorithm in a scenario that names none."""
    return load(_ALONE, set=_chosen("flow.0", algorithm)).hosts()[0][0]


@cache
def _runs_on_linux(algorithm: str) -> bool:
    try:
        load(_ALONE, set=[*_chosen("flow.0", algorithm), ("flow.0.host", "linux")])
    except ScenarioError:
        return False
    return True


def _chosen(flow: str, algorithm: str) -> list[tuple[str, str]]:
    return [(f"{flow}.algorithm{key}", text) for key, text in algorithm_overrides(algorithm)]

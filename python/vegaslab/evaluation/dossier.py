"""The dossier as a document: what report.json holds, and what the pages are made from."""

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.evaluation import metrics
from vegaslab.evaluation.comparing import LEAST_CHANGE
from vegaslab.evaluation.contenders import SOLO, Key, Request, contenders_of, runs_of, values
from vegaslab.evaluation.criteria.questions import answers
from vegaslab.evaluation.criteria.responding import judged, responses
from vegaslab.evaluation.criterion import Case, Criterion, EvaluationError
from vegaslab.evaluation.figures import FIGURES
from vegaslab.evaluation.sentences import behind_the_best, in_time, sentence, summary, yardstick
from vegaslab.runs.extracted import Maker, Run, data_of_runs
from vegaslab.runs.seeds.figures import Difference, Pairs, differences_of
from vegaslab.scenario.source import override_list, shipped_scenarios
from vegaslab.statistics import mean_interval
from vegaslab.util.errors import ScenarioError
from vegaslab.util.progress import SweepProgress

FORMAT = 1
_LEVEL = 0.95
_LAST_BIT = 1e-12
_HARMS: dict[str, tuple[str, Callable[[float, float], float]]] = {
    "harm_goodput": ("goodput_mbps", metrics.harm_of_more),
    "harm_delay": ("mean_rtt_ms", metrics.harm_of_less),
    "harm_loss": ("retransmitted_percent", metrics.harm_of_less),
}
_OLD = {
    "goodput_mbps": "old_goodput_mbps",
    "mean_rtt_ms": "old_rtt_ms",
    "retransmitted_percent": "old_retransmitted_percent",
}

Data = Mapping[Key, Mapping[str, float | None]]
Record = dict[str, Any]


def evaluate(request: Request, cache_folder: Path, make: Maker | None = None) -> Record:
    """Carries out what a dossier asks for and returns its document; runs in `cache_folder` are not made again.

    Raises `EvaluationError` for a name given twice, and the errors of `vegaslab.scenario.source.load` for an algorithm
    that cannot run on the simplest path.
    """
    _check(request)
    refused: dict[tuple[str, str], str] = {}
    runs: dict[Key, Run] = {}
    cases = [case for criterion in request.chapters for case in request.cases(criterion)]
    with SweepProgress("cases checked") as progress:
        for number, case in enumerate(cases):
            progress(number, len(cases), 0)
            runs |= _possible(runs_of(case, request), refused)
    data = data_of_runs(runs, cache_folder, make)
    chapters = [_chapter(criterion, request, data, refused) for criterion in request.chapters]
    responds = responses(request.name)
    return {
        "format": FORMAT,
        "generator": "vegaslab evaluate",
        "version": _vegaslab.version,
        "commit": _vegaslab.commit or "unknown",
        "name": next(iter(request.contenders)),
        "algorithms": dict(request.contenders),
        "quick": request.quick,
        "transport": request.transport,
        "host": request.host,
        "level": _LEVEL,
        "answers": judged(answers(chapters), responds),
        "responds": responds,
        "summary": summary(chapters, list(request.contenders)),
        "against_the_best": behind_the_best(chapters, list(request.contenders)),
        "criteria": chapters,
    }


def _check(request: Request) -> None:
    if len(request.contenders) < len(dict.fromkeys([request.name, *request.baselines])):
        raise EvaluationError("two algorithms have one name; give one of them another: 'NAME={ ... }'")
    base = Case(id="check", title="", scenario="evaluate/alone", figures=())
    for algorithm in request.contenders.values():
        Run(scenario=base.scenario, extract=evaluate, set=values(base, algorithm, request)).check()


def _possible(runs: Mapping[Key, Run], refused: dict[tuple[str, str], str]) -> dict[Key, Run]:
    """Returns the runs that their scenario allows; notes why an algorithm is refused in a case."""
    for (case, name, _), run in runs.items():
        if (case, name) not in refused:
            try:
                run.check()
            except ScenarioError as error:
                # the report names no place of this machine
                refused[case, name] = str(error).replace(str(shipped_scenarios()[run.scenario]), run.scenario)
            else:
                refused[case, name] = ""
    return {key: run for key, run in runs.items() if not refused[key[0], key[1]]}


def _chapter(criterion: Criterion, request: Request, data: Data, refused: Mapping[tuple[str, str], str]) -> Record:
    cases = [_case(case, request, data, refused) for case in request.cases(criterion)]
    of_id = {case["id"]: case for case in cases}
    headlines = [headline for headline in criterion.headlines if headline.case in of_id]
    said = _refusals([of_id[headline.case] for headline in headlines])
    said = said or [sentence(headline, of_id[headline.case]) for headline in headlines]
    return {
        "id": criterion.id,
        "section": criterion.section,
        "title": criterion.title,
        "question": criterion.question,
        "sentences": [*said, *filter(None, [yardstick(cases), in_time(cases)])],
        "headlines": [[headline.case, headline.figure] for headline in headlines],
        "cannot": criterion.cannot,
        "command": _command(criterion, request),
        "cases": cases,
    }


def _refusals(cases: Sequence[Record]) -> list[str]:
    """Returns why the algorithm under test is run in none of the cases; nothing if it is run in one."""
    rows = [case["rows"][0] for case in cases]
    if not all(row["refused"] for row in rows):
        return []
    return list(dict.fromkeys(f"{row['algorithm']} is not run: {row['refused']}." for row in rows))


def _command(criterion: Criterion, request: Request) -> str:
    words = ["vegaslab", "evaluate", request.name, *(f"--baseline={name}" for name in request.baselines)]
    words += ["--criterion", criterion.id, *(["--quick"] if request.quick else [])]
    return shlex.join([*words, *(["--transport", request.transport] if request.transport != "tcp" else [])])


def _case(case: Case, request: Request, data: Data, refused: Mapping[tuple[str, str], str]) -> Record:
    contenders = contenders_of(case, request)
    seeds = request.seeds(case)
    name = next(iter(contenders))
    alone = [data.get((case.id, SOLO, seed), {}) for seed in seeds]
    of_all = {
        label: {
            figure: [
                _value(figure, data.get((case.id, label, seed), {}), solo, case)
                for seed, solo in zip(seeds, alone, strict=True)
            ]
            for figure in case.figures
        }
        for label in contenders
        if not refused[case.id, label]
    }
    return {
        "id": case.id,
        "title": case.title,
        "scenario": case.scenario,
        "beside": case.beside,
        "bound_s": case.bound_s,
        "frames_ms": case.frames_ms and list(case.frames_ms),
        "seeds": len(seeds),
        "figures": list(case.figures),
        "rows": [
            _row(label, of_all, name, case)
            | {"command": _run_command(case, algorithm, request), "refused": refused[case.id, label]}
            for label, algorithm in contenders.items()
        ],
    }


def _run_command(case: Case, algorithm: str, request: Request) -> str:
    sets = [f"--set={key}={_text(value)}" for key, value in values(case, algorithm, request).items()]
    words = ["vegaslab", "run", case.scenario, *(text.replace(f"{Path.cwd()}/", "") for text in sets), "--seed=1"]
    return shlex.join(words)


def _text(value: object) -> str:
    return override_list({"": value})[0][1]


def _value(figure: str, run: Mapping[str, float | None], alone: Mapping[str, float | None], case: Case) -> float | None:
    if figure == "in_time_percent":
        return 100.0 if _is_in_time(run, case) else 0.0
    if figure in _HARMS:
        what, harm = _HARMS[figure]
        before, after = alone.get(what), run.get(_OLD[what])
        return None if before is None or after is None else _rounded(harm(before, after))
    found = run.get(figure)
    return None if found is None else _rounded(found)


def _is_in_time(run: Mapping[str, float | None], case: Case) -> bool:
    bounds: dict[str, float] = {} if case.bound_s is None else {"completion_s": case.bound_s}
    if case.frames_ms is not None:
        bounds |= {
            f"{what}_{kind}_ms": bound
            for kind, bound in zip(("mean", "max"), case.frames_ms, strict=True)
            for what in ("voice", "video")
        }
    found = {figure: run.get(figure) for figure in bounds}
    return all(value is not None and value <= bounds[figure] for figure, value in found.items())


def _rounded(value: float) -> float | None:
    """Rounds to six digits, so that the report does not depend on the last bit."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _row(label: str, of_all: Mapping[str, Mapping[str, Sequence[float | None]]], name: str, case: Case) -> Record:
    of_label = of_all.get(label, {figure: [] for figure in case.figures})
    return {
        "algorithm": label,
        "values": {figure: list(found) for figure, found in of_label.items()},
        "means": {figure: _mean(found) for figure, found in of_label.items()},
        "verdicts": verdicts(of_all, name, label) if label != name else {},
    }


def _mean(found: Sequence[float | None]) -> Record | None:
    present = [value for value in found if value is not None]
    if not present:
        return None
    interval = mean_interval(present, _LEVEL)
    # equal values leave a rest of their last bit
    unsure = interval.half_width > _LAST_BIT * abs(interval.mean)
    half = interval.half_width if unsure else 0.0
    mean = _rounded(interval.mean)
    return {"mean": mean, "half_width": _rounded(half), "seeds": len(present), "of": len(found)}


def verdicts(of_all: Mapping[str, Mapping[str, Sequence[float | None]]], name: str, other: str) -> dict[str, str]:
    """Returns for each figure whether the algorithm under test is higher or lower than another, seed by seed."""
    if name not in of_all or other not in of_all:
        return {}
    pairs = [
        Pairs(figure, name, other, _numbers(of_all[name][figure]), _numbers(of_all[other][figure]))
        for figure in of_all[name]
    ]
    return {one.figure: _word(one) for one in differences_of(pairs, _LEVEL)}


def _word(difference: Difference) -> str:
    """Returns the verdict; a significant difference that is small counts as none."""
    small = abs(difference.interval.mean) <= LEAST_CHANGE * abs(difference.baseline_mean)
    return "alike" if small and difference.verdict in ("higher", "lower") else difference.verdict


def _numbers(found: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in found]


def title_of(figure: str) -> str:
    """Returns a column's head: the figure with its unit."""
    known = FIGURES[figure]
    return f"{known.title}, {known.unit}" if known.unit else known.title

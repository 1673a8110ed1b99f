"""A report on claims: runs, verdicts, figures, files."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.papers import draw
from vegaslab.papers.chart import Chart
from vegaslab.papers.claims import claims
from vegaslab.papers.errors import PapersError
from vegaslab.papers.experiment import Answer, Data, Experiment
from vegaslab.papers.registry import select
from vegaslab.papers.runner import carry_out
from vegaslab.papers.verdict import Verdict, judge

CACHE = "cache"
FIGURES = "figures"
_JSON, _CSV, _PAGE = "claims.json", "claims.csv", "index.html"


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """An experiment's part of the report."""

    paper: str
    title: str
    verdicts: tuple[Verdict, ...]
    charts: tuple[Chart, ...]
    answers: tuple[Answer, ...] = ()


def reproduce(names: Sequence[str], folder: Path, *, quick: bool = False) -> list[Chapter]:
    """Carries out what `names` select (see `select`) and writes the report into `folder`; returns its chapters.

    Runs that were finished before are taken from `folder`. Raises `PapersError` and `OSError`.
    """
    selected = select(names)
    _check(folder)
    keyed = {(number, key): run for number, (_, one) in enumerate(selected) for key, run in one.runs(quick).items()}
    flat = {f"{number}/{key}": run for (number, key), run in keyed.items()}
    gave = carry_out(flat, folder / CACHE)
    chapters = [
        _chapter(paper, one, {key: gave[f"{number}/{key}"] for at, key in keyed if at == number})
        for number, (paper, one) in enumerate(selected)
    ]
    _write(chapters, folder, quick)
    return chapters


def rows(chapters: Sequence[Chapter]) -> list[dict[str, Any]]:
    """One row a claim: what `claims.json` holds."""
    return [_row(verdict) for chapter in chapters for verdict in chapter.verdicts]


def _check(folder: Path) -> None:
    """Only an empty folder or an earlier report is written into."""
    if folder.exists() and not folder.is_dir():
        raise PapersError(f"{folder}: is a file; give a folder with -o")
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if names and CACHE not in names:
        raise PapersError(f"{folder}: holds {min(names)} but no report; give a new folder with -o")


def _chapter(paper: str, experiment: Experiment, data: Data) -> Chapter:
    findings = experiment.find(data)
    if set(findings) != set(experiment.claims):
        raise PapersError(f"{experiment.title}: findings for {sorted(findings)}; its claims are {experiment.claims}")
    verdicts = tuple(judge(claims()[name], findings[name]) for name in experiment.claims)
    return Chapter(
        paper=paper,
        title=experiment.title,
        verdicts=verdicts,
        charts=tuple(experiment.draw(data)),
        answers=tuple(experiment.answer(data)),
    )


def _row(verdict: Verdict) -> dict[str, Any]:
    claim, finding = verdict.claim, verdict.finding
    return {
        "id": claim.id,
        "paper": claim.paper,
        "at": claim.at,
        "metric": claim.metric,
        "unit": list(claim.units),
        "paper_value": list(claim.values) or "shape",
        "our_value": [_rounded(value) for value in finding.values],
        "interval": [[_rounded(end) for end in interval] for interval in finding.intervals],
        "ratio": [None if ratio is None else _rounded(ratio) for ratio in verdict.ratios],
        "verdict": verdict.word,
        "cause": verdict.cause,
        "limit": str(claim.limit),
        "arithmetic": finding.arithmetic,
        "note": finding.note,
        "assumed": list(claim.assumed),
        "scenarios": list(claim.scenarios),
    }


def _rounded(value: float) -> float:
    """To six digits, so that the report does not hang on the last bit."""
    return float(f"{value:.6g}")


def _write(chapters: Sequence[Chapter], folder: Path, quick: bool) -> None:
    from vegaslab.papers.report_page import page

    figures = folder / FIGURES
    figures.mkdir(parents=True, exist_ok=True)
    for chart in (chart for chapter in chapters for chart in chapter.charts):
        draw.write(chart, figures)
    answers = [asdict(answer) for chapter in chapters for answer in chapter.answers]
    report = {"version": _vegaslab.version, "quick": quick, "claims": rows(chapters), "answers": answers}
    _replace(folder / _JSON, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    _replace(folder / _CSV, _csv(rows(chapters)))
    _replace(folder / _PAGE, page(chapters, quick=quick))


def _csv(table: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    columns = ("id", "paper_value", "our_value", "interval", "ratio", "verdict", "cause")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in table:
        writer.writerow(_cell(row[column]) for column in columns)
    return text.getvalue()


def _cell(value: Any) -> str:
    """Lists as numbers with blanks between; an interval as from..to."""
    if isinstance(value, list):
        return " ".join(
            "-" if one is None else "..".join(f"{end:g}" for end in one) if isinstance(one, list) else f"{one:g}"
            for one in value
        )
    return str(value)


def _replace(file: Path, text: str) -> None:
    half_written = file.with_suffix(".part")
    half_written.write_text(text, encoding="utf-8")
    half_written.replace(file)

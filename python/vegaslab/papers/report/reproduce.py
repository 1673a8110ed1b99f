"""A report on claims: runs, verdicts, figures, files."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from vegaslab import _vegaslab
from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.halves import halves
from vegaslab.papers.experiments.runner import carry_out
from vegaslab.papers.judging.claims import PAPERS, claims
from vegaslab.papers.judging.errors import PapersError
from vegaslab.papers.judging.verdict import Finding, Verdict, judge, reading_words
from vegaslab.papers.registry import select
from vegaslab.papers.report import draw
from vegaslab.papers.report.chapter import Chapter
from vegaslab.papers.report.page import page, paper_pages
from vegaslab.reports.optional import optional_picture
from vegaslab.util.folder import check_names, replace_file, writing

CACHE = "cache"
FIGURES = "figures"
_CACHED = re.compile(r"[0-9a-f]{24}(\.json|\.part)?")
_JSON, _CSV, _PAGE = "claims.json", "claims.csv", "index.html"
_PAPERS_PAGES = {name: f"{name}.html" for name in PAPERS}


def reproduce(names: Sequence[str], folder: Path, *, quick: bool = False) -> list[Chapter]:
    """Checks the claims that `names` select (see `select`) and writes the report into `folder`; returns its chapters.

    Runs that were finished before are read from `folder`. Raises `PapersError` and `OSError`.
    """
    selected = select(names)
    _check(folder)
    keyed = {(number, key): run for number, (_, one) in enumerate(selected) for key, run in one.runs(quick).items()}
    flat = {f"{number}/{key}": run for (number, key), run in keyed.items()}
    gave = carry_out(flat, folder / CACHE)
    chapters = [
        _chapter(paper, one, one.runs(quick), {key: gave[f"{number}/{key}"] for at, key in keyed if at == number})
        for number, (paper, one) in enumerate(selected)
    ]
    _write(chapters, folder, quick)
    return chapters


def rows(chapters: Sequence[Chapter]) -> list[dict[str, Any]]:
    """Returns a row for each claim, the content of `claims.json`."""
    return [_row(verdict) for chapter in chapters for verdict in chapter.verdicts]


def _check(folder: Path) -> None:
    """Checks that the folder is empty or holds an earlier report: nothing else may be replaced."""
    if folder.exists() and not folder.is_dir():
        raise PapersError(f"{folder}: is a file; give a folder")
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if names and CACHE not in names:
        raise PapersError(f"{folder}: holds {min(names)} but no report; give a new folder")
    check_names(folder / CACHE, _CACHED, folders=_CACHED)
    written = names & {_JSON, _CSV, _PAGE, *_PAPERS_PAGES.values()}
    if written and not _is_reports(folder / _JSON):
        raise PapersError(f"{folder}: holds {min(written)}, which no report wrote; give a new folder")


def _is_reports(file: Path) -> bool:
    try:
        found = json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return False
    return isinstance(found, dict) and found.keys() == {"version", "quick", "claims", "answers"}


def _chapter(paper: str, experiment: Experiment, runs: Mapping[str, Run | Batch], data: Data) -> Chapter:
    findings = experiment.find(data)
    if set(findings) != set(experiment.claims):
        raise PapersError(f"{experiment.title}: findings for {sorted(findings)}; its claims are {experiment.claims}")
    parts = halves(runs, data) if experiment.claims else None
    of_halves = [experiment.find(part) for part in parts or ()]
    verdicts = tuple(
        replace(judge(claims()[name], findings[name]), halves=_of_claim(of_halves, name)) for name in experiment.claims
    )
    return Chapter(
        paper=paper,
        title=experiment.title,
        verdicts=verdicts,
        charts=tuple(experiment.draw(data)),
        answers=tuple(experiment.answer(data)),
    )


def _of_claim(of_halves: Sequence[Mapping[str, Finding]], name: str) -> tuple[Finding, Finding] | None:
    """Returns what both halves of the seeds find, None if what is found does not depend on them."""
    if not of_halves:
        return None
    first, second = (findings[name] for findings in of_halves)
    return None if (first.values, first.holds) == (second.values, second.holds) else (first, second)


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
        "rerun": verdict.rerun,
        "limit": str(claim.limit),
        "undecided": claim.undecided,
        "decided": claim.decided,
        "readings": [
            {"name": one.name, "our_value": [_rounded(value) for value in one.values], "verdict": word}
            for one, word in zip(finding.readings, reading_words(claim, finding), strict=True)
        ],
        "arithmetic": finding.arithmetic,
        "note": finding.note,
        "assumed": list(claim.assumed),
        "scenarios": list(claim.scenarios),
    }


def _rounded(value: float) -> float:
    """Rounds to six digits, so that the report does not depend on the last bit."""
    return float(f"{value:.6g}")


def _write(chapters: Sequence[Chapter], folder: Path, quick: bool) -> None:
    figures = folder / FIGURES
    with writing(figures):
        figures.mkdir(parents=True, exist_ok=True)
    for chart in (chart for chapter in chapters for chart in chapter.charts):
        with optional_picture(f"figure {chart.slug}"):
            draw.write(chart, figures)
    answers = [asdict(answer) for chapter in chapters for answer in chapter.answers]
    report = {"version": _vegaslab.version, "quick": quick, "claims": rows(chapters), "answers": answers}
    _replace(folder / _JSON, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    _replace(folder / _CSV, _csv(rows(chapters)))
    pages = paper_pages(chapters, quick=quick)
    for name, file in _PAPERS_PAGES.items():
        if name in pages:
            _replace(folder / file, pages[name])
        else:
            # an earlier report here had more papers
            (folder / file).unlink(missing_ok=True)
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
    """Formats lists as numbers with blanks between, and an interval as from..to."""
    if isinstance(value, list):
        return " ".join(
            "-" if one is None else "..".join(f"{end:g}" for end in one) if isinstance(one, list) else f"{one:g}"
            for one in value
        )
    return str(value)


def _replace(file: Path, text: str) -> None:
    replace_file(file, lambda out: out.write(text.encode()), new_suffix=".part")

"""The report as one page with script, style and data inside; it loads no other file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from vegaslab import _vegaslab
from vegaslab.papers.judging.claims import PAPERS
from vegaslab.papers.judging.reason import judged_by
from vegaslab.papers.judging.table import Table
from vegaslab.papers.judging.verdict import Verdict, reading_words
from vegaslab.papers.report.chapter import Chapter
from vegaslab.reports.page.templates import render

_MEANING = {
    "reproduced": "within the limit",
    "not discriminating": "within the limit, and so are wrong implementations",
    "differs": "a number is off, the conclusion stands",
    "contradicted": "the conclusion does not hold",
    "inconsistent": "the paper contradicts itself",
    "open": "the paper leaves out what decides",
    "not comparable": "the paper measured something else",
}
_TITLE = "The Vegas papers, claim by claim"


def page(chapters: Sequence[Chapter], *, quick: bool) -> str:
    """Returns the page of a report."""
    verdicts = [verdict for chapter in chapters for verdict in chapter.verdicts]
    charts = [chart for chapter in chapters for chart in chapter.charts]
    return render(
        "report.html",
        _TITLE,
        [chart.data() for chart in charts],
        about=f"{len(verdicts)} claims, vegaslab {_vegaslab.version}, "
        + ("quick: fewer seeds and points than the full report." if quick else "full."),
        words=_MEANING,
        counts=_counts(verdicts),
        papers=[_paper(name, chapters) for name in dict.fromkeys(chapter.paper for chapter in chapters)],
        verdicts=[_row(verdict) for verdict in verdicts],
        number_of={chart.slug: number for number, chart in enumerate(charts)},
    )


def numbers(values: Sequence[float]) -> str:
    """Formats numbers as a table shows them."""
    return ", ".join(f"{value:.4g}" for value in values)


def _counts(verdicts: Iterable[Verdict]) -> Counter[str]:
    return Counter(verdict.word for verdict in verdicts)


def _paper(name: str, chapters: Sequence[Chapter]) -> dict[str, Any]:
    own = [chapter for chapter in chapters if chapter.paper == name]
    return {
        "id": name,
        "title": PAPERS[name],
        "counts": _counts(verdict for chapter in own for verdict in chapter.verdicts),
        "answers": sum(len(chapter.answers) for chapter in own),
        "chapters": [
            {
                "title": chapter.title,
                "charts": chapter.charts,
                "cards": [_card(verdict) for verdict in chapter.verdicts],
                "answers": chapter.answers,
            }
            for chapter in own
        ],
    }


def _row(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "id": claim.id,
        "at": claim.at,
        "paper": numbers(claim.values) or "shape",
        "ours": numbers(verdict.finding.values),
        "ratio": _ratios(verdict),
        "unit": ", ".join(dict.fromkeys(claim.units)),
        "word": verdict.word,
        "judged_by": judged_by(verdict),
    }


def _ratios(verdict: Verdict) -> str:
    """Formats ratios as the table shows them; equal ones appear once."""
    shown = ["-" if ratio is None else f"{ratio:.2f}" for ratio in verdict.ratios]
    return f"{shown[0]} each" if len(shown) > 1 and len(set(shown)) == 1 else ", ".join(shown)


def _card(verdict: Verdict) -> dict[str, Any]:
    claim, finding = verdict.claim, verdict.finding
    lines = [
        ("setting", claim.setting),
        ("measured", f"{claim.metric} ({', '.join(dict.fromkeys(claim.units))})"),
        ("paper", numbers(claim.values)),
        ("ours", numbers(finding.values)),
        ("interval", ", ".join(f"{low:.4g} to {high:.4g}" for low, high in finding.intervals)),
        ("conclusion", claim.conclusion),
        ("limit", f"{claim.limit}: {claim.limit.reason}"),
        ("judged by", judged_by(verdict)),
        ("undecided", claim.undecided),
        ("decided by", claim.decided),
        ("cause", verdict.cause),
        ("arithmetic", finding.arithmetic),
        ("seen", finding.note),
        ("assumed", "; ".join(claim.assumed)),
        ("mutants pass", claim.not_discriminating),
    ]
    commands = [*(f"vegaslab run {name}" for name in claim.scenarios), f"vegaslab reproduce {claim.id}", verdict.rerun]
    return {
        "id": claim.id,
        "at": claim.at,
        "word": verdict.word,
        "lines": [(name, text) for name, text in lines if text],
        "commands": list(dict.fromkeys(commands)),
        "tables": [*_readings(verdict), *finding.tables],
    }


def _readings(verdict: Verdict) -> list[Table]:
    """Returns tables of the readings' values, next to each other."""
    claim, finding = verdict.claim, verdict.finding
    words = reading_words(claim, finding)
    rows = [(one.name, numbers(one.values), word) for one, word in zip(finding.readings, words, strict=True)]
    paper = [("the paper", numbers(claim.values), "")] if claim.values else []
    head = ("reading", ", ".join(dict.fromkeys(claim.units)), "verdict by itself")
    return [Table(title="What the paper's words allow", head=head, rows=[*paper, *rows])] if rows else []

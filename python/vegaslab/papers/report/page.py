"""The report's pages, with script, style and data inside: the claims on one, and one for each paper."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from vegaslab import _vegaslab
from vegaslab.papers.judging.claims import PAPERS, Sentence, mutants, sentences
from vegaslab.papers.judging.reason import judged_by
from vegaslab.papers.judging.table import Table
from vegaslab.papers.judging.verdict import NORMAL_95, Verdict, are_alike, margin, reading_words
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
    """Returns the report's first page: a sentence on each paper, and all claims, which link to the papers' pages."""
    verdicts = _verdicts(chapters)
    return render(
        "report.html",
        _TITLE,
        [],
        about=_about(verdicts, quick),
        words=_MEANING,
        counts=_counts(verdicts),
        papers=[_paper(name, chapters) for name in _papers(chapters)],
        verdicts=[_row(verdict) for verdict in verdicts],
    )


def paper_pages(chapters: Sequence[Chapter], *, quick: bool) -> dict[str, str]:
    """Returns the page of each paper by the paper's name: its figures, and for each claim the numbers and the cause."""
    pages = {}
    for name in _papers(chapters):
        own = [chapter for chapter in chapters if chapter.paper == name]
        charts = [chart for chapter in own for chart in chapter.charts]
        pages[name] = render(
            "paper.html",
            PAPERS[name],
            [chart.data() for chart in charts],
            about=_about(_verdicts(own), quick),
            paper=_paper(name, chapters),
            chapters=[_chapter(chapter) for chapter in own],
            number_of={chart.slug: number for number, chart in enumerate(charts)},
        )
    return pages


def numbers(values: Sequence[float]) -> str:
    """Formats numbers as a table shows them."""
    return ", ".join(f"{value:.4g}" for value in values)


def _about(verdicts: Sequence[Verdict], quick: bool) -> str:
    kind = "quick: fewer seeds and points than the full report." if quick else "full."
    return f"{len(verdicts)} claims, vegaslab {_vegaslab.version}, {kind}"


def _papers(chapters: Sequence[Chapter]) -> list[str]:
    return list(dict.fromkeys(chapter.paper for chapter in chapters))


def _verdicts(chapters: Sequence[Chapter]) -> list[Verdict]:
    return [verdict for chapter in chapters for verdict in chapter.verdicts]


def _counts(verdicts: Iterable[Verdict]) -> Counter[str]:
    return Counter(verdict.word for verdict in verdicts)


def _paper(name: str, chapters: Sequence[Chapter]) -> dict[str, Any]:
    own = [chapter for chapter in chapters if chapter.paper == name]
    verdicts = _verdicts(own)
    return {
        "id": name,
        "title": PAPERS[name],
        "sentence": _sentence(name, verdicts),
        "counts": _counts(verdicts),
        "answers": sum(len(chapter.answers) for chapter in own),
    }


def _sentence(name: str, verdicts: Sequence[Verdict]) -> Sentence | None:
    """Returns what stands of a paper and what falls; none if the verdicts are not those that the sentence has."""
    one = sentences().get(name)
    return one if one and one.agrees({verdict.claim.id: verdict.word for verdict in verdicts}) else None


def _chapter(chapter: Chapter) -> dict[str, Any]:
    return {
        "title": chapter.title,
        "charts": chapter.charts,
        "cards": [_card(verdict) for verdict in chapter.verdicts],
        "answers": chapter.answers,
    }


def _row(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "id": claim.id,
        "file": f"{claim.paper}.html",
        "word": verdict.word,
        "cells": {
            "where": claim.at,
            "paper": _printed(verdict),
            "ours": numbers(verdict.finding.values),
            "unit": ", ".join(dict.fromkeys(claim.units)),
            "mutants": _failed(verdict),
            "judged by": judged_by(verdict),
        },
    }


def _printed(verdict: Verdict) -> str:
    """Returns the paper's numbers, or what it says where it prints none."""
    return numbers(verdict.claim.values) or verdict.claim.conclusion


def _failed(verdict: Verdict) -> str:
    """Returns how many of the wrong implementations that change what is judged do not pass."""
    judged = [word for word in mutants().get(verdict.claim.id, {}).values() if word is not None]
    return f"{sum(word != 'reproduced' for word in judged)} of {len(judged)} fail" if judged else ""


def _card(verdict: Verdict) -> dict[str, Any]:
    claim, finding = verdict.claim, verdict.finding
    lines = [
        ("conclusion", claim.conclusion),
        ("setting", claim.setting),
        ("measured", f"{claim.metric} ({', '.join(dict.fromkeys(claim.units))})"),
        ("limit", f"{claim.limit}: {claim.limit.reason}"),
        ("judged by", judged_by(verdict)),
        ("the laboratory against itself", _against_itself(verdict)),
        ("cause", verdict.cause),
        ("undecided", claim.undecided),
        ("decided by", claim.decided),
        ("arithmetic", finding.arithmetic),
        ("seen", finding.note),
        ("assumed", "; ".join(claim.assumed)),
        ("mutants", _mutants(verdict)),
        ("they pass", claim.not_discriminating),
    ]
    commands = [*(f"vegaslab run {name}" for name in claim.scenarios), f"vegaslab reproduce {claim.id}", verdict.rerun]
    return {
        "id": claim.id,
        "at": claim.at,
        "word": verdict.word,
        "lines": [(name, text) for name, text in lines if text],
        "commands": list(dict.fromkeys(commands)),
        "values": _values(verdict),
        "tables": [*_readings(verdict), *finding.tables],
    }


def _mutants(verdict: Verdict) -> str:
    """Returns which wrong implementations fail the claim, and which pass."""
    of_claim = mutants().get(verdict.claim.id, {})
    fail = [name for name, word in of_claim.items() if word not in ("reproduced", None)]
    passing = [name for name, word in of_claim.items() if word == "reproduced"]
    parts = [f"{what}: {', '.join(names)}" for what, names in (("fail", fail), ("pass", passing)) if names]
    return "; ".join(parts)


def _values(verdict: Verdict) -> Table | None:
    """Returns a row for each number: the paper's and ours with their intervals, those of the halves of our seeds, and
    what the limit allows.
    """
    claim, finding = verdict.claim, verdict.finding
    if not finding.values:
        return None
    rows = []
    for place, ours in enumerate(finding.values):
        name = claim.names[place] if claim.names else str(place + 1)
        printed = bool(claim.values)
        low, high = finding.intervals[place] if place < len(finding.intervals) else (None, None)
        rows.append(
            (
                name,
                claim.units[place] if printed else claim.units[0],
                f"{claim.values[place]:.4g}" if printed else "",
                f"{ours:.4g}",
                _of_paper(verdict, place),
                "" if low is None else f"{low:.4g} to {high:.4g}",
                _of_halves(verdict, place),
                _allowed(verdict, place) if printed else "",
                _ratio(verdict, place) if printed else "",
            )
        )
    head = ("", "unit", "paper", "ours", "paper's interval", "our interval", "our halves", "allowed", "ratio")
    used = [column for column in range(len(head)) if any(row[column] for row in rows)]
    return Table(
        title="Value by value", head=[head[at] for at in used], rows=[[row[at] for at in used] for row in rows]
    )


def _against_itself(verdict: Verdict) -> str:
    """Returns how one half of our seeds would be judged, were the other half the paper."""
    if verdict.halves is None:
        return ""
    first, second = verdict.halves
    holds = sum(one.holds for one in verdict.halves)
    conclusion = f"the conclusion holds in {('neither half', 'one half', 'both halves')[holds]} of our seeds"
    if verdict.claim.limit.rule == "holds" or len(first.values) != len(second.values):
        return conclusion
    of = len(first.values)
    alike = sum(are_alike(verdict.claim, place, verdict.halves) for place in range(of))
    return f"{alike} of {of} numbers of one half of our seeds are within the limit of the other half's; {conclusion}"


def _of_halves(verdict: Verdict, place: int) -> str:
    """Returns a number of both halves of our seeds, marked where one is beyond the limit of the other."""
    if verdict.halves is None or any(place >= len(one.values) for one in verdict.halves):
        return ""
    numbers = " and ".join(f"{one.values[place]:.4g}" for one in verdict.halves)
    judged = verdict.claim.limit.rule != "holds"
    return f"{numbers}: beyond" if judged and not are_alike(verdict.claim, place, verdict.halves) else numbers


def _of_paper(verdict: Verdict, place: int) -> str:
    """Returns the paper's interval, where its tables imply one."""
    claim, errors = verdict.claim, verdict.finding.errors
    if not claim.values or not errors:
        return ""
    half = NORMAL_95 * errors[place].paper
    return f"{claim.values[place] - half:.4g} to {claim.values[place] + half:.4g}"


def _allowed(verdict: Verdict, place: int) -> str:
    claim, paper = verdict.claim, verdict.claim.values[place]
    if claim.limit.rule == "holds":
        return ""
    if place in claim.at_least:
        return f"{paper:.4g} or more"
    off = margin(claim, place, verdict.finding.errors)
    return f"{paper - off:.4g} to {paper + off:.4g}" if off else f"{paper:.4g}"


def _ratio(verdict: Verdict, place: int) -> str:
    ratio = verdict.ratios[place]
    return "-" if ratio is None else f"{ratio:.2f}"


def _readings(verdict: Verdict) -> list[Table]:
    """Returns tables of the readings' values, next to each other."""
    claim, finding = verdict.claim, verdict.finding
    words = reading_words(claim, finding)
    rows = [(one.name, numbers(one.values), word) for one, word in zip(finding.readings, words, strict=True)]
    paper = [("the paper", numbers(claim.values), "")] if claim.values else []
    head = ("reading", ", ".join(dict.fromkeys(claim.units)), "verdict by itself")
    return [Table(title="What the paper's words allow", head=head, rows=[*paper, *rows])] if rows else []

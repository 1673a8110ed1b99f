"""The report as one page: script, style and data inside, nothing loaded from elsewhere."""

import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab import _vegaslab
from vegaslab.papers.chart import Chart
from vegaslab.papers.claims import PAPERS
from vegaslab.papers.experiment import Answer
from vegaslab.papers.table import Table
from vegaslab.papers.verdict import Verdict

if TYPE_CHECKING:
    from vegaslab.papers.reproduce import Chapter

_PARTS = Path(__file__).parent / "report_files"
_MEANING = {
    "reproduced": "within the limit",
    "differs": "a number is off, the conclusion stands",
    "contradicted": "the conclusion does not hold",
    "inconsistent": "the paper contradicts itself",
}


def page(chapters: Sequence["Chapter"], *, quick: bool) -> str:
    """The page of a report."""
    charts = [chart.data() for chapter in chapters for chart in chapter.charts]
    verdicts = [verdict for chapter in chapters for verdict in chapter.verdicts]
    filling = {
        "STYLE": (_PARTS / "report.css").read_text(encoding="utf-8"),
        "SCRIPT": (_PARTS / "report.js").read_text(encoding="utf-8"),
        "INTRO": _intro(verdicts, quick=quick),
        "TABLE": _table(verdicts),
        "CHAPTERS": _chapters(chapters),
        # JSON that cannot end the script element it stands in
        "DATA": json.dumps(charts, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
    }
    template = (_PARTS / "report.html").read_text(encoding="utf-8")
    return re.sub("@([A-Z]+)@", lambda place: filling[place[1]], template)


def numbers(values: Sequence[float]) -> str:
    """Numbers as a table shows them."""
    return ", ".join(f"{value:.4g}" for value in values)


def _intro(verdicts: Sequence[Verdict], *, quick: bool) -> str:
    counts = "".join(
        f'<li><b class="{word}">{sum(one.word == word for one in verdicts)} {word}</b> {meaning}</li>'
        for word, meaning in _MEANING.items()
    )
    how = "quick: fewer seeds and points than the full report" if quick else "full"
    return f"<p>{len(verdicts)} claims, vegaslab {escape(_vegaslab.version)}, {how}.</p><ul class=counts>{counts}</ul>"


def _table(verdicts: Sequence[Verdict]) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("claim", "where", "paper", "ours", "ratio", "unit", "verdict"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_table_row, verdicts))}</tbody></table>"


def _table_row(verdict: Verdict) -> str:
    claim = verdict.claim
    ratios = ", ".join("-" if ratio is None else f"{ratio:.2f}" for ratio in verdict.ratios)
    units = ", ".join(dict.fromkeys(claim.units))
    cells = (
        f'<a href="#{claim.id}">{claim.id}</a>',
        escape(claim.at),
        numbers(claim.values) or "shape",
        numbers(verdict.finding.values),
        ratios,
        escape(units),
        f'<b class="{verdict.word}">{verdict.word}</b>',
    )
    return f'<tr data-verdict="{verdict.word}">{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _chapters(chapters: Sequence["Chapter"]) -> str:
    parts = []
    for paper in dict.fromkeys(chapter.paper for chapter in chapters):
        parts.append(f"<h2>{escape(PAPERS[paper])}</h2>")
        parts += [_chapter(chapter) for chapter in chapters if chapter.paper == paper]
    return "\n".join(parts)


def _chapter(chapter: "Chapter") -> str:
    figures = "".join(map(_figure, chapter.charts))
    cards = "".join([*map(_card, chapter.verdicts), *map(_answer, chapter.answers)])
    return f"<section><h3>{escape(chapter.title)}</h3>{figures}{cards}</section>"


def _figure(chart: Chart) -> str:
    files = " ".join(f'<a href="figures/{chart.slug}.{kind}">{kind.upper()}</a>' for kind in ("svg", "png"))
    caption = f"<b>{escape(chart.title)}.</b> {escape(chart.caption)} <span class=files>{files}</span>"
    drawing = f'<div class=chart data-slug="{chart.slug}"></div>'
    fallback = f'<noscript><img src="figures/{chart.slug}.svg" alt="{escape(chart.title)}"></noscript>'
    return f"<figure>{drawing}{fallback}<figcaption>{caption}</figcaption></figure>"


def _answer(answer: Answer) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in answer.columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in answer.rows)
    table = f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    commands = "".join(f"<code>vegaslab run {escape(name)}</code>" for name in answer.scenarios)
    text = f"<p>{escape(answer.text)}</p>{table if answer.rows else ''}{commands}"
    return f"<article><h4>{escape(answer.question)}</h4>{text}</article>"


def _card(verdict: Verdict) -> str:
    claim, finding = verdict.claim, verdict.finding
    lines = [
        ("setting", claim.setting),
        ("measured", f"{claim.metric} ({', '.join(dict.fromkeys(claim.units))})"),
        ("paper", numbers(claim.values)),
        ("ours", numbers(finding.values)),
        ("interval", ", ".join(f"{low:.4g} to {high:.4g}" for low, high in finding.intervals)),
        ("conclusion", claim.conclusion),
        ("limit", f"{claim.limit}: {claim.limit.reason}"),
        ("cause", verdict.cause),
        ("arithmetic", finding.arithmetic),
        ("seen", finding.note),
        ("assumed", "; ".join(claim.assumed)),
    ]
    rows = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in lines if text)
    commands = "".join(f"<code>vegaslab run {escape(name)}</code>" for name in claim.scenarios)
    rows += f"<dt>run it</dt><dd>{commands}<code>vegaslab reproduce {claim.id}</code></dd>"
    title = f'{claim.id} <span>{escape(claim.at)}</span> <b class="{verdict.word}">{verdict.word}</b>'
    tables = "".join(map(_printed_table, finding.tables))
    return f'<article id="{claim.id}"><h4>{title}</h4><dl>{rows}</dl>{tables}</article>'


def _printed_table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    caption = f"<caption>{escape(table.title)}</caption>"
    return f"<div class=scroll><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"

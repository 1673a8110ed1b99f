"""A dossier's pages: Markdown and HTML, from its document."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from vegaslab.evaluation.criteria.questions import HEAD, lines
from vegaslab.evaluation.criteria.responding import sentences
from vegaslab.evaluation.dossier import title_of
from vegaslab.evaluation.figures import FIGURES
from vegaslab.evaluation.report import dots
from vegaslab.evaluation.sentences import listed
from vegaslab.reports.page.templates import render
from vegaslab.util.text import significant

MARKS = {"higher": "\N{BLACK DOWN-POINTING SMALL TRIANGLE}", "lower": "\N{BLACK UP-POINTING SMALL TRIANGLE}"}
"""Marks beside a baseline's value: where the algorithm under test is higher, the baseline is below it."""

FIRST: Sequence[tuple[str, str, str]] = (
    ("alone", "goodput_mbps", "goodput alone, 20 Mb/s"),
    ("satellite", "goodput_mbps", "goodput, satellite"),
    ("wi-fi", "goodput_mbps", "goodput, Wi-Fi"),
    ("ten-bdp", "p95_queueing_ms", "p95 queueing, deep buffer"),
    ("queue-33p", "loss_percent", "loss, shallow buffer"),
    ("beside-cubic", "harm_goodput", "harm to CUBIC: goodput"),
    ("beside-cubic", "harm_delay", "harm to CUBIC: delay"),
    ("beside-cubic", "goodput_mbps", "goodput beside CUBIC"),
    ("staggered-starts", "jain_index", "fairness among itself"),
    ("short-and-long", "short_slowdown", "slowdown of short flows"),
    ("c4-simple-20mbit", "completion_s", "10 MB, 20 Mb/s, 80 ms"),
)
"""The rows of the first page's picture: case, figure, label."""


def first_picture(dossier: Mapping[str, Any]) -> str:
    """Returns the first page's picture, as SVG."""
    rows = dots.rows_of(dossier["criteria"], FIRST)
    return dots.svg(rows, list(dossier["algorithms"]), f"{dossier['name']} beside {_others(dossier)}")


def markdown(dossier: Mapping[str, Any]) -> str:
    """Returns the dossier as Markdown."""
    parts = [f"# {_title(dossier)}", *first_page(dossier), _about(dossier)]
    for chapter in dossier["criteria"]:
        parts += [f"## {_section(chapter)} {chapter['title']}", chapter["question"]]
        parts += ["\n".join(f"- {said}" for said in chapter["sentences"])] if chapter["sentences"] else []
        for case in chapter["cases"]:
            run = any(not row["refused"] for row in case["rows"])
            parts += [f"### {case['title']}", *([_markdown_table(case)] if run else []), *_refusals(case)]
        parts += [f"It cannot say: {chapter['cannot']}"]
        parts += [f"Again: `{chapter['command']}`"] if chapter["cases"] else []
    return "\n\n".join(parts) + "\n"


def html(dossier: Mapping[str, Any]) -> str:
    """Returns the dossier as one page, which loads no other file and needs no script."""
    return render(
        "dossier.html",
        _title(dossier),
        [],
        about=_about(dossier),
        questions=HEAD,
        answers=lines(dossier["answers"]),
        summary=in_short(dossier),
        first=Markup(first_picture(dossier)),
        algorithm=dossier["name"],
        chapters=[_chapter(chapter, list(dossier["algorithms"])) for chapter in dossier["criteria"]],
        figures_used=_figures_used(dossier),
    )


def first_page(dossier: Mapping[str, Any]) -> list[str]:
    """Returns the first page's answers and sentences as Markdown."""
    answers = [_table_of(HEAD, lines(dossier["answers"]))] if dossier["answers"] else []
    return [*answers, *in_short(dossier)]


def in_short(dossier: Mapping[str, Any]) -> list[str]:
    """Returns the sentences of the first page: on the signals answered, the baselines, harm, and the best."""
    existing = [chapter for chapter in dossier["criteria"] if chapter["id"] == "existing"]
    harm = [said for chapter in existing for said in chapter["sentences"][-1:]]
    best = [_against_the_best(dossier)] if dossier["against_the_best"]["compared"] else []
    return [*sentences(dossier), *dossier["summary"], *harm, *best]


def _against_the_best(dossier: Mapping[str, Any]) -> str:
    """Returns the sentence on the figures in which the algorithm is behind the best of its baselines."""
    found = dossier["against_the_best"]
    sections = {case["id"]: chapter["section"] for chapter in dossier["criteria"] for case in chapter["cases"]}
    behind = [f"{sections[one['case']]} {FIGURES[one['figure']].title}" for one in found["behind"]]
    listed = f": {', '.join(dict.fromkeys(behind))}" if behind else ""
    return (
        f"It is behind the best of its baselines by more than a tenth in {len(behind)} of {found['compared']} "
        f"figures{listed}."
    )


def _title(dossier: Mapping[str, Any]) -> str:
    return f"Dossier of {dossier['name']}"


def _others(dossier: Mapping[str, Any]) -> str:
    return ", ".join([*dossier["algorithms"]][1:])


def _about(dossier: Mapping[str, Any]) -> str:
    extent = "quick: fewer cases and seeds than the full dossier" if dossier["quick"] else "full"
    by = "" if dossier["transport"] == "tcp" else f", by {dossier['transport'].upper()}"
    return (
        f"{dossier['name']} beside {_others(dossier)}{by}, by the criteria of RFC 9743 and two suites; vegaslab "
        f"{dossier['version']}, {extent}. Values are means over seeds, with half of their 95 % interval. Beside a "
        f"baseline's value, {MARKS['higher']} means that it is below that of {dossier['name']} and {MARKS['lower']} "
        "that it is above, seed by seed, with a significant difference; = that both are equal, and "
        "\N{ALMOST EQUAL TO} that they differ by one per cent at most."
    )


def _section(chapter: Mapping[str, Any]) -> str:
    return str(chapter["section"])


def _figures_used(dossier: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    used = {figure for chapter in dossier["criteria"] for case in chapter["cases"] for figure in case["figures"]}
    words = {"higher": "more is better", "lower": "less is better", "neither": ""}
    return [(title_of(name), figure.meaning, words[figure.better]) for name, figure in FIGURES.items() if name in used]


def _chapter(chapter: Mapping[str, Any], algorithms: Sequence[str]) -> dict[str, Any]:
    titles = {case["id"]: case["title"] for case in chapter["cases"]}
    wanted = [(case, figure, FIGURES[figure].title) for case, figure in chapter["headlines"]]
    rows = dots.rows_of([chapter], wanted)
    return {
        **chapter,
        "picture": Markup(dots.svg(rows, algorithms, chapter["title"])) if any(row.means for row in rows) else "",
        "captions": [f"{FIGURES[figure].title}: {titles[case]}" for case, figure in chapter["headlines"]],
        "tables": [
            {
                "title": case["title"],
                "head": ["algorithm", *(title_of(figure) for figure in case["figures"])],
                "rows": _rows(case),
                "commands": [row["command"] for row in case["rows"] if not row["refused"]],
                "refusals": _refusals(case),
            }
            for case in chapter["cases"]
        ],
    }


def _markdown_table(case: Mapping[str, Any]) -> str:
    return _table_of(["algorithm", *(title_of(figure) for figure in case["figures"])], _rows(case), numbers="---:")


def _table_of(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: str = "---") -> str:
    rule = ["---", *[numbers] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _rows(case: Mapping[str, Any]) -> list[list[str]]:
    return [
        [row["algorithm"], *(_cell(row, figure) for figure in case["figures"])]
        for row in case["rows"]
        if not row["refused"]
    ]


def _cell(row: Mapping[str, Any], figure: str) -> str:
    mean = row["means"].get(figure)
    if mean is None:
        return "none"
    verdict = row["verdicts"].get(figure, "")
    mark = {**MARKS, "same": "=", "alike": "\N{ALMOST EQUAL TO}"}.get(verdict, "")
    in_part = "" if mean["seeds"] == mean["of"] else f" ({mean['seeds']} of {mean['of']})"
    return f"{shown(mean['mean'], mean['half_width'])}{in_part} {mark}".strip()


def shown(mean: float, half_width: float) -> str:
    """Formats a mean with half of its interval, where that is seen in four digits.

    >>> shown(19.4341, 0.00029), shown(6.936, 2.3), shown(0.0, 0.0)
    ('19.43', '6.936 \u00b1 2.3', '0')
    """
    text = significant(mean, 4)
    visible = half_width > 0 and significant(mean + half_width, 4) != text
    return f"{text} \N{PLUS-MINUS SIGN} {significant(half_width, 2)}" if visible else text


def _refusals(case: Mapping[str, Any]) -> list[str]:
    """Returns a sentence for each reason why algorithms are not run in a case."""
    names: dict[str, list[str]] = {}
    for row in case["rows"]:
        if row["refused"]:
            names.setdefault(row["refused"], []).append(row["algorithm"])
    return [f"{listed(of)} {'is' if len(of) == 1 else 'are'} not run: {reason}." for reason, of in names.items()]

"""A dossier for every paper: each claim with the paper's numbers, ours, the verdict and its cause."""

import json
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from documentation import ROOT
from documentation.verdicts import EXPECTATION
from vegaslab.papers.judging.claims import PAPERS, Claim, claims
from vegaslab.papers.judging.verdict import causes

_REPORT = ROOT / "results" / "papers"


def pages() -> dict[str, str | bytes]:
    """Returns a page for each paper, and the report with its figures if `vegaslab reproduce` has made one."""
    expected = json.loads(EXPECTATION.read_text(encoding="utf-8"))
    papers = dict.fromkeys(claim.paper for claim in claims().values())
    made: dict[str, str | bytes] = {f"papers/dossiers/{paper}.md": _page(paper, expected) for paper in papers}
    return made | {f"papers/report/{path.relative_to(_REPORT)}": path.read_bytes() for path in _report()}


def _report() -> list[Path]:
    return [*sorted(_REPORT.glob("*.html")), *sorted(_REPORT.glob("figures/*.*"))]


def _page(paper: str, expected: dict[str, Any]) -> str:
    of_paper = [claim for claim in claims().values() if claim.paper == paper]
    rows = [
        f"| [{claim.id}](#{claim.id.lower()}) | {claim.at} | {_verdict(expected[claim.id])} |" for claim in of_paper
    ]
    report = "[The report](../report/index.html) has their figures." if _report() else ""
    again = f"[How claims are judged](../README.md), and rerun: `vegaslab reproduce {paper}`. {report}"
    head = [f"# {PAPERS[paper]}", again, "\n".join(["| claim | at | verdict |", "|---|---|---|", *rows])]
    return "\n\n".join([*head, *(_claim(claim, expected[claim.id]) for claim in of_paper)]) + "\n"


def _verdict(found: dict[str, Any]) -> str:
    return f'<span class="verdict {found["verdict"]}">{found["verdict"]}</span>'


def _claim(claim: Claim, found: dict[str, Any]) -> str:
    cause = causes().get(claim.id, {}).get(found["verdict"], "")
    facts = {
        "at": claim.at,
        "run": claim.setting,
        "measured": claim.metric,
        "claimed": claim.conclusion,
        "limit": f"{claim.limit}: {claim.limit.reason}",
        "assumed": "; ".join(claim.assumed),
        "scenarios": ", ".join(_scenario(name) for name in claim.scenarios),
    }
    parts = [f"## {claim.id}", _verdict(found) + (f" {cause}" if cause else "")]
    parts += ["\n".join(f"- **{name}**: {text}" for name, text in facts.items() if text)]
    return "\n\n".join([*parts, *_numbers(claim, found["values"])])


def _scenario(name: str) -> str:
    folder, _, last = name.rpartition("/")
    return f"[{name}](../../gallery/{'papers' if folder else 'index'}.md#{last})"


def _numbers(claim: Claim, ours: Sequence[float | None]) -> list[str]:
    """Returns a row for each number; some claims have numbers of ours only."""
    if not ours and not claim.values:
        return []
    units = [*claim.units, *[claim.units[-1]] * max(0, len(ours) - len(claim.units))]
    rows = [f"| {_shown(p)} | {_shown(o)} | {unit} |" for p, o, unit in zip_longest(claim.values, ours, units)]
    return ["\n".join(["| paper | ours | unit |", "|---:|---:|---|", *rows])]


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:g}"

"""The README's table of verdicts, made from the expected verdicts that the report is compared with."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import get_args

from documentation import ROOT
from vegaslab.papers.judging.claims import PAPERS, claims
from vegaslab.papers.judging.verdict import Word

README = ROOT / "README.md"
EXPECTATION = ROOT / "python" / "tests" / "papers" / "golden" / "claims.json"
_WORDS = get_args(Word)
_BLOCK = re.compile(r"(?<=<!-- verdicts -->\n).*?(?=<!-- end of verdicts -->)", re.DOTALL)


def with_table(readme: str) -> str:
    """Returns the README with an up-to-date table of verdicts. Raises `ValueError` if it has no place for one."""
    whole, places = _BLOCK.subn(_table(), readme)
    if places != 1:
        raise ValueError(f"{README.name} has {places} places for the table of verdicts")
    return whole


def _table() -> str:
    expected = json.loads(EXPECTATION.read_text(encoding="utf-8"))
    counts = {claim.paper: Counter[str]() for claim in claims().values()}
    for name, row in expected.items():
        counts[claims()[name].paper][row["verdict"]] += 1
    rows = [_row(PAPERS[paper], count) for paper, count in counts.items()]
    total = sum(counts.values(), Counter[str]())
    head = f"| paper | claims | {' | '.join(_WORDS)} |\n|---|{'---|' * (1 + len(_WORDS))}\n"
    return head + "".join(rows) + _row("all", total)


def _row(name: str, count: Mapping[str, int]) -> str:
    return f"| {name} | {sum(count.values())} | {' | '.join(str(count[word]) for word in _WORDS)} |\n"

"""Verdicts: what was found, held against a claim and its limit. The one place where they are made."""

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal

from vegaslab.papers.claims import Claim
from vegaslab.papers.errors import PapersError
from vegaslab.papers.table import Table

Word = Literal["reproduced", "differs", "contradicted", "inconsistent"]
Interval = tuple[float, float]

_CAUSES = Path(__file__).parent / "causes.toml"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What an experiment found for a claim.

    `values` stand for the claim's, one by one, in its units; an experiment of a claim without numbers may give its
    own. `intervals` are those over seeds, if there are several. `holds`: whether the claim's conclusion does.
    `arithmetic`, if given, shows that the paper contradicts itself. `note` says what else was seen;
    `tables` are the paper's, with ours beside.
    """

    values: tuple[float, ...]
    holds: bool
    intervals: tuple[Interval, ...] = ()
    arithmetic: str = ""
    note: str = ""
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A claim, what was found, the word for it and the cause."""

    claim: Claim
    finding: Finding
    word: Word
    cause: str

    @property
    def ratios(self) -> tuple[float | None, ...]:
        """Ours over the paper's, value by value; None where the paper's is 0 or there is none."""
        pairs = zip(self.finding.values, self.claim.values, strict=True) if self.claim.values else ()
        return tuple(ours / theirs if theirs else None for ours, theirs in pairs)


def judge(claim: Claim, finding: Finding) -> Verdict:
    """The verdict. Raises `PapersError` if it is not "reproduced" and nobody has written down its cause."""
    word = _word(claim, finding)
    cause = causes().get(claim.id, {}).get(word, "")
    if word == "reproduced":
        cause = (
            cause or f"{'the conclusion holds' if claim.limit.rule == 'holds' else f'within the limit ({claim.limit})'}"
        )
    elif not cause:
        raise PapersError(f"{claim.id}: {word}, and causes.toml has no {word!r} for it; a verdict needs its cause")
    return Verdict(claim=claim, finding=finding, word=word, cause=cause)


@cache
def causes() -> dict[str, dict[str, str]]:
    """Causes by claim and verdict, as those who investigated wrote them."""
    return tomllib.loads(_CAUSES.read_text(encoding="utf-8"))


def _word(claim: Claim, finding: Finding) -> Word:
    if claim.values and len(finding.values) != len(claim.values):
        raise PapersError(f"{claim.id}: {len(finding.values)} values were found; the claim has {len(claim.values)}")
    if finding.arithmetic:
        return "inconsistent"
    if not finding.holds:
        return "contradicted"
    if claim.limit.rule == "holds":
        return "reproduced"
    near = (_is_near(claim, place, value) for place, value in enumerate(finding.values))
    return "reproduced" if all(near) else "differs"


def _is_near(claim: Claim, place: int, ours: float) -> bool:
    theirs = claim.values[place]
    if place in claim.at_least and ours >= theirs:
        return True
    margins = {
        "exact": _half_a_digit(theirs),
        "within_percent": abs(theirs) * claim.limit.size / 100,
        "within": claim.limit.size,
    }
    return abs(ours - theirs) <= margins[claim.limit.rule] + 1e-9


def _half_a_digit(printed: float) -> float:
    """Half of the last digit that was printed: 0.0005 for 16.242; 0 for whole numbers, which are counts.

    >>> _half_a_digit(57.9), _half_a_digit(64)
    (0.05, 0.0)
    """
    exponent = Decimal(str(printed)).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) and exponent < 0 else 0.0

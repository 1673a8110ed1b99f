"""Verdicts: findings compared with a claim and its limit. This module alone makes them."""

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal

from vegaslab.papers.judging.claims import Claim
from vegaslab.papers.judging.errors import PapersError
from vegaslab.papers.judging.table import Table

Word = Literal["reproduced", "differs", "contradicted", "inconsistent", "open", "not comparable"]
Interval = tuple[float, float]

RERUN = "rerun"
"""The key in `causes.toml`, beside the verdicts, of the command that shows the cause."""

_CAUSES = Path(__file__).parent / "causes.toml"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One choice where the paper leaves a decisive setting open, and its outcome: values and holds, as of a finding."""

    name: str
    values: tuple[float, ...]
    holds: bool


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The finding of an experiment on a claim.

    `values` stand for the claim's, one by one, in its units; an experiment on a claim without numbers may give its own.
    `intervals` are those over seeds, if there are several. `holds` says whether the claim's conclusion does.
    `arithmetic`, if given, shows that the paper contradicts itself. `note` adds other observations; `tables` are the
    paper's, with our numbers beside them. `readings` are compared with `values`, which are those of the first reading.
    """

    values: tuple[float, ...]
    holds: bool
    intervals: tuple[Interval, ...] = ()
    arithmetic: str = ""
    note: str = ""
    tables: tuple[Table, ...] = ()
    readings: tuple[Reading, ...] = ()

    @classmethod
    def of_readings(
        cls, *readings: Reading, intervals: tuple[Interval, ...] = (), note: str = "", tables: tuple[Table, ...] = ()
    ) -> "Finding":
        """Makes the finding from all readings that the paper's words allow; the first one is assumed, or decided on."""
        first = readings[0]
        return cls(
            values=first.values, holds=first.holds, intervals=intervals, note=note, tables=tables, readings=readings
        )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A claim, its finding, the word for how they agree and the cause; `rerun` is the command that shows the cause."""

    claim: Claim
    finding: Finding
    word: Word
    cause: str
    rerun: str

    @property
    def ratios(self) -> tuple[float | None, ...]:
        """Our numbers over the paper's, value by value; None where the paper's is 0 or missing."""
        pairs = zip(self.finding.values, self.claim.values, strict=True) if self.claim.values else ()
        return tuple(ours / theirs if theirs else None for ours, theirs in pairs)


def judge(claim: Claim, finding: Finding) -> Verdict:
    """Returns the verdict. Raises `PapersError` if it is not "reproduced" and `causes.toml` has no cause for it."""
    word = word_of(claim, finding)
    of_claim = causes().get(claim.id, {})
    cause = of_claim.get(word, "")
    if word == "reproduced":
        cause = (
            cause or f"{'the conclusion holds' if claim.limit.rule == 'holds' else f'within the limit ({claim.limit})'}"
        )
    elif not cause:
        raise PapersError(f"{claim.id}: {word}, and causes.toml has no {word!r} for it; a verdict needs its cause")
    rerun = of_claim.get(RERUN, f"vegaslab reproduce {claim.id}")
    return Verdict(claim=claim, finding=finding, word=word, cause=cause, rerun=rerun)


@cache
def causes() -> dict[str, dict[str, str]]:
    """Returns the causes by claim and verdict, and the commands that show them."""
    return tomllib.loads(_CAUSES.read_text(encoding="utf-8"))


def word_of(claim: Claim, finding: Finding) -> Word:
    """Returns the word for a finding: the first that fits, in the order of `docs/papers/README.md`."""
    if not claim.comparable:
        return "not comparable"
    if finding.arithmetic:
        return "inconsistent"
    if finding.readings and not claim.undecided:
        raise PapersError(f"{claim.id}: {len(finding.readings)} readings; claims.toml must say what is undecided")
    is_open = not claim.decided and len(set(reading_words(claim, finding))) > 1
    return "open" if is_open else _word(claim, finding.values, finding.holds)


def reading_words(claim: Claim, finding: Finding) -> tuple[Word, ...]:
    """Returns the word for each reading by itself."""
    return tuple(_word(claim, one.values, one.holds) for one in finding.readings)


def _word(claim: Claim, values: tuple[float, ...], holds: bool) -> Word:
    if claim.values and len(values) != len(claim.values):
        raise PapersError(f"{claim.id}: {len(values)} values were found; the claim has {len(claim.values)}")
    if not holds:
        return "contradicted"
    if claim.limit.rule == "holds":
        return "reproduced"
    near = (_is_near(claim, place, value) for place, value in enumerate(values))
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
    """Returns half of the last digit that was printed: 0.0005 for 16.242; 0 for whole numbers, which are counts.

    >>> _half_a_digit(57.9), _half_a_digit(64)
    (0.05, 0.0)
    """
    exponent = Decimal(str(printed)).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) and exponent < 0 else 0.0

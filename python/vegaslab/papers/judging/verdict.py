"""Verdicts: findings compared with a claim and its limit. This module alone makes them."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal

from vegaslab.papers.judging.claims import Claim
from vegaslab.papers.judging.errors import PapersError
from vegaslab.papers.judging.table import Table

Word = Literal["reproduced", "not discriminating", "differs", "contradicted", "inconsistent", "open", "not comparable"]
Interval = tuple[float, float]

RERUN = "rerun"
"""The key in `causes.toml`, beside the verdicts, of the command that shows the cause."""

NORMAL_95 = 1.96
"""The half width of a 95 % interval, in standard errors."""

_CAUSES = Path(__file__).parent / "causes.toml"


@dataclass(frozen=True)
class Errors:
    """The standard errors of a number: the paper's, and ours over seeds."""

    paper: float
    ours: float

    @property
    def both(self) -> float:
        """The standard error of their difference."""
        return math.hypot(self.paper, self.ours)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One choice where the paper leaves a decisive setting open, and its outcome: values and holds, as of a finding."""

    name: str
    values: tuple[float, ...]
    holds: bool
    errors: tuple[Errors, ...] = ()
    beyond: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The finding of an experiment on a claim.

    `values` stand for the claim's, one by one, in its units; an experiment on a claim without numbers may give its own.
    `errors` are the standard errors of the paper's numbers and of ours. `beyond` says what is beyond a margin of our
    own, where the paper has no number. `intervals` are those over seeds, if there are several. `holds` says whether the
    claim's conclusion does. `arithmetic`, if given, shows that the paper contradicts itself. `note` adds other
    observations; `tables` are the paper's, with our numbers beside them. `readings` are compared with `values`, which
    are those of the first reading. `facts` are other numbers that the cause names.
    """

    values: tuple[float, ...]
    holds: bool
    errors: tuple[Errors, ...] = ()
    beyond: str = ""
    intervals: tuple[Interval, ...] = ()
    arithmetic: str = ""
    note: str = ""
    tables: tuple[Table, ...] = ()
    readings: tuple[Reading, ...] = ()
    facts: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of_readings(
        cls,
        *readings: Reading,
        intervals: tuple[Interval, ...] = (),
        note: str = "",
        tables: tuple[Table, ...] = (),
        facts: Mapping[str, float] | None = None,
    ) -> "Finding":
        """Makes the finding from all readings that the paper's words allow; the first one is assumed, or decided on. A
        single one is the finding itself.
        """
        first = readings[0]
        return cls(
            values=first.values,
            holds=first.holds,
            errors=first.errors,
            beyond=first.beyond,
            intervals=intervals,
            note=note,
            tables=tables,
            readings=readings if len(readings) > 1 else (),
            facts=facts or {},
        )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A claim, its finding, the word for how they agree and the cause; `rerun` is the command that shows the cause."""

    claim: Claim
    finding: Finding
    word: Word
    cause: str
    rerun: str
    halves: tuple[Finding, Finding] | None = None
    """What each half of the seeds finds, if there are several."""

    @property
    def ratios(self) -> tuple[float | None, ...]:
        """Our numbers over the paper's, value by value; None where the paper's is 0 or missing."""
        pairs = zip(self.finding.values, self.claim.values, strict=True) if self.claim.values else ()
        return tuple(ours / theirs if theirs else None for ours, theirs in pairs)


def judge(claim: Claim, finding: Finding) -> Verdict:
    """Returns the verdict. Raises `PapersError` if the claim does not hold and `causes.toml` has no cause for that."""
    word = word_of(claim, finding)
    of_claim = causes().get(claim.id, {})
    holds = word in ("reproduced", "not discriminating")
    cause = of_claim.get("reproduced" if holds else word, "")
    if holds:
        cause = (
            cause or f"{'the conclusion holds' if claim.limit.rule == 'holds' else f'within the limit ({claim.limit})'}"
        )
    elif not cause:
        raise PapersError(f"{claim.id}: {word}, and causes.toml has no {word!r} for it; a verdict needs its cause")
    cause = cause.format(
        ours=finding.values, paper=claim.values, readings=[one.values for one in finding.readings], **finding.facts
    )
    rerun = of_claim.get(RERUN, f"vegaslab reproduce {claim.id}")
    return Verdict(claim=claim, finding=finding, word=word, cause=cause, rerun=rerun)


@cache
def causes() -> dict[str, dict[str, str]]:
    """Returns the causes by claim and verdict, and the commands that show them.

    Numbers of the run stand in them as `{ours[0]:.1f}`, `{paper[0]:g}`, `{readings[1][0]:.1f}`, and `{name:.1f}` for
    one of the finding's facts.
    """
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
    return "open" if is_open else _word(claim, finding)


def reading_words(claim: Claim, finding: Finding) -> tuple[Word, ...]:
    """Returns the word for each reading by itself."""
    return tuple(_word(claim, one) for one in finding.readings)


def _word(claim: Claim, found: Finding | Reading) -> Word:
    if claim.values and len(found.values) != len(claim.values):
        raise PapersError(f"{claim.id}: {len(found.values)} values were found; the claim has {len(claim.values)}")
    if not found.holds:
        return "contradicted"
    if found.beyond:
        return "differs"
    within: Word = "not discriminating" if claim.not_discriminating else "reproduced"
    if claim.limit.rule == "holds":
        return within
    if claim.limit.rule == "standard_errors" and len(found.errors) != len(found.values):
        raise PapersError(f"{claim.id}: {len(found.values)} values were found, with {len(found.errors)} errors")
    near = (_is_near(claim, place, found) for place in range(len(found.values)))
    return within if all(near) else "differs"


def _is_near(claim: Claim, place: int, found: Finding | Reading) -> bool:
    ours, theirs = found.values[place], claim.values[place]
    if place in claim.at_least and ours >= theirs:
        return True
    return abs(ours - theirs) <= margin(claim, place, found.errors) + 1e-9


def are_alike(claim: Claim, place: int, halves: tuple[Finding, Finding]) -> bool:
    """Returns whether a number of one half of the seeds is within the limit that the other half sets as a paper."""
    first, second = halves
    errors = tuple(Errors(one.ours, other.ours) for one, other in zip(first.errors, second.errors, strict=True))
    of_half = replace(claim, values=first.values, at_least=frozenset())
    return _is_near(of_half, place, replace(second, errors=errors))


def margin(claim: Claim, place: int, errors: tuple[Errors, ...]) -> float:
    """Returns how far a number may be from the paper's; `errors` are the finding's."""
    theirs = claim.values[place]
    match claim.limit.rule:
        case "exact":
            return _half_a_digit(theirs)
        case "within_percent":
            return abs(theirs) * claim.limit.size / 100
        case "standard_errors":
            return errors[place].both * claim.limit.size
        case _:
            return claim.limit.size


def _half_a_digit(printed: float) -> float:
    """Returns half of the last digit that was printed: 0.0005 for 16.242; 0 for whole numbers, which are counts.

    >>> _half_a_digit(57.9), _half_a_digit(64)
    (0.05, 0.0)
    """
    exponent = Decimal(str(printed)).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) and exponent < 0 else 0.0

"""The papers' claims as the claims file states them."""

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

PAPERS = {
    "gallop": "Gallop-Vegas: An Enhanced Slow-Start Mechanism for TCP Vegas",
    "slow-start": "TCP-Vegas Slow Start Performance in Large Bandwidth Delay Network",
    "dynamic": "Dynamic Vegas",
    "rovegas": "RoVegas: a router-based congestion avoidance mechanism for TCP Vegas",
    "revisited": "TCP Vegas Revisited",
    "beyond": "What the papers do not say",
}
"""The papers' titles by their name on the command line; the last chapter has no claims, but questions and answers."""

Kind = Literal["analysis", "value", "shape"]

MUTANTS_FILE = Path(__file__).parent / "mutants.json"
_SENTENCES = Path(__file__).parent / "sentences.toml"
_FILE = Path(__file__).parent / "claims.toml"
_LIMITS = ("exact", "within_percent", "within", "standard_errors", "holds")


@dataclass(frozen=True)
class Limit:
    """The greatest distance of a number from the paper's. Exactly one rule is set."""

    rule: str
    """The rule: exact, within_percent, within, standard_errors, or holds."""
    size: float
    """The distance, in per cent, in the value's unit, or in standard errors; 0 for the other two rules."""
    reason: str

    def __str__(self) -> str:
        """Returns the limit in words, without its reason."""
        words = {
            "exact": "the printed digits",
            "within_percent": f"within {self.size:g} %",
            "within": f"within {self.size:g}",
            "standard_errors": f"within {self.size:g} standard errors of the difference",
            "holds": "holds or not",
        }
        return words[self.rule]


@dataclass(frozen=True)
class Claim:
    """One row of the claims file; `claims.toml` describes the fields."""

    id: str
    paper: str
    at: str
    setting: str
    metric: str
    values: tuple[float, ...]
    """The paper's numbers, row by row; empty if it prints none."""
    units: tuple[str, ...]
    """A unit for each value; a single one for all if there is no value."""
    kind: Kind
    conclusion: str
    limit: Limit
    at_least: frozenset[int]
    """The places in `values` of lower bounds ("more than 50 s")."""
    assumed: tuple[str, ...]
    scenarios: tuple[str, ...]
    undecided: str = ""
    """The decisive setting that the paper leaves out; the readings of it are compared with each other."""
    decided: str = ""
    """The other part of the paper that shows that it means the first reading, which is then judged alone."""
    comparable: bool = True
    """Whether the run here is of the kind that the paper measured."""
    names: tuple[str, ...] = ()
    """The names of the values, if the file gives them."""
    not_discriminating: str = ""
    """The reason for which wrong implementations pass, if they do (`mutants.py`)."""

    @property
    def chance_of_failing(self) -> float:
        """The chance that one of the numbers of a right implementation is beyond the limit by chance alone, if all are
        normal and independent of each other; 0 for limits that are no standard errors.
        """
        if self.limit.rule != "standard_errors":
            return 0.0
        return 1 - math.erf(self.limit.size / math.sqrt(2)) ** len(self.values)


@cache
def claims() -> dict[str, Claim]:
    """Returns all claims by id, in the order of the file."""
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))["claim"]
    return {row["id"]: _claim(row) for row in rows}


@cache
def mutants() -> dict[str, Mapping[str, str | None]]:
    """Returns the verdict of each claim under each wrong implementation, by claim and mutant; None where the mutant
    changes nothing that is judged. `test_mutants.py` writes the file.
    """
    found: dict[str, Mapping[str, str | None]] = json.loads(MUTANTS_FILE.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Sentence:
    """What stands of a paper and what falls, in a sentence that names claims."""

    stands: str
    falls: str

    def agrees(self, words: Mapping[str, str]) -> bool:
        """Returns whether the claims that it names have verdicts, by claim, that it says they have."""
        stand, fall = (re.findall(r"[A-Z]-[\w-]+", text) for text in (self.stands, self.falls))
        named = {*stand, *fall}
        return named <= words.keys() and all((words[name] == "reproduced") == (name in stand) for name in named)


@cache
def sentences() -> dict[str, Sentence]:
    """Returns each paper's sentence, by its name."""
    rows = tomllib.loads(_SENTENCES.read_text(encoding="utf-8"))
    return {name: Sentence(**row) for name, row in rows.items()}


def flat(value: Any) -> tuple[float, ...]:
    """Returns the numbers of a claim's value, row by row; none for a text."""
    if isinstance(value, str):
        return ()
    return tuple(number for part in value for number in (flat(part) if isinstance(part, list) else (part,)))


def _claim(row: dict[str, Any]) -> Claim:
    values = flat(row["value"])
    units = row["unit"] if isinstance(row["unit"], list) else [row["unit"]] * max(1, len(values))
    return Claim(
        id=row["id"],
        paper=row["paper"],
        at=row["at"],
        setting=row["setting"],
        metric=row["metric"],
        values=values,
        units=tuple(units),
        kind=row["kind"],
        conclusion=row["conclusion"],
        limit=_limit(row["limit"]),
        at_least=frozenset(row.get("at_least", ())),
        assumed=tuple(row.get("assumed", ())),
        scenarios=tuple(row.get("scenarios", ())),
        undecided=row.get("undecided", ""),
        decided=row.get("decided", ""),
        comparable=row.get("comparable", True),
        names=tuple(row.get("names", ())),
        not_discriminating=row.get("not_discriminating", ""),
    )


def _limit(row: dict[str, Any]) -> Limit:
    (rule,) = (name for name in _LIMITS if name in row)
    size = row[rule]
    return Limit(rule=rule, size=0.0 if size is True else float(size), reason=row["reason"])

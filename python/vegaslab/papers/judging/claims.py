"""The papers' claims as the claims file states them."""

import tomllib
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
"""Titles by the name that the command line takes; the last chapter has no claims, but questions and answers."""

Kind = Literal["analysis", "value", "shape"]

_FILE = Path(__file__).parent / "claims.toml"
_LIMITS = ("exact", "within_percent", "within", "holds")


@dataclass(frozen=True)
class Limit:
    """How far a number may be from the paper's. Exactly one rule is set."""

    rule: str
    """One of exact, within_percent, within, holds."""
    size: float
    """Per cent or units; 0 for the other two."""
    reason: str

    def __str__(self) -> str:
        """The limit in words, without its reason."""
        words = {
            "exact": "the printed digits",
            "within_percent": f"within {self.size:g} %",
            "within": f"within {self.size:g}",
            "holds": "holds or not",
        }
        return words[self.rule]


@dataclass(frozen=True)
class Claim:
    """One row of the claims file; `claims.toml` says what each field means."""

    id: str
    paper: str
    at: str
    setting: str
    metric: str
    values: tuple[float, ...]
    """The paper's numbers, row by row; empty where it prints none."""
    units: tuple[str, ...]
    """One for each value; one for all where there is none."""
    kind: Kind
    conclusion: str
    limit: Limit
    at_least: frozenset[int]
    """Places in `values` that are lower bounds ("more than 50 s")."""
    assumed: tuple[str, ...]
    scenarios: tuple[str, ...]
    undecided: str = ""
    """What the paper leaves out and decides; its readings stand side by side."""
    decided: str = ""
    """By what else in the paper the first reading is the one that is meant; it is then judged alone."""
    comparable: bool = True
    """Whether what is run here is of the kind that the paper measured."""
    not_discriminating: str = ""
    """Why wrong implementations pass, where they do (`mutants.py`)."""


@cache
def claims() -> dict[str, Claim]:
    """All claims by id, in the order of the file."""
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))["claim"]
    return {row["id"]: _claim(row) for row in rows}


def flat(value: Any) -> tuple[float, ...]:
    """Numbers of a claim's value, row by row; none of a text."""
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
        not_discriminating=row.get("not_discriminating", ""),
    )


def _limit(row: dict[str, Any]) -> Limit:
    (rule,) = (name for name in _LIMITS if name in row)
    size = row[rule]
    return Limit(rule=rule, size=0.0 if size is True else float(size), reason=row["reason"])

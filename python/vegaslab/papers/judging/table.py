"""A table of a paper with our numbers beside it, as the report shows it under a claim."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of texts; each row has a cell for each column of the head."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def number(value: float) -> str:
    """Returns a number as tables show it: four digits, at most two after the point."""
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.1f}"

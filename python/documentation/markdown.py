"""What pages that are written by a program have in common: tables, items of lists, numbers."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

_WIDTH = 120


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yields the lines of a table."""
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    yield from (f"| {' | '.join(row)} |" for row in rows)


def paragraph(text: str, *, indent: str = "") -> list[str]:
    """Returns the lines of a paragraph, of which all but the first begin with the indent."""
    return wrap(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def item(text: str) -> list[str]:
    """Returns the lines of an item of a list."""
    return paragraph(f"- {text}", indent="  ")


def number(value: float | None, decimals: int, *, missing: str = "") -> str:
    """Returns a number with this many decimals, or what stands for a missing one."""
    return missing if value is None else f"{value:,.{decimals}f}"

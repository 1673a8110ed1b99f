"""Output for a terminal: tables within its width, colour where it is wanted, and messages about errors."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO

from vegaslab.util.text import printable

NONE = "-"
"""The text of a cell without a value."""

_GAP = "  "
_MARKS = ".-_+/,=:"
"""The marks behind which a word that is too long is broken."""
_NARROWEST_TEXT = 12
"""The least width, in characters, of a column of text with wrapped cells."""

_BOLD, _FAINT, _RED, _GREEN, _YELLOW = "1", "2", "31", "32", "33"
_STYLES = {
    NONE: _FAINT,
    "higher": _BOLD,
    "lower": _BOLD,
    "reproduced": _GREEN,
    "not discriminating": _FAINT,
    "differs": _YELLOW,
    "contradicted": _RED,
    "inconsistent": _RED,
    "not comparable": _FAINT,
}
"""The looks of cells with one of these words."""


@dataclass(frozen=True)
class Page:
    """The properties of the output for which tables are laid out."""

    width: int | None = None
    """The characters in a line; None: no limit, as in a file."""
    colour: bool = False


_PLAIN = Page()
_page: ContextVar[Page] = ContextVar("page", default=_PLAIN)


@contextmanager
def shown_on(stream: TextIO) -> Iterator[None]:
    """Lays out tables within the block for this stream: with a terminal's width and colours, or else without both."""
    width = shutil.get_terminal_size().columns if stream.isatty() else None
    token = _page.set(Page(width, has_colour(stream)))
    try:
        yield
    finally:
        _page.reset(token)


def has_colour(stream: TextIO) -> bool:
    """Returns whether the stream is a terminal with colours, and NO_COLOR (https://no-color.org) is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def complain(what: object) -> None:
    """Prints one line on stderr about an error."""
    _say(what, _RED)


def warn(what: object) -> None:
    """Prints one line on stderr about a possible error."""
    _say(what, _YELLOW)


def note(what: object) -> None:
    """Prints one line on stderr that a user may want to know."""
    _say(what, _FAINT)


def _say(what: object, style: str) -> None:
    colour = has_colour(sys.stderr)
    # an error may quote a stranger's text, and a terminal obeys escape sequences
    print(f"{_styled('vegaslab:', style) if colour else 'vegaslab:'} {printable(str(what))}", file=sys.stderr)


def lay_out(cells: Sequence[Sequence[str]], keys: int) -> list[str]:
    """Returns the lines of a table, its titles first: numbers to the right, text to the left.

    On a terminal with shorter lines, titles are wrapped; then long texts, if that is enough. Otherwise columns are
    placed below each other, each block beside the first `keys` columns, which identify a row.
    """
    page = _page.get()
    columns = [_Column(list(column)) for column in zip(*cells, strict=True)]
    if page.width is not None and _width(columns) > page.width:
        for column in columns:
            column.wrap_title()
        _wrap_texts(columns, page.width)
    lines: list[str] = []
    for block in _blocks(columns, keys, page.width):
        lines += [""] if lines else []
        lines += _lines(block, colour=page.colour)
    return lines


class _Column:
    def __init__(self, cells: list[str]) -> None:
        self.cells = cells
        self.numeric = all(_is_number(cell) for cell in cells[1:])
        self.width = max(map(len, cells))

    def wrap_title(self) -> None:
        title, *rows = self.cells
        self.width = max(len(cell) for cell in [*title.split(), *rows])

    def wrapped(self, row: int) -> list[str]:
        return wrap(self.cells[row], self.width)


def _is_number(cell: str) -> bool:
    return cell == NONE or cell.replace(".", "", 1).replace("-", "", 1).isdigit()


def wrap(text: str, width: int) -> list[str]:
    """Breaks text into lines of at most this many characters: at spaces, else behind a mark such as - or a point.

    >>> wrap("vegas+gallop, flow.0.algorithm.slow_start", 22)
    ['vegas+gallop,', 'flow.0.algorithm.slow_', 'start']
    """
    # nearly all cells of a long table
    if len(text) <= width and " ".join(text.split()) == text:
        return [text]
    lines = []
    for line in textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]:
        rest = line
        while len(rest) > width:
            end = max((place for mark in _MARKS if (place := rest.rfind(mark, 0, width) + 1) > 0), default=width)
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    return lines


def _width(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _wrap_texts(columns: Sequence[_Column], width: int) -> None:
    """Narrows columns of text until all fit, the widest first; at the least to a third of the line."""
    texts = [column for column in columns if not column.numeric]
    natural = [column.width for column in texts]
    while _width(columns) > width:
        widest = max(texts, key=lambda column: column.width, default=None)
        if widest is None or widest.width <= _NARROWEST_TEXT:
            break
        widest.width -= 1
    else:
        return
    for column, characters in zip(texts, natural, strict=True):
        column.width = min(characters, max(_NARROWEST_TEXT, width // 3))


def _blocks(columns: Sequence[_Column], keys: int, width: int | None) -> list[list[_Column]]:
    """Divides the columns from left to right into blocks that fit; each block begins with the first ones."""
    blocks = [list(columns[:keys])]
    for column in columns[keys:]:
        if width is not None and _width([*blocks[-1], column]) > width and len(blocks[-1]) > keys:
            blocks.append(list(columns[:keys]))
        blocks[-1].append(column)
    return blocks


def _lines(columns: Sequence[_Column], *, colour: bool) -> list[str]:
    lines = []
    for row in range(len(columns[0].cells)):
        wrapped = [column.wrapped(row) for column in columns]
        height = max(map(len, wrapped))
        for line in range(height):
            parts = []
            for column, cell in zip(columns, wrapped, strict=True):
                # a title with fewer lines than others stands at the bottom of the head
                place = line - (height - len(cell) if row == 0 else 0)
                text = cell[place] if 0 <= place < len(cell) else ""
                padded = text.rjust(column.width) if column.numeric else text.ljust(column.width)
                style = _BOLD if row == 0 else _STYLES.get(column.cells[row])
                parts.append(_styled(padded, style) if colour and style and text else padded)
            lines.append(_GAP.join(parts).rstrip())
    return lines


def _styled(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m"

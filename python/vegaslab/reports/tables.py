"""Tables as CSV files, and text for LaTeX."""

import csv
from collections.abc import Sequence
from pathlib import Path

_SPECIAL = str.maketrans({character: "\\" + character for character in "&%$#_{}"})


def write_csv(path: Path, titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Writes a table; `None` becomes an empty cell. Raises `OSError`."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([titles, *(["" if cell is None else cell for cell in row] for row in rows)])


def escaped(text: str) -> str:
    """Escapes text for LaTeX."""
    return text.replace("\\", "/").translate(_SPECIAL).replace("~", r"\textasciitilde{}").replace("^", r"\^{}")

"""Tables as CSV files, text for LaTeX, and HTML for notebooks."""

import csv
import sys
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

_SHOWN = 20

_SPECIAL = str.maketrans({character: "\\" + character for character in "&%$#_{}"})


def write_csv(path: Path, titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Writes a table; `None` becomes an empty cell. Raises `OSError`."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([titles, *(["" if cell is None else cell for cell in row] for row in rows)])


def escaped(text: str) -> str:
    """Escapes text for LaTeX."""
    return text.replace("\\", "/").translate(_SPECIAL).replace("~", r"\textasciitilde{}").replace("^", r"\^{}")


class Listed(list[dict[str, Any]]):
    """Rows, which a notebook shows as a table.

    >>> rows = Listed([{"name": "vegas", "alpha": 2}])
    >>> rows[0]["alpha"], "<td>vegas</td>" in rows._repr_html_()
    (2, True)
    """

    def _repr_html_(self) -> str:
        titles = list(dict.fromkeys(name for row in self for name in row))
        return html_table(titles, [[row.get(name) for name in titles] for row in self])


def html_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a table as HTML, for a notebook."""
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    lines = ("".join(f"<td>{_cell(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else escape(str(value))


def show_arrow_in_notebooks() -> None:
    """Lets a notebook show Arrow's tables as tables: their own text is a list of columns."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type_by_name("pyarrow.lib", "Table", _of_arrow)


def _of_arrow(table: Any) -> str:
    rows = zip(*(column.to_pylist() for column in table.slice(0, _SHOWN).columns), strict=True)
    more = f"<p>{_SHOWN} of {table.num_rows} rows</p>" if table.num_rows > _SHOWN else ""
    return html_table(table.column_names, rows) + more

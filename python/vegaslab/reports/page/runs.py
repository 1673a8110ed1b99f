"""Runs as an interactive page in one file."""

from collections.abc import Mapping
from html import escape
from typing import Any

from vegaslab.reports.page.templates import render
from vegaslab.reports.panels import panels
from vegaslab.reports.sheet import Sheet
from vegaslab.reports.summary import flow_table, informative, other_flows


def page(sheet: Sheet, summaries: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns the page of a sheet; its table of flows comes from `summaries`, by the run's name."""
    head, *rows = _totals(summaries)
    figure = {"shared": True, "panels": [panel.data() for panel in panels(sheet)]}
    return render(
        "page.html", sheet.title, [figure], note=sheet.note, head=head, rows=rows, more=other_flows(summaries)
    )


def table(summaries: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns the table of the flows' totals alone, for notebooks."""
    head, *rows = _totals(summaries)
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    more = "".join(f"<p>{line}</p>" for line in other_flows(summaries))
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>{more}"


def _totals(summaries: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    _, titles, rows = flow_table(summaries)
    return informative(titles, rows)

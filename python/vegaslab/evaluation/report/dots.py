"""Dot plots as SVG inside a page: a row a figure, a dot an algorithm; readable without a script."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from vegaslab.evaluation.figures import FIGURES
from vegaslab.reports.chart import PALETTE
from vegaslab.util.text import significant

_WIDTH, _LEFT, _RIGHT = 400, 44, 78
_ROW, _TOP, _LEGEND_ROW = 42, 14, 20
_LEGEND_STEP, _NAME_MAX = 98, 14
_LOG_FROM = 20.0
"""A row is drawn on a logarithmic axis if its greatest value is this many times its least."""


@dataclass(frozen=True)
class Row:
    """A figure of a case, with a mean for each algorithm that has one."""

    label: str
    figure: str
    means: Mapping[str, Mapping[str, Any]]


def rows_of(chapters: Sequence[Mapping[str, Any]], wanted: Sequence[tuple[str, str, str]]) -> list[Row]:
    """Returns rows for the cases, figures and labels of `wanted` that the chapters have."""
    cases = {case["id"]: case for chapter in chapters for case in chapter["cases"]}
    return [
        Row(
            label,
            figure,
            {row["algorithm"]: row["means"][figure] for row in cases[case]["rows"] if row["means"].get(figure)},
        )
        for case, figure, label in wanted
        if case in cases
    ]


def svg(rows: Sequence[Row], algorithms: Sequence[str], title: str) -> str:
    """Returns the plot as an SVG element; colours are the page's."""
    rows = [row for row in rows if row.means]
    legend_rows = math.ceil(len(algorithms) / (_WIDTH // _LEGEND_STEP))
    top = _TOP + _LEGEND_ROW * legend_rows
    height = top + _ROW * len(rows) + 8
    parts = [
        f'<svg class="dots" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" '
        'xmlns="http://www.w3.org/2000/svg">',
        *_legend(algorithms),
    ]
    for number, row in enumerate(rows):
        parts += _row(row, algorithms, top + _ROW * number + _ROW - 12)
    return "\n".join([*parts, "</svg>"])


def standalone(plot: str) -> str:
    """Returns a plot as a file of its own, with the style that a page has otherwise."""
    colours = "".join(f".c{number}{{fill:{colour};stroke:{colour}}}" for number, colour in enumerate(PALETTE))
    style = (
        "text{font:11px system-ui,'DejaVu Sans',sans-serif;fill:#222}.end{font-size:10px;fill:#666}"
        ".tested{font-weight:700}.axis{stroke:#ddd;stroke-width:1.5}.range{stroke-width:3;opacity:.5}"
        f"{colours}.mark{{stroke:#fff;stroke-width:1}}"
    )
    head, _, rest = plot.partition(">")
    return f'{head}>\n<style>{style}</style>\n<rect width="100%" height="100%" fill="#fff"/>{rest}\n'


def _legend(algorithms: Sequence[str]) -> list[str]:
    per_row = _WIDTH // _LEGEND_STEP
    parts = []
    for number, name in enumerate(algorithms):
        row, column = divmod(number, per_row)
        x, y = 12 + _LEGEND_STEP * column, _TOP + _LEGEND_ROW * row
        style = ' class="tested"' if number == 0 else ""
        parts += [_mark(number, x, y), f'<text x="{x + 12}" y="{y + 4}"{style}>{escape(name[:_NAME_MAX])}</text>']
    return parts


def _row(row: Row, algorithms: Sequence[str], y: float) -> list[str]:
    known = FIGURES[row.figure]
    found = {name: mean for name, mean in row.means.items() if name in algorithms}
    place, low, high = _axis([mean["mean"] for mean in found.values()])
    arrow = {"higher": " \N{RIGHTWARDS ARROW}", "lower": " \N{LEFTWARDS ARROW}", "neither": ""}[known.better]
    parts = [
        f'<text x="{_LEFT}" y="{y - 13:g}">{escape(row.label)}{arrow}</text>',
        f'<line class="axis" x1="{_LEFT}" y1="{y:g}" x2="{_WIDTH - _RIGHT}" y2="{y:g}"/>',
        f'<text class="end" x="{_LEFT - 9}" y="{y + 4:g}" text-anchor="end">{significant(low, 2)}</text>',
        f'<text class="end" x="{_WIDTH - _RIGHT + 9}" y="{y + 4:g}">{significant(high, 2)} {known.unit}</text>',
    ]
    for number, name in reversed([*enumerate(algorithms)]):
        if name in found:
            mean, half = found[name]["mean"], found[name]["half_width"]
            ends = [min(max(place(value), _LEFT), _WIDTH - _RIGHT) for value in (mean - half, mean + half)]
            parts.append(
                f'<line class="c{number % 8} range" x1="{ends[0]:.1f}" y1="{y:g}" x2="{ends[1]:.1f}" y2="{y:g}"/>'
            )
            parts.append(_mark(number, place(mean), y))
    return parts


def _axis(values: Sequence[float]) -> tuple[Any, float, float]:
    """Returns where a value lies on a row, and the row's ends: from 0 to the greatest, or logarithmic."""
    least, most = min(values), max(values)
    width = _WIDTH - _RIGHT - _LEFT
    if least > 0 and most / least > _LOG_FROM:
        low, high = least, most

        def log_place(value: float) -> float:
            return _LEFT + width * math.log(max(value, low) / low) / math.log(high / low)

        return log_place, low, high
    low, high = min(0.0, least), max(0.0, most)
    high = high if high > low else low + 1.0

    def place(value: float) -> float:
        return _LEFT + width * (value - low) / (high - low)

    return place, low, high


def _mark(number: int, x: float, y: float) -> str:
    """Returns a mark: colours repeat after eight, shapes after four, so that none depends on colour alone."""
    colour = f'class="c{number % 8} mark"'
    shapes = (
        f'<circle {colour} cx="{x:.1f}" cy="{y:g}" r="6"/>',
        f'<rect {colour} x="{x - 4.5:.1f}" y="{y - 4.5:g}" width="9" height="9"/>',
        f'<path {colour} d="M{x:.1f} {y - 6:g}l5.5 10h-11z"/>',
        f'<path {colour} d="M{x:.1f} {y - 6:g}l6 6l-6 6l-6-6z"/>',
    )
    return shapes[number % 4]

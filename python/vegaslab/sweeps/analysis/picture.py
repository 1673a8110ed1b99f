"""A figure of an analysed sweep drawn over one or two keys: lines with intervals, and a heat map."""

import math
from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from vegaslab.reports.chart import PALETTE
from vegaslab.reports.figure import INK, NAMED, settle
from vegaslab.statistics import Interval
from vegaslab.sweeps.analysis.cells import Cells, numbers

_MOST_LINES = len(PALETTE)
_MOST_WRITTEN = 100
_APART = 0.012


def draw(analysis: Cells, figure_name: str, axes: Sequence[str]) -> Figure:
    """Lines over the first key, one for each value of the second; with two keys a heat map beside them."""
    with matplotlib.rc_context(NAMED):
        two = len(axes) > 1
        figure = Figure(figsize=(12.0 if two else 6.5, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(1, 2 if two else 1, squeeze=False)[0]
        _draw_lines(figure, panels[0], analysis, figure_name, axes)
        if two:
            _draw_map(figure, panels[1], analysis, figure_name, axes)
        figure.suptitle(_title(analysis, figure_name, axes), x=0.01, ha="left", fontsize=12, color=INK)
        settle(figure)
        return figure


def _title(analysis: Cells, figure_name: str, axes: Sequence[str]) -> str:
    over = [key for key in analysis.keys if key not in axes and len(analysis.values_of(key)) > 1]
    seeds = f"{len(analysis.seeds)} seeds" if len(analysis.seeds) > 1 else "1 seed"
    interval = f", {100 * analysis.level:g} % intervals" if len(analysis.seeds) > 1 else ""
    averaged = f", means over {', '.join(over)}" if over else ""
    return f"{analysis.sweep}: {figure_name} ({seeds}{interval}{averaged})"


def _mean_at(analysis: Cells, figure_name: str, place: dict[str, str]) -> Interval | None:
    cells = analysis.cells_at(place)
    return analysis.mean(cells, figure_name) if cells else None


def _draw_lines(figure: Figure, panel: Axes, analysis: Cells, figure_name: str, axes: Sequence[str]) -> None:
    x, *others = axes
    values = analysis.values_of(x)
    places = numbers(values) or list(range(len(values)))
    lines = analysis.values_of(others[0]) if others else [""]
    # shifted horizontally, so that intervals do not hide one another
    step = (max(places) - min(places)) * _APART
    for number, line in enumerate(lines[:_MOST_LINES]):
        means = [_mean_at(analysis, figure_name, {x: value, **dict.fromkeys(others, line)}) for value in values]
        drawn = sorted(
            ((place, mean) for place, mean in zip(places, means, strict=True) if mean is not None),
            key=lambda point: point[0],
        )
        halves = [0.0 if math.isnan(mean.half_width) else mean.half_width for _, mean in drawn]
        panel.errorbar(
            [place + step * (number - (min(len(lines), _MOST_LINES) - 1) / 2) for place, _ in drawn],
            [mean.mean for _, mean in drawn],
            yerr=halves,
            color=PALETTE[number],
            marker="o",
            ms=4,
            capsize=3,
            lw=1.6,
            label=line,
        )
    panel.set_xlabel(x)
    panel.set_ylabel(figure_name)
    panel.set_xticks(places, values)
    if others:
        left_out = f"; {len(lines) - _MOST_LINES} more not drawn" if len(lines) > _MOST_LINES else ""
        title = f"{others[0]}{left_out}"
        figure.legend(
            title=title,
            loc="outside lower left",
            ncols=4,
            fontsize=9,
            title_fontsize=9,
            alignment="left",
            frameon=False,
        )


def _draw_map(figure: Figure, panel: Axes, analysis: Cells, figure_name: str, axes: Sequence[str]) -> None:
    x, y = axes
    columns, rows = analysis.values_of(x), analysis.values_of(y)
    means = [[_mean_at(analysis, figure_name, {x: column, y: row}) for column in columns] for row in rows]
    grid = np.array([[math.nan if mean is None else mean.mean for mean in row] for row in means])
    image = panel.imshow(grid, aspect="auto", cmap="viridis", origin="lower")
    panel.set_xticks(range(len(columns)), columns)
    panel.set_yticks(range(len(rows)), rows)
    panel.set_xlabel(x)
    panel.set_ylabel(y)
    panel.grid(visible=False)
    figure.colorbar(image, ax=panel, label=figure_name)
    if grid.size <= _MOST_WRITTEN and np.isfinite(grid).any():
        middle = (np.nanmin(grid) + np.nanmax(grid)) / 2
        for (row, column), value in np.ndenumerate(grid):
            if math.isfinite(value):
                ink = "black" if value > middle else "white"
                panel.text(column, row, f"{value:.4g}", ha="center", va="center", fontsize=8, color=ink)

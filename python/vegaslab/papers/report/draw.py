"""Charts drawn by matplotlib: a chart always gives the same bytes."""

from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from vegaslab.papers.experiments.chart import Chart, Panel
from vegaslab.reports.figure import STYLE, draw_curve, draw_level, save

_WIDTH_INCHES, _PANEL_INCHES, _EDGE_INCHES = 8.0, 3.1, 0.9
_MOST_LEGEND_COLUMNS = 3
_PLAIN = StrMethodFormatter("{x:g}")


def draw(chart: Chart) -> Figure:
    """Draws the chart's panels, one below the other."""
    with matplotlib.rc_context(STYLE):
        height = _PANEL_INCHES * len(chart.panels) + _EDGE_INCHES
        figure = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(chart.title, x=0.01, ha="left", fontsize=13, fontweight="bold")
        for panel, axes in zip(chart.panels, figure.subplots(len(chart.panels), 1, squeeze=False)[:, 0], strict=True):
            _draw_panel(axes, panel)
        figure.align_ylabels()
    return figure


def write(chart: Chart, folder: Path) -> None:
    """Writes `SLUG.svg` and `SLUG.png`."""
    figure = draw(chart)
    for suffix in (".svg", ".png"):
        save(figure, folder / f"{chart.slug}{suffix}")


def _draw_panel(axes: Axes, panel: Panel) -> None:
    for curve in panel.curves:
        draw_curve(axes, curve)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    if panel.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_PLAIN)
    if panel.x_names:
        axes.set_xticks(range(len(panel.x_names)), panel.x_names, rotation=25, ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.5, len(panel.x_names) - 0.5)
    if panel.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(_PLAIN)
    elif panel.from_zero:
        axes.set_ylim(bottom=0)
    if panel.level is not None:
        draw_level(axes, *panel.level)
    labelled = [curve for curve in panel.curves if curve.label]
    if labelled:
        columns = min(_MOST_LEGEND_COLUMNS, len(labelled))
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, fontsize=9, borderaxespad=0.2)

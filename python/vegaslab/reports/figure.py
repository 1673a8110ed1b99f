"""Panels drawn by matplotlib as PNG, SVG, PDF and PGF; a run always gives the same bytes."""

import base64
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends import backend_pgf
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.markers import CARETDOWN
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from vegaslab.reports.chart import DARK_PALETTE, PALETTE, Curve, Panel
from vegaslab.reports.panels import fitted
from vegaslab.reports.sheet import Sheet
from vegaslab.util.errors import InputError
from vegaslab.util.folder import write_file

INK, FAINT = "#333333", "#8A8A8A"
_WIDTH_INCHES, _PANEL_INCHES, _EDGE_INCHES = 10.0, 0.95, 1.0
_DOTS_PER_INCH = 150
_DOTS_PER_INCH_SHOWN = 96
SUFFIXES = (".pdf", ".pgf", ".png", ".svg")
ROUND = (1, 2, 5, 10)
_LAYOUT_DIGITS = 9
_TITLE_LETTERS, _NOTE_LETTERS, _LEGEND_LETTERS = 78, 125, 110
_MOST_TITLE_LINES = 4


@dataclass(frozen=True)
class Colours:
    """The colours of a picture's parts."""

    ink: str
    """Texts and ticks."""
    faint: str
    """Axes and levels."""
    grid: str
    alarm: str
    paper: str
    palette: tuple[str, ...]

    def of(self, number: int) -> str:
        """Returns the colour of the series with this number."""
        return self.palette[number % len(self.palette)]


LIGHT = Colours(INK, FAINT, "#E4E4E4", "#C1121F", "white", PALETTE)
DARK = Colours("#F2F2F2", "#B0B0B0", "#686868", "#FF7B72", "#121212", DARK_PALETTE)
"""For slides: all but texts have a contrast to the ground of at least 3 to 1, as WCAG 2.1, 1.4.11, asks of graphics."""

# Any, because matplotlib types its settings as literals that differ from version to version
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": LIGHT.grid,
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.hashsalt": "vegaslab",
    "pdf.fonttype": 42,
    "pgf.rcfonts": False,
    "pgf.preamble": "",
}
NAMED: Any = {**STYLE, "text.parse_math": False}
"""The style where names chosen by users are shown: a dollar in them starts no formula."""

ON_DARK: Any = {
    "figure.facecolor": DARK.paper,
    "axes.facecolor": DARK.paper,
    "text.color": DARK.ink,
    "axes.edgecolor": DARK.faint,
    "axes.labelcolor": DARK.ink,
    "grid.color": DARK.grid,
    "xtick.color": DARK.ink,
    "ytick.color": DARK.ink,
}
"""What a style has otherwise on a dark ground."""


class Drawn(Figure):
    """A figure that a notebook shows, whether it has loaded pyplot or not."""

    def _repr_png_(self) -> bytes:
        return _png(self)


def draw(sheet: Sheet, panels: Sequence[Panel]) -> Figure:
    """Draws the panels, one below the other, over one time axis."""
    with matplotlib.rc_context(NAMED):
        heights = [panel.height for panel in panels]
        figure = Drawn(figsize=(_WIDTH_INCHES, _EDGE_INCHES + _PANEL_INCHES * sum(heights)), layout="constrained")
        FigureCanvasAgg(figure)
        places = figure.subplots(len(panels), 1, sharex=True, height_ratios=heights, squeeze=False)[:, 0]
        for panel, axes in zip(panels, places, strict=True):
            draw_panel(axes, panel)
        places[-1].set_xlabel(panels[-1].x)
        places[-1].set_xlim(0, sheet.duration_s)
        figure.align_ylabels()
        _draw_legend(figure, sheet)
        title = f"{sheet.title} ({sheet.note})" if sheet.note else sheet.title
        figure.suptitle(_fitted(title), x=0.01, ha="left", fontsize=14, fontweight="bold", color=INK)
        settle(figure)
    return figure


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draws the panel without the name of its x axis and without a legend."""
    for curve in panel.curves:
        draw_curve(axes, curve)
    axes.set_ylabel(panel.y)
    axes.set_title(fill(panel.note, _NOTE_LETTERS), loc="left", fontsize=10, color=INK, pad=4)
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=panel.whole, steps=ROUND))
    if panel.level is not None:
        draw_level(axes, *panel.level)
    axes.set_ylim(*panel.y_range)


def draw_curve(axes: Axes, curve: Curve, colours: Colours = LIGHT) -> None:
    """Draws one curve of a panel."""
    colour, x, y = _colour_of(curve, colours), np.asarray(curve.x, dtype=float), np.asarray(curve.y, dtype=float)
    look: dict[str, Any] = {"color": colour, "alpha": curve.opacity, "label": curve.label or "_"}
    match curve.style:
        case "area":
            axes.fill_between(x, y, step="pre", lw=0, **look)
        case "points" | "crosses":
            marker, size = ("o", 5) if curve.style == "points" else ("X", 9)
            axes.plot(x, y, ls="", marker=marker, ms=size, mec=colours.paper, mew=0.7, zorder=4, **look)
        case "ends":
            size = 5 if curve.thin else 9
            axes.plot(
                x, y, ls="", marker=CARETDOWN, ms=size, mec=colours.paper, mew=0.8, zorder=5, clip_on=False, **look
            )
        case "drops":
            _draw_drops(axes, x, 0.95 - 0.08 * float(y[0]), look)
        case _:
            dashes = {"dashed": (0, (4, 2)), "dotted": (0, (1, 1.5))}.get(curve.style, "-")
            steps = "steps-post" if curve.style == "steps" else "default"
            width = 1.2 if dashes != "-" else 0.9 if curve.thin else 1.6
            axes.plot(x, y, ls=dashes, lw=width, drawstyle=steps, **look)


def _draw_drops(axes: Axes, times: NDArray[np.float64], height: float, look: dict[str, Any]) -> None:
    """Draws as many crosses as can be distinguished."""
    apart = np.unique(np.round(times / times.max(), 3)) * times.max()
    heights = np.full(len(apart), height)
    axes.plot(apart, heights, transform=axes.get_xaxis_transform(), marker="x", ms=5, mew=1.4, ls="", **look)


def draw_level(axes: Axes, value: float, name: str) -> None:
    """Draws a dotted line across the panel, with its name at the right."""
    axes.axhline(value, color=FAINT, lw=1, ls=":")
    axes.annotate(
        name,
        (1, value),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=9,
        color=INK,
    )


def _colour_of(curve: Curve, colours: Colours) -> str:
    """Returns the curve's colour; drops without one have the colour of alarms."""
    if curve.colour is None:
        return colours.alarm if curve.style == "drops" else colours.ink
    return colours.of(curve.colour)


def _fitted(title: str) -> str:
    """Breaks the title into lines of the figure's width, and cuts it if it is far too long."""
    lines = fill(title, _TITLE_LETTERS, break_on_hyphens=False).split("\n")
    if len(lines) > _MOST_TITLE_LINES:
        lines = [*lines[: _MOST_TITLE_LINES - 1], f"{lines[_MOST_TITLE_LINES - 1][:-1]}\N{HORIZONTAL ELLIPSIS}"]
    return "\n".join(lines)


def _draw_legend(figure: Figure, sheet: Sheet) -> None:
    """Draws the groups' names below all panels, in as many columns as fit."""
    names = [fitted(group.label) for group in sheet.groups]
    colours = [PALETTE[group.colour % len(PALETTE)] for group in sheet.groups]
    figure.legend(
        handles=[Line2D([], [], color=colour, lw=2, label=name) for colour, name in zip(colours, names, strict=True)],
        loc="outside lower left",
        ncols=max(1, min(6, _LEGEND_LETTERS // (max(map(len, names), default=0) + 5))),
        fontsize=10,
        borderaxespad=0.2,
        handlelength=1.4,
        columnspacing=1.2,
    )


def settle(figure: Figure) -> None:
    """Lays the figure out now, and rounds the positions to nine digits: the solver's last bits differ from process to
    process.

    Those bits are invisible, but the names of an SVG's parts are derived from them.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for part in figure.subfigs:
        part.bbox_relative.set_points(np.round(part.bbox_relative.get_points(), _LAYOUT_DIGITS))
    for axes in figure.get_axes():
        axes.set_position(Bbox(np.round(axes.get_position().get_points(), _LAYOUT_DIGITS)))


def draw_and_save(
    sheet: Sheet,
    panels_of: Callable[[Sequence[str] | None], Sequence[Panel]],
    names: str | Sequence[str] | PathLike[str] | None,
    path: str | PathLike[str] | None,
) -> Figure:
    """Draws the panels of these names over the sheet's time, and writes them to `path`; see `Drawable.plot`."""
    if isinstance(names, PathLike) or (isinstance(names, str) and Path(names).suffix):
        names, path = None, names if path is None else path
    figure = draw(sheet, panels_of((names,) if isinstance(names, str) else names))
    if path is not None:
        save(figure, Path(path))
    return figure


def save(figure: Figure, path: Path) -> None:
    """Writes the figure in the format of the suffix, without a date, so that files can be compared.

    Raises `SuffixError`, and `OSError`; a file that cannot be written completely is removed.
    """
    suffix = suffix_of(path)
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    more: Any = {"metadata": undated} if undated else {}
    drawn = io.BytesIO()
    with matplotlib.rc_context(STYLE), _without_latex():
        figure.savefig(drawn, format=suffix.removeprefix("."), dpi=_DOTS_PER_INCH, **more)
    write_file(path, drawn.getbuffer())


def suffix_of(path: Path) -> str:
    """Returns the ending of a picture's file. Raises `SuffixError`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise SuffixError(f"{path}: no picture has this ending; write {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    return suffix


class SuffixError(InputError, ValueError):
    """A picture's file has an ending that is no format: one line.

    >>> import vegaslab
    >>> vegaslab.run("quic", set={"duration": "1s"}).plot("window.doc")
    Traceback (most recent call last):
        ...
    vegaslab.reports.figure.SuffixError: window.doc: no picture has this ending; write .pdf, .pgf, .png or .svg
    """


class _Pgf(backend_pgf.RendererPgf):
    """Writes PGF without LaTeX, which matplotlib asks for the extent of every text; the document's font is another
    anyway.
    """

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> Any:
        """Returns the extent of a text in the font of the other formats."""
        untyped: Any = RendererAgg
        return untyped(1, 1, self.dpi).get_text_width_height_descent(s, prop, ismath)


@contextmanager
def _without_latex() -> Iterator[None]:
    module: Any = backend_pgf
    original, module.RendererPgf = module.RendererPgf, _Pgf
    try:
        yield
    finally:
        module.RendererPgf = original


def shown(figure: Figure, table: str) -> str:
    """Returns the HTML that a notebook shows: the picture, no wider than the page, followed by a table."""
    data = base64.b64encode(_png(figure)).decode("ascii")
    title = escape(figure.get_suptitle())
    return f'<img alt="{title}" style="max-width: 100%" src="data:image/png;base64,{data}">{table}'


def _png(figure: Figure) -> bytes:
    with matplotlib.rc_context(STYLE):
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH_SHOWN)
    return file.getvalue()

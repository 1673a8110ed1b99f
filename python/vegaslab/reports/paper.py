"""Figures in the width of a paper's columns: panels over time, means with intervals, box plots, ECDFs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from vegaslab.reports.chart import Panel
from vegaslab.reports.figure import DARK, LIGHT, NAMED, ON_DARK, ROUND, Colours, Drawn, draw_curve, settle
from vegaslab.reports.sheet import Sheet
from vegaslab.statistics import mean_interval
from vegaslab.util.errors import InputError

Kind = Literal["lines", "box", "ecdf"]
KINDS = ("lines", "box", "ecdf")

COLUMNS_CM = {"one": 8.9, "two": 18.2}
"""The widths of one and of two columns of the IEEE's journals, 3.5 and 7.16 inches."""

_CM_AN_INCH, _POINTS_AN_INCH = 2.54, 72
_FONT = 8.0
_STYLE: Any = {
    **NAMED,
    "font.size": _FONT,
    "axes.titlesize": _FONT,
    "legend.fontsize": _FONT,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
}
_PANEL_CM, _EDGE_CM, _ROW_CM = 2.9, 1.2, 0.42
_SHAPE = 0.62
_MARKERS = "os^Dvp*X"
_DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
_LETTER_POINTS, _HANDLE_POINTS, _LINE_POINTS = 4.6, 32.0, 10.0
_UNITS = {
    "mbps": "Mb/s", "percent": "%", "ms": "ms", "s": "s", "us": "us", "packets": "packets", "segments": "segments",
    "mbit": "Mb/s", "gbit": "Gb/s", "kbit": "kb/s", "p": "packets", "mb": "MB", "kb": "kB", "%": "%",
}  # fmt: skip


class WidthError(InputError, ValueError):
    """A figure's width is no width: one line.

    >>> import vegaslab
    >>> vegaslab.figure(vegaslab.run("quic", set={"duration": "1s"}), width="three")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    vegaslab.reports.paper.WidthError: ...
    """


def centimetres(width: str | float) -> float:
    """Returns a width in cm: "one" or "two" columns, a number, or a text such as "8.4cm".

    >>> centimetres("one"), centimetres(12), centimetres("8.4cm")
    (8.9, 12.0, 8.4)
    """
    if isinstance(width, str) and width in COLUMNS_CM:
        return COLUMNS_CM[width]
    number = re.fullmatch(r"([0-9.]+)\s*(cm)?", str(width))
    try:
        found = float(number[1]) if number else 0.0
    except ValueError:
        found = 0.0
    if not 2 <= found <= 100:
        raise WidthError(f'width: {width!r} was given; "one" or "two" columns, or 2 to 100 cm, such as "8.4cm"')
    return found


def axis_label(name: str, unit: str = "") -> str:
    """Returns the name of an axis: words, with the unit in parentheses.

    >>> axis_label("flow.0.mean_rtt_ms"), axis_label("topology.bottleneck.delay", "ms"), axis_label("jain_index")
    ('mean RTT of flow 0 (ms)', 'bottleneck delay (ms)', "Jain's index")
    """
    *parts, last = name.split(".")
    words = last.split("_")
    found = _UNITS.get(unit, unit) or _UNITS.get(words[-1], "")
    text = " ".join(words[:-1] if words[-1] in _UNITS and not unit and len(words) > 1 else words)
    text = text.replace("rtt", "RTT").replace("jain", "Jain's")
    numbered = [f"{one} {other}" for one, other in pairwise(parts) if other.isdigit() or one == "group"]
    plain = [part for part in parts if part != "topology" and not part.isdigit() and part not in ("flow", "group")]
    text = f"{text} of {' of '.join(numbered)}" if numbered else " ".join([*plain[-1:], text])
    return f"{text} ({found})" if found else text


@dataclass(frozen=True)
class Samples:
    """The values of a figure, by series and by place on the x axis."""

    figure: str
    values: Mapping[str, Mapping[str, Sequence[float]]]
    """The values over seeds; the places are texts, with one empty place where there is no x axis."""
    over: str = ""
    """The label of the x axis."""
    places: Mapping[str, float] = field(default_factory=dict)
    """The places as numbers, where they are quantities."""
    level: float = 0.95


def _style(dark: bool) -> tuple[Any, Colours]:
    return ({**_STYLE, **ON_DARK}, DARK) if dark else (_STYLE, LIGHT)


def over_time(
    sheet: Sheet, panels: Sequence[Panel], width: str | float, height: float | None, *, dark: bool = False
) -> Figure:
    """Draws panels over one time axis, with one legend above them."""
    style, colours = _style(dark)
    with matplotlib.rc_context(style):
        wide, names = centimetres(width), [group.label for group in sheet.groups]
        rows = _legend_rows(names, wide) if len(names) > 1 else 0
        figure = _figure(wide, height or _PANEL_CM * len(panels) + _EDGE_CM + _ROW_CM * rows)
        places = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for panel, axes in zip(panels, places, strict=True):
            for curve in panel.curves:
                draw_curve(axes, curve, colours)
            if panel.level is not None:
                _draw_level(axes, *panel.level, colours)
            axes.set_ylabel(panel.y.replace(" (", "\n("))
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=panel.whole, steps=ROUND))
            axes.set_ylim(*panel.y_range)
        for line in (line for axes in places for line in axes.lines):
            line.set_linewidth(min(line.get_linewidth(), 1.0))
            line.set_markersize(min(line.get_markersize(), 4.0))
        places[-1].set_xlabel(panels[-1].x)
        places[-1].set_xlim(0, sheet.duration_s)
        figure.align_ylabels()
        if rows:
            lines = [Line2D([], [], color=colours.of(group.colour), label=group.label) for group in sheet.groups]
            _legend(figure, lines, names, wide)
        settle(figure)
    return figure


def _draw_level(axes: Axes, value: float, name: str, colours: Colours) -> None:
    """Draws a dotted line with its name beside the panel, where it meets no curve."""
    axes.axhline(value, color=colours.faint, lw=0.8, ls=":")
    text = re.sub(r"[: ]+(?=[0-9])", "\n", name, count=1)
    where: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    axes.annotate(text, (1, value), xytext=(4, 0), va="center", annotation_clip=False, **where)


def of_samples(
    panels: Sequence[Samples], kind: Kind, width: str | float, height: float | None, *, dark: bool = False
) -> Figure:
    """Draws a panel for each figure, beside each other where there is room for it, otherwise one below the other."""
    draw = {"lines": _lines, "box": _boxes, "ecdf": _ecdfs}[kind]
    style, colours = _style(dark)
    with matplotlib.rc_context(style):
        wide = centimetres(width)
        columns = max(1, min(len(panels), int(wide // (COLUMNS_CM["one"] - 1))))
        rows = -(-len(panels) // columns)
        names = list(panels[0].values)
        legend = kind != "lines" and len(names) > 1 and (kind == "ecdf" or bool(panels[0].over))
        more = _ROW_CM * _legend_rows(names, wide) if legend else 0
        figure = _figure(wide, height or rows * max(3.5, _SHAPE * wide / columns) + more)
        places = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(places, panels, strict=False):
            draw(axes, panel, colours)
        for axes in places[len(panels) :]:
            axes.set_axis_off()
        if legend:
            _legend(figure, [_handle(number, name, kind, colours) for number, name in enumerate(names)], names, wide)
        if kind == "lines":
            figure.draw_without_rendering()
            for axes, panel in zip(places, panels, strict=False):
                _name_ends(axes, panel, colours)
        settle(figure)
    return figure


def _figure(wide_cm: float, high_cm: float) -> Figure:
    figure = Drawn(figsize=(wide_cm / _CM_AN_INCH, high_cm / _CM_AN_INCH), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _legend_columns(names: Sequence[str], wide_cm: float) -> int:
    longest = max(map(len, names)) * _LETTER_POINTS + _HANDLE_POINTS
    return max(1, min(len(names), int(wide_cm / _CM_AN_INCH * _POINTS_AN_INCH / longest)))


def _legend_rows(names: Sequence[str], wide_cm: float) -> int:
    return -(-len(names) // _legend_columns(names, wide_cm))


def _legend(figure: Figure, handles: Sequence[Any], names: Sequence[str], wide_cm: float) -> None:
    columns = _legend_columns(names, wide_cm)
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, handlelength=1.8, columnspacing=1.0)


def _handle(number: int, name: str, kind: Kind, colours: Colours) -> Line2D:
    return Line2D([], [], color=colours.of(number), label=name, ls=_look(number) if kind == "ecdf" else "-")


def _look(number: int) -> Any:
    return _DASHES[number % len(_DASHES)]


def _where(panel: Samples) -> dict[str, float]:
    """Returns the places on the x axis: numbers where they are quantities, otherwise in a row."""
    texts = dict.fromkeys(text for of_series in panel.values.values() for text in of_series)
    return dict(panel.places) or {text: float(number) for number, text in enumerate(texts)}


def _lines(axes: Axes, panel: Samples, colours: Colours) -> None:
    """Draws means with intervals, by series: lines over quantities, otherwise marks beside each other."""
    where = _where(panel)
    for number, of_series in enumerate(panel.values.values()):
        places = sorted((text for text, values in of_series.items() if values), key=lambda text: where[text])
        means = [mean_interval(list(of_series[text]), panel.level) for text in places]
        x = [where[text] for text in places] if panel.over else [float(number)] * len(places)
        axes.errorbar(
            x,
            [mean.mean for mean in means],
            yerr=[mean.half_width if mean.half_width > 0 else 0.0 for mean in means],
            color=colours.of(number),
            marker=_MARKERS[number % len(_MARKERS)],
            ls="-" if panel.places else "",
            ms=3.5,
            lw=1,
            capsize=2,
        )
    if not panel.over:
        _name_places(axes, list(panel.values))
    elif panel.places:
        axes.set_xlabel(panel.over)
    else:
        axes.set_xticks(list(where.values()), list(where))
        axes.set_xlabel(panel.over)
    axes.set_ylabel(panel.figure)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=ROUND))
    if axes.get_ylim()[0] > 0:
        axes.set_ylim(bottom=0)


def _name_ends(axes: Axes, panel: Samples, colours: Colours) -> None:
    """Writes the series' names beside the ends of their lines, far enough apart to be read."""
    if not panel.over or len(panel.values) < 2:
        return
    low, high = axes.get_ylim()
    where, points = _where(panel), axes.get_window_extent().height / axes.figure.dpi * _POINTS_AN_INCH
    ends = {}
    for number, (name, of_series) in enumerate(panel.values.items()):
        there = [text for text, values in of_series.items() if values]
        if there:
            last = of_series[max(there, key=lambda text: where[text])]
            ends[name] = ((float(np.mean(last)) - low) / (high - low), number)
    for (name, (_, number)), at in zip(
        sorted(ends.items(), key=lambda end: end[1][0]),
        apart([at for at, _ in ends.values()], _LINE_POINTS / points),
        strict=True,
    ):
        axes.annotate(
            name, (1, at), xycoords="axes fraction", xytext=(4, 0), textcoords="offset points", va="center",
            color=colours.of(number), annotation_clip=False,
        )  # fmt: skip


def apart(places: Sequence[float], gap: float) -> list[float]:
    """Returns the places in order, moved so that each is a gap above the one before, and the last one 1 at most.

    >>> apart([0.25, 0.25, 0.0], 0.5), apart([1.0, 0.75], 0.5)
    ([0.0, 0.5, 1.0], [0.5, 1.0])
    """
    moved: list[float] = []
    for place in sorted(places):
        moved.append(max(place, moved[-1] + gap) if moved else place)
    ceiling = 1.0
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], ceiling)
        ceiling = moved[number] - gap
    return moved


def _boxes(axes: Axes, panel: Samples, colours: Colours) -> None:
    """Draws a box for each series and place: quartiles, median, whiskers to 1.5 times the box (Tukey), outliers."""
    where = _where(panel)
    order = sorted(where, key=lambda text: where[text])
    each = 0.8 / len(panel.values) if panel.over else 0.6
    for number, of_series in enumerate(panel.values.values()):
        colour = colours.of(number)
        shift = each * (number - (len(panel.values) - 1) / 2)
        there = [(place, of_series[text]) for place, text in enumerate(order) if of_series.get(text)]
        drawn = axes.boxplot(
            [list(values) for _, values in there],
            positions=[place + shift if panel.over else float(number) for place, _ in there],
            widths=each * 0.8,
            manage_ticks=False,
            patch_artist=True,
            flierprops={"marker": ".", "ms": 3, "mec": colour},
            medianprops={"color": colours.ink, "lw": 1},
        )
        for part in [*drawn["boxes"], *drawn["whiskers"], *drawn["caps"]]:
            part.set(color=colour, lw=0.8)
        for box in drawn["boxes"]:
            box.set(facecolor=(*matplotlib.colors.to_rgb(colour), 0.3))
    if panel.over:
        axes.set_xticks(range(len(order)), [f"{where[text]:g}" if panel.places else text for text in order])
        axes.set_xlabel(panel.over)
    else:
        _name_places(axes, list(panel.values))
    axes.set_ylabel(panel.figure)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=ROUND))


def _ecdfs(axes: Axes, panel: Samples, colours: Colours) -> None:
    """Draws for each series the part of its values that do not exceed x."""
    for number, of_series in enumerate(panel.values.values()):
        values = np.sort(np.concatenate([[], *(list(of) for of in of_series.values())]))
        if len(values):
            axes.ecdf(values, color=colours.of(number), ls=_look(number), lw=1.2)
    axes.set_xlabel(panel.figure)
    axes.set_ylabel("ECDF")
    axes.set_ylim(0, 1)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=ROUND))


def _name_places(axes: Axes, names: Sequence[str]) -> None:
    """Names the series below the axis, aslant where they would overprint."""
    inches = axes.get_window_extent().width / axes.figure.dpi
    crowded = (max(map(len, names)) + 1) * _LETTER_POINTS * len(names) > inches * _POINTS_AN_INCH
    aslant: Any = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    axes.set_xticks(range(len(names)), names, **aslant)
    axes.set_xlim(-0.6, len(names) - 0.4)

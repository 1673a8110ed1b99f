"""The picture of a comparison over seeds: a panel for each figure, a dot for each run, means with their intervals."""

import math
import re
from textwrap import fill

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from vegaslab.reports.chart import PALETTE
from vegaslab.reports.figure import FAINT, INK, NAMED, Drawn, settle
from vegaslab.runs.seeds.figures import Figures

_COLUMNS = 4
_MOST_PANELS = 16
_LONG_NAME = 12
_LONG_VERDICT = 24
_TITLE_WIDTH = 95


def draw(comparison: Figures) -> Figure:
    """Draws the figures that vary, sixteen at most; the title says how many are left out."""
    with matplotlib.rc_context(NAMED):
        varying = _varying(comparison)
        names = varying[:_MOST_PANELS]
        rows = max(1, math.ceil(len(names) / _COLUMNS))
        figure = Drawn(figsize=(12.0, 0.8 + 2.7 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, _COLUMNS, squeeze=False)
        for panel, name in zip(panels.flat, names, strict=False):
            _draw_figure(panel, comparison, name)
        for panel in panels.flat[len(names) :]:
            panel.set_axis_off()
        seeds = f"{len(comparison.seeds)} seeds, means with {100 * comparison.level:g} % intervals"
        left_out = (
            f"; {len(names)} of {len(comparison.figures)} figures drawn" if names != list(comparison.figures) else ""
        )
        title = f"{comparison.scenario}: {' against '.join(comparison.runs)} ({seeds}{left_out})"
        title = fill(title, _TITLE_WIDTH, break_long_words=False, break_on_hyphens=False)
        figure.suptitle(title, x=0.01, ha="left", fontsize=14, fontweight="bold", color=INK)
        settle(figure)
        return figure


def _varying(comparison: Figures) -> list[str]:
    def values(name: str) -> list[float]:
        return [v for algorithm in comparison.runs for v in comparison.values(algorithm, name) if not math.isnan(v)]

    return [name for name in comparison.figures if len({*values(name)}) > 1] or list(comparison.figures)


def _draw_figure(panel: Axes, comparison: Figures, name: str) -> None:
    values = np.array([comparison.values(algorithm, name) for algorithm in comparison.runs])
    places = np.arange(len(values))
    panel.plot(places, values, color=FAINT, lw=0.6, alpha=0.4)
    for place, algorithm in enumerate(comparison.runs):
        colour = PALETTE[place % len(PALETTE)]
        panel.plot(
            np.full(values.shape[1], place), values[place], ls="", marker="o", ms=3, mew=0, alpha=0.45, color=colour
        )
        mean = comparison.mean(algorithm, name)
        if mean is not None:
            half = mean.half_width if mean.half_width > 0 else None
            panel.errorbar(place + 0.16, mean.mean, yerr=half, color=colour, marker="D", ms=5, capsize=4, lw=1.8)
    panel.set_xticks(places, [_broken(name) for name in comparison.runs], fontsize=9)
    panel.set_xlim(-0.4, len(values) - 0.4)
    panel.set_title(title_of(name), loc="left", fontsize=10, color=INK)
    panel.set_xlabel(_verdicts(comparison, name), fontsize=8.5)


_UNITS = {"mbps": "Mb/s", "percent": "%", "ms": "ms", "s": "s", "packets": "packets"}


def title_of(figure: str) -> str:
    """Returns the name of a figure as a text with its unit: `flow.0.mean_rtt_ms` is "flow 0, mean RTT, ms"."""
    *parts, name = figure.split(".")
    words = name.split("_")
    unit = _UNITS.get(words[-1])
    text = " ".join(words[:-1] if unit else words).replace("rtt", "RTT").replace("jain", "Jain's")
    where = [" ".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    return ", ".join([*where, text, *([unit] if unit else [])])


def _broken(name: str, longest: int = _LONG_NAME) -> str:
    """Breaks a long name into several lines, so that it does not overlap the next one."""
    return re.sub(r"(?<!^)([+,])(?=[a-z])", r"\n\1", name) if len(name) > longest else name


def _verdicts(comparison: Figures, name: str) -> str:
    found = [difference for difference in comparison.differences if difference.figure == name]
    if len(found) == 1:
        return (
            "the same"
            if found[0].verdict == "same"
            else f"{_broken(found[0].algorithm, _LONG_VERDICT)}: {found[0].verdict}"
        )
    against = {d: f" than {d.baseline}" if comparison.pairs else "" for d in found}
    told = [
        f"{_broken(d.algorithm, _LONG_VERDICT)}: {d.verdict}{against[d]}"
        for d in found
        if d.verdict in ("higher", "lower")
    ]
    return "\n".join(told) or ("no significant difference" if found else "")

"""The picture of a factorial analysis: main effects, two-factor interactions, shares of variation, residual checks."""

import itertools
import math
from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure

from vegaslab.reports.chart import PALETTE
from vegaslab.reports.figure import FAINT, INK, NAMED, settle
from vegaslab.sweeps.factorial.analysis import Analysis
from vegaslab.sweeps.factorial.report import describe

_MOST_COLUMNS = 6
_MOST_BARS = 16
_LOW, _HIGH = PALETTE[0], PALETTE[1]


def draw(analysis: Analysis, response: str, factors: Mapping[str, str]) -> Figure:
    """Draws the analysis. `response` labels the axes, `factors` are names by letter."""
    with matplotlib.rc_context(NAMED):
        pairs = _pairs(analysis)
        figure = Figure(figsize=(11.0, 10.0 if pairs else 7.2), layout="constrained")
        FigureCanvasAgg(figure)
        ratios = (1, 1, 1.15) if pairs else (1, 1.15)
        rows = figure.subfigures(len(ratios), 1, height_ratios=ratios, squeeze=False)[:, 0]
        _draw_main_effects(rows[0], analysis, response, factors)
        if pairs:
            _draw_interactions(rows[1], analysis, response, factors, pairs)
        _draw_checks(rows[-1], analysis, factors)
        blocks = ", seeds as blocks" if analysis.blocks else ""
        title = f"{response}: {analysis.design.name}, {analysis.replications} replications{blocks}{_left_out(analysis)}"
        figure.suptitle(title, x=0.01, ha="left", fontsize=14, fontweight="bold", color=INK)
        settle(figure)
        return figure


def _shown_letters(analysis: Analysis) -> list[str]:
    """Returns all factors, or those of the greatest main effects."""
    letters = list(analysis.design.letters)
    if len(letters) <= _MOST_COLUMNS:
        return letters
    size = {letter: abs(_means_at(analysis, letter)[1] - _means_at(analysis, letter)[0]) for letter in letters}
    return sorted(sorted(letters, key=lambda letter: -size[letter])[:_MOST_COLUMNS])


def _left_out(analysis: Analysis) -> str:
    """Says how many factors, interactions and bars are drawn of how many; empty if all are."""
    pairs = sum(1 for effect in analysis.effects if len(effect.effect.word) == 2)
    effects = len(analysis.effects) - 1
    drawn = (
        ("factors", len(_shown_letters(analysis)), len(analysis.design.letters)),
        ("interactions of two", min(_MOST_COLUMNS, pairs), pairs),
        ("effects", min(_MOST_BARS, effects), effects),
    )
    told = [f"{shown} of {all_} {what}" for what, shown, all_ in drawn if shown < all_]
    return f"\n{', '.join(told)} drawn" if told else ""


def _pairs(analysis: Analysis) -> list[tuple[str, str]]:
    """Returns pairs of factors with an interaction that is an effect of its own or the first of those confounded."""
    words = {effect.effect.word: abs(effect.value) for effect in analysis.effects if len(effect.effect.word) == 2}
    ordered = sorted(words, key=lambda word: -words[word])[:_MOST_COLUMNS]
    return [pair for pair in itertools.combinations(analysis.design.letters, 2) if frozenset(pair) in ordered]


def _means_at(analysis: Analysis, letter: str) -> tuple[float, float]:
    high = analysis.design.signs(frozenset(letter)) > 0
    return float(analysis.cell_means[~high].mean()), float(analysis.cell_means[high].mean())


def _draw_main_effects(row: SubFigure, analysis: Analysis, response: str, factors: Mapping[str, str]) -> None:
    letters = _shown_letters(analysis)
    panels = np.atleast_1d(row.subplots(1, len(letters), sharey=True))
    # a mean over half of all runs is as uncertain as an effect times the square root of two
    half = math.sqrt(2) * analysis.half_width
    for panel, letter in zip(panels, letters, strict=True):
        means = _means_at(analysis, letter)
        panel.axhline(float(analysis.responses.mean()), color=FAINT, lw=1, ls=":")
        panel.errorbar((0, 1), means, yerr=None if math.isnan(half) else half, color=INK, marker="o", lw=1.6, capsize=4)
        _levels(panel, f"{letter}: {factors[letter]}")
    panels[0].set_ylabel(response, fontsize=9)


def _levels(panel: Axes, label: str) -> None:
    panel.set_xticks((0, 1), ("low", "high"))
    panel.set_xlim(-0.3, 1.3)
    panel.set_title(label, loc="left", fontsize=10, color=INK)


def _draw_interactions(
    row: SubFigure, analysis: Analysis, response: str, factors: Mapping[str, str], pairs: list[tuple[str, str]]
) -> None:
    panels = np.atleast_1d(row.subplots(1, len(pairs), sharey=True))
    for panel, (across, beside) in zip(panels, pairs, strict=True):
        for level, colour in ((-1, _LOW), (1, _HIGH)):
            chosen = analysis.design.signs(frozenset(beside)) == level
            at = analysis.design.signs(frozenset(across))
            means = [float(analysis.cell_means[chosen & (at == side)].mean()) for side in (-1, 1)]
            label = f"{factors[beside]} {'high' if level > 0 else 'low'}"
            panel.plot((0, 1), means, color=colour, marker="o", lw=1.6, label=label)
        _levels(panel, f"{across} x {beside}: over {factors[across]}")
        panel.legend(fontsize=8, handlelength=1.2, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    panels[0].set_ylabel(response, fontsize=9)


def _draw_checks(row: SubFigure, analysis: Analysis, factors: Mapping[str, str]) -> None:
    shares, against, normal = row.subplots(1, 3, width_ratios=(1.3, 1, 1))
    _draw_shares(shares, analysis, factors)
    _draw_residuals(against, analysis)
    _draw_normal(normal, analysis)


def _draw_shares(axes: Axes, analysis: Analysis, factors: Mapping[str, str]) -> None:
    effects = sorted(analysis.effects[1:], key=lambda effect: -abs(effect.value))[:_MOST_BARS]
    names = [f"{effect.name}: {describe(effect.effect.word, factors)}" for effect in effects]
    if any(len(name) > 34 for name in names):
        names = [effect.name for effect in effects]
    bars = [(name, 100 * effect.share, effect.significant) for name, effect in zip(names, effects, strict=True)]
    chance = (("seeds", analysis.seed_share), ("errors", analysis.error_share))
    bars += [(what, 100 * share, None) for what, share in chance if not math.isnan(share)]
    colours = [{True: _LOW, False: "#B8CCE0", None: FAINT}[known] for _, _, known in bars]
    if not analysis.degrees:
        colours = [_LOW] * len(bars)
    places = np.arange(len(bars))[::-1]
    axes.set_axisbelow(True)
    axes.barh(places, [share for _, share, _ in bars], color=colours, height=0.7)
    axes.set_yticks(places, [name for name, _, _ in bars], fontsize=9)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("share of variation (%)")
    pale = any(known is False for _, _, known in bars)
    axes.set_title("pale: not significant" if pale else "", loc="left", fontsize=10, color=INK)


def _draw_residuals(axes: Axes, analysis: Analysis) -> None:
    predicted = (analysis.responses - analysis.residuals).ravel()
    axes.axhline(0, color=FAINT, lw=1)
    axes.plot(predicted, analysis.residuals.ravel(), ls="", marker="o", ms=3.5, alpha=0.5, color=_LOW, mew=0)
    axes.set_xlabel("predicted")
    axes.set_ylabel("residual")
    axes.set_title("residuals: an even band is good", loc="left", fontsize=10, color=INK)


def _draw_normal(axes: Axes, analysis: Analysis) -> None:
    quantiles, residuals = analysis.normal_quantiles
    axes.axline((0, 0), slope=float(residuals.std()) or 1e-12, color=FAINT, lw=1)
    axes.plot(quantiles, residuals, ls="", marker="o", ms=3.5, alpha=0.5, color=_LOW, mew=0)
    axes.set_xlabel("normal quantile")
    axes.set_ylabel("residual")
    axes.set_title("normal Q-Q: a line is good", loc="left", fontsize=10, color=INK)

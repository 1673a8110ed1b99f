"""The report of a factorial analysis: terminal table, CSV and LaTeX."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vegaslab.reports.summary import aligned
from vegaslab.reports.tables import escaped, write_csv
from vegaslab.sweeps.factorial.analysis import Analysis, EffectEstimate
from vegaslab.sweeps.plans.design import Design, SignedWord

_NONE = "-"
_MOST_ALIASES = 3
# the effects in the table, by share of variation; the others are only counted
_MOST_EFFECTS = 40


def describe(word: frozenset[str], factors: Mapping[str, str]) -> str:
    """Returns a word in the factors' names, such as "slow start x recovery"; `factors` are names by letter."""
    return " x ".join(factors[letter] for letter in sorted(word)) or "mean"


def report(analysis: Analysis, response: str, factors: Mapping[str, str]) -> str:
    """Returns the whole report as text; `response` is the analysed column, `factors` are names by letter."""
    headline = f"{response}: {analysis.design.name} x {analysis.replications}, {analysis.responses.size} runs"
    blocks = [[headline], _effects_table(analysis, factors), _confounding(analysis.design), _cells_table(analysis)]
    notes = [*_checks(analysis), *(f"note: {note}" for note in analysis.notes)]
    return "\n".join("\n".join([*block, ""]) for block in [*blocks, notes] if block).rstrip()


def _effects_table(analysis: Analysis, factors: Mapping[str, str]) -> list[str]:
    percent = f"{100 * analysis.level:g} %"
    titles = ("effect", "of", "estimate", f"{percent} from", "to", "variation %", "significant", "confounded with")
    shown = _most_important(analysis)
    rows = [_effect_row(effect, factors) for effect in shown]
    for what, share in _shares_of_chance(analysis):
        rows.append((_NONE, what, _NONE, _NONE, _NONE, f"{100 * share:.2f}", _NONE, _NONE))
    lines = aligned(titles, rows)
    if len(shown) < len(analysis.effects):
        lines.append(f"and {len(analysis.effects) - len(shown)} effects that explain less; effects.csv holds them all")
    if analysis.degrees:
        lines.append(f"each effect is uncertain by {analysis.half_width:.4g} ({analysis.degrees} degrees of freedom)")
    return lines


def _shares_of_chance(analysis: Analysis) -> list[tuple[str, float]]:
    """Returns the parts of the variation that effects do not explain: the seeds' (if blocks), and the errors'."""
    parts = (("seeds", analysis.seed_share), ("errors", analysis.error_share))
    return [(what, share) for what, share in parts if not math.isnan(share)]


def _most_important(analysis: Analysis) -> Sequence[EffectEstimate]:
    if len(analysis.effects) <= _MOST_EFFECTS:
        return analysis.effects
    mean, *others = analysis.effects
    return [mean, *sorted(others, key=lambda effect: -abs(effect.value))[: _MOST_EFFECTS - 1]]


def _effect_row(effect: EffectEstimate, factors: Mapping[str, str]) -> tuple[str, ...]:
    return (
        effect.name,
        describe(effect.effect.word, factors),
        _figure(effect.value),
        _figure(effect.value - effect.half_width),
        _figure(effect.value + effect.half_width),
        _NONE if math.isnan(effect.share) else f"{100 * effect.share:.2f}",
        _verdict(effect),
        _few(effect.effect.aliases),
    )


def _verdict(effect: EffectEstimate) -> str:
    return _NONE if effect.significant is None or not effect.effect.word else "yes" if effect.significant else "no"


def _few(words: Sequence[SignedWord]) -> str:
    shown = [str(word) for word in words[:_MOST_ALIASES]]
    more = [f"{len(words) - len(shown)} more"] if len(words) > len(shown) else []
    return ", ".join(shown + more) or _NONE


def _confounding(design: Design) -> list[str]:
    if not design.generators:
        return []
    generators = ", ".join(map(str, design.generators))
    relation = " = ".join(("I", *map(str, design.defining_relation)))
    return [f"generators: {generators}; resolution {design.resolution_name}", f"defining relation: {relation}"]


def _checks(analysis: Analysis) -> list[str]:
    checks = (
        ("greatest response over least", analysis.range_ratio, ".3g"),
        ("probability of spreads so unequal", analysis.equal_spreads_p_value, ".2g"),
        ("correlation of the normal Q-Q plot", analysis.straightness, ".3f"),
    )
    known = [f"{what} {value:{form}}" for what, value, form in checks if not math.isnan(value)]
    return [f"checks: {'; '.join(known)}"] if known else []


def _cells_table(analysis: Analysis) -> list[str]:
    titles = (*analysis.design.letters, "mean", f"{100 * analysis.level:g} % from", "to")
    half = analysis.cell_half_width
    rows = [
        (*("+" if level > 0 else "-" for level in levels), _figure(mean), _figure(mean - half), _figure(mean + half))
        for levels, mean in zip(analysis.design.levels.tolist(), analysis.cell_means.tolist(), strict=True)
    ]
    return aligned(titles, rows) if len(rows) <= _MOST_EFFECTS else []


def _figure(value: float) -> str:
    return _NONE if math.isnan(value) else f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def summary(analysis: Analysis, response: str, factors: Mapping[str, str]) -> dict[str, Any]:
    """Returns the analysis as plain values for JSON; a missing one is `None`."""
    design = analysis.design
    return {
        "response": response,
        "design": design.name,
        "replications": analysis.replications,
        "resolution": design.resolution,
        "generators": [str(generator) for generator in design.generators],
        "defining_relation": [str(word) for word in design.defining_relation],
        "level": analysis.level,
        "degrees_of_freedom": analysis.degrees,
        "error_deviation": _plain(analysis.error_deviation),
        "error_share": _plain(analysis.error_share),
        "seed_share": _plain(analysis.seed_share),
        "half_width": _plain(analysis.half_width),
        "effects": [_effect_record(effect, factors) for effect in analysis.effects],
        "range_ratio": _plain(analysis.range_ratio),
        "equal_spreads_p_value": _plain(analysis.equal_spreads_p_value),
        "straightness": _plain(analysis.straightness),
        "notes": list(analysis.notes),
    }


def _effect_record(effect: EffectEstimate, factors: Mapping[str, str]) -> dict[str, Any]:
    return {
        "effect": effect.name,
        "of": describe(effect.effect.word, factors),
        "estimate": effect.value,
        "low": _plain(effect.value - effect.half_width),
        "high": _plain(effect.value + effect.half_width),
        "share": _plain(effect.share),
        "p_value": _plain(effect.p_value),
        "significant": effect.significant,
        "confounded_with": [str(alias) for alias in effect.effect.aliases],
    }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def write_tables(analysis: Analysis, response: str, factors: Mapping[str, str], folder: Path) -> None:
    """Writes `effects.csv`, `cells.csv`, `residuals.csv` and `effects.tex` into a folder. Raises `OSError`."""
    records = [_effect_record(effect, factors) for effect in analysis.effects]
    for record in records:
        record["confounded_with"] = " ".join(record["confounded_with"])
    write_csv(folder / "effects.csv", list(records[0]), [list(record.values()) for record in records])
    letters = list(analysis.design.letters)
    levels = analysis.design.levels.tolist()
    half = _plain(analysis.cell_half_width)
    cells = [[*row, mean, half] for row, mean in zip(levels, analysis.cell_means.tolist(), strict=True)]
    write_csv(folder / "cells.csv", [*letters, "mean", "half_width"], cells)
    runs = [
        [*row, number, response_value, mean, response_value - mean]
        for row, values, mean in zip(levels, analysis.responses.tolist(), analysis.cell_means.tolist(), strict=True)
        for number, response_value in enumerate(values)
    ]
    write_csv(folder / "residuals.csv", [*letters, "replication", "response", "predicted", "residual"], runs)
    (folder / "effects.tex").write_text(latex(analysis, response, factors), encoding="utf-8")


def latex(analysis: Analysis, response: str, factors: Mapping[str, str]) -> str:
    """Returns the effects as a LaTeX table, which needs the package booktabs; an `a` marks those that are not
    significant.
    """
    lines = [
        rf"% {response}: {analysis.design.name}, {analysis.replications} replications",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"effect & estimate & \% of variation \\",
        r"\midrule",
        *(_latex_row(effect, factors) for effect in analysis.effects),
    ]
    lines += [rf"{what} & & {100 * share:.2f} \\" for what, share in _shares_of_chance(analysis)]
    if analysis.degrees:
        interval = rf"{100 * analysis.level:g}\,\% interval & $\pm{_figure(analysis.half_width)}$ & \\"
        lines += [r"\midrule", interval]
    lines += [r"\bottomrule"]
    if any(effect.significant is False and effect.effect.word for effect in analysis.effects):
        lines.append(r"\multicolumn{3}{l}{\footnotesize $^a$ not significant}\\")
    return "\n".join([*lines, r"\end{tabular}", ""])


def _latex_row(effect: EffectEstimate, factors: Mapping[str, str]) -> str:
    name = r" $\times$ ".join(escaped(factors[letter]) for letter in sorted(effect.effect.word)) or "mean"
    mark = "^a" if effect.significant is False and effect.effect.word else ""
    share = "" if math.isnan(effect.share) else f"{100 * effect.share:.2f}"
    return rf"{name} & ${_figure(effect.value)}{mark}$ & {share} \\"

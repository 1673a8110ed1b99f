"""Revisited: each mechanism by itself, in the 2^7 design of section VIII.D, and in the 2^10 design, the results of
which its authors did not print.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Flow, Mutant
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.table import Table, number
from vegaslab.papers.judging.verdict import Errors, Finding
from vegaslab.papers.revisited.factors import TABLES, own_errors
from vegaslab.papers.revisited.setting import (
    GROUNDS,
    LEVEL,
    LOADS,
    batch,
    mechanism_cells,
    mechanism_design,
    over,
    resent_kb,
    spelled,
    throughput_kbps,
    timeouts,
)
from vegaslab.sweeps.factorial.analysis import Analysis
from vegaslab.sweeps.plans.design import LETTERS, Design

SEVEN, TEN = "ABCDEFG", "ABCDEFGHIJ"

_SEEDS, _TEN_SEEDS, _QUICK_SEEDS = 50, 5, 2
_QUICK_GENERATORS = (("H", "ABCG"), ("I", "BCDE"), ("J", "ACDF"))
"""A fraction of 128 cells, of resolution V: words confounded with a main effect have four letters or more."""

_NOTHING = 0.01
_MOST_WORDS = 12

_PAPER: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("Reno", "low"): {"A": 25.0},
    ("Vegas", "low"): {},
    ("Reno", "high"): {"F": 28.0, "D": 9.0, "C": 3.0},
    ("Vegas", "high"): {"F": 7.0, "D": 2.0, "C": 2.0},
}
"""The shares in % that section VIII.D gives."""

_RESENT_ROUNDED = (5.0, 1.0)
"""To what the shares of A and G in retransmissions are rounded, "nearly 50 %" and "3 %"."""

_NAMES = {
    "A": "congestion detection in slow start",
    "B": "congestion detection in congestion avoidance",
    "C": "more aggressive fast retransmission",
    "D": "retransmission on new acknowledgements",
    "E": "one reduction a window",
    "F": "reduction by a quarter",
    "G": "first window of two",
    "H": "bursts of three",
    "I": "no growth when it cannot keep up",
    "J": "spike suppression",
}


def _seven_runs(quick: bool) -> dict[str, Batch]:
    cells, seeds = mechanism_cells(mechanism_design(SEVEN), SEVEN), _QUICK_SEEDS if quick else _SEEDS
    return {f"seven/{'-'.join(ground)}": batch(cells, over(*ground), seeds) for ground in GROUNDS}


def _runs(quick: bool) -> dict[str, Batch]:
    ten = _ten(quick)
    ten_seeds = _QUICK_SEEDS if quick else _TEN_SEEDS
    return _seven_runs(quick) | {
        f"ten/Reno-{load}": batch(mechanism_cells(ten, TEN), over("Reno", load), ten_seeds) for load in LOADS
    }


def _ten(quick: bool) -> Design:
    return mechanism_design(TEN, _QUICK_GENERATORS if quick else ())


def _analysis_of_ten(columns: Mapping[str, Any], measure: Any) -> Analysis:
    responses = measure(columns)
    design = next(one for one in (_ten(False), _ten(True)) if one.cells == len(responses))
    return Analysis.of(design, responses, LEVEL)


def _seven(data: Data, ground: tuple[str, str], measure: Any = throughput_kbps) -> Analysis:
    return Analysis.of(mechanism_design(SEVEN), measure(data[f"seven/{'-'.join(ground)}"]), LEVEL)


def _mains(found: Analysis, letters: str) -> dict[str, tuple[float, float]]:
    """Returns effect and share in % of each mechanism."""
    singles = (one for one in found.effects if len(one.effect.word) == 1)
    return {spelled(one.name, letters): (one.value, 100 * one.share) for one in singles}


def _find(data: Data) -> dict[str, Finding]:
    mains = {ground: _mains(_seven(data, ground), SEVEN) for ground in GROUNDS}
    low, high = mains["Reno", "low"], mains["Reno", "high"]
    return {
        "H-seven-factors": Finding(
            values=tuple(share for ground in (low, high) for _, share in ground.values()),
            holds=_greatest(low) == "A"
            and _greatest(high) == "F"
            and all(found["E"][1] < 100 * _NOTHING for found in mains.values()),
            note="Per cent of A to G over Reno's low background, then over its high one. Over Vegas's, "
            f"{_greatest(mains['Vegas', 'low'])} explains most at low and {_greatest(mains['Vegas', 'high'])} at high. "
            f"{_ten_words(data)}",
            tables=(_seven_table(data, mains), *(_ten_table(data, load) for load in LOADS)),
        ),
        "H-seven-resent": _find_resent(data),
    }


def _find_avoided(data: Data) -> dict[str, Finding]:
    return {
        "H-timeouts-start": _find_timeouts(data, "A", "low"),
        "H-timeouts-loss": _find_timeouts(data, "D", "high"),
    }


def _find_timeouts(data: Data, letter: str, load: str) -> Finding:
    """Returns how many timeouts a mechanism avoids in a transfer, over Reno's background and over Vegas's."""
    found = {ground: _blocked(data, (ground, load)) for ground in ("Reno", "Vegas")}
    word = next(word for word in LETTERS[: len(SEVEN)] if spelled(word, SEVEN) == letter)
    avoided = [-2 * one[word].value for one in found.values()]
    half = [2 * one.half_width for one in found.values()]
    others = (
        f"over {ground}'s: "
        + ", ".join(f"{name} {-2 * effect:.2f}" for name, (effect, _) in _mains(one, SEVEN).items())
        for ground, one in found.items()
    )
    return Finding(
        values=tuple(avoided),
        holds=all(value > width for value, width in zip(avoided, half, strict=True)),
        intervals=tuple((value - width, value + width) for value, width in zip(avoided, half, strict=True)),
        note=f"Timeouts avoided in a transfer, all of it, {'; '.join(others)}. Intervals are of 90 %.",
    )


def _blocked(data: Data, ground: tuple[str, str]) -> Analysis:
    columns = data[f"seven/{'-'.join(ground)}"]
    return Analysis.of(mechanism_design(SEVEN), timeouts(columns), LEVEL, blocks=True)


def _find_resent(data: Data) -> Finding:
    found = _seven(data, ("Reno", "low"), resent_kb)
    mains = _mains(found, SEVEN)
    (a_saves, a_share), (g_adds, g_share) = mains["A"], mains["G"]
    design = mechanism_design(SEVEN)
    words = (frozenset[str](), *(frozenset(LETTERS[SEVEN.index(letter)]) for letter in "AG"))
    ours = own_errors(found.responses, np.array([design.signs(word) for word in words]))[len(words) :]
    return Finding(
        values=(a_share, g_share),
        holds=a_saves < 0 < g_adds and _greatest(mains) == "A",
        errors=tuple(
            Errors(_share_error(share, rounded), float(error))
            for share, rounded, error in zip(claims()["H-seven-resent"].values, _RESENT_ROUNDED, ours, strict=False)
        ),
        note=f"A saves {-2 * a_saves:.1f} KB, G adds {2 * g_adds:.1f}.",
    )


def _share_error(share: float, rounded: float) -> float:
    """Returns the standard error of a share that the paper prints, in %: that of an effect, squared, over as many runs
    as tables VI to IX have for each cell, with the errors' share of table VIII; and that of its rounding.
    """
    runs = mechanism_design(SEVEN).cells * _SEEDS
    by_chance = 2 * math.sqrt(share * TABLES["VIII"]["Reno"][2] / runs)
    return math.hypot(by_chance, rounded / math.sqrt(12))


def _greatest(mains: Mapping[str, tuple[float, float]]) -> str:
    return max(mains, key=lambda letter: mains[letter][1])


def _seven_table(data: Data, mains: Mapping[tuple[str, str], Mapping[str, tuple[float, float]]]) -> Table:
    head = ["mechanism"]
    for background, load in GROUNDS:
        head += [f"{background} {load}: paper %", "ours %", "effect (KB/s)", "resent (KB)"]
    resent = {ground: _mains(_seven(data, ground, resent_kb), SEVEN) for ground in GROUNDS}
    lines = []
    for letter in SEVEN:
        line = [f"{letter}: {_NAMES[letter]}"]
        for ground in GROUNDS:
            paper = _PAPER[ground].get(letter)
            effect, share = mains[ground][letter]
            line += ["" if paper is None else f"about {paper:g}", number(share), number(effect)]
            line.append(number(resent[ground][letter][0]))
        lines.append(line)
    return Table(title="Section VIII.D: the 2^7 design", head=head, rows=lines)


def _ten_words(data: Data) -> str:
    texts = []
    for load in LOADS:
        found = _analysis_of_ten(data[f"ten/Reno-{load}"], throughput_kbps)
        effects = [one for one in found.effects if one.effect.word]
        small = sum(one.share < _NOTHING for one in effects)
        mains = _mains(found, TEN)
        beyond = ", ".join(f"{letter} {mains[letter][1]:.2f} %" for letter in "HIJ")
        texts.append(f"at {load} load {small} of {len(effects)} are below 1 %; {beyond}")
    design = _analysis_of_ten(data["ten/Reno-low"], throughput_kbps).design
    return f"The {design.name} design of all ten over Reno's background: {'; '.join(texts)}."


def _ten_table(data: Data, load: str) -> Table:
    speed = _analysis_of_ten(data[f"ten/Reno-{load}"], throughput_kbps)
    resent = _analysis_of_ten(data[f"ten/Reno-{load}"], resent_kb)
    wide = Analysis.of(speed.design, speed.responses, LEVEL, blocks=True)
    effects = sorted((one for one in speed.effects if one.effect.word), key=lambda one: -one.share)
    words = [one.name for one in effects[:_MOST_WORDS]]
    words += [one.name for one in effects[_MOST_WORDS:] if len(one.effect.word) == 1]
    lines = [
        (
            spelled(word, TEN),
            number(speed[word].value),
            f"{wide.half_width:.2f}",
            number(100 * speed[word].share),
            number(resent[word].value),
            number(100 * resent[word].share),
        )
        for word in words
    ]
    lines.append(("errors", "", "", number(100 * speed.error_share), "", number(100 * resent.error_share)))
    head = ("effect", "throughput (KB/s)", "90 %: +-", "%", "resent (KB)", "%")
    title = f"Beyond the paper: {speed.design.name} x {speed.replications}, Reno's {load} background; the greatest"
    return Table(title=f"{title} {_MOST_WORDS} effects and every mechanism", head=head, rows=lines)


def _draw(data: Data) -> list[Chart]:
    return [_draw_seven(data), _draw_ten(data)]


def _draw_seven(data: Data) -> Chart:
    panels = []
    for load in LOADS:
        curves = []
        for place, background in enumerate(("Reno", "Vegas")):
            mains = _mains(_seven(data, (background, load)), SEVEN)
            x = [at + 0.1 * (2 * place - 1) for at in range(len(SEVEN))]
            shares = [share for _, share in mains.values()]
            curves.append(Curve(label=f"over {background}", x=x, y=shares, colour=place, style="points"))
            paper = _PAPER[background, load]
            if paper:
                at = [x[SEVEN.index(letter)] for letter in paper]
                label = f"over {background}, paper"
                curves.append(Curve(label=label, x=at, y=list(paper.values()), colour=place, style="crosses"))
        axis = f"mechanism, {load} background"
        panels.append(Panel(x=axis, y="% of variation", curves=curves, x_names=list(SEVEN)))
    return Chart(
        slug="revisited-seven",
        title="Section VIII.D: what each mechanism explains",
        caption="Per cent of the variation of throughput in the 2^7 design; crosses: what the paper's text names.",
        panels=panels,
    )


def _draw_ten(data: Data) -> Chart:
    panels = []
    for what, measure, unit in (("throughput", throughput_kbps, "KB/s"), ("retransmitted", resent_kb, "KB")):
        curves = []
        for place, load in enumerate(LOADS):
            found = _analysis_of_ten(data[f"ten/Reno-{load}"], measure)
            half = Analysis.of(found.design, found.responses, LEVEL, blocks=True).half_width
            effects = [effect for effect, _ in _mains(found, TEN).values()]
            x = [at + 0.1 * (2 * place - 1) for at in range(len(TEN))]
            curves += [
                Curve(label="", x=[at, at], y=[effect - half, effect + half], colour=place)
                for at, effect in zip(x, effects, strict=True)
            ]
            curves.append(Curve(label=f"{load} background", x=x, y=effects, colour=place, style="points"))
        y = f"effect on {what} ({unit})"
        zero = (0.0, "")
        panels.append(Panel(x="mechanism", y=y, curves=curves, level=zero, from_zero=False, x_names=list(TEN)))
    return Chart(
        slug="revisited-ten",
        title="Beyond the paper: all ten mechanisms",
        caption="Effects over Reno's background with 90 % intervals; half of what switching it on changes, on average "
        "over all combinations of the others.",
        panels=panels,
    )


def _swapped(flow: Flow) -> dict[str, object]:
    letters = str(flow["algorithm"]["mechanisms"]).translate(str.maketrans("AEDG", "EAGD"))
    return {"algorithm": {"mechanisms": "".join(sorted(letters))}}


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Each mechanism by itself, 2^7 and 2^10 designs (section VIII.D)",
        claims=("H-seven-factors", "H-seven-resent"),
        runs=_runs,
        find=_find,
        draw=_draw,
    ),
    Experiment(
        title="Timeouts that A and D avoid (sections VIII.D.1, VIII.D.2)",
        claims=("H-timeouts-start", "H-timeouts-loss"),
        runs=_seven_runs,
        find=_find_avoided,
        # a design needs cells that differ, which the common mutants make alike
        mutants=(Mutant(name="E does what A does, G what D does", change=_swapped),),
    ),
)

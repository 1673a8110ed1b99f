"""Revisited: the effects of its three phases (tables VI to IX, XI)."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment
from vegaslab.papers.judging.table import Table, number
from vegaslab.papers.judging.verdict import NORMAL_95, Errors, Finding, Reading
from vegaslab.papers.revisited.setting import (
    GROUNDS,
    LEVEL,
    MECHANISM_READINGS,
    PHASE_DESIGN,
    PHASE_EFFECTS,
    PHASES,
    QUICK_SEEDS,
    READINGS,
    SEEDS,
    TCPLIB,
    Floats,
    Kind,
    batch,
    kinds_run,
    over,
    phase_cells,
    phase_letters,
    resent_kb,
    run_key,
    throughput_kbps,
)
from vegaslab.statistics import mean_interval
from vegaslab.sweeps.factorial.analysis import Analysis

_MADE_UP = 1000
_NORMAL_90 = 1.645

Printed = Mapping[str, tuple[tuple[float, ...], tuple[float, ...], float]]
"""Effects and shares in % in the order of `PHASE_EFFECTS`, and the errors' share, by background."""

TABLES: Mapping[str, Printed] = {
    "VI": {
        "Reno": (
            (86.64, 7.14, 2.06, 6.64, 0.17, 1.09, 0.64, -0.68),
            (27.71, 2.30, 23.98, 0.02, 0.65, 0.22, 0.25),
            44.88,
        ),
        "Vegas": (
            (83.90, 5.57, 2.25, 6.68, 0.46, 0.95, 0.40, -0.61),
            (19.38, 3.17, 27.91, 0.13, 0.56, 0.10, 0.24),
            48.50,
        ),
    },
    "VII": {
        "Reno": (
            (26.31, 0.02, -0.77, 9.65, 0.52, -0.96, -0.53, 0.33),
            (0.00, 0.41, 65.22, 0.19, 0.64, 0.19, 0.07),
            33.27,
        ),
        "Vegas": (
            (20.97, 0.07, -0.69, 7.96, 0.90, -0.79, -0.34, 0.37),
            (0.00, 0.42, 55.78, 0.72, 0.55, 0.10, 0.12),
            42.30,
        ),
    },
    "VIII": {
        "Reno": (
            (29.02, -10.74, -8.65, 3.08, 5.42, 0.32, -1.98, 0.43),
            (43.12, 27.97, 3.56, 10.96, 0.04, 1.47, 0.07),
            12.82,
        ),
        "Vegas": (
            (32.75, -12.43, -6.38, 3.05, 2.41, 0.40, -1.53, 0.25),
            (54.91, 14.48, 3.31, 2.06, 0.06, 0.83, 0.02),
            24.34,
        ),
    },
    "IX": {
        "Reno": (
            (120.84, 2.55, -2.21, -4.79, 1.41, -3.24, 0.25, 0.97),
            (1.09, 0.81, 3.83, 0.33, 1.75, 0.01, 0.16),
            92.02,
        ),
        "Vegas": (
            (144.02, 5.58, -1.84, -6.31, 1.45, -3.22, -0.24, -0.26),
            (3.45, 0.37, 4.41, 0.23, 1.14, 0.01, 0.01),
            90.39,
        ),
    },
    "XI": {
        "Reno": (
            (17.96, -2.87, -0.19, 4.80, 0.39, -1.74, 0.30, 0.01),
            (12.31, 0.05, 34.29, 0.22, 4.52, 0.13, 0.00),
            48.48,
        ),
        "Vegas": (
            (16.26, -1.54, -0.63, 3.25, 0.05, -0.90, 0.16, -0.20),
            (4.61, 0.78, 20.53, 0.00, 1.59, 0.05, 0.08),
            72.36,
        ),
    },
}


def implied_deviation(table: str, ground: str) -> float:
    """Returns the standard deviation of single runs that a table's effects and error share imply. The effects' share of
    the variation is the sum of their squares times the number of runs; the errors have a degree of freedom less for
    each of the cells.

    >>> round(implied_deviation("VI", "Reno"), 1), round(implied_deviation("VII", "Reno"), 1)
    (9.2, 7.0)
    """
    effects, shares, errors = TABLES[table][ground]
    explained = sum(effect**2 for effect in effects[1:])
    return float(np.sqrt(errors / sum(shares) * explained * SEEDS / (SEEDS - 1)))


@dataclass(frozen=True)
class _Asked:
    """One of tables VI to IX: its load, its measured quantity, and the conclusion that must hold."""

    table: str
    load: str
    measure: Callable[[Mapping[str, Any]], Floats]
    unit: str
    title: str
    holds: Callable[[Analysis], bool]


def _start_and_recovery(found: Analysis) -> bool:
    ss, ca, rec = (found[word].value for word in "SCR")
    return min(ss, rec) > abs(ca)


def _explained(found: Analysis) -> float:
    """Returns the part of the variation that all effects together explain; the rest is the error's."""
    return sum(effect.share for effect in found.effects if effect.name != "I")


def _recovery_most(found: Analysis) -> bool:
    return found["R"].value > 0 and found["R"].share > _explained(found) - found["R"].share


def _start_saves_most(found: Analysis) -> bool:
    ss, ca, rec = (found[word].value for word in "SCR")
    return ss < ca < 0 < rec


def _start_costs(found: Analysis) -> bool:
    ss, _, rec = (found[word].value for word in "SCR")
    return ss < 0 < rec and rec > -ss


def _error_explains_most(found: Analysis) -> bool:
    return _explained(found) < 1 / 2


_TABLES_ASKED = {
    "H-table6": _Asked("VI", "low", throughput_kbps, "KB/s", "throughput, low", _start_and_recovery),
    "H-table7": _Asked("VII", "high", throughput_kbps, "KB/s", "throughput, high", _recovery_most),
    "H-table8": _Asked("VIII", "low", resent_kb, "KB", "retransmissions, low", _start_saves_most),
    "H-table9": _Asked("IX", "high", resent_kb, "KB", "retransmissions, high", _error_explains_most),
}
_ASKED = {
    f"{claim}{suffix}": (asked, ground)
    for claim, asked in _TABLES_ASKED.items()
    for ground, suffix in (("Reno", ""), ("Vegas", "-vegas"))
}
"""The table and the background of each claim."""


def phase_batches(quick: bool) -> dict[str, Batch]:
    """Returns the 2^3 design over the four backgrounds in both readings, the source of most tables."""
    seeds = QUICK_SEEDS if quick else SEEDS
    return {
        run_key(kind, *ground): batch(phase_cells(), over(*ground, kind=kind), seeds)
        for kind in kinds_run(quick)
        for ground in GROUNDS
    }


def _runs(quick: bool) -> dict[str, Batch]:
    """Returns the 2^3 design, and over low backgrounds the readings of mechanism B, too."""
    seeds = QUICK_SEEDS if quick else SEEDS
    return phase_batches(quick) | {
        run_key(kind, *ground): batch(phase_cells(kind), over(*ground, kind=kind), seeds)
        for kind in MECHANISM_READINGS
        for ground in GROUNDS
        if ground[1] == "low"
    }


def readings_in(data: Data, load: str = "high") -> list[Kind]:
    """Returns the readings that were run."""
    return [kind for kind in (*READINGS, *MECHANISM_READINGS) if run_key(kind, "Reno", load) in data]


def _find(data: Data) -> dict[str, Finding]:
    return {claim: _finding(asked, ground, data) for claim, (asked, ground) in _ASKED.items()}


def _finding(asked: _Asked, ground: str, data: Data) -> Finding:
    samples = {
        kind: {one: asked.measure(data[run_key(kind, one, asked.load)]) for one in ("Reno", "Vegas")}
        for kind in readings_in(data, asked.load)
    }
    tables = [
        effects_table(f"Table {asked.table}: {asked.title} background, {kind.name}", asked.table, both, asked.unit)
        for kind, both in samples.items()
    ]
    readings = {kind: both[ground] for kind, both in samples.items()}
    cells = cells_table(asked.table, ground, readings, asked.unit)
    effects = tables if ground == "Reno" else []
    return effects_finding(asked.table, ground, readings, asked.holds, (cells, *effects))


def effects_finding(
    table: str,
    ground: str,
    samples: Mapping[Kind, Floats],
    holds: Callable[[Analysis], bool],
    tables: tuple[Table, ...],
) -> Finding:
    """Returns the mean and the effects of the three phases, then their shares and the errors', in each reading."""
    sample = samples[TCPLIB]
    intervals = Analysis.of(PHASE_DESIGN, sample, LEVEL, blocks=True)
    return Finding.of_readings(
        *(
            Reading(
                name=kind.name,
                values=tuple(effects_and_shares(one).tolist()),
                # the paper's error share includes the seeds' part, since its replications are independent
                holds=holds(Analysis.of(PHASE_DESIGN, one, LEVEL)),
                errors=tuple(map(Errors, paper_errors(table, ground), own_errors(one).tolist())),
            )
            for kind, one in samples.items()
        ),
        intervals=tuple(
            (intervals[word].value - intervals[word].half_width, intervals[word].value + intervals[word].half_width)
            for word in "ISCR"
        ),
        note=f"Of the errors, {100 * _of_seeds(sample):.0f} % are alike in all cells of a seed; the intervals "
        '(90 %, of effects) leave them out. The paper\'s row "90%" holds intervals of 80 %, by its own shares.',
        tables=tables,
        facts=_saved(table, ground, sample) | _of_mechanism_b(samples),
    )


def _saved(table: str, ground: str, sample: Floats) -> dict[str, float]:
    """Returns what slow start saves (an effect is half of the difference), and how many times as much as in the
    paper.
    """
    effect = float(effects_and_shares(sample)[1])
    return {"saved": -2 * effect, "saves": effect / TABLES[table][ground][0][1]}


def _of_mechanism_b(samples: Mapping[Kind, Floats]) -> dict[str, float]:
    """Returns the effects in the readings of mechanism B, such as `beta_ca` and `syn_ca`."""
    return {
        f"{kind.key.removeprefix('tcplib-')}_{phase}": float(effect)
        for kind in MECHANISM_READINGS
        if kind in samples
        for phase, effect in zip(PHASES, effects_and_shares(samples[kind])[1:], strict=False)
    }


def effects_and_shares(sample: Floats, signs: Floats | None = None) -> Floats:
    """Returns mean, ss, ca and rec, then the shares of the last three and of the errors in %; `sample` has the shape
    (..., 8 cells, replications). Of another design, `signs` are the levels of the mean and of the effects.
    """
    signs = np.array([_signs(word) for word in "ISCR"]) if signs is None else signs
    cells = sample.shape[-2]
    effects = np.einsum("ec,...c->...e", signs, sample.mean(axis=-1)) / cells
    total = ((sample - sample.mean(axis=(-2, -1), keepdims=True)) ** 2).sum(axis=(-2, -1))
    errors = ((sample - sample.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-2, -1))
    explained = cells * sample.shape[-1] * effects[..., 1:] ** 2
    shares = 100 * np.concatenate([explained, errors[..., None]], axis=-1) / total[..., None]
    return np.asarray(np.concatenate([effects, shares], axis=-1), dtype=np.float64)


def own_errors(sample: Floats, signs: Floats | None = None) -> Floats:
    """Returns the standard errors of `effects_and_shares` over seeds, which are alike in all cells: the jackknife."""
    seeds = sample.shape[1]
    without_one = np.array([effects_and_shares(np.delete(sample, seed, axis=1), signs) for seed in range(seeds)])
    squares = ((without_one - without_one.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(np.sqrt((seeds - 1) / seeds * squares), dtype=np.float64)


@cache
def paper_errors(table: str, ground: str) -> tuple[float, ...]:
    """Returns the standard errors of the paper's values: the deviations of those of made-up experiments of 8 x 50
    normal runs that have its effects and its errors.
    """
    return tuple(effects_and_shares(made_up(table, ground, _MADE_UP)).std(axis=0, ddof=1).tolist())


def made_up(table: str, ground: str, experiments: int, seed: int = 1) -> Floats:
    """Returns the runs of made-up experiments, shape (experiments, 8, 50)."""
    signs = np.array([_signs(word) for word in PHASE_EFFECTS])
    cells = np.array(TABLES[table][ground][0]) @ signs
    errors = np.random.default_rng(seed).standard_normal((experiments, len(cells), SEEDS))
    return np.asarray(cells[:, None] + implied_deviation(table, ground) * errors, dtype=np.float64)


def _signs(word: str) -> Floats:
    """Returns the levels of an effect in each cell."""
    return np.asarray(PHASE_DESIGN.signs(frozenset(word) - {"I"}), dtype=np.float64)


def mean_errors(table: str, ground: str) -> float:
    """Returns the standard error of the mean of one cell's runs in the paper."""
    return implied_deviation(table, ground) / math.sqrt(SEEDS)


def _of_seeds(sample: Floats) -> float:
    plain = Analysis.of(PHASE_DESIGN, sample, LEVEL)
    return plain.seed_variation / plain.error_variation


def effects_table(title: str, table: str, samples: Mapping[str, Floats], unit: str) -> Table:
    """Returns the paper's table with our numbers beside it; * marks those that the 90 % interval does not distinguish
    from 0.
    """
    head = ["effect"]
    for ground in samples:
        head += [f"{ground}: paper ({unit})", "ours", "90 % from", "to", "paper %", "ours %"]
    analyses = {ground: Analysis.of(PHASE_DESIGN, sample, LEVEL) for ground, sample in samples.items()}
    blocked = {ground: Analysis.of(PHASE_DESIGN, sample, LEVEL, blocks=True) for ground, sample in samples.items()}
    lines = []
    for place, (word, name) in enumerate(PHASE_EFFECTS.items()):
        line = [name]
        for ground, found in analyses.items():
            effects, shares, _ = TABLES[table][ground]
            one = blocked[ground][word]
            star = "" if one.significant else " *"
            line += [number(effects[place]), number(one.value) + star]
            line += [number(one.value - one.half_width), number(one.value + one.half_width)]
            line += [number(shares[place - 1]), number(100 * found[word].share)] if place else ["", ""]
        lines.append(line)
    errors = ["errors"]
    for ground, found in analyses.items():
        errors += ["", "", "", "", number(TABLES[table][ground][2]), number(100 * found.error_share)]
    return Table(title=f"{title}; * not significantly different from 0", head=head, rows=[*lines, errors])


def cells_table(table: str, ground: str, samples: Mapping[Kind, Floats], unit: str) -> Table:
    """Returns the means of the eight cells, the paper's from its effects, with half the width of 95 % intervals."""
    signs = np.array([_signs(word) for word in PHASE_EFFECTS])
    paper = np.array(TABLES[table][ground][0]) @ signs
    half = f"{NORMAL_95 * mean_errors(table, ground):.1f}"
    head = ["mechanisms", f"paper ({unit})", "95 %: +-"]
    for kind in samples:
        head += [kind.name, "95 %: +-"]
    lines = []
    for cell, letters in enumerate(phase_letters()):
        line = [letters or "none", f"{paper[cell]:.1f}", half]
        for sample in samples.values():
            mean = mean_interval(sample[cell])
            line += [f"{mean.mean:.1f}", f"{mean.high - mean.mean:.1f}"]
        lines.append(line)
    return Table(title=f"The eight cells of table {table} over {ground}'s background", head=head, rows=lines)


def far_findings(samples: Mapping[Kind, Mapping[str, Floats]]) -> dict[str, Finding]:
    """Returns the findings on table XI."""
    tables = [
        effects_table(f"Table XI: throughput over the long path, {kind.name}", "XI", both, "KB/s")
        for kind, both in samples.items()
    ]
    over_reno, over_vegas = ({kind: both[one] for kind, both in samples.items()} for one in ("Reno", "Vegas"))
    cells, of_vegas = cells_table("XI", "Reno", over_reno, "KB/s"), cells_table("XI", "Vegas", over_vegas, "KB/s")
    return {
        "H-table11": effects_finding("XI", "Reno", over_reno, _start_costs, (cells, *tables)),
        "H-table11-vegas": effects_finding("XI", "Vegas", over_vegas, _start_costs, (of_vegas,)),
    }


def _draw(data: Data) -> list[Chart]:
    panels = [_panel(asked, data) for asked in _TABLES_ASKED.values()]
    return [
        Chart(
            slug="revisited-effects",
            title="Tables VI to IX: effects of the three phases",
            caption="Dots: ours; crosses: the paper's; both with 90 % intervals.",
            panels=panels,
        )
    ]


def _panel(asked: _Asked, data: Data) -> Panel:
    curves = []
    words = list(PHASE_EFFECTS)[1:]
    for place, ground in enumerate(("Reno", "Vegas")):
        found = Analysis.of(PHASE_DESIGN, asked.measure(data[run_key(TCPLIB, ground, asked.load)]), LEVEL, blocks=True)
        x = [at + 0.1 * (2 * place - 1) for at in range(len(words))]
        values = [found[word].value for word in words]
        bars = [[value - found.half_width, value + found.half_width] for value in values]
        curves += [Curve(label="", x=[at, at], y=bar, colour=place) for at, bar in zip(x, bars, strict=True)]
        curves.append(Curve(label=f"over {ground}", x=x, y=values, colour=place, style="points"))
        paper = TABLES[asked.table][ground][0][1:]
        beside = [at + 0.04 for at in x]
        half = _NORMAL_90 * mean_errors(asked.table, ground) / math.sqrt(PHASE_DESIGN.cells)
        curves += [
            Curve(label="", x=[at, at], y=[effect - half, effect + half], colour=place, thin=True)
            for at, effect in zip(beside, paper, strict=True)
        ]
        curves.append(Curve(label=f"over {ground}, paper", x=beside, y=paper, colour=place, style="crosses"))
    y = f"{asked.title.split(',', maxsplit=1)[0]} ({asked.unit})"
    axis = f"effect, table {asked.table} ({asked.load} background)"
    names = list(PHASE_EFFECTS.values())[1:]
    return Panel(x=axis, y=y, curves=curves, level=(0.0, ""), from_zero=False, x_names=names)


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Three phases, 2^3 design (tables VI to IX)",
        claims=tuple(_ASKED),
        runs=_runs,
        find=_find,
        draw=_draw,
    ),
)

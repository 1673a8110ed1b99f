"""Revisited: throughput and retransmissions of Reno and Vegas over four backgrounds (tables I, II, IV, V,
XII), and over the long path (tables X, XI).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.table import Table, number
from vegaslab.papers.judging.verdict import Errors, Finding, Reading
from vegaslab.papers.revisited import factors, variants
from vegaslab.papers.revisited.gains import (
    NAMES,
    all_seeds,
    corrections,
    gain_reading,
    gains_in_words,
    ratio_error,
)
from vegaslab.papers.revisited.setting import (
    GROUNDS,
    KINDS,
    LEVEL,
    LOADS,
    PHASE_DESIGN,
    QUICK_SEEDS,
    READINGS,
    SEEDS,
    TCPLIB,
    WAN,
    Floats,
    Kind,
    batch,
    cut_short,
    kinds_run,
    over,
    phase_cells,
    resent_kb,
    run_key,
    throughput_kbps,
)
from vegaslab.statistics import Interval, mean_interval, paired_difference, standard_error
from vegaslab.sweeps.factorial.analysis import Analysis

RENO, ONLY_CA, WITHOUT_CA, VEGAS = 0, 2, 5, 7
"""Places of cells in the 2^3 design: nothing on, congestion avoidance alone, all but that, all on."""

_RELEASED = "vegas-1994"
_GROUND_AXIS = "background"
_PAPER_IV = {"throughput": (71.8, 13.0), "resent": (49.5, 144.8)}
"""Ratios of Reno's figures to the corrected Vegas's, for low and high load (tables IV and V)."""


def _short_runs(quick: bool) -> dict[str, Batch]:
    # ratios of two means, such as Reno's over two backgrounds, move by a third from ten seeds to fifty
    released = {
        f"released/{run_key(kind, background, load)}": batch(algorithms, over(background, load, kind=kind), SEEDS)
        for kind in kinds_run(quick)
        for load in LOADS
        for background, algorithms in (("Reno", [_RELEASED]), ("released", ["reno", _RELEASED]))
    }
    ends = [phase_cells()[RENO], phase_cells()[VEGAS]]
    alone = {
        f"alone/{run_key(kind, *ground)}": batch(ends, over(*ground, kind=kind), SEEDS)
        for kind in kinds_run(quick)
        for ground in GROUNDS
    }
    return {**factors.phase_batches(quick), **released, **alone, **variants.runs(quick)}


def _rows(data: Data, kind: Kind, measure: Any) -> dict[str, list[Floats]]:
    """Returns the values of each replication, by sender, over the four backgrounds in the paper's order."""
    phases = {ground: measure(data[run_key(kind, *ground)]) for ground in GROUNDS}
    mixed = {load: measure(data[f"released/{run_key(kind, 'released', load)}"]) for load in LOADS}
    over_reno = {load: measure(data[f"released/{run_key(kind, 'Reno', load)}"])[0] for load in LOADS}
    return {
        "Reno": [one for load in LOADS for one in (phases["Reno", load][RENO], mixed[load][0])],
        "Vegas": [one for load in LOADS for one in (over_reno[load], mixed[load][1])],
        "Vegas'": [phases[ground][VEGAS] for ground in GROUNDS],
        "Reno over Vegas'": [phases["Vegas", load][RENO] for load in LOADS],
    }


def _find_short(data: Data) -> dict[str, Finding]:
    speed = {kind: _rows(data, kind, throughput_kbps) for kind in factors.readings_in(data)}
    resent = {kind: _rows(data, kind, resent_kb) for kind in speed}
    fast = {kind: all_seeds(data, kind, throughput_kbps) for kind in speed}
    again = {kind: all_seeds(data, kind, resent_kb) for kind in speed}
    short = "; ".join(f"{kind.name}: {_cut_short(data, kind)}" for kind in speed)
    return {
        "H-table1": Finding.of_readings(
            *(_reading(kind, _means(rows), _all_faster(rows), ("VI", "VII")) for kind, rows in speed.items()),
            intervals=_intervals(_means(speed[TCPLIB])),
            note=f"Not over after 300 s, and counted as far as they came, of Reno's transfers: {short}.",
            tables=(
                *(
                    _table(f"Tables I and IV: throughput, {kind.name}", "H-table1", rows, "throughput", "KB/s")
                    for kind, rows in speed.items()
                ),
                variants.table(data),
            ),
        ),
        "H-table2": Finding.of_readings(
            *(_reading(kind, _means(rows), _less_resent(rows), ("VIII", "IX")) for kind, rows in resent.items()),
            intervals=_intervals(_means(resent[TCPLIB])),
            tables=tuple(
                _table(f"Tables II and V: retransmissions, {kind.name}", "H-table2", rows, "resent", "KB")
                for kind, rows in resent.items()
            ),
        ),
        "H-reno-suffers": _find_suffering(data),
        "H-speedup": Finding.of_readings(
            *(gain_reading(kind, rows, ("VI", "VII"), 1) for kind, rows in fast.items()),
            note=gains_in_words(fast[TCPLIB], 1),
        ),
        "H-saving": Finding.of_readings(
            *(gain_reading(kind, rows, ("VIII", "IX"), -1) for kind, rows in again.items()),
            note=gains_in_words(again[TCPLIB], -1),
        ),
        "H-corrections": Finding.of_readings(
            *(corrections(kind, fast[kind], again[kind]) for kind in fast),
            note="Throughput over Reno low, Vegas low, Reno high, Vegas high, then retransmissions. The paper's own "
            "standard errors are 1.8 and 1.4 KB/s for the differences of throughput at low and high load, so that its "
            "four are none by themselves.",
        ),
    }


def _means(rows: Mapping[str, list[Floats]]) -> list[Floats]:
    """Returns the samples of the means that the claims print, row by row."""
    return [one for row in ("Reno", "Vegas", "Vegas'") for one in rows[row]]


def _all_faster(rows: Mapping[str, list[Floats]]) -> bool:
    return all(
        rows[sender][ground].mean() > rows["Reno"][ground].mean()
        for sender in ("Vegas", "Vegas'")
        for ground in range(4)
    )


def _less_resent(rows: Mapping[str, list[Floats]]) -> bool:
    return all(
        rows[sender][ground].mean() < rows["Reno"][ground].mean()
        for sender in ("Vegas", "Vegas'")
        for ground in range(2)
    )


def _reading(kind: Kind, samples: Sequence[Floats], holds: bool, tables: tuple[str, str]) -> Reading:
    """Returns the reading of a table of means, four to a row; `tables`, for low and for high load, have the paper's
    errors.
    """
    papers = [factors.mean_errors(tables[load != "low"], background) for background, load in GROUNDS]
    errors = [Errors(papers[place % 4], standard_error(sample)) for place, sample in enumerate(samples)]
    return Reading(
        name=kind.name, values=tuple(float(one.mean()) for one in samples), holds=holds, errors=tuple(errors)
    )


def _cut_short(data: Data, kind: Kind) -> str:
    return ", ".join(f"{100 * cut_short(data[run_key(kind, *ground)])[RENO]:.0f} %" for ground in GROUNDS)


def _find_suffering(data: Data) -> Finding:
    """Compares Reno over the corrected Vegas's background with Reno over Reno's, as table IV."""
    pairs = {
        kind: [
            (
                throughput_kbps(data[f"alone/{run_key(kind, 'Vegas', load)}"])[0],
                throughput_kbps(data[f"alone/{run_key(kind, 'Reno', load)}"])[0],
            )
            for load in LOADS
        ]
        for kind in factors.readings_in(data)
    }
    more = {kind: [paired_difference(*pair) for pair in both] for kind, both in pairs.items()}
    differences = (
        f"{kind.name}: {', '.join(f'{one.mean:.1f} ({one.low:.1f} to {one.high:.1f})' for one in both)}"
        for kind, both in more.items()
    )
    return Finding.of_readings(
        *(_suffering(kind, pairs[kind], more[kind][-1].high < 0) for kind in pairs),
        note=f"Differences in KB/s, low and high, with 95 % intervals over seeds: {'; '.join(differences)}.",
    )


def _suffering(kind: Kind, pairs: Sequence[tuple[Floats, Floats]], surely: bool) -> Reading:
    """Returns the reading of the two ratios; `surely` says whether the difference at high load is more than chance."""
    ratios = [float(over_vegas.mean() / over_reno.mean()) for over_vegas, over_reno in pairs]
    papers = [
        ratio_error(
            *(factors.mean_errors(table, ground) / mean for ground, mean in zip(("Vegas", "Reno"), means, strict=True))
        )
        for table, means in (("VI", (71.8, 73.4)), ("VII", (13.0, 16.1)))
    ]
    own = [ratio_error(*(standard_error(one) / float(one.mean()) for one in pair)) for pair in pairs]
    return Reading(
        name=kind.name,
        values=tuple(ratios),
        holds=max(ratios) < 1 and surely,
        errors=tuple(
            Errors(ratio * paper, ratio * ours) for ratio, paper, ours in zip(ratios, papers, own, strict=True)
        ),
    )


def _intervals(samples: Sequence[Floats]) -> tuple[tuple[float, float], ...]:
    return tuple((one.low, one.high) for one in map(mean_interval, samples))


def _table(title: str, claim: str, rows: Mapping[str, list[Floats]], what: str, unit: str) -> Table:
    paper = claims()[claim].values
    names = ("Reno", "Vegas", "Vegas'")
    lines = [
        _line(sender, NAMES[ground], paper[4 * place + ground], rows[sender][ground])
        for place, sender in enumerate(names)
        for ground in range(4)
    ]
    lines += [
        _line("Reno", f"Vegas' {load}", _PAPER_IV[what][place], rows["Reno over Vegas'"][place])
        for place, load in enumerate(LOADS)
    ]
    head = ("transfer", "background", f"paper ({unit})", f"ours ({unit})", "95 % from", "to")
    return Table(title=f"{title}; Vegas' is the corrected one", head=head, rows=lines)


def _line(sender: str, ground: str, paper: float, sample: Floats) -> tuple[str, ...]:
    found = mean_interval(sample)
    return (sender, ground, number(paper), number(found.mean), number(found.low), number(found.high))


def _draw_short(data: Data) -> list[Chart]:
    panels = [
        _panel(_rows(data, TCPLIB, measure), claim, unit)
        for measure, claim, unit in (
            (throughput_kbps, "H-table1", "throughput (KB/s)"),
            (resent_kb, "H-table2", "retransmitted (KB)"),
        )
    ]
    caption = (
        "Means of 1 MB transfers (dots) with 95 % intervals over seeds (bars), and the paper's (crosses). Over Vegas, "
        "Reno and the released Vegas meet the released one, the corrected one its like."
    )
    first = Chart(
        slug="revisited-tables",
        title="Tables I, II, IV and V: Reno and Vegas beside tcplib",
        caption=caption,
        panels=panels,
    )
    return [first, variants.chart(data)]


def _panel(rows: Mapping[str, list[Floats]], claim: str, y: str) -> Panel:
    paper = claims()[claim].values
    curves = []
    for place, sender in enumerate(("Reno", "Vegas", "Vegas'")):
        x = [ground + 0.12 * (place - 1) for ground in range(4)]
        curves += points(sender, x, rows[sender], paper[4 * place : 4 * place + 4], place)
    return Panel(x=_GROUND_AXIS, y=y, curves=curves, x_names=NAMES)


def points(
    label: str, x: Sequence[float], samples: Sequence[Floats], paper: Sequence[float], colour: int
) -> list[Curve]:
    """Returns means as dots, their intervals as bars, and the paper's means as crosses."""
    means = [mean_interval(sample) for sample in samples]
    bars = [Curve(label="", x=[at, at], y=[one.low, one.high], colour=colour) for at, one in zip(x, means, strict=True)]
    dots = Curve(label=label, x=x, y=[one.mean for one in means], colour=colour, style="points")
    crosses = Curve(label=f"{label}, paper", x=x, y=paper, colour=colour, style="crosses")
    return [*bars, dots, crosses]


def _find_avoidance(data: Data) -> dict[str, Finding]:
    speed = {
        kind: [throughput_kbps(data[run_key(kind, *ground)]) for ground in GROUNDS]
        for kind in factors.readings_in(data)
    }
    shares = "; ".join(f"{kind.name}: {_parts_in_words(one)}" for kind, one in speed.items())
    return {
        "H-table12": Finding.of_readings(
            *(_reading(kind, _without_and_only(one), _only_without(one), ("VI", "VII")) for kind, one in speed.items()),
            intervals=_intervals(_without_and_only(speed[TCPLIB])),
            note="Of the gain of all mechanisms over Reno, those without congestion avoidance have, and it alone has "
            f"(Reno low, Vegas low, Reno high, Vegas high): {shares}.",
            tables=tuple(_avoidance_table(kind, one) for kind, one in speed.items()),
        )
    }


def _without_and_only(speed: Sequence[Floats]) -> list[Floats]:
    return [one[cell] for cell in (WITHOUT_CA, ONLY_CA) for one in speed]


def _parts(speed: Sequence[Floats]) -> list[tuple[float, float]]:
    """Returns the parts of the gain that are kept without congestion avoidance, and with it alone."""
    return [
        (
            float(one[WITHOUT_CA].mean() - one[RENO].mean()) / _gain(one),
            float(one[ONLY_CA].mean() - one[RENO].mean()) / _gain(one),
        )
        for one in speed
    ]


def _beside_half(speed: Sequence[Floats]) -> list[tuple[Interval, Interval]]:
    """Intervals of what is kept without congestion avoidance above half of the gain, and of what it misses, KB/s."""
    halves = [(one[RENO] + one[VEGAS]) / 2 for one in speed]
    return [
        (mean_interval(one[WITHOUT_CA] - half), mean_interval(half - one[ONLY_CA]))
        for one, half in zip(speed, halves, strict=True)
    ]


def _only_without(speed: Sequence[Floats]) -> bool:
    """Returns whether no interval says the opposite of the conclusion: the difference of a cell may be chance."""
    return all(one.high > 0 for both in _beside_half(speed) for one in both)


def _parts_in_words(speed: Sequence[Floats]) -> str:
    shares = ", ".join(f"{100 * kept:.0f} % and {100 * alone:.0f} %" for kept, alone in _parts(speed))
    beside = ", ".join(f"{kept.mean:.1f} ({kept.low:.1f} to {kept.high:.1f})" for kept, _ in _beside_half(speed))
    return f"{shares}; what is kept is above half by {beside} KB/s"


def _avoidance_table(kind: Kind, speed: Sequence[Floats]) -> Table:
    paper = claims()["H-table12"].values
    names = ("Vegas w/o ca", "Vegas only ca")
    lines = [
        _line(names[place // 4], NAMES[place % 4], paper[place], sample)
        for place, sample in enumerate(_without_and_only(speed))
    ]
    head = ("transfer", "background", "paper (KB/s)", "ours (KB/s)", "95 % from", "to")
    return Table(title=f"Table XII: congestion avoidance left out, and alone, {kind.name}", head=head, rows=lines)


def _gain(speed: Floats) -> float:
    return float(speed[VEGAS].mean() - speed[RENO].mean())


def _draw_avoidance(data: Data) -> list[Chart]:
    speed = [throughput_kbps(data[run_key(TCPLIB, *ground)]) for ground in GROUNDS]
    paper = claims()["H-table12"].values
    printed = {
        "Reno": (73.4, 71.8, 16.1, 13.0),
        "all": (103.7, 99.6, 34.6, 28.4),
        "all but avoidance": paper[:4],
        "avoidance alone": paper[4:],
    }
    curves = []
    for place, (label, cell) in enumerate(zip(printed, (RENO, VEGAS, WITHOUT_CA, ONLY_CA), strict=True)):
        x = [ground + 0.12 * (place - 1.5) for ground in range(4)]
        curves += points(label, x, [one[cell] for one in speed], printed[label], place)
    return [
        Chart(
            slug="revisited-table12",
            title="Table XII: what congestion avoidance adds",
            caption="Dots and bars: ours, with 95 % intervals; crosses: the paper's, of the corrected Vegas.",
            panels=(Panel(x=_GROUND_AXIS, y="throughput (KB/s)", curves=curves, x_names=NAMES),),
        )
    ]


def _far_runs(quick: bool) -> dict[str, Batch]:
    seeds = QUICK_SEEDS if quick else SEEDS
    ends = [phase_cells()[RENO], phase_cells()[VEGAS]]
    runs = {}
    for background in ("Reno", "Vegas"):
        for kind in kinds_run(quick, KINDS):
            ground = over(background, "high", kind=kind)
            runs[f"far/{kind.key}/{background}"] = batch(phase_cells() if kind == TCPLIB else ends, ground, seeds, WAN)
            # the runs over tcplib's backgrounds are those of the other tables
            runs[f"near/{kind.key}/{background}"] = batch(phase_cells() if kind in READINGS else ends, ground, seeds)
    return runs


def _find_far(data: Data) -> dict[str, Finding]:
    kinds = [kind for kind in KINDS if f"far/{kind.key}/Reno" in data]
    far = {
        kind: {ground: throughput_kbps(data[f"far/{kind.key}/{ground}"]) for ground in ("Reno", "Vegas")}
        for kind in kinds
    }
    cut = data[f"far/{TCPLIB.key}/Reno"]
    return {
        "H-table10": Finding.of_readings(
            *(_far_reading(data, kind) for kind in kinds),
            intervals=_intervals(_ends(far[TCPLIB])),
            note=f"Vegas over Reno, by both backgrounds: {'; '.join(_far_gains(data, kind) for kind in kinds)}. "
            f"Not over after 300 s: {_percent(cut)} of Reno's and Vegas's transfers over Reno.",
            tables=tuple(_far_table(kind, far[kind]) for kind in READINGS if kind in far),
        ),
        "H-wan-resent": _find_far_resent(data),
        **factors.far_findings({TCPLIB: far[TCPLIB]}),
    }


def _find_far_resent(data: Data) -> Finding:
    """Returns the effect of the changed slow start on retransmissions over the long path."""
    found = [
        Analysis.of(PHASE_DESIGN, resent_kb(data[f"far/{TCPLIB.key}/{ground}"]), LEVEL, blocks=True)
        for ground in ("Reno", "Vegas")
    ]
    return Finding(
        values=tuple(one["S"].value for one in found),
        holds=all(one["S"].value + one.half_width >= 0 for one in found),
        intervals=tuple((one["S"].value - one.half_width, one["S"].value + one.half_width) for one in found),
        note="Effects (half of the difference) over Reno's background and over Vegas's, with 90 % intervals; on "
        f"average {' and '.join(number(one['I'].value) for one in found)} KB are resent.",
    )


def _ends(far: Mapping[str, Floats]) -> list[Floats]:
    """Returns Reno over both backgrounds, then Vegas."""
    return [far[ground][cell] for cell in (0, -1) for ground in far]


def _far_table(kind: Kind, far: Mapping[str, Floats]) -> Table:
    paper = claims()["H-table10"].values
    lines = [
        _line("Vegas'" if place > 1 else "Reno", f"{list(far)[place % 2]} high", paper[place], sample)
        for place, sample in enumerate(_ends(far))
    ]
    head = ("transfer", "background", "paper (KB/s)", "ours (KB/s)", "95 % from", "to")
    return Table(title=f"Table X: throughput over the long path, {kind.name}", head=head, rows=lines)


def _far_and_near(data: Data, kind: Kind) -> list[tuple[Floats, Floats]]:
    """Returns the throughputs on the long path and on the short one, over Reno's background, then Vegas's."""
    return [
        (throughput_kbps(data[f"far/{kind.key}/{ground}"]), throughput_kbps(data[f"near/{kind.key}/{ground}"]))
        for ground in ("Reno", "Vegas")
    ]


def _far_reading(data: Data, kind: Kind) -> Reading:
    pairs = _far_and_near(data, kind)
    samples = [far[cell] for cell in (0, -1) for far, _ in pairs]
    papers = [factors.mean_errors("XI", ground) for ground in ("Reno", "Vegas")] * 2
    return Reading(
        name=f"{kind.name}, one every {kind.gaps['high']}",
        values=tuple(float(sample.mean()) for sample in samples),
        holds=all(1 < _ratio(far) < _ratio(near) for far, near in pairs),
        errors=tuple(Errors(paper, standard_error(sample)) for paper, sample in zip(papers, samples, strict=True)),
    )


def _far_gains(data: Data, kind: Kind) -> str:
    gains = [f"{_ratio(far):.2f} here, {_ratio(near):.2f} on the short path" for far, near in _far_and_near(data, kind)]
    return f"{kind.name}: {' and '.join(gains)}"


def _ratio(speed: Floats) -> float:
    return float(speed[-1].mean() / speed[0].mean())


def _percent(columns: Mapping[str, Any]) -> str:
    parts = cut_short(columns)
    return f"{100 * parts[0]:.0f} and {100 * parts[-1]:.0f} %"


def _draw_far(data: Data) -> list[Chart]:
    far = [far for far, _ in _far_and_near(data, TCPLIB)]
    paper = claims()["H-table10"].values
    curves = []
    for place, (label, cell) in enumerate((("Reno", 0), ("Vegas'", -1))):
        x = [ground + 0.08 * (2 * place - 1) for ground in range(2)]
        curves += points(label, x, [one[cell] for one in far], paper[2 * place : 2 * place + 2], place)
    panel = Panel(x=_GROUND_AXIS, y="throughput (KB/s)", curves=curves, x_names=NAMES[2:])
    caption = "1.5 Mb/s and 400 ms with a queue of 50. Dots and bars: ours, with 95 % intervals; crosses: the paper's."
    return [Chart(slug="revisited-table10", title="Table X: the long path", caption=caption, panels=(panel,))]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Reno and Vegas beside tcplib (tables I, II, IV, V)",
        claims=("H-table1", "H-table2", "H-speedup", "H-saving", "H-corrections", "H-reno-suffers"),
        runs=_short_runs,
        find=_find_short,
        draw=_draw_short,
    ),
    Experiment(
        title="Congestion avoidance left out, and alone (table XII)",
        claims=("H-table12",),
        runs=factors.phase_batches,
        find=_find_avoidance,
        draw=_draw_avoidance,
    ),
    Experiment(
        title="The long path (tables X, XI)",
        claims=("H-table10", "H-table11", "H-table11-vegas", "H-wan-resent"),
        runs=_far_runs,
        find=_find_far,
        draw=_draw_far,
    ),
)

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
from vegaslab.papers.judging.verdict import Finding, Reading
from vegaslab.papers.revisited import factors, variants
from vegaslab.papers.revisited.setting import (
    GROUNDS,
    KINDS,
    LOADS,
    TCPLIB,
    WAN,
    Floats,
    Kind,
    batch,
    cut_short,
    over,
    phase_cells,
    resent_kb,
    throughput_kbps,
)
from vegaslab.statistics import mean_interval, paired_difference

RENO, ONLY_CA, WITHOUT_CA, VEGAS = 0, 2, 5, 7
"""Places of cells in the 2^3 design: nothing on, congestion avoidance alone, all but that, all on."""

_SEEDS, _QUICK_SEEDS = 50, 10
_RELEASED = "vegas-1994"
_NAMES = ("Reno low", "Vegas low", "Reno high", "Vegas high")
_GROUND_AXIS = "background: 1 Reno low, 2 Vegas low, 3 Reno high, 4 Vegas high"
_KEPT_GAIN, _NO_GAIN = 0.5, 0.25
"""Parts of the whole gain: a choice keeps the gain with half of it at least, and has none with a quarter at most."""

_PAPER_IV = {"throughput": (71.8, 13.0), "resent": (49.5, 144.8)}
"""Ratios of Reno's figures to the corrected Vegas's, for low and high load (tables IV and V)."""


def phase_batches(quick: bool) -> dict[str, Batch]:
    """Returns the 2^3 design over the four backgrounds, the source of most tables."""
    seeds = _QUICK_SEEDS if quick else _SEEDS
    return {f"{background}-{load}": batch(phase_cells(), over(background, load), seeds) for background, load in GROUNDS}


def _short_runs(quick: bool) -> dict[str, Batch]:
    seeds = _QUICK_SEEDS if quick else _SEEDS
    released = {f"released/Reno-{load}": batch([_RELEASED], over("Reno", load), seeds) for load in LOADS}
    both = {f"released/released-{load}": batch(["reno", _RELEASED], over("released", load), seeds) for load in LOADS}
    return {**phase_batches(quick), **released, **both, **variants.runs(quick)}


def _rows(data: Data, measure: Any) -> dict[str, list[Floats]]:
    """Returns the values of each replication, by sender, over the four backgrounds in the paper's order."""
    phases = {ground: measure(data["-".join(ground)]) for ground in GROUNDS}
    mixed = {load: measure(data[f"released/released-{load}"]) for load in LOADS}
    over_reno = {load: measure(data[f"released/Reno-{load}"])[0] for load in LOADS}
    return {
        "Reno": [one for load in LOADS for one in (phases["Reno", load][RENO], mixed[load][0])],
        "Vegas": [one for load in LOADS for one in (over_reno[load], mixed[load][1])],
        "Vegas'": [phases[ground][VEGAS] for ground in GROUNDS],
        "Reno over Vegas'": [phases["Vegas", load][RENO] for load in LOADS],
    }


def _find_short(data: Data) -> dict[str, Finding]:
    speed, resent = _rows(data, throughput_kbps), _rows(data, resent_kb)
    rows = ("Reno", "Vegas", "Vegas'")
    faster = all(
        speed[sender][ground].mean() > speed["Reno"][ground].mean() for sender in rows[1:] for ground in range(4)
    )
    less = all(
        resent[sender][ground].mean() < resent["Reno"][ground].mean() for sender in rows[1:] for ground in range(2)
    )
    short = [f"{100 * cut_short(data['-'.join(ground)])[RENO]:.0f} %" for ground in GROUNDS]
    return {
        "H-table1": Finding(
            **_values([one for row in rows for one in speed[row]]),
            holds=faster,
            note=f"Not over after 300 s, and counted as far as they came: {', '.join(short)} of Reno's transfers.",
            tables=(
                _table("Tables I and IV: throughput", "H-table1", speed, "throughput", "KB/s"),
                variants.table(data),
            ),
        ),
        "H-table2": Finding(
            **_values([one for row in rows for one in resent[row]]),
            holds=less,
            tables=(_table("Tables II and V: retransmissions", "H-table2", resent, "resent", "KB"),),
        ),
        "H-reno-suffers": _find_suffering(data),
    }


def _find_suffering(data: Data) -> Finding:
    """Compares Reno over the corrected Vegas's background with Reno over Reno's, as table IV."""
    pairs = [
        (throughput_kbps(data[f"Vegas-{load}"])[RENO], throughput_kbps(data[f"Reno-{load}"])[RENO]) for load in LOADS
    ]
    shares = tuple(float(over_vegas.mean() / over_reno.mean()) for over_vegas, over_reno in pairs)
    more = [paired_difference(over_vegas, over_reno) for over_vegas, over_reno in pairs]
    return Finding(
        values=shares,
        # at high load the difference is more than chance
        holds=max(shares) < 1 and more[-1].high < 0,
        note="Differences in KB/s, low and high, with 95 % intervals over seeds: "
        f"{', '.join(f'{one.mean:.1f} ({one.low:.1f} to {one.high:.1f})' for one in more)}.",
    )


def _values(samples: Sequence[Floats]) -> dict[str, Any]:
    means = [mean_interval(sample) for sample in samples]
    return {"values": tuple(one.mean for one in means), "intervals": tuple((one.low, one.high) for one in means)}


def _table(title: str, claim: str, rows: Mapping[str, list[Floats]], what: str, unit: str) -> Table:
    paper = claims()[claim].values
    names = ("Reno", "Vegas", "Vegas'")
    lines = [
        _line(sender, _NAMES[ground], paper[4 * place + ground], rows[sender][ground])
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
        _panel(_rows(data, measure), claim, unit)
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
        x = [ground + 1 + 0.12 * (place - 1) for ground in range(4)]
        curves += points(sender, x, rows[sender], paper[4 * place : 4 * place + 4], place)
    return Panel(x=_GROUND_AXIS, y=y, curves=curves)


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
    speed = [throughput_kbps(data["-".join(ground)]) for ground in GROUNDS]
    without, only = ([one[cell] for one in speed] for cell in (WITHOUT_CA, ONLY_CA))
    parts = [
        ((one[WITHOUT_CA].mean() - one[RENO].mean()), (one[ONLY_CA].mean() - one[RENO].mean()), _gain(one))
        for one in speed
    ]
    paper = claims()["H-table12"].values
    lines = [
        _line(sender, _NAMES[ground], paper[4 * place + ground], sample[ground])
        for place, (sender, sample) in enumerate((("Vegas w/o ca", without), ("Vegas only ca", only)))
        for ground in range(4)
    ]
    head = ("transfer", "background", "paper (KB/s)", "ours (KB/s)", "95 % from", "to")
    shares = "; ".join(f"{100 * kept / gain:.0f} % and {100 * alone / gain:.0f} %" for kept, alone, gain in parts)
    return {
        "H-table12": Finding(
            **_values([*without, *only]),
            holds=all(kept >= _KEPT_GAIN * gain and alone <= _NO_GAIN * gain for kept, alone, gain in parts),
            note="Of the gain of all mechanisms over Reno, those without congestion avoidance have, and it alone has: "
            f"{shares} (Reno low, Vegas low, Reno high, Vegas high). Kept is half, none is a quarter at most.",
            tables=(Table(title="Table XII: congestion avoidance left out, and alone", head=head, rows=lines),),
        )
    }


def _gain(speed: Floats) -> float:
    return float(speed[VEGAS].mean() - speed[RENO].mean())


def _draw_avoidance(data: Data) -> list[Chart]:
    speed = [throughput_kbps(data["-".join(ground)]) for ground in GROUNDS]
    paper = claims()["H-table12"].values
    printed = {
        "Reno": (73.4, 71.8, 16.1, 13.0),
        "all": (103.7, 99.6, 34.6, 28.4),
        "all but avoidance": paper[:4],
        "avoidance alone": paper[4:],
    }
    curves = []
    for place, (label, cell) in enumerate(zip(printed, (RENO, VEGAS, WITHOUT_CA, ONLY_CA), strict=True)):
        x = [ground + 1 + 0.12 * (place - 1.5) for ground in range(4)]
        curves += points(label, x, [one[cell] for one in speed], printed[label], place)
    return [
        Chart(
            slug="revisited-table12",
            title="Table XII: what congestion avoidance adds",
            caption="Dots and bars: ours, with 95 % intervals; crosses: the paper's, of the corrected Vegas.",
            panels=(Panel(x=_GROUND_AXIS, y="throughput (KB/s)", curves=curves),),
        )
    ]


def _far_runs(quick: bool) -> dict[str, Batch]:
    seeds = _QUICK_SEEDS if quick else _SEEDS
    ends = [phase_cells()[RENO], phase_cells()[VEGAS]]
    runs = {}
    for background in ("Reno", "Vegas"):
        for kind in KINDS:
            ground = over(background, "high", kind=kind)
            # the runs over tcplib's background are those of the other tables
            cells = phase_cells() if kind == TCPLIB else ends
            runs[f"far/{kind.name}/{background}"] = batch(cells, ground, seeds, WAN)
            runs[f"near/{kind.name}/{background}"] = batch(cells, ground, seeds)
    return runs


def _find_far(data: Data) -> dict[str, Finding]:
    far = {ground: throughput_kbps(data[f"far/{TCPLIB.name}/{ground}"]) for ground in ("Reno", "Vegas")}
    paper = claims()["H-table10"].values
    lines = [
        _line(sender, f"{ground} high", paper[2 * row + place], far[ground][cell])
        for row, (sender, cell) in enumerate((("Reno", 0), ("Vegas", -1)))
        for place, ground in enumerate(far)
    ]
    head = ("transfer", "background", "paper (KB/s)", "ours (KB/s)", "95 % from", "to")
    cut = data[f"far/{TCPLIB.name}/Reno"]
    return {
        "H-table10": Finding.of_readings(
            *(_far_reading(data, kind) for kind in KINDS),
            intervals=_values([far[ground][cell] for cell in (0, -1) for ground in far])["intervals"],
            note=f"Vegas over Reno, by both backgrounds: {'; '.join(_far_gains(data, kind) for kind in KINDS)}. "
            f"Not over after 300 s: {_percent(cut)} of Reno's and Vegas's transfers over Reno.",
            tables=(Table(title="Table X: throughput over the long path", head=head, rows=lines),),
        ),
        **factors.far_findings(far),
    }


def _far_and_near(data: Data, kind: Kind) -> list[tuple[Floats, Floats]]:
    """Returns the throughputs on the long path and on the short one, over Reno's background, then Vegas's."""
    return [
        (throughput_kbps(data[f"far/{kind.name}/{ground}"]), throughput_kbps(data[f"near/{kind.name}/{ground}"]))
        for ground in ("Reno", "Vegas")
    ]


def _far_reading(data: Data, kind: Kind) -> Reading:
    pairs = _far_and_near(data, kind)
    return Reading(
        name=f"{kind.name}, one every {kind.gaps['high']}",
        values=tuple(float(far[cell].mean()) for cell in (0, -1) for far, _ in pairs),
        holds=all(1 < _ratio(far) < _ratio(near) for far, near in pairs),
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
        x = [ground + 1 + 0.08 * (2 * place - 1) for ground in range(2)]
        curves += points(label, x, [one[cell] for one in far], paper[2 * place : 2 * place + 2], place)
    panel = Panel(x="background: 1 Reno high, 2 Vegas high", y="throughput (KB/s)", curves=curves)
    caption = "1.5 Mb/s and 400 ms with a queue of 50. Dots and bars: ours, with 95 % intervals; crosses: the paper's."
    return [Chart(slug="revisited-table10", title="Table X: the long path", caption=caption, panels=(panel,))]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Reno and Vegas beside tcplib (tables I, II, IV, V)",
        claims=("H-table1", "H-table2", "H-reno-suffers"),
        runs=_short_runs,
        find=_find_short,
        draw=_draw_short,
    ),
    Experiment(
        title="Congestion avoidance left out, and alone (table XII)",
        claims=("H-table12",),
        runs=phase_batches,
        find=_find_avoidance,
        draw=_draw_avoidance,
    ),
    Experiment(
        title="The long path (tables X, XI)",
        claims=("H-table10", "H-table11", "H-table11-vegas"),
        runs=_far_runs,
        find=_find_far,
        draw=_draw_far,
    ),
)

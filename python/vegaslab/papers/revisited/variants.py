"""Revisited: the effect of the choices that the paper leaves open on its tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data
from vegaslab.papers.judging.table import Table, number
from vegaslab.papers.revisited.factors import TABLES, implied_deviation
from vegaslab.papers.revisited.setting import (
    LOADS,
    ONE_ITEM,
    PARETO,
    PHASE_DESIGN,
    POISSON,
    SCENARIO,
    TCPLIB,
    Floats,
    Kind,
    batch,
    deviation,
    one_item,
    over,
    phase_cells,
    resent_kb,
    throughput_kbps,
)
from vegaslab.statistics import mean_interval
from vegaslab.sweeps.factorial.analysis import Analysis

_SEEDS, _QUICK_SEEDS = 50, 2
_FEWEST_FOR_BARS = 5
_RENO, _VEGAS = 0, 7


@dataclass(frozen=True)
class Variant:
    """Another choice where the paper leaves one open, over Reno's background."""

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
    kind: Kind = TCPLIB
    scenario: str = SCENARIO
    in_quick: bool = True


_BOTH_WAYS = "papers/revisited-both-ways"
_DENSE = replace(TCPLIB, gaps={"low": "100ms", "high": "30ms"})

VARIANTS = {
    "tcplib": Variant(f"{TCPLIB.name}, as taken"),
    "one": Variant(ONE_ITEM.name, kind=ONE_ITEM, in_quick=False),
    **{f"one-{s}s": Variant(one_item(s).name, kind=one_item(s), in_quick=False) for s in (60, 180, 300)},
    "all-120s": Variant(one_item(120, None).name, kind=one_item(120, None), in_quick=False),
    "poisson": Variant(POISSON.name, kind=POISSON),
    "pareto": Variant(PARETO.name, kind=PARETO),
    "all": Variant("the four applications every 0.1 and 0.03 s", kind=_DENSE),
    "both-ways": Variant("as many conversations back", scenario=_BOTH_WAYS),
    "at-once": Variant("transfer starts with the background", {"flow.0.start": "0s"}),
    "late": Variant("transfer starts after 20 s", {"flow.0.start": "20s"}),
    "small": Variant("background segments of 512 bytes", {"traffic.0.flow.packet": "552b"}),
    "access": Variant("access links of 2 ms", {"topology.access.delay": "2ms"}),
    "timer": Variant(
        "timers of 10 ms grain, 200 ms at least",
        {
            f"{flow}.host.{key}": value
            for flow in ("flow.0", "traffic.0.flow")
            for key, value in (("rto_grain", "10ms"), ("rto_min", "200ms"))
        },
    ),
    "binary": Variant(
        "KB of 1024 bytes",
        {"topology.bottleneck.rate": "1638400bit", "flow.0.size": "1mib", "flow.0.packet": "1474b"},
    ),
}


def runs(quick: bool) -> dict[str, Batch]:
    """Returns the 2^3 design over Reno's background, low and high, in each variant."""
    seeds = _QUICK_SEEDS if quick else _SEEDS
    return {
        f"variant/{key}/{load}": _batch(one, load, seeds)
        for key, one in VARIANTS.items()
        for load in LOADS
        if one.in_quick or not quick
    }


def _made(data: Data) -> dict[str, Variant]:
    """Returns the variants that were run."""
    return {key: one for key, one in VARIANTS.items() if f"variant/{key}/low" in data}


def _batch(variant: Variant, load: str, seeds: int) -> Batch:
    values = dict(variant.values)
    if variant.scenario == _BOTH_WAYS:
        values["traffic.1.interarrival"] = variant.kind.gaps[load]
    return batch(phase_cells(), over("Reno", load, values, variant.kind), seeds, variant.scenario)


def table(data: Data) -> Table:
    """Returns the figures that change: the deviation of single runs, means of Reno and Vegas, their ratio, the phases'
    effects.
    """
    head: tuple[str, ...] = ("over Reno's background", "load", "deviation of a run (KB/s)")
    head += ("Reno (KB/s)", "Vegas' (KB/s)", "ratio", "ss (KB/s)", "ca", "rec", "errors %")
    head += ("Reno resends (KB)", "Vegas' resends (KB)")
    lines = [_printed("low", "VI", 73.4, 103.7, 48.6, 16.9), _printed("high", "VII", 16.1, 34.6, 122.7, 115.8)]
    lines += [_line(data, key, load) for key in _made(data) for load in LOADS]
    return Table(title="How the result moves with what the paper leaves open", head=head, rows=lines)


def _printed(load: str, table: str, reno: float, vegas: float, reno_kb: float, vegas_kb: float) -> tuple[str, ...]:
    effects, _, errors = TABLES[table]["Reno"]
    cells = (implied_deviation(table, "Reno"), reno, vegas, vegas / reno, *effects[1:4], errors, reno_kb, vegas_kb)
    return ("the paper", load, *map(number, cells))


def _line(data: Data, key: str, load: str) -> tuple[str, ...]:
    columns = data[f"variant/{key}/{load}"]
    speed, resent = throughput_kbps(columns), resent_kb(columns)
    found = Analysis.of(PHASE_DESIGN, speed)
    reno, vegas = float(speed[_RENO].mean()), float(speed[_VEGAS].mean())
    effects = [found[word].value for word in "SCR"]
    cells = (deviation(speed), reno, vegas, vegas / reno, *effects, 100 * found.error_share)
    cells += (float(resent[_RENO].mean()), float(resent[_VEGAS].mean()))
    return (VARIANTS[key].name, load, *map(number, cells))


def chart(data: Data) -> Chart:
    """Draws Reno and Vegas in each variant."""
    panels = [_panel(data, load) for load in LOADS]
    return Chart(
        slug="revisited-variants",
        title="What the paper leaves open",
        caption="Throughput over Reno's background with 95 % intervals (of five seeds or more), low above, high below: "
        f"{'; '.join(f'{key}: {one.name}' for key, one in _made(data).items())}.",
        panels=panels,
    )


def _panel(data: Data, load: str) -> Panel:
    paper = {"low": (73.4, 103.7), "high": (16.1, 34.6)}[load]
    curves = []
    for place, (label, cell) in enumerate((("Reno", _RENO), ("Vegas'", _VEGAS))):
        samples = [throughput_kbps(data[f"variant/{key}/{load}"])[cell] for key in _made(data)]
        x = [number_ + 0.1 * (2 * place - 1) for number_ in range(len(samples))]
        curves += _bars(x, samples, place)
        means = [float(sample.mean()) for sample in samples]
        curves.append(Curve(label=label, x=x, y=means, colour=place, style="points"))
        ends = [-0.5, len(samples) - 0.5]
        curves.append(Curve(label=f"{label}, paper", x=ends, y=[paper[place]] * 2, colour=place, style="dashed"))
    return Panel(x=f"variant, {load} background", y="throughput (KB/s)", curves=curves, x_names=list(_made(data)))


def _bars(x: list[float], samples: list[Floats], colour: int) -> list[Curve]:
    """Draws the intervals, but for those of fewer than five seeds, which would hide everything else."""
    means = [mean_interval(sample) for sample in samples if len(sample) >= _FEWEST_FOR_BARS]
    if not means:
        return []
    return [Curve(label="", x=[at, at], y=[one.low, one.high], colour=colour) for at, one in zip(x, means, strict=True)]

"""Gallop-Vegas: many networks (figure 8), many flows (figure 10), transfers of many sizes (table 5)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, first_time, flow_column, link_column, link_total
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.table import Table, number
from vegaslab.papers.judging.verdict import Finding
from vegaslab.papers.models import gallop as model
from vegaslab.runs.result import Result

_BOTTLENECK = "r1->r2"
_RATES_MBPS = (1.5, 5.0, 10.0, 25.0, 50.0)
_DELAYS_MS = (3, 8, 23, 28, 48)
_ACCESS_RTT_S = 0.004
_PACKET_BITS = 8000
_LABELS = {"gamma1": "Vegas, gamma 1", "gamma3": "Vegas, gamma 3", "gallop": "Gallop-Vegas"}
_FASTEST = "50-48"
_EXAMPLE2 = "25-23"
_MUCH_FASTER = 3.0
_SMALL_KB = 500.0
_NEAR = 0.1

_SIZES = ("480kb", "1mb", "2mb", "5mb", "50mb", "100mb", "400mb")
_SIZES_MB = (0.48, 1, 2, 5, 50, 100, 400)
_PAPER_FAR = (1.08, 1.23, 1.15, 1.48, 1.23, 1.18, 1.99)
_PAPER_NEAR = (1.06, 1.03, 1.29, 1.45, 1.25, 1.27, 1.31)

_FLOWS = 10
_CONVERGED = 0.99
_ROUND_TRIP_S = 0.1
_SMOOTHED_OVER = 5


def _algorithm(key: str, flows: int = 1) -> dict[str, object]:
    """Returns values that give every flow the algorithm."""
    values: dict[str, object] = {}
    for flow in range(flows):
        values[f"flow.{flow}.algorithm"] = "gallop" if key == "gallop" else "vegas-ns2"
        if key == "gamma3":
            values[f"flow.{flow}.gamma"] = 3
    return values


def _rounds_to_full(result: Result) -> float | None:
    """Returns the base RTTs until the window fills the path; None if it never does."""
    base_s = result.summary["flows"][0]["base_rtt_ms"] / 1000
    rate_mbps = next(link["rate_mbps"] for link in result.scenario.links() if link["id"] == _BOTTLENECK)
    time_s, window = flow_column(result, "cwnd_segments")
    reached = first_time(time_s, window >= rate_mbps * 1e6 / _PACKET_BITS * base_s)
    return None if reached is None else reached / base_s


def _network(key: str, rate_mbps: float, delay_ms: int) -> Run:
    rtt_s = 2 * delay_ms / 1000 + _ACCESS_RTT_S
    window = rate_mbps * 1e6 / _PACKET_BITS * rtt_s
    return Run(
        scenario="papers/gallop-fig8",
        set={
            "topology.bottleneck.rate": f"{rate_mbps:g}mbit",
            "topology.bottleneck.delay": f"{delay_ms}ms",
            # twice the time that a window growing by one a round needs
            "duration": f"{math.ceil(2 * (window + 30) * rtt_s)}s",
            "sample": f"{round(rtt_s * 1e5)}us",
            **_algorithm(key),
        },
        extract=_rounds_to_full,
    )


def _network_runs(_quick: bool) -> dict[str, Run]:
    return {
        f"{key}/{rate:g}-{delay}": _network(key, rate, delay)
        for key in _LABELS
        for rate in _RATES_MBPS
        for delay in _DELAYS_MS
    }


def _points(data: Data, key: str) -> list[tuple[float, float]]:
    """Returns the bandwidth-delay product in kb and the rounds, in order."""
    found = [
        (rate * (2 * delay + _ACCESS_RTT_S * 1000), data[f"{key}/{rate:g}-{delay}"])
        for rate in _RATES_MBPS
        for delay in _DELAYS_MS
    ]
    return sorted((product, rounds) for product, rounds in found if rounds is not None)


def _slope(data: Data, key: str) -> float:
    """Returns the slope of the least-squares line, rounds for each 1000 kb."""
    product, rounds = np.array(_points(data, key)).T
    return float(np.polyfit(product / 1000, rounds, 1)[0])


def _exponent(data: Data, key: str) -> float:
    product, rounds = np.array(_points(data, key)).T
    return float(np.polyfit(np.log(product), np.log(rounds), 1)[0])


def _find_networks(data: Data) -> dict[str, Finding]:
    one, three, gallop = (data[f"{key}/{_FASTEST}"] for key in _LABELS)
    slopes = {key: _slope(data, key) for key in _LABELS}
    exponent = _exponent(data, "gallop")
    return {
        "G-fig8": Finding(
            values=(one / gallop,),
            holds=one / gallop > 5,
            note=f"Rounds at 5000 kb: {one:.0f} (Vegas), {gallop:.0f} (Gallop).",
        ),
        "G-fig8-gamma3": Finding(
            values=(three / gallop,),
            holds=three > gallop,
            beyond="" if three / gallop > 5 else f"{three / gallop:.2f} times, for more than 5",
            note=f"Rounds at 5000 kb: {three:.0f} (Vegas with gamma 3), {gallop:.0f} (Gallop).",
        ),
        "G-fig8-small": _find_small(data),
        "G-closed-forms": _find_closed_forms(data),
        "G-fig8-growth": Finding(
            values=tuple(slopes.values()),
            holds=min(slopes["gamma1"], slopes["gamma3"]) >= _MUCH_FASTER * slopes["gallop"] and exponent <= 1,
            note="Rounds for each 1000 kb: Vegas with gamma 1, with gamma 3, Gallop. Gallop's rounds grow as the "
            f"product to the power of {exponent:.2f}.",
        ),
    }


def _find_small(data: Data) -> Finding:
    pairs = zip(_points(data, "gamma1"), _points(data, "gallop"), strict=True)
    small = [(product, vegas, gallop) for (product, vegas), (_, gallop) in pairs if product <= _SMALL_KB]
    ratios = [gallop / vegas for _, vegas, gallop in small]
    listed = ", ".join(f"{product:.0f} kb: {gallop:.0f} and {vegas:.0f}" for product, vegas, gallop in small)
    return Finding(
        values=(max(ratios),), holds=max(ratios) <= 1.25, note=f"Rounds of Gallop and of Vegas, gamma 1: {listed}."
    )


def _find_closed_forms(data: Data) -> Finding:
    rounds = tuple(data[f"{key}/{network}"] for network in (_FASTEST, _EXAMPLE2) for key in ("gamma1", "gallop"))
    printed = claims()["G-closed-forms"].values
    return Finding(
        values=rounds,
        holds=all(abs(ours / theirs - 1) <= _NEAR for ours, theirs in zip(rounds, printed, strict=True)),
        note=f"Corrected, eqs. 13 to 19 give Gallop {model.gallop_rounds(6250, 0.1)} and "
        f"{model.gallop_rounds(3125, 0.05)} rounds.",
    )


def _draw_networks(data: Data) -> list[Chart]:
    products = np.linspace(30, 5000, 200)
    at_100_ms = [(product, product * 1e3 / _PACKET_BITS / 0.1) for product in products]
    closed = [
        ("Vegas, eq. 6", 0, [model.vegas_rounds(mu, 0.1) for _, mu in at_100_ms]),
        ("Gallop, eq. 19 as printed", 2, [model.gallop_rounds_printed(mu, 0.1) for _, mu in at_100_ms]),
        ("Gallop, eq. 19 corrected", 4, [model.gallop_rounds(mu, 0.1) for _, mu in at_100_ms]),
    ]
    dots = [
        Curve(
            label=_LABELS[key],
            x=[product for product, _ in _points(data, key)],
            y=[rounds for _, rounds in _points(data, key)],
            colour=colour,
            style="points",
        )
        for colour, key in enumerate(_LABELS)
    ]
    lines = [Curve(label=label, x=list(products), y=y, colour=colour, style="dashed") for label, colour, y in closed]
    examples = Curve(
        label="the paper's examples", x=[1250, 1250, 5000, 5000], y=[136, 26, 579, 108], colour=3, style="crosses"
    )
    panel = Panel(x="bandwidth-delay product (kb)", y="rounds until the path is full", curves=[*dots, *lines, examples])
    caption = (
        "Simulated (dots) over the closed forms (dashed) and the numbers of section IV.C (crosses). Gallop's increment "
        "starts to grow again after a halving, which eqs. 17 to 19 leave out: the simulation lies below them."
    )
    return [Chart(slug="gallop-fig8", title="Figure 8: convergence in 25 networks", caption=caption, panels=(panel,))]


def _utilisation(result: Result) -> dict[str, Any]:
    time_s, utilisation = link_column(result, "utilisation", _BOTTLENECK)
    smooth = np.convolve(utilisation, np.full(_SMOOTHED_OVER, 1 / _SMOOTHED_OVER), mode="same")
    flows = result.summary["flows"]
    return {
        "utilisation": curve(time_s, utilisation),
        "converged_s": first_time(time_s, smooth >= _CONVERGED),
        "drops": link_total(result, _BOTTLENECK)["drops"],
        "timeouts": sum(flow["timeouts"] for flow in flows),
        "left_s": [flow["slow_start_end_s"] for flow in flows],
    }


def _shared_runs(_quick: bool) -> dict[str, Run]:
    runs = {
        key: Run(scenario="papers/gallop-fig10", set=_algorithm(key, _FLOWS), extract=_utilisation) for key in _LABELS
    }
    short = {
        f"{key}/100p": Run(
            scenario="papers/gallop-fig10",
            set={**_algorithm(key, _FLOWS), "topology.bottleneck.queue": "100p"},
            extract=_utilisation,
        )
        for key in _LABELS
    }
    jitter = {
        f"{key}/spread": Run(
            scenario="papers/gallop-fig10",
            set={**_algorithm(key, _FLOWS), **{f"flow.{flow}.start": f"{10 * flow}ms" for flow in range(_FLOWS)}},
            extract=_utilisation,
        )
        for key in _LABELS
    }
    return {**runs, **short, **jitter}


def _means(data: Data, variant: str = "") -> tuple[list[float], float]:
    """Returns the mean utilisation of each algorithm until all have converged, and the time of that, in s."""
    runs = [data[f"{key}{variant}"] for key in _LABELS]
    ends = [run["converged_s"] if run["converged_s"] is not None else run["utilisation"]["x"][-1] for run in runs]
    end_s = max(ends)
    means = [
        float(np.mean([y for x, y in zip(run["utilisation"]["x"], run["utilisation"]["y"], strict=True) if x <= end_s]))
        for run in runs
    ]
    return means, end_s


def _find_shared(data: Data) -> dict[str, Finding]:
    means, end_s = _means(data)
    short, _ = _means(data, "/100p")
    spread, _ = _means(data, "/spread")
    timeouts = [data[f"{key}/100p"]["timeouts"] for key in _LABELS]
    return {
        "G-fig10": Finding(
            values=tuple(means),
            holds=means[2] > max(means[:2]),
            note=f"Mean utilisation until all have converged at {end_s:.1f} s: Vegas with gamma 1, with gamma 3, "
            "Gallop. "
            f"With a queue of 100: {_list(short)} and {', '.join(map(str, timeouts))} timeouts. "
            f"With starts spread over 0.1 s: {_list(spread)}.",
        ),
        "G-leave": _find_leaving(data),
    }


def _find_leaving(data: Data) -> Finding:
    left = {key: data[key]["left_s"] for key in _LABELS}
    apart = {key: _apart(times) for key, times in left.items()}
    return Finding(
        values=(apart["gamma3"],),
        holds=apart["gamma3"] <= _ROUND_TRIP_S,
        note=f"From the first to the last: Vegas with gamma 1 {apart['gamma1']:.2f} s, with gamma 3 "
        f"{apart['gamma3']:.2f}, Gallop {apart['gallop']:.2f}. With gamma 3 and starts spread over 0.1 s "
        f"{_apart(data['gamma3/spread']['left_s']):.2f}.",
    )


def _apart(times_s: Sequence[float | None]) -> float:
    """Returns the time from the first to the last; infinite if one never comes."""
    found = [time_s for time_s in times_s if time_s is not None]
    return max(found) - min(found) if len(found) == len(times_s) else math.inf


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def _draw_shared(data: Data) -> list[Chart]:
    def panel(variant: str, title: str) -> Panel:
        curves = [
            Curve(
                label=_LABELS[key] if not variant else "",
                x=data[f"{key}{variant}"]["utilisation"]["x"],
                y=data[f"{key}{variant}"]["utilisation"]["y"],
                colour=colour,
            )
            for colour, key in enumerate(_LABELS)
        ]
        return Panel(x="time (s)", y=f"utilisation, {title}", curves=curves)

    caption = (
        "Utilisation of the bottleneck by ten flows of one algorithm: queue of 1000 packets and one start for all (as "
        "assumed), queue of 100, starts spread over 0.1 s."
    )
    panels = (panel("", "queue 1000"), panel("/100p", "queue 100"), panel("/spread", "spread starts"))
    return [Chart(slug="gallop-fig10", title="Figure 10: ten flows on 100 Mb/s", caption=caption, panels=panels)]


def _seconds(result: Result) -> float:
    return float(result.summary["flows"][0]["completion_s"])


def _transfer_runs(_quick: bool) -> dict[str, Run]:
    return {
        f"{path}/{algorithm}/{size}": Run(
            scenario=f"papers/gallop-table5-{path}",
            set={"flow.0.algorithm": algorithm, "flow.0.size": size},
            extract=_seconds,
        )
        for path in ("near", "far")
        for algorithm in ("vegas", "gallop")
        for size in _SIZES
    }


def _gains(data: Data, path: str) -> list[float]:
    return [data[f"{path}/vegas/{size}"] / data[f"{path}/gallop/{size}"] for size in _SIZES]


def _find_transfers(data: Data) -> dict[str, Finding]:
    near, far = _gains(data, "near"), _gains(data, "far")
    seconds = ", ".join(f"{data[f'near/vegas/{size}']:.2f}" for size in _SIZES)
    return {
        "G-table5": Finding(
            values=tuple(near),
            holds=min(near) > 1,
            note="Simulated; with real sockets: docs/linux.md, `make linux-table5`. Vegas takes "
            f"{seconds} s to the near receiver.",
            tables=(_table5(near, far),),
        )
    }


def _table5(near: list[float], far: list[float]) -> Table:
    rows = [
        ("near", "the paper", *map(number, _PAPER_NEAR)),
        ("near", "ours", *map(number, near)),
        ("far", "the paper", *map(number, _PAPER_FAR)),
        ("far", "ours", *map(number, far)),
    ]
    return Table(title="Throughput of Gallop over Vegas", head=("receiver", "", *_SIZES), rows=rows)


def _draw_transfers(data: Data) -> list[Chart]:
    def points(label: str, y: Any, colour: int, style: Any) -> Curve:
        return Curve(label=label, x=_SIZES_MB, y=y, colour=colour, style=style)

    curves = [
        points("near, simulated", _gains(data, "near"), 0, "points"),
        points("near, the paper's hosts", _PAPER_NEAR, 0, "crosses"),
        points("far, simulated", _gains(data, "far"), 1, "points"),
        points("far, the paper's hosts", _PAPER_FAR, 1, "crosses"),
    ]
    panel = Panel(
        x="size (MB)",
        y="throughput, Gallop over Vegas",
        curves=curves,
        log_x=True,
        level=(1.0, "no difference"),
    )
    caption = (
        "100 Mb/s, round trips of 0.35 ms and 2.5 ms, no other traffic. The paper measured hosts on a campus network "
        "for a week."
    )
    return [Chart(slug="gallop-table5", title="Table 5, simulated: downloads", caption=caption, panels=(panel,))]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="25 networks (figure 8)",
        claims=("G-fig8", "G-fig8-gamma3", "G-fig8-growth", "G-fig8-small", "G-closed-forms"),
        runs=_network_runs,
        find=_find_networks,
        draw=_draw_networks,
    ),
    Experiment(
        title="Ten flows share a bottleneck (figure 10)",
        claims=("G-fig10", "G-leave"),
        runs=_shared_runs,
        find=_find_shared,
        draw=_draw_shared,
    ),
    Experiment(
        title="Downloads (table 5, simulated)",
        claims=("G-table5",),
        runs=_transfer_runs,
        find=_find_transfers,
        draw=_draw_transfers,
    ),
)

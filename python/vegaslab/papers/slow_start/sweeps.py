"""The slow-start paper: eq. 3 over rates (figure 6), eq. 4 and convergence over delays (figures 10 to 12)."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import first_time, flow_column, link_column, since_when
from vegaslab.papers.judging.verdict import Finding, Reading
from vegaslab.papers.models import slow_start as model
from vegaslab.runs.result import Result

_BOTTLENECK, _PACKET_BITS = "r1->r2", 8000
_RATE_PPS, _ACCESS_MS = 1250, 4
_DELAYS_MS = (10, 20, 50, 100, 200, 500, 1000)
_ONE_WAY_RTTS_MS = tuple(2 * tau for tau in _DELAYS_MS)
_ALL_RTTS_MS = tuple(sorted({*_DELAYS_MS, *_ONE_WAY_RTTS_MS}))
_DENSE_MS = tuple(2 * round(5 * 10 ** (step / 16)) for step in range(33))
_RATES_KBPS = tuple(round(1000 * 10 ** (step / 20)) for step in range(41))
_FIG6_TAU_S, _FIG6_MBPS = 0.1, 10.0
_PRODUCT_RTTS_MS, _PACKET_BYTES, _GAMMAS = (20, 50, 100, 200, 500, 1000), (4000, 2000, 1000, 500, 250), range(1, 17)
_LABELS = {"vegas": "Vegas", "streak": "Streak Doubling"}
_CONSTANT_WINDOW = 125
_ROUND_TRIP, _ONE_WAY = "tau is the round trip", "tau is one way"
_READINGS = {_ROUND_TRIP: _DELAYS_MS, _ONE_WAY: _ONE_WAY_RTTS_MS}
_PRINTED_FITS = {"vegas": (0.0061, 1.80), "streak": (0.040, 0.996)}
"""A and B of footnotes 9 and 8."""
_WITHIN = 0.1
_SUM_WITHIN = 0.1
_LAG_PACKETS = 2
"""The overshoot of Vegas beyond the window at which its backlog shows, packets: diff is that of two rounds before."""


def _exit(result: Result) -> float:
    return float(result.summary["flows"][0]["cwnd_at_slow_start_end"])


def _rate_runs(quick: bool) -> dict[str, Run]:
    return {
        str(rate): Run(
            scenario="papers/slow-start-fig6", set={"topology.bottleneck.rate": f"{rate}kbit"}, extract=_exit
        )
        for rate in _RATES_KBPS[:: 4 if quick else 1]
    }


def _ideal(rate_kbps: str) -> float:
    return model.ideal_window(float(rate_kbps) * 1000 / _PACKET_BITS, _FIG6_TAU_S)


def _find_efficiency(data: Data) -> dict[str, Finding]:
    outside = []
    for rate, window in data.items():
        bound, efficiency = model.efficiency_bound(_ideal(rate)), window / _ideal(rate)
        if not bound / 2 <= efficiency < bound:
            outside.append(f"{float(rate) / 1000:.3g} Mb/s ({efficiency:.3f}, not in {bound / 2:.3f} to {bound:.3f})")
    as_modelled = sum(window == model.exit_window(_ideal(rate)) for rate, window in data.items())
    return {
        "L-eq3": Finding(
            values=(float(len(data) - len(outside)), float(len(data))),
            holds=not outside,
            note="Rates within the bounds, of all. "
            + (f"Outside: {'; '.join(outside)}. " if outside else "")
            + f"At {as_modelled} the window is the very power of two that eq. 3 gives.",
        )
    }


def _draw_efficiency(data: Data) -> list[Chart]:
    rates = [float(rate) / 1000 for rate in data]
    ideals = [_ideal(rate) for rate in data]
    curves = [
        Curve(
            label="simulated",
            x=rates,
            y=[window / ideal for window, ideal in zip(data.values(), ideals, strict=True)],
            colour=0,
            style="points",
        ),
        Curve(
            label="eq. 3, f", x=rates, y=[model.efficiency_bound(ideal) for ideal in ideals], colour=1, style="dashed"
        ),
        Curve(
            label="eq. 3, f/2",
            x=rates,
            y=[model.efficiency_bound(ideal) / 2 for ideal in ideals],
            colour=2,
            style="dashed",
        ),
    ]
    panel = Panel(x="rate of the bottleneck (Mb/s)", y="slow-start efficiency", curves=curves, log_x=True)
    caption = "Window at the end of slow start, before it is cut by an eighth, over the ideal one, and the bounds."
    return [Chart(slug="slow-start-fig6", title="Figure 6: slow-start efficiency", caption=caption, panels=(panel,))]


def _product_runs(_quick: bool) -> dict[str, Run]:
    scenario = "papers/slow-start-fig6"
    delays = {
        f"delay/{tau}": Run(
            scenario=scenario,
            set={"topology.bottleneck.delay": f"{tau // 2 - 2}ms", "duration": f"{3 + tau // 25}s"},
            extract=_exit,
        )
        for tau in _PRODUCT_RTTS_MS
    }
    packets = {
        f"packet/{size}": Run(scenario=scenario, set={"flow.0.packet": f"{size}b"}, extract=_exit)
        for size in _PACKET_BYTES
    }
    gammas = {f"gamma/{gamma}": Run(scenario=scenario, set={"flow.0.gamma": gamma}, extract=_exit) for gamma in _GAMMAS}
    return {**delays, **packets, **gammas}


def _product(key: str) -> float:
    """Returns the ideal window of a run."""
    what, value = key.split("/")
    rtt_s = float(value) / 1000 if what == "delay" else _FIG6_TAU_S
    bits = 8 * float(value) if what == "packet" else _PACKET_BITS
    return model.ideal_window(_FIG6_MBPS * 1e6 / bits, rtt_s)


def _find_products(data: Data) -> dict[str, Finding]:
    found: dict[str, list[tuple[float, float]]] = {
        what: sorted((_product(key), window / _product(key)) for key, window in data.items() if key.startswith(what))
        for what in ("delay", "packet")
    }
    both = [pair for pairs in found.values() for pair in pairs]
    inside = [ideal for ideal, one in both if model.efficiency_bound(ideal) / 2 <= one < model.efficiency_bound(ideal)]
    windows = [data[f"gamma/{gamma}"] for gamma in _GAMMAS]
    powers = all(math.log2(window).is_integer() for window in windows)
    return {
        "L-product": Finding(
            values=(float(len(inside)), float(len(both))),
            holds=len(inside) == len(both) and all(pairs[-1][1] < pairs[0][1] / 2 for pairs in found.values()),
            note="Settings within the bounds of eq. 3, of all. Efficiency by the ideal window: "
            + "; ".join(
                f"{name}: {', '.join(f'{one:.2f} at {ideal:.0f}' for ideal, one in found[what])}"
                for what, name in (("delay", "by the delay"), ("packet", "by the packet"))
            )
            + ".",
        ),
        "L-gamma": Finding(
            values=(float(len(set(windows))), float(len(windows))),
            holds=powers and windows == sorted(windows) and len(set(windows)) < len(windows) / 2,
            note=f"Windows that end slow start, of all gammas. With gamma {_GAMMAS[0]} to {_GAMMAS[-1]}: "
            f"{', '.join(f'{window:.0f}' for window in windows)}.",
        ),
    }


def _convergence(result: Result) -> dict[str, Any]:
    """Returns when slow start ended and when the window became stable, in s, and the greatest queue of slow start, in
    packets.
    """
    end_s = float(result.summary["flows"][0]["slow_start_end_s"])
    time_s, window = flow_column(result, "cwnd_segments")
    queue_s, queue = link_column(result, "max_queue_packets", _BOTTLENECK)
    base_s = result.summary["flows"][0]["base_rtt_ms"] / 1000
    return {
        "end_s": end_s,
        "steady_s": since_when(time_s, np.abs(window - window[-1]) <= 1),
        "full_s": first_time(time_s, window >= _RATE_PPS * base_s),
        "queue": float(queue[queue_s <= end_s].max()),
        "exit": _exit(result),
    }


def _network(algorithm: str, tau_ms: int, rounds: float, rate_kbps: int = 10_000) -> Run:
    return Run(
        scenario="papers/slow-start-fig11",
        set={
            "flow.0.algorithm": algorithm,
            "topology.bottleneck.delay": f"{(tau_ms - _ACCESS_MS) * 500}us",
            "topology.bottleneck.rate": f"{rate_kbps}kbit",
            "duration": f"{math.ceil(rounds * tau_ms)}ms",
            "sample": f"{tau_ms * 50}us",
        },
        extract=_convergence,
    )


def _delay_runs(_quick: bool) -> dict[str, Run]:
    vegas = {f"vegas/{tau}": _network("vegas", tau, 1.1 * _RATE_PPS * tau / 1000 + 60) for tau in _ALL_RTTS_MS}
    streak = {f"streak/{tau}": _network("streak", tau, 60) for tau in _ALL_RTTS_MS}
    constant = {
        f"constant/{tau}": _network("streak", tau, 60, round(_CONSTANT_WINDOW * _PACKET_BITS / tau))
        for tau in _DELAYS_MS
    }
    return {**vegas, **streak, **constant}


def _dense_runs(quick: bool) -> dict[str, Run]:
    return {
        f"{algorithm}/{tau}": _network(algorithm, tau, 30)
        for algorithm in _LABELS
        for tau in _DENSE_MS[:: 4 if quick else 1]
    }


def _fit(taus_ms: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Fits A and B of A tau^B by least squares in logarithms."""
    exponent, logarithm = np.polyfit(np.log10(taus_ms), np.log10(values), 1)
    return float(10**logarithm), float(exponent)


def _steady(data: Data, key: str, field: str = "steady_s", rtts_ms: Sequence[int] = _DELAYS_MS) -> list[float]:
    return [data[f"{key}/{tau}"][field] for tau in rtts_ms]


def _closed_form(tau_ms: float) -> float:
    """Returns T_c in s as the paper defines it: two rounds for each doubling from 2 packets on, and the rise time."""
    tau_s = tau_ms / 1000
    ideal = model.ideal_window(_RATE_PPS, tau_s)
    return 2 * math.log2(model.exit_window(ideal)) * tau_s + max(0.0, model.rise_time(ideal, tau_s))


def _find_delays(data: Data) -> dict[str, Finding]:
    return {**_find_fits(data), "L-eq4": _find_trade_off(data), "L-rise": _find_rise(data)}


def _distance(data: Data, rtts_ms: Sequence[int]) -> float:
    """Returns the distance from both printed fits: root mean square of log ratios, over senders and delays."""
    off = [
        math.log(ours_s / model.fitted_convergence(tau, *_PRINTED_FITS[key]))
        for key in _LABELS
        for tau, ours_s in zip(_DELAYS_MS, _steady(data, key, rtts_ms=rtts_ms), strict=True)
    ]
    return float(np.sqrt(np.mean(np.square(off))))


def _find_fits(data: Data) -> dict[str, Finding]:
    """Orders the readings by their distance from the printed fits; the nearest one is judged."""
    distances = {name: _distance(data, rtts_ms) for name, rtts_ms in _READINGS.items()}
    by_reading = {
        name: {
            key: (_fit(_DELAYS_MS, _steady(data, key, rtts_ms=rtts_ms)), _steady(data, key, rtts_ms=rtts_ms)[-1])
            for key in _LABELS
        }
        for name in sorted(distances, key=distances.__getitem__)
        for rtts_ms in (_READINGS[name],)
    }
    constant = _fit(_DELAYS_MS, _steady(data, "constant"))
    closed = _fit(_DELAYS_MS, [_closed_form(tau) for tau in _DELAYS_MS])
    middle = _fit(_DELAYS_MS[1:5], _steady(data, "vegas")[1:5])
    until_full = _fit(_DELAYS_MS, _steady(data, "vegas", "full_s"))
    shortest, longest = _steady(data, "streak")[0] / 0.01, _steady(data, "streak")[-1]
    fit_100 = model.fitted_convergence(100, *_PRINTED_FITS["vegas"])
    printed = [model.fitted_convergence(1000, *_PRINTED_FITS[key]) for key in ("vegas", "streak")]
    of_fits = printed[0] / printed[1]
    off = {name: math.exp(distances[name]) for name in by_reading}
    return {
        "L-fig11-streak": Finding.of_readings(
            *(
                Reading(name=name, values=found["streak"][0], holds=abs(found["streak"][0][1] - 1) <= 0.1)
                for name, found in by_reading.items()
            ),
            note=f"Until the path is full instead: {_power(_fit(_DELAYS_MS, _steady(data, 'streak', 'full_s')))}. With "
            f"the product held at {_CONSTANT_WINDOW} packets, so that only the delay changes: {_power(constant)}. "
            f"Round trips at 10 and 1000 ms: {shortest:.0f} and {longest:.0f}; the paper's fit makes it 40 and 39.",
            facts={"shortest": shortest, "longest": longest, "constant": constant[1]},
        ),
        "L-fig11-vegas": Finding.of_readings(
            *(
                Reading(name=name, values=found["vegas"][0], holds=1.7 <= found["vegas"][0][1] <= 2.3)
                for name, found in by_reading.items()
            ),
            note=f"Until the path is full instead: {_power(until_full)}. From 20 to 200 ms: {_power(middle)}. The "
            f"paper's own equations over these delays: {_power(closed)}. At 100 ms the paper's fit is {fit_100:.1f} s, "
            f"its figure 2 shows 12, ours takes {data['vegas/100']['steady_s']:.1f}.",
            facts={
                "by_equations": closed[1],
                "fit_100": fit_100,
                "middle": middle[1],
                "until_full": until_full[1],
            },
        ),
        "L-fig11-ratio": Finding.of_readings(
            *(
                Reading(name=name, values=(ratio,), holds=ratio >= 10)
                for name, found in by_reading.items()
                for ratio in (found["vegas"][1] / found["streak"][1],)
            ),
            note="Vegas's delay over Streak Doubling's: "
            + "; ".join(
                f"{name} {found['vegas'][1]:.0f} s over {found['streak'][1]:.1f} s"
                for name, found in by_reading.items()
            )
            + ". Over all delays and both senders the simulation is from the printed fits by a factor of "
            + ", ".join(f"{factor:.1f} where {name}" for name, factor in off.items())
            + f". The fits of footnotes 8 and 9 give {printed[0]:.0f} s over {printed[1]:.1f} s at 1000 ms, a ratio of "
            f"{of_fits:.0f}.",
            facts={"off_one_way": off[_ONE_WAY], "off_round_trip": off[_ROUND_TRIP], "of_fits": of_fits},
        ),
    }


def _find_rise(data: Data) -> Finding:
    """Returns the finding on the rise times where the path is not full when slow start ends."""
    below = [tau for tau in _DELAYS_MS if data[f"vegas/{tau}"]["exit"] < model.ideal_window(_RATE_PPS, tau / 1000)]
    _, exponent = _fit(below, [data[f"vegas/{tau}"]["steady_s"] - data[f"vegas/{tau}"]["end_s"] for tau in below])
    _, closed = _fit(below, [model.rise_time(model.ideal_window(_RATE_PPS, tau / 1000), tau / 1000) for tau in below])
    return Finding(
        values=(exponent,),
        holds=round(exponent) == 2,
        beyond="" if abs(exponent - 2) <= _WITHIN else f"an exponent of {exponent:.2f}, of 2 within {_WITHIN:g}",
        note=f"Over {len(below)} delays from {below[0]} to {below[-1]} ms, at which slow start ends below the ideal "
        f"window. The paper's own equation of the rise time has the exponent {closed:.2f} over them.",
        facts={"by_equation": closed},
    )


def _power(fit: tuple[float, float]) -> str:
    return f"{fit[0]:.2g} tau^{fit[1]:.2f}"


def _sum(run: dict[str, Any], tau_ms: int) -> float:
    """Returns the sum of the trade-off. As in figure 3, the packet being sent does not count as waiting."""
    return model.trade_off(run["steady_s"] - run["end_s"], tau_ms / 1000, run["queue"])


def _find_trade_off(data: Data) -> Finding:
    """Checks the trade-off for Vegas where its efficiency is below 1."""
    ideals = {tau: model.ideal_window(_RATE_PPS, tau / 1000) for tau in _DELAYS_MS}
    below = [tau for tau in _DELAYS_MS if data[f"vegas/{tau}"]["exit"] < ideals[tau]]
    sums = {tau: _sum(data[f"vegas/{tau}"], tau) for tau in below}
    off = {tau: sums[tau] / (ideals[tau] + 1) - 1 for tau in below}
    corrected = max(
        abs(sums[tau] / (ideals[tau] + 1 + _LAG_PACKETS + data[f"vegas/{tau}"]["exit"] / 8) - 1) for tau in below
    )
    streak = {tau: _sum(data[f"streak/{tau}"], tau) for tau in _DELAYS_MS}
    vegas_off, streak_off = max(map(abs, off.values())), max(abs(one - 5) for one in streak.values())
    within = vegas_off <= _SUM_WITHIN and streak_off <= 1
    return Finding(
        values=(vegas_off, streak_off),
        holds=list(sums.values()) == sorted(sums.values()) and max(streak.values()) < min(sums.values()),
        beyond="" if within else f"up to {100 * vegas_off:.0f} % and {streak_off:.1f} packets off the equation",
        note="Greatest distance from the equation: of Vegas as a part of it, of Streak Doubling in packets. Vegas: "
        + ", ".join(f"{100 * off[tau]:+.1f} % at {tau} ms" for tau in below)
        + f". With the eighth that Vegas gives back and {_LAG_PACKETS} packets of lag added, within "
        f"{100 * corrected:.1f} %. Streak Doubling: "
        + ", ".join(f"{streak[tau]:.1f} at {tau} ms" for tau in _DELAYS_MS)
        + "; two more with the packet being sent, which is how the paper must have come to its queue of 2.",
        facts={"off_50": 100 * off[50], "off_100": 100 * off[100], "corrected": 100 * corrected},
    )


def _dense(data: Data, algorithm: str) -> tuple[list[float], list[dict[str, Any]]]:
    found = [(float(key.rsplit("/", 1)[1]), run) for key, run in data.items() if key.startswith(f"{algorithm}/")]
    found.sort(key=lambda pair: pair[0])
    return [tau for tau, _ in found], [run for _, run in found]


def _find_queues(data: Data) -> dict[str, Finding]:
    return {"L-fig10": _find_streak_queue(data), "L-fig12": _find_vegas_queue(data)}


def _find_streak_queue(data: Data) -> Finding:
    queues = [run["queue"] for run in _dense(data, "streak")[1]]
    return Finding(
        values=(max(queues),),
        holds=max(queues) <= min(queues) + 1,
        note=f"Packets waiting, {len(queues)} delays from 10 ms to 1 s: {min(queues):.0f} to {max(queues):.0f}, "
        "not counting the one being sent, which figure 3 does not count either.",
    )


def _find_vegas_queue(data: Data) -> Finding:
    taus, runs = _dense(data, "vegas")
    queues = [run["queue"] for run in runs]
    _, exponent = _fit(taus, queues)
    grows = all(later >= earlier for earlier, later in pairwise(queues))
    half = all(abs(run["queue"] - run["exit"] / 2) <= 1 for run in runs)
    return Finding(
        values=(exponent,),
        holds=grows and half and abs(exponent - 0.5) <= _WITHIN,
        note=f"Exponent over {len(taus)} delays. The queue is {queues[0]:.0f} packets at 10 ms and {queues[-1]:.0f} "
        "at 1 s; "
        f"{'at every delay' if half else 'not always'} half of the window that ends slow start.",
    )


def _draw_delays(data: Data) -> list[Chart]:
    return [_draw_convergence(data), _draw_trade_off(data)]


def _points(label: str, y: Sequence[float], colour: int) -> Curve:
    return Curve(label=label, x=_DELAYS_MS, y=y, colour=colour, style="points")


def _dashed(label: str, x: Sequence[float], y: Sequence[float], colour: int) -> Curve:
    return Curve(label=label, x=x, y=y, colour=colour, style="dashed")


def _draw_convergence(data: Data) -> Chart:
    taus = _DENSE_MS
    curves = [
        _points("Vegas, simulated", _steady(data, "vegas"), 0),
        _dashed("Vegas, footnote 9", taus, [model.fitted_convergence(tau, *_PRINTED_FITS["vegas"]) for tau in taus], 0),
        _dashed("Vegas, the paper's equations", taus, [_closed_form(tau) for tau in taus], 7),
        _points("Streak, simulated", _steady(data, "streak"), 1),
        _dashed(
            "Streak, footnote 8", taus, [model.fitted_convergence(tau, *_PRINTED_FITS["streak"]) for tau in taus], 1
        ),
        _points(f"Streak, product held at {_CONSTANT_WINDOW}", _steady(data, "constant"), 2),
        Curve(label="the paper's figure 2", x=[100], y=[12], colour=3, style="crosses"),
    ]
    panel = Panel(x="delay (ms)", y="convergence delay (s)", curves=curves, log_x=True, log_y=True)
    caption = (
        "10 Mb/s. The paper's fits (dashed, coloured) lie above what its own equations (grey) and its figure 2 give. "
        "Streak doubles 2 log2(W*) times in all, so its delay is proportional only where the product is held."
    )
    return Chart(slug="slow-start-fig11", title="Figure 11: convergence delay", caption=caption, panels=(panel,))


def _draw_queue(data: Data) -> list[Chart]:
    curves = []
    for colour, (key, label) in enumerate(_LABELS.items()):
        taus, runs = _dense(data, key)
        curves.append(
            Curve(label=f"{label}, simulated", x=taus, y=[run["queue"] for run in runs], colour=colour, style="points")
        )
    ideals = [model.ideal_window(_RATE_PPS, tau / 1000) for tau in _DENSE_MS]
    curves.append(_dashed("eta W*/2", _DENSE_MS, [model.greatest_queue(ideal) for ideal in ideals], 0))
    curves.append(_dashed("Streak, section 3", _DENSE_MS, [model.STREAK_QUEUE_PACKETS] * len(_DENSE_MS), 1))
    panel = Panel(x="delay (ms)", y="greatest queue (packets)", curves=curves, log_x=True, log_y=True)
    caption = "Packets waiting in slow start on 10 Mb/s; the paper's two of Streak Doubling include the one being sent."
    return [Chart(slug="slow-start-fig12", title="Figure 12: greatest queue", caption=caption, panels=(panel,))]


def _draw_trade_off(data: Data) -> Chart:
    curves = [
        _points("Vegas, simulated", [_sum(data[f"vegas/{tau}"], tau) for tau in _DELAYS_MS], 0),
        _dashed("W* + alpha", _DENSE_MS, [model.ideal_window(_RATE_PPS, tau / 1000) + 1 for tau in _DENSE_MS], 0),
        _points("Streak, simulated", [_sum(data[f"streak/{tau}"], tau) for tau in _DELAYS_MS], 1),
        _dashed("4 + alpha", _DENSE_MS, [5.0] * len(_DENSE_MS), 1),
    ]
    panel = Panel(x="delay (ms)", y="T_r/tau + 2 Q (packets)", curves=curves, log_x=True, log_y=True)
    caption = "Rise time in round trips plus twice the greatest queue of slow start, on 10 Mb/s."
    return Chart(slug="slow-start-eq4", title="Equation 4: the trade-off", caption=caption, panels=(panel,))


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Efficiency over rates (figure 6)",
        claims=("L-eq3",),
        runs=_rate_runs,
        find=_find_efficiency,
        draw=_draw_efficiency,
    ),
    Experiment(
        title="Efficiency over delays, packet sizes and gamma (section 2.2)",
        claims=("L-product", "L-gamma"),
        runs=_product_runs,
        find=_find_products,
    ),
    Experiment(
        title="Convergence over delays (eq. 4, figure 11)",
        claims=("L-eq4", "L-fig11-streak", "L-fig11-vegas", "L-fig11-ratio", "L-rise"),
        runs=_delay_runs,
        find=_find_delays,
        draw=_draw_delays,
    ),
    Experiment(
        title="The greatest queue over delays (figures 10, 12)",
        claims=("L-fig10", "L-fig12"),
        runs=_dense_runs,
        find=_find_queues,
        draw=_draw_queue,
    ),
)

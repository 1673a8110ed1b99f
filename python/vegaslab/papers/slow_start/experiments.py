"""The slow-start paper (Lee, Kim, Choi, 2002): figures 2 to 4, 9 and 10, one flow on 10 Mb/s and 100 ms."""

from itertools import pairwise
from typing import Any

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import Floats, curve, first_time, flow_column, link_column, since_when
from vegaslab.papers.judging.verdict import Finding
from vegaslab.papers.models import slow_start as model
from vegaslab.papers.slow_start import sweeps
from vegaslab.runs.result import Result

_SCENARIO, _BOTTLENECK = "papers/slow-start-fig2", "r1->r2"
_START_S, _TAU_S, _RATE_PPS, _RATE_MBPS = 1.0, 0.1, 1250, 10.0
_SERVICE_S = 1 / _RATE_PPS
_LABELS = {"vegas": "Vegas", "streak": "Streak Doubling"}
_SURGES = (2, 4, 8, 16)
_DOUBLINGS = (4, 8, 16, 32)
_NEAR = 0.1
_IDLE_S = 0.02
"""The link is idle from this time after a surge until this time before its echo, s."""
_RATE_OVER_S = 0.1
_ACCESS, _ACCESS_MBPS, _PACKET_BITS = "s0->r1", 1000.0, 8000
_SILENCE_S, _PERIOD_PACKETS, _FILLS_S = 0.004, 8, 1.2
"""Silence is five of the bottleneck's times for a packet; a period has eight packets at least; the path is full after
1.3 s.
"""


def _evolution(result: Result) -> dict[str, Any]:
    """Returns when the window becomes stable, the surges of the queue, and curves."""
    time_s, window = flow_column(result, "cwnd_segments")
    queue_s, queue = link_column(result, "max_queue_packets", _BOTTLENECK)
    _, utilisation = link_column(result, "utilisation", _BOTTLENECK)
    early = queue_s <= _START_S + 2
    block = round(_RATE_OVER_S / (queue_s[1] - queue_s[0]))
    blocks = len(utilisation) // block
    rate = utilisation[: blocks * block].reshape(blocks, block).mean(axis=1) * _RATE_MBPS
    surges = _surges([float(one) for one in queue_s], [float(one) for one in queue])
    return {
        "steady_s": since_when(time_s, np.abs(window - window[-1]) <= 1),
        "full_s": first_time(time_s, window >= _RATE_PPS * _TAU_S),
        "slow_start_end_s": result.summary["flows"][0]["slow_start_end_s"],
        "surges": surges,
        "echoes": [_echo(one, queue_s, queue + (utilisation > 0)) for one in surges if one["height"] >= _SURGES[0]],
        "rate": curve(queue_s[block - 1 :: block][:blocks], rate),
        "queue": curve(queue_s[early], queue[early]),
    }


def _surges(time_s: list[float], queue: list[float]) -> list[dict[str, float]]:
    """Returns the periods until 2.2 s in which packets wait: greatest queue, first and last time in s."""
    found: list[dict[str, float]] = []
    waited = False
    for now_s, waiting in zip(time_s, queue, strict=True):
        if now_s > _START_S + 1.2:
            break
        if waiting > 0 and not waited:
            found.append({"height": 0.0, "from_s": now_s, "to_s": now_s})
        if waiting > 0:
            found[-1] = {**found[-1], "height": max(found[-1]["height"], waiting), "to_s": now_s}
        waited = waiting > 0
    return found


def _echo(surge: dict[str, float], time_s: Floats, at_link: Floats) -> float:
    """Returns the greatest number of packets at the bottleneck, the one being sent included, a round trip after a surge
    began; 0 if the link is not idle between the two.
    """
    later = (time_s > surge["to_s"] + _IDLE_S) & (time_s <= surge["from_s"] + _TAU_S - _IDLE_S)
    echo = (time_s >= surge["from_s"] + _TAU_S - 1e-9) & (time_s <= surge["to_s"] + _TAU_S + 1e-9)
    return float(at_link[echo].max()) if not at_link[later].any() else 0.0


def _doubling(result: Result) -> dict[str, list[float]]:
    """Returns the queue around the doubling to 8 packets, from 1.4 s on, with times in service times."""
    time_s, queue = link_column(result, "queue_packets", _BOTTLENECK)
    near = (time_s >= _START_S + 0.39) & (time_s <= _START_S + 0.42)
    first_s = time_s[near][np.argmax(queue[near] > 0)]
    return {
        "x": [float(one) for one in (time_s[near] - first_s) / _SERVICE_S],
        "y": [float(one) for one in queue[near]],
    }


def _round_trips(result: Result) -> list[float]:
    """Returns for each doubling round its mean RTT less the least one, in the bottleneck's service times.

    Vegas doubles in every second round, the first of them 0.2 s after the start; its acknowledgements come a round trip
    later.
    """
    time_s, rtt_ms = flow_column(result, "rtt_ms")
    _, acked_bytes = flow_column(result, "acked_bytes")
    new = np.flatnonzero(np.diff(acked_bytes, prepend=0.0) > 0)
    time_s, rtt_ms = time_s[new], rtt_ms[new]
    least_ms = float(rtt_ms.min())
    found = []
    for doubling in range(len(_DOUBLINGS)):
        begins_s = _START_S + 2 * (doubling + 1) * _TAU_S
        of_round = (time_s > begins_s + 0.5 * _TAU_S) & (time_s <= begins_s + 1.5 * _TAU_S)
        found.append(float((rtt_ms[of_round].mean() - least_ms) / 1000 / _SERVICE_S))
    return found


def _sending(result: Result) -> list[dict[str, float]]:
    """Returns the active periods, in which packets leave the sender: how many do, and at which rate in Mb/s."""
    time_s, utilisation = link_column(result, "utilisation", _ACCESS)
    sent = utilisation * _ACCESS_MBPS * 1e6 * (time_s[1] - time_s[0]) / _PACKET_BITS
    leaves_s, packets = time_s[sent > 0.5], sent[sent > 0.5]
    bounds = [0, *(np.flatnonzero(np.diff(leaves_s) > _SILENCE_S) + 1), len(leaves_s)]
    return [
        {
            "packets": float(packets[first:end].sum()),
            # from the first packet on, which begins the time
            "mbps": float(packets[first + 1 : end].sum() * _PACKET_BITS / 1e6 / (leaves_s[end - 1] - leaves_s[first])),
        }
        for first, end in pairwise(bounds)
        if round(packets[first:end].sum()) >= _PERIOD_PACKETS
    ]


def _runs(_quick: bool) -> dict[str, Run]:
    return {
        **{key: Run(scenario=_SCENARIO, set={"flow.0.algorithm": key}, extract=_evolution) for key in _LABELS},
        "window1": Run(scenario=_SCENARIO, set={"flow.0.initial_window": 1}, extract=_evolution),
        "gamma3": Run(scenario=_SCENARIO, set={"flow.0.gamma": 3}, extract=_evolution),
        "sending": Run(
            scenario=_SCENARIO,
            set={"flow.0.algorithm": "streak", "sample": "100us", "duration": f"{_START_S + _FILLS_S}s"},
            extract=_sending,
        ),
        "round trips": Run(scenario=_SCENARIO, set={"sample": "100us", "duration": "2.3s"}, extract=_round_trips),
        "doubling": Run(scenario=_SCENARIO, set={"sample": "change", "duration": "2s"}, extract=_doubling),
    }


def _find(data: Data) -> dict[str, Finding]:
    vegas = data["vegas"]
    others = ", ".join(
        f"{name} {data[key]['steady_s']:.1f} s"
        for key, name in (("window1", "initial window 1:"), ("gamma3", "gamma 3:"))
    )
    return {
        "L-fig2": Finding(
            values=(vegas["steady_s"],),
            holds=vegas["slow_start_end_s"] < _START_S + 0.5 * (vegas["steady_s"] - _START_S),
            note=f"Slow start ends at {vegas['slow_start_end_s']:.2f} s, the window fills the path at "
            f"{vegas['full_s']:.1f} s and then stays. With {others}. The paper's own equation of the rise time gives "
            f"{_START_S + 1 + model.rise_time(125, _TAU_S):.1f} s. "
            f"Streak Doubling is steady at {data['streak']['steady_s']:.1f} s.",
        ),
        "L-fig3": _find_surges(vegas["surges"]),
        "L-echo": Finding(
            values=(*vegas["echoes"], 0.0, 0.0, 0.0, 0.0)[: len(_SURGES)],
            holds=vegas["echoes"] == [1.0] * len(_SURGES),
            note="The packets of a surge leave the bottleneck at its rate, and so do those that their acknowledgements "
            "send: each arrives as the one before has been sent, and none waits.",
        ),
        "L-eq2": _find_round_trips(data["round trips"]),
        "L-fig9": _find_sending(data["sending"]),
    }


def _find_sending(periods: list[dict[str, float]]) -> Finding:
    rates = [one["mbps"] for one in periods]
    return Finding(
        values=(float(np.mean(rates)) if rates else 0.0,),
        holds=len(periods) > 1 and all(abs(rate / _RATE_MBPS - 1) <= _NEAR for rate in rates),
        note="Active periods, packets and Mb/s: "
        + ", ".join(f"{one['packets']:.0f} at {one['mbps']:.2f}" for one in periods)
        + f"; between them nothing leaves for {1000 * _SILENCE_S:.0f} ms at least.",
    )


def _find_round_trips(found: list[float]) -> Finding:
    return Finding(
        values=tuple(found),
        holds=all(abs(ours / (window / 4) - 1) <= _NEAR for ours, window in zip(found, _DOUBLINGS, strict=True)),
        note=f"Of the rounds that double to {', '.join(map(str, _DOUBLINGS))} packets.",
    )


def _find_surges(surges: list[dict[str, float]]) -> Finding:
    named = [one for one in surges if one["height"] >= _SURGES[0]]
    heights = tuple(one["height"] for one in named)
    gaps = np.diff([one["from_s"] for one in named])
    gone = all(one["to_s"] - one["from_s"] <= _TAU_S for one in named)
    begins = ", ".join(f"{one['from_s']:.2f}" for one in named)
    doubled = all(later == 2 * earlier for earlier, later in pairwise(heights))
    return Finding(
        values=(*heights, 0.0, 0.0, 0.0, 0.0)[: len(_SURGES)],
        holds=len(heights) == len(_SURGES) and doubled and gone and bool(np.all(np.abs(gaps - 2 * _TAU_S) < 0.02)),
        note=f"They begin at {begins} s. A surge of one packet comes before "
        "them: the first two packets. The packet being sent does not wait.",
    )


def _draw(data: Data) -> list[Chart]:
    return [_draw_evolution(data), _draw_doubling(data)]


def _draw_evolution(data: Data) -> Chart:
    rates = [
        Curve(label=name, x=data[key]["rate"]["x"], y=data[key]["rate"]["y"], colour=colour)
        for colour, (key, name) in enumerate(_LABELS.items())
    ]
    printed = Curve(label="the paper: steady at 13 s", x=[13], y=[_RATE_MBPS], colour=3, style="crosses")
    queues = [
        Curve(label="", x=data[key]["queue"]["x"], y=data[key]["queue"]["y"], colour=colour, style="steps")
        for colour, key in enumerate(_LABELS)
    ]
    surges = [one for one in data["vegas"]["surges"] if one["height"] >= _SURGES[0]]
    heights = Curve(
        label="the paper's surges",
        x=[one["from_s"] for one in surges][: len(_SURGES)],
        y=_SURGES[: len(surges)],
        colour=3,
        style="crosses",
    )
    return Chart(
        slug="slow-start-fig2",
        title="Figures 2, 3, 9 and 10: one flow on 10 Mb/s and 100 ms",
        caption="Above, the rate through the bottleneck in each 0.1 s: Vegas leaves a part of the link unused for ten "
        "seconds, Streak Doubling fills it in 1.3 s. Below, the packets waiting in the first two seconds.",
        panels=(
            Panel(x="time (s)", y="rate (Mb/s)", curves=[*rates, printed], level=(_RATE_MBPS, "10 Mb/s")),
            Panel(x="time (s)", y="queue (packets)", curves=[*queues, heights]),
        ),
    )


def _draw_doubling(data: Data) -> Chart:
    window = 8
    # four acknowledgements, a service time apart, release two packets each, while one packet leaves the queue
    steps = list(range(window + 3))
    waiting = [min(step + 1, window - 1 - step) if step < window else 0 for step in steps]
    curves = [
        Curve(label="simulated", x=data["doubling"]["x"], y=data["doubling"]["y"], colour=0, style="steps"),
        Curve(label="section 2: W/2 at most", x=steps, y=[max(0, one) for one in waiting], colour=3, style="crosses"),
    ]
    caption = "W = 8 packets arrive at twice the bottleneck's rate; so half of them wait. Gone after W services."
    panel = Panel(x="time (service times)", y="queue (packets)", curves=curves)
    return Chart(slug="slow-start-fig4", title="Figure 4: a doubling round", caption=caption, panels=(panel,))


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="One flow on 10 Mb/s and 100 ms (figures 2 to 4, 9, 10)",
        claims=("L-fig2", "L-fig3", "L-echo", "L-eq2", "L-fig9"),
        runs=_runs,
        find=_find,
        draw=_draw,
    ),
    *sweeps.EXPERIMENTS,
)

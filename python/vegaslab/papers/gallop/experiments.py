"""Gallop-Vegas (Ho, Chan, Chen, 2006): tables 2, 3 and 5, both worked examples, figures 1, 4 to 8 and 10."""

from typing import Any

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, first_time, flow_column, link_column, link_total, since_when
from vegaslab.papers.gallop import analysis, networks
from vegaslab.papers.judging.verdict import Finding
from vegaslab.papers.models import gallop as model
from vegaslab.runs.result import Result

_RATE_PPS, _RTT_S, _BOTTLENECK, _RATE_MBPS = 6250, 0.1, "r1->r2", 50.0
_THREE: dict[str, dict[str, object]] = {
    "gamma1": {"flow.0.algorithm": "vegas-ns2"},
    "gamma3": {"flow.0.algorithm": "vegas-ns2", "flow.0.gamma": 3},
    "gallop": {"flow.0.algorithm": "gallop"},
}
_LABELS = {"gamma1": "Vegas, gamma 1", "gamma3": "Vegas, gamma 3", "gallop": "Gallop-Vegas"}
_BURST_GAP_S = 0.3
_STEADY_FROM_S = 60.0
_GAMMA3_PACKETS = 3


def _single(result: Result) -> dict[str, Any]:
    """Returns for a single flow when slow start ended, when the path was full and when the window was stable; drops,
    curves.
    """
    flow = result.summary["flows"][0]
    time_s, window = flow_column(result, "cwnd_segments")
    _, throughput = flow_column(result, "throughput_mbps")
    queue_s, queue = link_column(result, "max_queue_packets", _BOTTLENECK)
    full = _RATE_PPS * flow["base_rtt_ms"] / 1000
    drops = [row["time_s"] for row in result.incidents.to_pylist() if row["kind"] == "queue-drop"]
    return {
        "slow_start_end_s": flow["slow_start_end_s"],
        "full_s": first_time(time_s, window >= full),
        "settled_s": since_when(time_s, np.abs(window - window[-1]) <= 1),
        "base_rtt_s": flow["base_rtt_ms"] / 1000,
        "exit_window": flow["cwnd_at_slow_start_end"],
        "steady_queue": float(queue[queue_s > min(_STEADY_FROM_S, queue_s[-1] - 1)].max()),
        "greatest_queue": link_total(result, _BOTTLENECK)["max_queue_packets"],
        "drops_s": drops,
        "timeouts": flow["timeouts"],
        "window": curve(time_s, window),
        "throughput": curve(time_s, throughput),
    }


def _three(scenario: str) -> dict[str, Run]:
    return {key: Run(scenario=scenario, set=values, extract=_single) for key, values in _THREE.items()}


def _find_fig4(data: Data) -> dict[str, Finding]:
    one, three, gallop = (data[key] for key in _THREE)
    queues = tuple(float(data[key]["steady_queue"]) for key in _THREE)
    peaks = ", ".join(str(data[key]["greatest_queue"]) for key in _THREE)
    exits = one["exit_window"], three["exit_window"]
    closed = tuple(model.vegas_exit_window(_RATE_PPS, _RTT_S, gamma) for gamma in (1, _GAMMA3_PACKETS))
    end, settled = gallop["slow_start_end_s"], gallop["settled_s"]
    return {
        "G-fig4-vegas": Finding(
            values=(one["slow_start_end_s"], three["slow_start_end_s"], one["full_s"]),
            holds=max(one["slow_start_end_s"], three["slow_start_end_s"]) < 2
            and exits == closed
            and min(one["full_s"], three["full_s"]) > 50,
            note=f"Slow start ends at {exits[0]:.0f} and {exits[1]:.0f} packets. With gamma 3 the path is full at "
            f"{three['full_s']:.1f} s.",
        ),
        "G-fig4-gallop": Finding(
            values=(end, max(0.0, settled - end)),
            holds=end > 0.9 * gallop["full_s"] and 5 * gallop["full_s"] < one["full_s"],
            note=f"The window first fills the path at {gallop['full_s']:.1f} s.",
        ),
        "G-fig4-queue": Finding(
            values=queues,
            holds=max(queues) - min(queues) <= 1 and max(queues) <= model.BETA_PACKETS,
            note=f"Packets waiting at most from {_STEADY_FROM_S:.0f} s on: Vegas with gamma 1, with gamma 3, Gallop. "
            f"The peaks of slow start are {peaks}: a doubling sends its window at twice the bottleneck's rate, so half "
            "of it queues; Gallop's growth never bunches more than its increment.",
        ),
    }


def _find_fig6(data: Data) -> dict[str, Finding]:
    one, three, gallop = (data[key] for key in _THREE)
    bursts = {key: _bursts(data[key]["drops_s"]) for key in _THREE}
    first, second = (*bursts["gamma1"], (0.0, 0), (0.0, 0))[:2]
    return {
        "G-fig6-vegas": Finding(
            values=(float(first[1]), float(second[1])),
            holds=all(len(bursts[key]) >= 2 and data[key]["timeouts"] for key in ("gamma1", "gamma3")),
            note=f"With gamma 3: {' and '.join(str(count) for _, count in bursts['gamma3'])} lost.",
        ),
        "G-fig6-times": Finding(
            values=(first[0], second[0]),
            holds=all(data[key]["timeouts"] for key in ("gamma1", "gamma3")),
            note=f"Timeouts of Vegas with gamma 1 and 3: {one['timeouts']} and {three['timeouts']}.",
        ),
        "G-fig6-gallop": Finding(values=(float(len(gallop["drops_s"])),), holds=not gallop["drops_s"]),
    }


def _bursts(drops_s: list[float]) -> list[tuple[float, int]]:
    """Groups drops that follow each other closely; returns the time of the first and the number of each group."""
    found: list[tuple[float, int]] = []
    last_s = -np.inf
    for time_s in drops_s:
        if time_s - last_s > _BURST_GAP_S:
            found.append((time_s, 0))
        found[-1] = (found[-1][0], found[-1][1] + 1)
        last_s = time_s
    return found


def _draw_pair(data: Data, slug: str, title: str, caption: str) -> list[Chart]:
    windows = [_curve(data, key, "window", colour) for colour, key in enumerate(_THREE)]
    throughputs = [_curve(data, key, "throughput", colour) for colour, key in enumerate(_THREE)]
    path = model.full_window(_RATE_PPS, data["gallop"]["base_rtt_s"], 0)
    marks = [_mark(data[key], colour) for colour, key in enumerate(_THREE) if data[key]["slow_start_end_s"]]
    level = (path, f"the path: {path:.0f} packets")
    return [
        Chart(
            slug=slug,
            title=title,
            caption=caption,
            panels=(
                Panel(x="time (s)", y="window (packets)", curves=[*windows, *marks], level=level),
                Panel(x="time (s)", y="throughput (Mb/s)", curves=throughputs, level=(_RATE_MBPS, "50 Mb/s")),
            ),
        )
    ]


def _curve(data: Data, key: str, what: str, colour: int) -> Curve:
    return Curve(label=_LABELS[key], x=data[key][what]["x"], y=data[key][what]["y"], colour=colour)


def _mark(run: dict[str, Any], colour: int) -> Curve:
    """Returns a mark at the end of slow start."""
    time_s = run["slow_start_end_s"]
    window = float(np.interp(time_s, run["window"]["x"], run["window"]["y"]))
    return Curve(label="", x=[time_s], y=[window], colour=colour, style="points")


def _draw_fig4(data: Data) -> list[Chart]:
    examples = [
        Curve(label=label, x=[rounds * _RTT_S], y=[_RATE_PPS * _RTT_S], colour=colour, style="crosses")
        for colour, label, rounds in ((0, "example: 57.9 s", 579), (2, "example: 10.8 s", 108))
    ]
    (chart,) = _draw_pair(
        data,
        "gallop-fig4",
        "Figures 4 and 5: one flow on 50 Mb/s and 100 ms",
        "Window and throughput of both Vegas and of Gallop-Vegas. Dots: slow start ends. Crosses: when the worked "
        "examples of section IV.C let the window reach the path's 625 packets.",
    )
    window, throughput = chart.panels
    with_ends = Panel(x=window.x, y=window.y, curves=[*window.curves, *examples], level=window.level)
    return [Chart(slug=chart.slug, title=chart.title, caption=chart.caption, panels=(with_ends, throughput))]


def _draw_fig6(data: Data) -> list[Chart]:
    return _draw_pair(
        data,
        "gallop-fig6",
        "Figures 6 and 7: the same with a queue of 30 packets",
        "Both Vegas lose packets where slow start doubles to 64, more in the burst after the recovery, and time out.",
    )


EXPERIMENTS: tuple[Experiment, ...] = (
    *analysis.EXPERIMENTS,
    Experiment(
        title="One flow on 50 Mb/s and 100 ms (figures 4, 5)",
        claims=("G-fig4-vegas", "G-fig4-gallop", "G-fig4-queue"),
        runs=lambda _quick: _three("papers/gallop-fig4"),
        find=_find_fig4,
        draw=_draw_fig4,
    ),
    Experiment(
        title="The same with a queue of 30 packets (figures 6, 7)",
        claims=("G-fig6-vegas", "G-fig6-times", "G-fig6-gallop"),
        runs=lambda _quick: _three("papers/gallop-fig6"),
        find=_find_fig6,
        draw=_draw_fig6,
    ),
    *networks.EXPERIMENTS,
)

"""Dynamic Vegas (Zhou, Yu, Zhu, Liu): table 1, and table 2 with the start times, queue and marks that decide its
outcome.
"""

from typing import Any

import numpy as np

from vegaslab.papers.dynamic import readings
from vegaslab.papers.dynamic.readings import NS2_WINDOW, ns2_runs, pair_readings, pair_runs
from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, flow_column, link_total
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.verdict import Finding
from vegaslab.runs.result import Result
from vegaslab.statistics import mean_interval

_BOTTLENECK, _PAYLOAD_BYTES = "r1->r2", 960
_PRINTED_KBPS_A_PACKET = 0.8
_THRESHOLDS = (8, 16, 32, 48, 60, 64, 128, 256, 1024)
_PAPER_THRESHOLD = 1024
_STARTS_MS = tuple(range(500, 10001, 500))
_PAPER_START_MS = 1000
_QUEUES = (5, 10, 15, 20, 30, 40, 50)
_BETAS = (3, 5, 10, 15, 20, 25, 30)
_FAIR_KBPS, _LINK_KBPS, _PACKET_KBIT = 500.0, 1000, 8
_HOMO, _HETE = "papers/dynamic-table2-homo", "papers/dynamic-table2-hete"
_RENO_FIRST = {"flow__0__start": "1us", "flow__1__start": "0s"}
"""Both flows start at one instant in ns-2, which serves Reno's packet before Vegas's."""
_TOGETHER = "vegas, together"
"""The run in which both flows start at 0."""
_PATH_MS = 110.0
_PAIRS: dict[str, tuple[str, dict[str, object]]] = {
    "vegas": ("Vegas", {"algorithm": "vegas"}),
    "dynamic": ("Dynamic", {"algorithm": "dynamic"}),
    "threshold": ("Dynamic, threshold 32", {"algorithm": "dynamic", "ssthresh": 32}),
    "narrow": ("Dynamic, alpha = beta = 2", {"algorithm": "dynamic", "alpha": 2, "beta": 2}),
}


def _alone(result: Result) -> dict[str, Any]:
    """Returns the packets acknowledged, drops and timeouts."""
    flow = result.summary["flows"][0]
    return {
        "packets": flow["delivered_bytes"] / _PAYLOAD_BYTES,
        "drops": link_total(result, _BOTTLENECK)["drops"],
        "timeouts": flow["timeouts"],
    }


def _table1_runs(_quick: bool) -> dict[str, Run]:
    scenario = "papers/dynamic-table1"
    return {
        "vegas": Run(scenario=scenario, set={"flow.0.algorithm": "vegas"}, extract=_alone),
        **{str(one): Run(scenario=scenario, set={"flow.0.ssthresh": one}, extract=_alone) for one in _THRESHOLDS},
        **ns2_runs(scenario, _alone, {"vegas": "", "dynamic": ""}),
    }


def _find_table1(data: Data) -> dict[str, Finding]:
    vegas, dynamic = data["vegas"], data[str(_PAPER_THRESHOLD)]
    alike = [one for one in _THRESHOLDS if abs(data[str(one)]["packets"] / vegas["packets"] - 1) <= 0.01]
    packets = [data[f"ns-2/{kind}"]["packets"] for kind in ("vegas", "dynamic")]
    return {
        "D-table1": Finding(
            values=tuple(_PRINTED_KBPS_A_PACKET * count for count in packets),
            holds=abs(packets[1] / packets[0] - 1) <= 0.01,
            arithmetic="3948.0 and 3933.6 kb/s do not pass a link of 1000 kb/s. 3948.0 is 0.8 of 4935, the number of "
            "packets "
            "of 1000 bytes that such a link can carry in 40 s but for its start: the unit is four times too large.",
            note=f"With ns-2's defaults Vegas delivers {packets[0]:.0f} packets and Dynamic Vegas {packets[1]:.0f}; "
            "the paper's 4935 and 4917. "
            f"With the paper's window of 1024 as threshold Dynamic Vegas loses {dynamic['drops']} packets and "
            f"times out {dynamic['timeouts']} times, {dynamic['packets']:.0f} packets in all, Vegas "
            f"{vegas['packets']:.0f}. "
            f"With thresholds from {min(alike)} to {max(alike)} the two are alike within 1 %.",
            facts={
                "vegas_packets": packets[0],
                "dynamic_packets": packets[1],
                "lost": dynamic["drops"],
                "timeouts": dynamic["timeouts"],
                "less": 100 * (1 - dynamic["packets"] / vegas["packets"]),
            },
        )
    }


def _draw_table1(data: Data) -> list[Chart]:
    y = [data[str(one)]["packets"] * 8 / 40 for one in _THRESHOLDS]
    curves = [
        Curve(label="Dynamic, simulated", x=_THRESHOLDS, y=y, colour=1, style="points"),
        Curve(
            label="Vegas, simulated",
            x=[_THRESHOLDS[0], _THRESHOLDS[-1]],
            y=[data["vegas"]["packets"] * 8 / 40] * 2,
            colour=0,
            style="dashed",
        ),
        Curve(
            label="the paper, a quarter of it", x=[1024, 1024], y=[3948.0 / 4, 3933.6 / 4], colour=3, style="crosses"
        ),
    ]
    panel = Panel(
        x="threshold before the first loss (segments)",
        y="throughput (kb/s)",
        curves=curves,
        log_x=True,
        from_zero=False,
        level=(1000, "the link"),
    )
    caption = "One flow, 40 s. Beyond the 62 packets that path and queue hold, the mid-speed start overshoots."
    return [Chart(slug="dynamic-table1", title="Table 1: one flow on 1 Mb/s", caption=caption, panels=(panel,))]


def _two(result: Result) -> dict[str, Any]:
    """Returns for both flows kb/s, the mean window of the second half in packets and the base RTT in ms; and the
    windows' curves.
    """
    flows = []
    for flow in result.summary["flows"]:
        time_s, window = flow_column(result, "cwnd_segments", flow["id"])
        flows.append(
            {
                "kbps": 1000 * flow["throughput_mbps"],
                "window": float(np.mean(window[time_s > time_s[-1] / 2])),
                "base_ms": flow["base_rtt_ms"],
                "curve": curve(time_s, window),
            }
        )
    return {"flows": flows, "drops": link_total(result, _BOTTLENECK)["drops"]}


def _pair(kind: str, start_ms: int) -> Run:
    own = {f"flow.{flow}.{key}": value for flow in (0, 1) for key, value in _PAIRS[kind][1].items()}
    return Run(scenario=_HOMO, set={**own, "flow.1.start": f"{start_ms}ms"}, extract=_two)


def _homo_runs(quick: bool) -> dict[str, Run]:
    starts = _STARTS_MS[1::4] if quick else _STARTS_MS
    every = dict.fromkeys((_PAPER_START_MS, *starts))
    runs = {f"{kind}/{start}": _pair(kind, start) for kind in _PAIRS for start in every}
    together = {_TOGETHER: _pair("vegas", 0)}
    like = {kind: kind for kind in ("vegas", "dynamic")}
    return {
        **ns2_runs(_HOMO, _two, like, flow__1__start="0s"),
        **{f"{key}, apart": run for key, run in ns2_runs(_HOMO, _two, like).items()},
        **runs,
        **together,
        **pair_runs(quick, _HOMO, (0, 1), _two),
    }


def _of_kind(data: Data, kind: str) -> list[tuple[int, dict[str, Any]]]:
    """Returns the second flow's start in ms and the finding, in order."""
    found = [(int(key.split("/")[1]), run) for key, run in data.items() if key.startswith(f"{kind}/")]
    return sorted(found, key=lambda pair: pair[0])


def _window(run: dict[str, Any]) -> float:
    return float(np.mean([flow["window"] for flow in run["flows"]]))


def _least(run: dict[str, Any]) -> float:
    return float(min(flow["kbps"] for flow in run["flows"]))


def _find_homo(data: Data) -> dict[str, Finding]:
    kinds = ("vegas", "dynamic")
    over = {kind: [run for _, run in _of_kind(data, kind)] for kind in _PAIRS}
    windows = [mean_interval([_window(run) for run in over[kind]]) for kind in kinds]
    shares = [mean_interval([_least(run) for run in over[kind]]) for kind in kinds]
    least = ", ".join(
        f"{_PAIRS[kind][0]} {min(map(_least, runs)):.0f} to {max(map(_least, runs)):.0f}" for kind, runs in over.items()
    )
    wrong = [run["flows"] for run in over["threshold"]]
    right = [run for run in over["narrow"] if max(flow["base_ms"] for flow in run["flows"]) < _PATH_MS + 1]
    of_right = ", ".join(f"{_least(run):.0f}" for run in right)

    def reading(*pair: dict[str, Any]) -> tuple[tuple[float, ...], bool]:
        return (*map(_window, pair), *map(_least, pair)), min(map(_least, pair)) >= _FAIR_KBPS / 2

    apart, _ = reading(*(data[f"ns-2/{kind}, apart"] for kind in kinds))
    return {
        "D-table2-homo": Finding.of_readings(
            *pair_readings(data, reading, {_PAPER_START_MS: f"vegas/{_PAPER_START_MS}", 0: _TOGETHER}),
            note="Mean window, and throughput of the lesser flow. With ns-2's defaults and starts 1 s apart: "
            f"{', '.join(f'{value:.1f}' for value in apart)}. Otherwise, over {len(over['vegas'])} start times, "
            f"means of {', '.join(f'{one.mean:.1f}' for one in (*windows, *shares))}; the lesser flow gets, in kb/s: "
            f"{least}. "
            f"The path's RTT is {_PATH_MS:.0f} ms; with a threshold of 32 the second flow's is "
            f"{_base_range(wrong, 1)} ms, the first's "
            f"{_base_range(wrong, 0)}. With alpha = beta = 2, and where both know the path's RTT: {of_right}.",
            facts={"apart": apart[2]},
        )
    }


def _base_range(flows: list[list[dict[str, Any]]], which: int) -> str:
    bases = [pair[which]["base_ms"] for pair in flows]
    return f"{min(bases):.0f} to {max(bases):.0f}"


def _draw_homo(data: Data) -> list[Chart]:
    shares, bases = [], []
    for colour, (kind, (label, _)) in zip((0, 1, 2, 4), _PAIRS.items(), strict=True):
        starts = [start / 1000 for start, _ in _of_kind(data, kind)]
        runs = [run for _, run in _of_kind(data, kind)]
        second = [run["flows"][1] for run in runs]
        shares.append(Curve(label=label, x=starts, y=[one["kbps"] for one in second], colour=colour, style="points"))
        bases.append(Curve(label="", x=starts, y=[one["base_ms"] for one in second], colour=colour, style="points"))
    shares.append(Curve(label="the paper", x=[1], y=[_FAIR_KBPS], colour=3, style="crosses"))
    caption = (
        "Two flows of one kind. What the second one gets depends on when it starts: if the first one's packets wait "
        "just "
        "then, its base RTT is too long, and it keeps that much more in the queue."
    )
    panels = (
        Panel(x="start of the second flow (s)", y="its throughput (kb/s)", curves=shares, level=(_FAIR_KBPS, "half")),
        Panel(x="start of the second flow (s)", y="its base RTT (ms)", curves=bases, level=(_PATH_MS, "the path")),
    )
    return [Chart(slug="dynamic-table2-homo", title="Table 2: two of a kind", caption=caption, panels=panels)]


def _against_reno(algorithm: str, **others: object) -> Run:
    own = {f"flow.0.{key}": value for key, value in others.items() if key != "queue"}
    queue = {"topology.bottleneck.queue": f"{others.get('queue', 50)}p"}
    return Run(scenario=_HETE, set={"flow.0.algorithm": algorithm, **own, **queue}, extract=_two)


def _hete_runs(quick: bool) -> dict[str, Run]:
    kinds: dict[str, dict[str, object]] = {"vegas": {}, "dynamic": {}, "threshold": {"ssthresh": 32}}
    names = {"vegas": "vegas", "dynamic": "dynamic", "threshold": "dynamic"}
    queues = {
        f"{kind}/{queue}": _against_reno(names[kind], queue=queue, **kinds[kind]) for kind in kinds for queue in _QUEUES
    }
    betas = {f"beta/{beta}": _against_reno("dynamic", alpha=beta, beta=beta, ssthresh=32) for beta in _BETAS}
    together = {_TOGETHER: Run(scenario=_HETE, set={"flow.0.algorithm": "vegas", "flow.1.start": "0s"}, extract=_two)}
    beside_reno = dict.fromkeys(("vegas", "dynamic"), "reno")
    return {
        **ns2_runs(_HETE, _two, beside_reno, **_RENO_FIRST),
        **{f"{key}, apart": run for key, run in ns2_runs(_HETE, _two, beside_reno).items()},
        **queues,
        **betas,
        **together,
        **pair_runs(quick, _HETE, (0,), _two),
    }


def _find_hete(data: Data) -> dict[str, Finding]:
    marks = ", ".join(f"{beta}: {data[f'beta/{beta}']['flows'][0]['kbps']:.0f}" for beta in _BETAS)
    queues = ", ".join(f"{queue}: {data[f'threshold/{queue}']['flows'][0]['kbps']:.0f}" for queue in _QUEUES)

    def reading(*pair: dict[str, Any]) -> tuple[tuple[float, ...], bool]:
        vegas, dynamic = (run["flows"][0] for run in pair)
        values = vegas["window"], dynamic["window"], vegas["kbps"], dynamic["kbps"]
        return values, dynamic["kbps"] >= 0.8 * _FAIR_KBPS > vegas["kbps"]

    apart, _ = reading(*(data[f"ns-2/{kind}, apart"] for kind in ("vegas", "dynamic")))
    return {
        "D-table2-hete": Finding.of_readings(
            *pair_readings(data, reading, {_PAPER_START_MS: "vegas/50", 0: _TOGETHER}),
            note=f"{_renos_window()} With ns-2's defaults and Reno 1 s later: "
            f"{', '.join(f'{value:.1f}' for value in apart)}. Mean windows are of the second half. Without them "
            "Dynamic Vegas with a threshold of 32 gets, in kb/s, by the queue: "
            f"{queues}; by its marks, alpha = beta and a queue of 50: {marks}.",
            facts={"apart_packets": apart[0], "apart": apart[2]},
        )
    }


def _renos_window() -> str:
    """Returns Reno's packets in flight by Little's law, from the paper's own numbers of Vegas."""
    window, _, kbps, _ = claims()["D-table2-hete"].values
    rtt_s = window * _PACKET_KBIT / kbps
    flight = rtt_s * _LINK_KBPS / _PACKET_KBIT
    return (
        f"{window:g} packets at {kbps:g} kb/s are a round trip of {1000 * rtt_s:.0f} ms, in which the link sends "
        f"{flight:.0f} packets: Reno has {flight - window:.0f} in flight, which is ns-2's default window "
        f"({NS2_WINDOW}); unbounded it would fill the queue of 50."
    )


def _draw_hete(data: Data) -> list[Chart]:
    labels = {"vegas": "Vegas", "dynamic": "Dynamic", "threshold": "Dynamic, threshold 32"}
    by_queue = [
        Curve(
            label=label,
            x=_QUEUES,
            y=[data[f"{kind}/{queue}"]["flows"][0]["kbps"] for queue in _QUEUES],
            colour=colour,
            style="points",
        )
        for colour, (kind, label) in enumerate(labels.items())
    ]
    printed = [
        Curve(label="the paper: Vegas 200, Dynamic 500", x=[50, 50], y=[200, 500], colour=3, style="crosses"),
    ]
    by_beta = [
        Curve(
            label="",
            x=_BETAS,
            y=[data[f"beta/{beta}"]["flows"][0]["kbps"] for beta in _BETAS],
            colour=2,
            style="points",
        )
    ]
    flows = data["threshold/50"]["flows"]
    windows = [
        Curve(label="", x=flows[0]["curve"]["x"], y=flows[0]["curve"]["y"], colour=2),
        Curve(label="Reno", x=flows[1]["curve"]["x"], y=flows[1]["curve"]["y"], colour=7),
    ]
    level = (_FAIR_KBPS, "half")
    caption = (
        "What the first flow gets beside Reno, by the length of the queue, and with alpha = beta as marks: half of "
        "the link "
        "takes a backlog of about 20 packets, which no Vegas keeps. Below, the windows."
    )
    panels = (
        Panel(x="queue (packets)", y="throughput (kb/s)", curves=[*by_queue, *printed], level=level),
        Panel(x="alpha = beta (packets), queue 50", y="throughput (kb/s)", curves=by_beta, level=level),
        Panel(x="time (s)", y="window (packets)", curves=windows, level=(25, "the paper's 25")),
    )
    return [Chart(slug="dynamic-table2-hete", title="Table 2: against Reno", caption=caption, panels=panels)]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="One flow (table 1)", claims=("D-table1",), runs=_table1_runs, find=_find_table1, draw=_draw_table1
    ),
    Experiment(
        title="Two flows of one kind (table 2)",
        claims=("D-table2-homo",),
        runs=_homo_runs,
        find=_find_homo,
        draw=_draw_homo,
    ),
    Experiment(
        title="One flow against Reno (table 2)",
        claims=("D-table2-hete",),
        runs=_hete_runs,
        find=_find_hete,
        draw=_draw_hete,
    ),
    *readings.EXPERIMENTS,
)

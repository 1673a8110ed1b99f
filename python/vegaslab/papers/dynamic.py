"""Dynamic Vegas (Zhou, Yu, Zhu, Liu): table 1, and table 2 with what its start times, queue and marks decide."""

from typing import Any

import numpy as np

from vegaslab.papers.chart import Chart, Curve, Panel
from vegaslab.papers.experiment import Data, Experiment, Run
from vegaslab.papers.extract import curve, flow_column, link_total
from vegaslab.papers.verdict import Finding
from vegaslab.result import Result
from vegaslab.statistics import mean_interval

_BOTTLENECK, _PAYLOAD_BYTES = "r1->r2", 960
_PRINTED_KBPS_A_PACKET = 0.8
_THRESHOLDS = (8, 16, 32, 48, 60, 64, 128, 256, 1024)
_PAPER_THRESHOLD = 1024
_STARTS_MS = tuple(range(500, 10001, 500))
_PAPER_START_MS = 1000
_QUEUES = (5, 10, 15, 20, 30, 40, 50)
_BETAS = (3, 5, 10, 15, 20, 25, 30)
_FAIR_KBPS = 500.0
_PATH_MS = 110.0
_PAIRS: dict[str, tuple[str, dict[str, object]]] = {
    "vegas": ("Vegas", {"algorithm": "vegas"}),
    "dynamic": ("Dynamic", {"algorithm": "dynamic"}),
    "threshold": ("Dynamic, threshold 32", {"algorithm": "dynamic", "ssthresh": 32}),
    "narrow": ("Dynamic, alpha = beta = 2", {"algorithm": "dynamic", "alpha": 2, "beta": 2}),
}


def _alone(result: Result) -> dict[str, Any]:
    """Packets acknowledged, drops, timeouts."""
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
    }


def _find_table1(data: Data) -> dict[str, Finding]:
    vegas, dynamic = data["vegas"], data[str(_PAPER_THRESHOLD)]
    alike = [one for one in _THRESHOLDS if abs(data[str(one)]["packets"] / vegas["packets"] - 1) <= 0.01]
    middle = data["32"]
    return {
        "D-table1": Finding(
            values=(_PRINTED_KBPS_A_PACKET * vegas["packets"], _PRINTED_KBPS_A_PACKET * dynamic["packets"]),
            holds=abs(dynamic["packets"] / vegas["packets"] - 1) <= 0.01,
            arithmetic="3948.0 and 3933.6 kb/s do not pass a link of 1000 kb/s. 3948.0 is 0.8 of 4935, the number of "
            "packets "
            "of 1000 bytes that such a link can carry in 40 s but for its start: the unit is four times too large.",
            note=f"With the paper's window of 1024 as threshold Dynamic Vegas loses {dynamic['drops']} packets and "
            f"times out {dynamic['timeouts']} times, {dynamic['packets']:.0f} packets in all, Vegas "
            f"{vegas['packets']:.0f}. "
            f"With thresholds from {min(alike)} to {max(alike)} the two are alike within 1 % (32: "
            f"{_PRINTED_KBPS_A_PACKET * middle['packets']:.0f} in the paper's unit).",
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
    """Of both flows: kb/s, mean window of the second half in packets, base RTT in ms; the windows' curves."""
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
    return Run(scenario="papers/dynamic-table2-homo", set={**own, "flow.1.start": f"{start_ms}ms"}, extract=_two)


def _homo_runs(quick: bool) -> dict[str, Run]:
    starts = _STARTS_MS[1::4] if quick else _STARTS_MS
    every = dict.fromkeys((_PAPER_START_MS, *starts))
    return {f"{kind}/{start}": _pair(kind, start) for kind in _PAIRS for start in every}


def _of_kind(data: Data, kind: str) -> list[tuple[int, dict[str, Any]]]:
    """Start of the second flow in ms and what was found, in order."""
    found = [(int(key.split("/")[1]), run) for key, run in data.items() if key.startswith(f"{kind}/")]
    return sorted(found, key=lambda pair: pair[0])


def _window(run: dict[str, Any]) -> float:
    return float(np.mean([flow["window"] for flow in run["flows"]]))


def _least(run: dict[str, Any]) -> float:
    return float(min(flow["kbps"] for flow in run["flows"]))


def _find_homo(data: Data) -> dict[str, Finding]:
    kinds = ("vegas", "dynamic")
    nominal = [data[f"{kind}/{_PAPER_START_MS}"] for kind in kinds]
    over = {kind: [run for _, run in _of_kind(data, kind)] for kind in _PAIRS}
    windows = [mean_interval([_window(run) for run in over[kind]]) for kind in kinds]
    shares = [mean_interval([_least(run) for run in over[kind]]) for kind in kinds]
    least = ", ".join(
        f"{_PAIRS[kind][0]} {min(map(_least, runs)):.0f} to {max(map(_least, runs)):.0f}" for kind, runs in over.items()
    )
    wrong = [run["flows"] for run in over["threshold"]]
    right = [run for run in over["narrow"] if max(flow["base_ms"] for flow in run["flows"]) < _PATH_MS + 1]
    of_right = ", ".join(f"{_least(run):.0f}" for run in right)
    return {
        "D-table2-homo": Finding(
            values=(*map(_window, nominal), *map(_least, nominal)),
            intervals=tuple((one.low, one.high) for one in (*windows, *shares)),
            holds=min(_least(run) for kind in kinds for run in over[kind]) >= _FAIR_KBPS / 2,
            note="Mean window, and throughput of the lesser flow where the second starts 1 s later; intervals over "
            f"{len(over['vegas'])} start times. The lesser flow gets, in kb/s: {least}. "
            f"The path's RTT is {_PATH_MS:.0f} ms; with a threshold of 32 the second flow's is "
            f"{_base_range(wrong, 1)} ms, the first's "
            f"{_base_range(wrong, 0)}. With alpha = beta = 2, and where both know the path's RTT: {of_right}.",
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
    return Run(scenario="papers/dynamic-table2-hete", set={"flow.0.algorithm": algorithm, **own, **queue}, extract=_two)


def _hete_runs(_quick: bool) -> dict[str, Run]:
    kinds: dict[str, dict[str, object]] = {"vegas": {}, "dynamic": {}, "threshold": {"ssthresh": 32}}
    names = {"vegas": "vegas", "dynamic": "dynamic", "threshold": "dynamic"}
    queues = {
        f"{kind}/{queue}": _against_reno(names[kind], queue=queue, **kinds[kind]) for kind in kinds for queue in _QUEUES
    }
    betas = {f"beta/{beta}": _against_reno("dynamic", alpha=beta, beta=beta, ssthresh=32) for beta in _BETAS}
    return {**queues, **betas}


def _find_hete(data: Data) -> dict[str, Finding]:
    vegas, dynamic = (data[f"{kind}/50"]["flows"][0] for kind in ("vegas", "dynamic"))
    marks = ", ".join(f"{beta}: {data[f'beta/{beta}']['flows'][0]['kbps']:.0f}" for beta in _BETAS)
    queues = ", ".join(f"{queue}: {data[f'threshold/{queue}']['flows'][0]['kbps']:.0f}" for queue in _QUEUES)
    return {
        "D-table2-hete": Finding(
            values=(vegas["window"], dynamic["window"], vegas["kbps"], dynamic["kbps"]),
            holds=dynamic["kbps"] >= 0.8 * _FAIR_KBPS > vegas["kbps"],
            note=f"Mean windows of the second half. Dynamic Vegas with a threshold of 32 gets, in kb/s, by the queue: "
            f"{queues}; by its marks, alpha = beta and a queue of 50: {marks}.",
        )
    }


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
)

"""RoVegas (Chan, Chan, Chen, 2004): figures 3 to 5, 7 to 10, 12, 13, 15, 17 to 19, section 3.2, and rerouting."""

from typing import Any

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, flow_column, link_column
from vegaslab.papers.judging.verdict import Finding, Reading
from vegaslab.papers.models import rovegas as model
from vegaslab.papers.rovegas import chain, probing, shares, traffic
from vegaslab.papers.rovegas.runs import KBPS, between, counted
from vegaslab.runs.result import Result

_SCENARIO = "papers/rovegas-fig3"
_FORWARD_PPS, _FORWARD_KBPS = 200, 1600
_STEADY_S, _END_S, _SHOWN_S = 100, 200, 30
_NOTHING = 0.1
"""A mean queue up to this size counts as empty, packets."""
_LINKS = {"forward": "r1->r2", "backward": "r2->r1"}
_ASYMMETRIES = (2, 4, 8, 16, 32)
_PAPER_GAINS = (2.0, 2.0, 3.0, 3.0, 3.0)
_PAPER_WINDOWS = {"fig3": (13, 3), "fig5": (33, 2)}
_FIGURES = {
    "fig3": ("vegas", 0.5, "figure 3: Vegas, k = 0.5"),
    "fig4": ("vegas", 2, "figure 4: Vegas, k = 2"),
    "fig5": ("rovegas", 2, "figure 5: RoVegas, k = 2"),
}
_VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    "rovegas": ("RoVegas", {"flow.0.algorithm": "rovegas"}),
    # 32 bytes, and 8 of the option
    "ack40": ("RoVegas, ACK 40 B with the option", {"flow.0.algorithm": "rovegas", "flow.0.ack": "32b"}),
    "ack40-queue50": (
        "the same with queues of 50",
        {"flow.0.algorithm": "rovegas", "flow.0.ack": "32b", "topology.bottleneck.queue": "50p"},
    ),
    "burst": ("RoVegas without H", {"flow.0.algorithm": '{ preset = "rovegas", burst = "none" }'}),
    "keep-up": ("RoVegas without I", {"flow.0.algorithm": '{ preset = "rovegas", keep_up = false }'}),
    "neither": (
        "RoVegas without H and I",
        {"flow.0.algorithm": '{ preset = "rovegas", burst = "none", keep_up = false }'},
    ),
}


def _narrow(k: float) -> dict[str, object]:
    """Returns a backward rate that carries 1/k acknowledgements of 40 bytes for each data packet of 1000."""
    return {"topology.bottleneck.backward.rate": f"{64 / k:g}kbit"}


def _steady(result: Result) -> dict[str, Any]:
    """Returns window and queues in the second half of the run, and the curves of the first seconds."""
    time_s, window = flow_column(result, "cwnd_segments")
    steady = window[time_s > _STEADY_S]
    _, throughput = flow_column(result, "throughput_mbps")
    shown = time_s <= _SHOWN_S
    queues = {way: link_column(result, "queue_packets", link) for way, link in _LINKS.items()}
    return {
        "window": between(time_s, window, _STEADY_S, _END_S),
        "window_moves": float(steady.max() - steady.min()),
        "throughput": between(time_s, throughput, _STEADY_S, _END_S) * KBPS,
        "base_s": result.summary["flows"][0]["base_rtt_ms"] / 1000,
        **{way: between(*queue, _STEADY_S, _END_S) for way, queue in queues.items()},
        "forward_most": float(queues["forward"][1][queues["forward"][0] > _STEADY_S].max()),
        "curves": {
            "window": curve(time_s[shown], window[shown]),
            **{
                way: curve(at_s[at_s <= _SHOWN_S], packets[at_s <= _SHOWN_S]) for way, (at_s, packets) in queues.items()
            },
        },
        "throughputs": curve(time_s, throughput * KBPS),
    }


def _window_runs(_quick: bool) -> dict[str, Run]:
    figures = {
        name: Run(scenario=_SCENARIO, set={"flow.0.algorithm": algorithm, **_narrow(k)}, extract=_steady)
        for name, (algorithm, k, _) in _FIGURES.items()
    }
    # 40 ms that include the access links
    short = {
        f"{name}/40ms": Run(
            scenario=_SCENARIO, set={**figures[name].set, "topology.bottleneck.delay": "18ms"}, extract=_steady
        )
        for name in _PAPER_WINDOWS
    }
    return {**figures, **short}


def _find_windows(data: Data) -> dict[str, Finding]:
    three, four, five = data["fig3"], data["fig4"], data["fig5"]
    least, most = model.vegas_queue()
    closed = model.full_window(four["base_s"], _FORWARD_PPS / 2, four["backward"])
    return {
        "R-fig3": Finding(
            values=(three["window"], three["forward"], three["backward"]),
            holds=least <= three["forward"] <= most and three["backward"] < least,
            note=_closed_forms(three)
            + f" With 40 ms that hold the access links' 4: {_window_and_queues(data['fig3/40ms'])}.",
        ),
        "R-fig4": Finding(
            values=(four["window"], four["forward"], four["backward"]),
            holds=four["window"] < three["window"]
            and four["forward"] <= _NOTHING
            and least <= four["backward"] <= most
            and abs(four["window"] - closed) <= 1,
            note=f"Eq. 14 gives {closed:.1f} packets.",
        ),
        "R-fig5": Finding.of_readings(
            _fig5_reading("40 ms and the access links' 4", five),
            _fig5_reading("40 ms in all", data["fig5/40ms"]),
            note=f"The backward queue holds {five['backward']:.1f} of 9 beside the packet being sent; the forward one "
            f"moves between 0 and {five['forward_most']:.0f} as pairs pass, {five['forward']:.1f} on average. "
            "The window is what path and full queue hold: beta, H and I hardly move it; with alpha = beta = 1 it does "
            "not rest.",
        ),
    }


def _fig5_reading(name: str, run: dict[str, Any]) -> Reading:
    return Reading(
        name=name,
        values=(run["window"], run["forward"]),
        # the paper draws both as stable
        holds=run["forward"] < run["backward"] and run["backward"] > 8 and run["window_moves"] < 1,
    )


def _closed_forms(run: dict[str, Any]) -> str:
    window = model.full_window(run["base_s"], _FORWARD_PPS, run["forward"])
    return f"Eq. 10 with the simulated base round trip of {1000 * run['base_s']:.1f} ms gives {window:.1f} packets."


def _window_and_queues(run: dict[str, Any]) -> str:
    return f"window {run['window']:.1f}, queues {run['forward']:.1f} and {run['backward']:.1f}"


def _draw_windows(data: Data) -> list[Chart]:
    panels = []
    for place, (name, (_, k, title)) in enumerate(_FIGURES.items()):
        curves = [
            Curve(
                label=label if place == 0 else "",
                x=data[name]["curves"][what]["x"],
                y=data[name]["curves"][what]["y"],
                colour=colour,
            )
            for colour, (what, label) in enumerate(
                (("window", "window"), ("forward", "forward queue"), ("backward", "backward queue"))
            )
        ]
        panels.append(
            Panel(x="time (s)", y=f"packets, {title}", curves=[*curves, *_steady_marks(data, name, k, place)])
        )
    caption = (
        "Window and queues of one flow, 200 packets a second there. Dashed: steady window by eq. 10 (figure 3), eq. 14 "
        "(figure 4) and the bounds of eq. 19 (figure 5), each for the simulated base round trip and queue. Crosses: "
        "the paper's numbers."
    )
    return [
        Chart(
            slug="rovegas-fig3", title="Figures 3 to 5: where the packets wait", caption=caption, panels=tuple(panels)
        )
    ]


def _steady_marks(data: Data, name: str, k: float, place: int) -> list[Curve]:
    run, ends = data[name], [_SHOWN_S / 3, _SHOWN_S]
    windows = {
        "fig3": (model.full_window(run["base_s"], _FORWARD_PPS, run["forward"]),),
        "fig4": (model.full_window(run["base_s"], _FORWARD_PPS / k, run["backward"]),),
        "fig5": model.rovegas_window(run["base_s"], _FORWARD_PPS, run["forward"]) if run["forward"] else (),
    }
    closed = [
        Curve(
            label="window, closed form" if (place, at) == (0, 0) else "",
            x=ends,
            y=[window, window],
            colour=3,
            style="dashed",
        )
        for at, window in enumerate(windows[name])
    ]
    printed = [
        Curve(
            label=f"the paper's {what}" if place == 0 else "",
            x=[0.9 * _SHOWN_S],
            y=[value],
            colour=colour,
            style="crosses",
        )
        for colour, (what, value) in enumerate(
            zip(("window", "forward queue"), _PAPER_WINDOWS.get(name, ()), strict=False)
        )
    ]
    return [*closed, *printed]


def _asymmetric_runs(_quick: bool) -> dict[str, Run]:
    every: dict[str, dict[str, object]] = {key: values for key, (_, values) in _VARIANTS.items()}
    every["vegas"] = {"flow.0.algorithm": "vegas"}
    return {
        f"{key}/{k}": Run(scenario=_SCENARIO, set={**values, **_narrow(k), "sample": "5s"}, extract=_steady)
        for key, values in every.items()
        for k in _ASYMMETRIES
    }


def _kbps(data: Data, key: str, k: int) -> float:
    return counted("vegas" if key == "vegas" else "rovegas", data[f"{key}/{k}"]["throughput"])


def _gains(data: Data, key: str) -> list[float]:
    return [_kbps(data, key, k) / _kbps(data, "vegas", k) for k in _ASYMMETRIES]


def _find_asymmetric(data: Data) -> dict[str, Finding]:
    shares = tuple(_kbps(data, "vegas", k) * k / _FORWARD_KBPS for k in _ASYMMETRIES)
    gains = _gains(data, "rovegas")
    others = "; ".join(
        f"{label}: {_list(_gains(data, key))}" for key, (label, _) in _VARIANTS.items() if key != "rovegas"
    )
    return {
        "R-fig7": Finding(values=shares, holds=max(shares) <= 1.01),
        "R-fig8": Finding(
            values=tuple(gains),
            holds=all(map(model.is_ratio_possible, gains)),
            note=f"At k = 2: {_kbps(data, 'rovegas', 2):.0f} kb/s, {_kbps(data, 'ack40', 2):.0f} with an ACK of 40 B "
            f"(the paper: 1587.2). {others}.",
        ),
    }


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _draw_asymmetric(data: Data) -> list[Chart]:
    return [_draw_over_time(data), _draw_gains(data)]


def _draw_over_time(data: Data) -> Chart:
    def panel(key: str, name: str, most: int) -> Panel:
        curves = [
            Curve(
                label=f"k = {k}" if key == "vegas" else "",
                x=data[f"{key}/{k}"]["throughputs"]["x"],
                y=[counted(key, value) for value in data[f"{key}/{k}"]["throughputs"]["y"]],
                colour=place,
            )
            for place, k in enumerate(_ASYMMETRIES)
        ]
        closed = [
            Curve(
                label=f"{name}: {most} times eq. 16" if most > 1 and k == _ASYMMETRIES[0] else "",
                x=[0, _END_S],
                y=[min(_FORWARD_KBPS, 8 * most * model.vegas_throughput(_FORWARD_PPS, k))] * 2,
                colour=place,
                style="dashed",
            )
            for place, k in enumerate(_ASYMMETRIES)
        ]
        return Panel(x="time (s)", y=f"throughput (kb/s), {name}", curves=[*curves, *closed])

    caption = (
        "Throughput of Vegas over eq. 16, u_f/k, and of RoVegas over the bound of eq. 20, three times that and the "
        "link's rate at most (dashed)."
    )
    panels = (panel("vegas", "Vegas", 1), panel("rovegas", "RoVegas", model.MOST_RATIO))
    return Chart(slug="rovegas-fig7", title="Figures 7 and 8: asymmetric paths", caption=caption, panels=panels)


def _draw_gains(data: Data) -> Chart:
    curves = [
        Curve(
            label=label,
            x=_ASYMMETRIES,
            y=_gains(data, key),
            colour=colour,
            style="points" if key in ("burst", "keep-up", "neither") else "line",
        )
        for colour, (key, (label, _)) in enumerate(_VARIANTS.items())
    ]
    printed = Curve(label="the paper", x=_ASYMMETRIES, y=_PAPER_GAINS, colour=7, style="crosses")
    panel = Panel(
        x="asymmetry k",
        y="RoVegas over Vegas",
        curves=[*curves, printed],
        level=(model.MOST_RATIO, "eq. 20"),
    )
    caption = (
        "Steady throughput over Vegas's, and what it rests on: the option's 8 bytes on an acknowledgement, bursts of "
        "three at most (H), no growth while short of the window (I). Crosses: the paper."
    )
    return Chart(slug="rovegas-fig8", title="Figure 8: RoVegas over Vegas", caption=caption, panels=(panel,))


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Where the packets wait (figures 3 to 5)",
        claims=("R-fig3", "R-fig4", "R-fig5"),
        runs=_window_runs,
        find=_find_windows,
        draw=_draw_windows,
    ),
    Experiment(
        title="Asymmetric paths (figures 7, 8)",
        claims=("R-fig7", "R-fig8"),
        runs=_asymmetric_runs,
        find=_find_asymmetric,
        draw=_draw_asymmetric,
    ),
    *traffic.EXPERIMENTS,
    *probing.EXPERIMENTS,
    *chain.EXPERIMENTS,
    *shares.EXPERIMENTS,
)

"""RoVegas: persistent congestion (figure 15), equal shares (figures 17 and 18), a route that becomes longer."""

from typing import Any

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, flow_column, link_column
from vegaslab.papers.judging.verdict import Finding, Reading
from vegaslab.papers.models import rovegas as model
from vegaslab.papers.rovegas.runs import ALGORITHMS, LABELS, LEAST_BASE, between
from vegaslab.runs.result import Result

_BOTTLENECK = "r1->r2"
_EIGHT, _JOIN_S, _LOOK_S = 8, 20, 5
_FIVE = 5
_EQUAL_SHARES = 1.05
"""The limit on the greatest share over the least for equal shares. Jain's index of 0.99 would allow 1.2."""
_RANGE, _TOO_COARSE = (1, 3), (1, 1)
_EQUAL = ((2, 2), (3, 3), (4, 4))
"""Values of alpha = beta, which the paper omits; the first is assumed. One is too coarse for whole windows."""
_BOUNDS = (_RANGE, _TOO_COARSE, *_EQUAL)
_OTHER_LINK: dict[str, object] = {"topology.bottleneck.rate": "5mbit", "topology.bottleneck.delay": "10ms"}
_ACCESS_MS = (1, 5, 9, 13, 17)


def _queues(result: Result) -> dict[str, Any]:
    """Returns the mean number of packets waiting in the last seconds before the next flow joins, and the queue over
    time.
    """
    time_s, queue = link_column(result, "queue_packets", _BOTTLENECK)
    ends = [_JOIN_S * (flow + 1) for flow in range(_EIGHT)]
    return {
        "settled": [between(time_s, queue, end - _LOOK_S, end) for end in ends],
        "queue": curve(time_s, queue),
    }


def _runs_fig15(_quick: bool) -> dict[str, Run]:
    return {
        f"{network}/{algorithm}": Run(
            scenario="papers/rovegas-fig15",
            set={**{f"flow.{flow}.algorithm": algorithm for flow in range(_EIGHT)}, **values},
            extract=_queues,
        )
        for network, values in (("assumed", {}), ("other", _OTHER_LINK))
        for algorithm in ALGORITHMS
    }


def _find_fig15(data: Data) -> dict[str, Finding]:
    values, other = (_three_queues(data, network) for network in ("assumed", "other"))
    _, most = model.vegas_queue()
    return {
        "R-fig15": Finding(
            values=values,
            holds=values[0] > 4 * most and values[1] > _EIGHT * most and values[2] <= _EIGHT * most,
            note=f"On 5 Mb/s and 10 ms: {', '.join(f'{value:.0f}' for value in other)}.",
        )
    }


def _three_queues(data: Data, network: str) -> tuple[float, float, float]:
    vegas, rovegas = (data[f"{network}/{algorithm}"]["settled"] for algorithm in ALGORITHMS)
    return vegas[3], vegas[7], rovegas[7]


def _draw_fig15(data: Data) -> list[Chart]:
    curves = [
        Curve(
            label=LABELS[name],
            x=data[f"assumed/{name}"]["queue"]["x"],
            y=data[f"assumed/{name}"]["queue"]["y"],
            colour=colour,
        )
        for colour, name in enumerate(ALGORITHMS)
    ]
    least, most = model.vegas_queue()
    joins = [_JOIN_S * flow for flow in range(_EIGHT + 1)]
    bounds = [
        Curve(
            label="alpha and beta for each flow, eq. 11" if bound == least else "",
            x=[joins[flow + step] for flow in range(_EIGHT) for step in (0, 1)],
            y=[bound * (flow + 1) for flow in range(_EIGHT) for _ in (0, 1)],
            colour=7,
            style="dashed",
        )
        for bound in (least, most)
    ]
    printed = [
        Curve(label="the paper, Vegas", x=[80, 160], y=[15, 40], colour=0, style="crosses"),
        Curve(label="the paper, RoVegas", x=[160], y=[18], colour=1, style="crosses"),
    ]
    caption = (
        "Packets waiting as one more flow enters every 20 s. Dashed: the least and the most that the flows' bounds "
        "allow (eq. 11, 1 to 3 packets each). Crosses: the paper's numbers."
    )
    panel = Panel(x="time (s)", y="queue (packets)", curves=[*curves, *bounds, *printed])
    return [Chart(slug="rovegas-fig15", title="Figure 15: eight flows, one by one", caption=caption, panels=(panel,))]


def _shares(result: Result) -> dict[str, Any]:
    """Returns the throughputs over the last 100 s in kb/s, and over time."""
    end_s = result.scenario.duration_s
    columns = [flow_column(result, "throughput_mbps", flow) for flow in range(_FIVE)]
    return {
        "shares": [1000 * between(time_s, throughput, end_s - 100, end_s) for time_s, throughput in columns],
        "throughputs": [curve(time_s, throughput * 1000) for time_s, throughput in columns],
    }


def _five(scenario: str, algorithm: str, bounds: tuple[int, int], network: dict[str, object]) -> Run:
    each = {"algorithm": {"preset": algorithm}, "alpha": bounds[0], "beta": bounds[1]}
    flows = {f"flow.{flow}.{key}": value for flow in range(_FIVE) for key, value in each.items()}
    return Run(scenario=scenario, set={**flows, **network}, extract=_shares)


def _five_runs(scenario: str, networks: dict[str, tuple[str, dict[str, object]]]) -> dict[str, Run]:
    every = {"": (scenario, {}), **networks}
    return {
        f"{network}{algorithm}/{_of(bounds)}": _five(name, algorithm, bounds, values)
        for network, (name, values) in every.items()
        for algorithm in ALGORITHMS
        for bounds in _BOUNDS
    }


def _of(bounds: tuple[int, int]) -> str:
    return f"alpha {bounds[0]}, beta {bounds[1]}"


def _four(equal: tuple[int, int]) -> list[str]:
    """Returns the keys of the runs in the figure's four panels."""
    return [f"{algorithm}/{_of(bounds)}" for algorithm in ALGORITHMS for bounds in (_RANGE, equal)]


def _spread(data: Data, key: str) -> float:
    """Returns the greatest share over the least."""
    shares = data[key]["shares"]
    return float(max(shares) / min(shares))


def _find_shares(data: Data, claim: str, others: dict[str, str]) -> dict[str, Finding]:
    one_of_them = "; ".join(f"{name}: {_spreads(data, prefix)}" for prefix, name in {"": "here", **others}.items())
    return {
        claim: Finding.of_readings(
            *(_reading(data, equal) for equal in _EQUAL),
            note=f"Vegas and RoVegas with other alpha and beta, and otherwise: {one_of_them}.",
            facts={"coarse": _spread(data, f"rovegas/{_of(_TOO_COARSE)}")},
        )
    }


def _reading(data: Data, equal: tuple[int, int]) -> Reading:
    spreads = tuple(_spread(data, key) for key in _four(equal))
    only_the_last = spreads[3] <= _EQUAL_SHARES < min(spreads[:3])
    return Reading(name=f"alpha = beta = {equal[0]}", values=spreads, holds=only_the_last)


def _spreads(data: Data, prefix: str) -> str:
    def both(bounds: tuple[int, int]) -> str:
        return " and ".join(f"{_spread(data, f'{prefix}{name}/{_of(bounds)}'):.3f}" for name in ALGORITHMS)

    return ", ".join(f"{bounds[0]}-{bounds[1]} {both(bounds)}" for bounds in _BOUNDS)


def _draw_shares(data: Data, slug: str, title: str, caption: str) -> list[Chart]:
    four = _four(_EQUAL[0])
    panels = tuple(
        Panel(
            x="time (s)",
            y=f"kb/s, {LABELS[key.split('/')[0]]}, {key.split('/')[1]}",
            curves=[
                Curve(label=f"flow {flow + 1}" if key == four[0] else "", x=one["x"], y=one["y"], colour=flow)
                for flow, one in enumerate(data[key]["throughputs"])
            ],
            level=(1600 / _FIVE, "an equal share"),
        )
        for key in four
    )
    return [Chart(slug=slug, title=title, caption=caption, panels=panels)]


_FIG17_OTHERS = {"5 Mb/s ": "5 Mb/s and 10 ms"}
_FIG18_OTHERS = {
    "access ": f"one link of 20 ms and access delays of {', '.join(map(str, _ACCESS_MS))} ms",
    "delayed ": "with ns-2's delayed growth",
}


def _runs_fig17(_quick: bool) -> dict[str, Run]:
    return _five_runs("papers/rovegas-fig17", {"5 Mb/s ": ("papers/rovegas-fig17", _OTHER_LINK)})


def _runs_fig18(_quick: bool) -> dict[str, Run]:
    access = {
        f"flow.{flow}.access": f'{{ rate = "10mbit", delay = "{delay}ms" }}' for flow, delay in enumerate(_ACCESS_MS)
    }
    starts = {f"flow.{flow}.start": "0s" for flow in range(_FIVE)}
    delayed: dict[str, object] = {f"flow.{flow}.algorithm.slow_start": "vegas-ns2-delayed" for flow in range(_FIVE)}
    return _five_runs(
        "papers/rovegas-fig18",
        {"access ": ("papers/rovegas-fig17", {**access, **starts}), "delayed ": ("papers/rovegas-fig18", delayed)},
    )


def _draw_fig17(data: Data) -> list[Chart]:
    caption = (
        "Throughputs of five flows that enter 30 s apart. With Vegas a later flow takes the queue that it "
        "finds for a part of the path and gets more. With RoVegas and alpha equal to beta all end with the same."
    )
    return _draw_shares(data, "rovegas-fig17", "Figure 17: five flows, one by one", caption)


def _draw_fig18(data: Data) -> list[Chart]:
    caption = (
        "Throughputs of five flows over one to five links of 10 ms, which begin together. They find hardly a queue, "
        "so that Vegas's base RTT is little wrong."
    )
    return _draw_shares(data, "rovegas-fig18", "Figure 18: five flows of different delays", caption)


_REROUTED = {"vegas": "vegas", "rovegas": "rovegas", "least": LEAST_BASE}
_REROUTED_LABELS = {"vegas": "Vegas", "rovegas": "RoVegas", "least": "RoVegas, section 6.4's pseudocode"}
_CHANGE_S, _END_S = 30, 60


def _before_and_after(result: Result) -> dict[str, Any]:
    time_s, throughput = flow_column(result, "throughput_mbps")
    _, window = flow_column(result, "cwnd_segments")
    return {
        "before": between(time_s, throughput, _CHANGE_S - 10, _CHANGE_S),
        "after": between(time_s, throughput, _END_S - 10, _END_S),
        "throughput": curve(time_s, throughput),
        "window": curve(time_s, window),
    }


def _runs_reroute(_quick: bool) -> dict[str, Run]:
    return {
        name: Run(scenario="rovegas-reroute", set={"flow.0.algorithm": algorithm}, extract=_before_and_after)
        for name, algorithm in _REROUTED.items()
    }


def _find_reroute(data: Data) -> dict[str, Finding]:
    kept = {name: data[name]["after"] / data[name]["before"] for name in _REROUTED}
    return {
        "R-reroute": Finding(
            values=tuple(data[name][when] for name in ALGORITHMS for when in ("before", "after")),
            holds=kept["vegas"] < 0.9 <= kept["rovegas"],
            note="Vegas before and after, RoVegas before and after. Kept: "
            f"{', '.join(f'{_REROUTED_LABELS[name]} {100 * share:.0f} %' for name, share in kept.items())}. The "
            "pseudocode "
            "keeps the least base RTT, which a longer route cannot raise: with it section 3.1's promise does not hold.",
        )
    }


def _draw_reroute(data: Data) -> list[Chart]:
    def curves(what: str) -> list[Curve]:
        return [
            Curve(label=_REROUTED_LABELS[name], x=data[name][what]["x"], y=data[name][what]["y"], colour=colour)
            for colour, name in enumerate(_REROUTED)
        ]

    caption = (
        "At 30 s the route becomes 40 ms longer. Vegas takes that for a backlog and shrinks; RoVegas learns from the "
        "routers that nothing waits, and opens its window to what the longer path holds."
    )
    panels = (
        Panel(x="time (s)", y="throughput (Mb/s)", curves=curves("throughput"), level=(1.6, "1.6 Mb/s")),
        Panel(x="time (s)", y="window (packets)", curves=curves("window")),
    )
    return [Chart(slug="rovegas-reroute", title="A route that becomes longer", caption=caption, panels=panels)]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Persistent congestion (figure 15)",
        claims=("R-fig15",),
        runs=_runs_fig15,
        find=_find_fig15,
        draw=_draw_fig15,
    ),
    Experiment(
        title="Five flows that enter one by one (figure 17)",
        claims=("R-fig17",),
        runs=_runs_fig17,
        find=lambda data: _find_shares(data, "R-fig17", _FIG17_OTHERS),
        draw=_draw_fig17,
    ),
    Experiment(
        title="Five flows of different delays (figure 18)",
        claims=("R-fig18",),
        runs=_runs_fig18,
        find=lambda data: _find_shares(data, "R-fig18", _FIG18_OTHERS),
        draw=_draw_fig18,
    ),
    Experiment(
        title="A route that becomes longer (sections 2.2.1 and 3.1)",
        claims=("R-reroute",),
        runs=_runs_reroute,
        find=_find_reroute,
        draw=_draw_reroute,
    ),
)

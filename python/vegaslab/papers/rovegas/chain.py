"""RoVegas: three links with on-off traffic against the acknowledgements on each (figures 12, 13 and 19)."""

from collections.abc import Mapping
from statistics import mean
from typing import Any

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, flow_column
from vegaslab.papers.judging.verdict import Finding
from vegaslab.papers.rovegas.runs import (
    ALGORITHMS,
    KBPS,
    LABELS,
    LEAST_BASE,
    SEEDS,
    Estimate,
    between,
    counted,
    over_seeds,
    ratio,
)
from vegaslab.papers.rovegas.traffic import (
    FITTED,
    Form,
    always_more,
    at_load,
    forms,
    forms_in,
    gain_over_seeds,
    gains_by_load,
    is_monotonic,
    load_key,
    load_panels,
    loads,
    loads_in,
    throughput_kbps,
    throughputs_by_load,
)
from vegaslab.runs.result import Result
from vegaslab.statistics import paired_difference

_SCENARIO, _SOURCES = "papers/rovegas-fig12", 3
_LOAD = 0.8
_LINK_KBPS = 1600
_PERIODS_S = ((100, 200), (200, 300), (300, 400))
_PAPER_GAINS = (2.0, 2.77, 3.46)
_PAPER_GAIN_AT_ONE = 14.09

_WHOLE_ROW = {
    f"traffic.{source}.{end}": router for source in range(3) for end, router in (("enter", "r4"), ("leave", "r1"))
}
_PLACES: dict[str, dict[str, object]] = {"a source for each link": {}, "all three over the whole row": {**_WHOLE_ROW}}
_EACH = next(iter(_PLACES))

_FROM_THE_START: dict[str, object] = {f"traffic.{source}.start": "0s" for source in range(_SOURCES)}
_ONLY_R2: dict[str, object] = {
    "topology.bottlenecks.0.aqt": False,
    "topology.bottlenecks.0.backward.aqt": True,
    "topology.bottlenecks.1.backward.aqt": False,
    "topology.bottlenecks.2.aqt": False,
}
_ONE_LINK, _LATE, _ONE_LINK_LATE = "one link", "least timeout 1 s", "one link, least timeout 1 s"
_NOTHING_MORE: Mapping[str, object] = {}
_LATE_TIMEOUTS: Mapping[str, object] = {"flow.0.host.rto_min": "1s", "flow.0.host.rto_initial": "6s"}
"""The timeouts are ns-2's defaults (`minrto_`, `rtxcur_init_`) when the paper was revised, June 2004."""
_STAMPED = {"vegas": "vegas", "least": LEAST_BASE, "newest": "rovegas"}
_STAMPED_LABELS = {"vegas": "Vegas", "least": "RoVegas, section 6.4's pseudocode", "newest": "RoVegas, newest base RTT"}


def _periods(result: Result) -> dict[str, Any]:
    time_s, throughput = flow_column(result, "throughput_mbps")
    return {
        "means": [between(time_s, throughput, *period) * KBPS for period in _PERIODS_S],
        "alone": between(time_s, throughput, 20, _PERIODS_S[0][0]) * KBPS,
        "throughput": curve(time_s, throughput * KBPS),
    }


def _runs_fig12(quick: bool) -> dict[str, Run]:
    return {
        f"{form}/{place}/{algorithm}/{seed}": Run(
            scenario=_SCENARIO,
            set={"flow.0.algorithm": algorithm, **form.values(_LOAD, _SOURCES), **where},
            seed=seed,
            extract=_periods,
        )
        for place, where in _PLACES.items()
        for form in forms(quick)
        for algorithm in ALGORITHMS
        for seed in SEEDS
    }


def _in_period(data: Data, place: str, form: Form, algorithm: str, period: int) -> list[float]:
    start = f"{form}/{place}/{algorithm}/"
    return [counted(algorithm, run["means"][period]) for key, run in data.items() if key.startswith(start)]


def _gains(data: Data, place: str, form: Form) -> list[Estimate]:
    return [
        ratio(_in_period(data, place, form, "rovegas", period), _in_period(data, place, form, "vegas", period))
        for period in range(len(_PERIODS_S))
    ]


def _find_fig12(data: Data) -> dict[str, Finding]:
    gains = _gains(data, _EACH, FITTED)
    values = tuple(gain.value for gain in gains)
    others = "; ".join(
        f"{place}, {form}: {', '.join(f'{gain.value:.2f}' for gain in _gains(data, place, form))}"
        for place in _PLACES
        for form in forms_in(data)
        if (place, form) != (_EACH, FITTED)
    )
    return {
        "R-fig12": Finding(
            values=values,
            holds=1 < values[0] < values[1] < values[2],
            errors=tuple(gain.errors for gain in gains),
            intervals=tuple(gain.interval for gain in gains),
            note=f"Otherwise: {others}.",
        )
    }


def _draw_fig12(data: Data) -> list[Chart]:
    over_time = [
        Curve(
            label=LABELS[name],
            x=data[f"{FITTED}/{_EACH}/{name}/1"]["throughput"]["x"],
            y=[counted(name, value) for value in data[f"{FITTED}/{_EACH}/{name}/1"]["throughput"]["y"]],
            colour=ALGORITHMS.index(name),
        )
        for name in ALGORITHMS
    ]
    middles = [sum(period) / 2 for period in _PERIODS_S]
    gains = [
        Curve(
            label=str(form) if place == _EACH else "",
            x=middles,
            y=[gain.value for gain in _gains(data, place, form)],
            colour=1 + 2 * forms_in(data).index(form),
            style="points" if place == _EACH else "line",
        )
        for place in _PLACES
        for form in forms_in(data)
    ]
    printed = Curve(label="the paper", x=middles, y=_PAPER_GAINS, colour=7, style="crosses")
    caption = (
        f"Throughput of one seed: bursts ({FITTED}) begin on one more link at 100, 200 and 300 s. Below, RoVegas's "
        "over Vegas's in each of the three periods, by the bursts' length, which the paper leaves "
        "open: dots for a source for each link, lines for all sources over all links. Crosses: the paper's ratios."
    )
    panels = (
        Panel(x="time (s)", y="throughput (kb/s)", curves=over_time),
        Panel(x="time (s)", y="RoVegas over Vegas", curves=[*gains, printed], level=(1, "the same")),
    )
    return [
        Chart(
            slug="rovegas-fig12", title="Figure 12: bursts on one link more each 100 s", caption=caption, panels=panels
        )
    ]


def _runs_fig13(quick: bool) -> dict[str, Run]:
    runs = {
        load_key(form, load, algorithm, seed): _at_load(algorithm, form, load, seed)
        for form in forms(quick)
        for load in loads(quick)
        for algorithm in ALGORITHMS
        for seed in SEEDS
    }
    others = {
        f"{kind}/{algorithm}/{seed}": run
        for algorithm in ALGORITHMS
        for seed in SEEDS
        for kind, run in (
            (_ONE_LINK, _on_one_link(algorithm, seed)),
            (_LATE, _at_load(algorithm, FITTED, 1, seed, _LATE_TIMEOUTS)),
            (_ONE_LINK_LATE, _on_one_link(algorithm, seed, _LATE_TIMEOUTS)),
        )
    }
    return {**runs, **others}


def _on_one_link(algorithm: str, seed: int, more: Mapping[str, object] = _NOTHING_MORE) -> Run:
    traffic = {**FITTED.values(1), "traffic.0.start": "0s"}
    return Run(
        scenario="papers/rovegas-fig9",
        set={"flow.0.algorithm": algorithm, "sample": "off", **traffic, **more},
        seed=seed,
        extract=throughput_kbps,
    )


def _at_load(algorithm: str, form: Form, load: float, seed: int, more: Mapping[str, object] = _NOTHING_MORE) -> Run:
    traffic = form.values(load, _SOURCES)
    values = {"flow.0.algorithm": algorithm, "duration": "200s", "sample": "off", **traffic, **more}
    if load > 0:
        values.update(_FROM_THE_START)
    return Run(scenario=_SCENARIO, set=values, seed=seed, extract=throughput_kbps)


def _sweep(data: Data) -> Data:
    others = tuple(f"{kind}/" for kind in (_ONE_LINK, _LATE, _ONE_LINK_LATE))
    return {key: value for key, value in data.items() if not key.startswith(others)}


def _gain_of(data: Data, kind: str) -> float:
    rovegas, vegas = (
        [counted(name, value) for key, value in data.items() if key.startswith(f"{kind}/{name}/")]
        for name in ("rovegas", "vegas")
    )
    return ratio(rovegas, vegas).value


def _find_fig13(data: Data) -> dict[str, Finding]:
    sweep, one_link = _sweep(data), _gain_of(data, _ONE_LINK)
    late, one_link_late = _gain_of(data, _LATE), _gain_of(data, _ONE_LINK_LATE)
    vegas, rovegas = (mean(at_load(sweep, FITTED, 1, name)) for name in ALGORITHMS)
    full, third = gain_over_seeds(sweep, FITTED, 1), gain_over_seeds(sweep, FITTED, _LOAD)
    return {
        "R-fig13": Finding(
            values=(full.value,),
            holds=always_more(sweep, FITTED) and full.value > one_link,
            errors=(full.errors,),
            intervals=(full.interval,),
            note=f"{vegas:.0f} and {rovegas:.0f} kb/s at load 1; over one link {one_link:.2f} times. "
            f"With a least retransmission timeout of 1 s {late:.2f} and {one_link_late:.2f} times. "
            f"RoVegas over Vegas by load. {gains_by_load(sweep)}.",
            facts={
                "one_link": one_link,
                "more": full.value / one_link,
                "vegas": vegas,
                "part": 100 * vegas / _LINK_KBPS,
                "late": late,
                "one_link_late": one_link_late,
            },
        ),
        "R-fig13-curve": Finding(
            values=(third.value,),
            holds=is_monotonic(sweep, FITTED),
            errors=(third.errors,),
            intervals=(third.interval,),
            note=f"{throughputs_by_load(sweep, FITTED)}.",
        ),
    }


def _draw_fig13(data: Data) -> list[Chart]:
    caption = (
        "As figure 10, on three links. At full load on each of them Vegas gets next to nothing, and the ratio is one "
        "to a small number. Cross: the paper's ratio at load 1."
    )
    return [
        Chart(
            slug="rovegas-fig13",
            title="Figure 13: three links, by the load on the way back",
            caption=caption,
            panels=load_panels(_sweep(data), _PAPER_GAIN_AT_ONE),
        )
    ]


def _runs_fig19(quick: bool) -> dict[str, Run]:
    loads_of_it = (0.4, _LOAD) if quick else (0.2, 0.4, 0.6, _LOAD, 1.0)
    return {
        load_key(form, load, name, seed): _at_load(algorithm, form, load, seed, _ONLY_R2)
        for form in forms(quick)
        for load in loads_of_it
        for name, algorithm in _STAMPED.items()
        for seed in SEEDS
    }


def _find_fig19(data: Data) -> dict[str, Finding]:
    of = {name: at_load(data, FITTED, _LOAD, name) for name in _STAMPED}
    more = paired_difference(of["least"], of["vegas"])
    return {
        "R-fig19": Finding(
            values=tuple(sum(values) / len(values) for values in of.values()),
            holds=more.low > 0,
            intervals=tuple(over_seeds(values).interval for values in of.values()),
            note=f"The pseudocode's gain is {more.mean:.1f} kb/s, {more.low:.1f} to {more.high:.1f} over seeds. The "
            "three by "
            f"load. {'; '.join(f'{form}: {_three_by_load(data, form)}' for form in forms_in(data))}.",
        )
    }


def _three_by_load(data: Data, form: Form) -> str:
    return ", ".join(
        f"{load:g}: {' '.join(f'{mean(at_load(data, form, load, name)):.0f}' for name in _STAMPED)}"
        for load in loads_in(data)
    )


def _draw_fig19(data: Data) -> list[Chart]:
    every = loads_in(data)
    panels = tuple(
        Panel(
            x="load on the way back",
            y=f"kb/s, {form}",
            curves=[
                Curve(
                    label=_STAMPED_LABELS[name] if form == forms_in(data)[0] else "",
                    x=every,
                    y=[mean(at_load(data, form, load, name)) for load in every],
                    colour=colour,
                )
                for colour, name in enumerate(_STAMPED)
            ],
        )
        for form in forms_in(data)
    )
    caption = (
        "Mean throughput over 200 s where only the second router stamps; the paper has load 0.8. With the pseudocode "
        "of section 6.4 queues that no router stamps keep Vegas's effect; with the newest base RTT they count as a "
        "part of the path."
    )
    return [Chart(slug="rovegas-fig19", title="Figure 19: one router of four stamps", caption=caption, panels=panels)]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Three links, one more with bursts each 100 s (figure 12)",
        claims=("R-fig12",),
        runs=_runs_fig12,
        find=_find_fig12,
        draw=_draw_fig12,
    ),
    Experiment(
        title="Three links by the load on the way back (figure 13)",
        claims=("R-fig13", "R-fig13-curve"),
        runs=_runs_fig13,
        find=_find_fig13,
        draw=_draw_fig13,
    ),
    Experiment(
        title="Only one router stamps (figure 19)",
        claims=("R-fig19",),
        runs=_runs_fig19,
        find=_find_fig19,
        draw=_draw_fig19,
    ),
)

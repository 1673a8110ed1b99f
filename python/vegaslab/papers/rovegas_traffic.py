"""RoVegas: on-off traffic against the acknowledgements on one link (figures 9 and 10)."""

from dataclasses import dataclass
from typing import Any

from vegaslab.papers.chart import Chart, Curve, Panel
from vegaslab.papers.experiment import Data, Experiment, Run
from vegaslab.papers.extract import curve, flow_column
from vegaslab.papers.rovegas_runs import ALGORITHMS, KBPS, LABELS, between, counted, interval, ratio, seeds
from vegaslab.papers.verdict import Finding
from vegaslab.result import Result

_SCENARIO = "papers/rovegas-fig9"
_ALONE_S, _BURSTS_S, _END_S = 20, 50, 200
_LOAD = 0.9
_PAPER_KBPS = {"vegas": 521.0, "rovegas": 1092.0}
_PAPER_RATIO = 4.1
_OVERLOADS = (1.1, 1.2)
"""Beyond the paper: traffic that exceeds the link."""
_CYCLES_MS = (30, 50, 100, 300, 1000)
_PACKETS_BYTES = (1000, 500)


@dataclass(frozen=True)
class Form:
    """What the paper leaves open of its on-off traffic: mean of a period of sending and one of silence; packets."""

    cycle_ms: int
    packet_bytes: int

    def __str__(self) -> str:
        """Packets and mean cycle in words."""
        return f"{self.packet_bytes} B, {self.cycle_ms} ms"

    def values(self, load: float, sources: int = 1) -> dict[str, object]:
        """Values of a scenario whose sources send at twice the link's rate while they are on.

        >>> Form(cycle_ms=300, packet_bytes=1000).values(0.9)
        {'traffic.0.on': '135000us', 'traffic.0.off': '165000us', 'traffic.0.packet': '1000b'}
        """
        if load == 0:
            return {"traffic": "[]"}
        on_us = round(self.cycle_ms * 1000 * load / 2)
        off_us = self.cycle_ms * 1000 - on_us
        each = {"on": f"{on_us}us", "off": f"{off_us}us", "packet": f"{self.packet_bytes}b"}
        return {f"traffic.{source}.{key}": value for source in range(sources) for key, value in each.items()}


LONG = Form(cycle_ms=300, packet_bytes=1000)
SHORT = Form(cycle_ms=50, packet_bytes=500)
"""Vegas has figure 9's throughput with either; RoVegas with this one only, so it carries out the other figures."""
_SHORTER = Form(cycle_ms=30, packet_bytes=500)


def forms(quick: bool) -> tuple[Form, ...]:
    """Forms of the traffic that the sweeps are carried out with."""
    return (LONG, SHORT) if quick else (LONG, SHORT, _SHORTER)


def forms_in(data: Data) -> list[Form]:
    """Forms of the runs that a sweep has."""
    return [form for form in forms(quick=False) if any(key.startswith(f"{form}/") for key in data)]


def loads(quick: bool) -> tuple[float, ...]:
    """Mean rates of the traffic over the link's."""
    return (0.0, 0.1, 0.5, 1.0) if quick else tuple(tenths / 10 for tenths in range(11))


def throughput_kbps(result: Result) -> float:
    """Mean over the whole run."""
    return float(result.summary["flows"][0]["throughput_mbps"]) * KBPS


def _over_time(result: Result) -> dict[str, Any]:
    time_s, throughput = flow_column(result, "throughput_mbps")
    return {
        "alone": between(time_s, throughput, _ALONE_S, _BURSTS_S) * KBPS,
        "against": between(time_s, throughput, _BURSTS_S, _END_S) * KBPS,
        "throughput": curve(time_s, throughput * KBPS),
    }


def _grid(quick: bool) -> list[Form]:
    every = [Form(cycle, packet) for packet in _PACKETS_BYTES for cycle in _CYCLES_MS]
    return list(forms(quick)) if quick else every


def _runs_fig9(quick: bool) -> dict[str, Run]:
    return {
        f"{form}/{algorithm}/{seed}": Run(
            scenario=_SCENARIO,
            set={"flow.0.algorithm": algorithm, **form.values(_LOAD)},
            seed=seed,
            extract=_over_time,
        )
        for form in _grid(quick)
        for algorithm in ALGORITHMS
        for seed in seeds(quick)
    }


def _seeds_of(data: Data, start: str) -> list[int]:
    return [int(key.removeprefix(start)) for key in data if key.startswith(start)]


def _against(data: Data, form: Form, algorithm: str) -> list[float]:
    start = f"{form}/{algorithm}/"
    return [counted(algorithm, data[f"{start}{seed}"]["against"]) for seed in _seeds_of(data, start)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _grid_in(data: Data) -> list[Form]:
    return [form for form in _grid(quick=False) if any(key.startswith(f"{form}/") for key in data)]


def _find_fig9(data: Data) -> dict[str, Finding]:
    vegas, rovegas = (_against(data, LONG, algorithm) for algorithm in ALGORITHMS)
    gain, _ = ratio(rovegas, vegas)
    others = "; ".join(
        f"{form}: {_mean(_against(data, form, 'vegas')):.0f} and {_mean(_against(data, form, 'rovegas')):.0f}"
        for form in _grid_in(data)
        if form != LONG
    )
    alone = {name: data[f"{LONG}/{name}/1"]["alone"] for name in ALGORITHMS}
    lost = 1 - counted("rovegas", alone["rovegas"]) / alone["vegas"]
    return {
        "R-fig9": Finding(
            values=(_mean(vegas), _mean(rovegas)),
            # "about twice": what rounds to two
            holds=1.5 <= gain < 2.5,
            intervals=(interval(vegas), interval(rovegas)),
            note=f"{gain:.2f} times Vegas's with the traffic as assumed. With other traffic of the same mean, Vegas "
            f"and RoVegas in kb/s: {others}.",
        ),
        "R-fig9-overhead": Finding(
            values=(100 * lost,),
            holds=0 < lost < 0.01,
            note=f"{alone['vegas']:.1f} and {counted('rovegas', alone['rovegas']):.1f} kb/s from 20 to 50 s; the paper "
            "prints 1587.2 for figure 8, which is 0.8 % less than 1600; 8 of 1008 bytes are 0.79 %.",
        ),
    }


def _draw_fig9(data: Data) -> list[Chart]:
    over_time = [
        Curve(
            label=f"{LABELS[name]}, {form}",
            x=data[f"{form}/{name}/1"]["throughput"]["x"],
            y=[counted(name, value) for value in data[f"{form}/{name}/1"]["throughput"]["y"]],
            colour=colour,
        )
        for name, colour, form in (("vegas", 0, LONG), ("rovegas", 1, LONG), ("rovegas", 3, SHORT))
    ]
    printed = [
        Curve(
            label=f"the paper's mean, {LABELS[name]}",
            x=[(_BURSTS_S + _END_S) / 2],
            y=[_PAPER_KBPS[name]],
            colour=colour,
            style="crosses",
        )
        for colour, name in enumerate(ALGORITHMS)
    ]
    caption = (
        "Throughput over time of one seed, bursts from 50 s on; and its mean under the bursts by the mean length of a "
        "period of sending and one of silence, which the paper does not give, and by their packets' size. Crosses: the "
        "paper's means, once at either end of the axis. Only short periods give both."
    )
    panels = (
        Panel(x="time (s)", y="throughput (kb/s)", curves=[*over_time, *printed]),
        Panel(
            x="mean of a period of sending and one of silence (ms)",
            y="throughput (kb/s)",
            curves=_by_form(data),
            log_x=True,
        ),
    )
    return [Chart(slug="rovegas-fig9", title="Figure 9: bursts on the way back", caption=caption, panels=panels)]


def _by_form(data: Data) -> list[Curve]:
    curves = []
    for packet in _PACKETS_BYTES:
        forms = sorted((form for form in _grid_in(data) if form.packet_bytes == packet), key=lambda form: form.cycle_ms)
        for name in ALGORITHMS:
            curves.append(
                Curve(
                    label=f"{LABELS[name]}, {packet} B",
                    x=[form.cycle_ms for form in forms],
                    y=[_mean(_against(data, form, name)) for form in forms],
                    colour=ALGORITHMS.index(name) + 2 * _PACKETS_BYTES.index(packet),
                    style="points" if len(forms) == 1 else "line",
                )
            )
    ends = [_CYCLES_MS[0], _CYCLES_MS[-1]]
    printed = [
        Curve(label=f"the paper, {LABELS[name]}", x=ends, y=[_PAPER_KBPS[name]] * 2, colour=colour, style="crosses")
        for colour, name in enumerate(ALGORITHMS)
    ]
    return [*curves, *printed]


def _runs_fig10(quick: bool) -> dict[str, Run]:
    return {
        load_key(form, load, algorithm, seed): Run(
            scenario=_SCENARIO,
            set={"flow.0.algorithm": algorithm, "sample": "off", **_from_the_start(form, load)},
            seed=seed,
            extract=throughput_kbps,
        )
        for form in forms(quick)
        for load in (*loads(quick), *(() if quick else _OVERLOADS))
        for algorithm in ALGORITHMS
        for seed in seeds(quick)
    }


def _from_the_start(form: Form, load: float) -> dict[str, object]:
    values = form.values(load)
    return values if load == 0 else {**values, "traffic.0.start": "0s"}


def load_key(form: Form, load: float, algorithm: str, seed: int) -> str:
    """Key of a run of a sweep over the load."""
    return f"{form}/{load:g}/{algorithm}/{seed}"


def loads_in(data: Data) -> list[float]:
    """Loads of the runs that a sweep has, in order."""
    return sorted({float(key.split("/")[1]) for key in data})


def at_load(data: Data, form: Form, load: float, algorithm: str) -> list[float]:
    """Throughputs of a sweep in kb/s, as the paper counts them, seed by seed."""
    start = f"{form}/{load:g}/{algorithm}/"
    return [counted(algorithm, data[f"{start}{seed}"]) for seed in _seeds_of(data, start)]


def gain_at(data: Data, form: Form, load: float) -> float:
    """RoVegas over Vegas."""
    return ratio(at_load(data, form, load, "rovegas"), at_load(data, form, load, "vegas"))[0]


def _find_fig10(data: Data) -> dict[str, Finding]:
    at_one, ends = ratio(at_load(data, SHORT, 1, "rovegas"), at_load(data, SHORT, 1, "vegas"))
    return {
        "R-fig10": Finding(
            values=(at_one,),
            holds=always_more(data, SHORT),
            intervals=(ends,),
            note=f"RoVegas over Vegas by load. {gains_by_load(data)}.",
        )
    }


def always_more(data: Data, form: Form) -> bool:
    """Whether RoVegas is above Vegas at every load above 0."""
    return all(gain_at(data, form, load) > 1 for load in loads_in(data) if load > 0)


def gains_by_load(data: Data) -> str:
    """RoVegas over Vegas in words."""

    def of(form: Form) -> str:
        return ", ".join(f"{load:g}: {gain_at(data, form, load):.2f}" for load in loads_in(data) if load > 0)

    return "; ".join(f"{form}: {of(form)}" for form in forms_in(data))


def _draw_fig10(data: Data) -> list[Chart]:
    caption = (
        "Mean throughput over 200 s by the mean rate of the bursts over the link's, and RoVegas's over Vegas's, for "
        "two forms of the traffic. Cross: the paper's ratio at load 1."
    )
    return [
        Chart(
            slug="rovegas-fig10",
            title="Figure 10: one link, by the load on the way back",
            caption=caption,
            panels=load_panels(data, _PAPER_RATIO),
        )
    ]


def load_panels(data: Data, printed_ratio: float) -> tuple[Panel, Panel]:
    """Throughput and ratio by load, with the ratio that the paper prints for load 1."""
    every = loads_in(data)
    throughputs = [
        Curve(
            label=f"{LABELS[name]}, {form}",
            x=every,
            y=[_mean(at_load(data, form, load, name)) for load in every],
            colour=ALGORITHMS.index(name) + 2 * forms_in(data).index(form),
        )
        for form in forms_in(data)
        for name in ALGORITHMS
    ]
    ratios = [
        Curve(label=str(form), x=every, y=[gain_at(data, form, load) for load in every], colour=1 + 2 * place)
        for place, form in enumerate(forms_in(data))
    ]
    printed = Curve(label="the paper", x=[1], y=[printed_ratio], colour=7, style="crosses")
    load = "load on the way back"
    return (
        Panel(x=load, y="throughput (kb/s)", curves=throughputs),
        Panel(x=load, y="RoVegas over Vegas", curves=[*ratios, printed], level=(1, "the same")),
    )


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Bursts on the way back from 50 s on (figure 9)",
        claims=("R-fig9", "R-fig9-overhead"),
        runs=_runs_fig9,
        find=_find_fig9,
        draw=_draw_fig9,
    ),
    Experiment(
        title="By the load on the way back (figure 10)",
        claims=("R-fig10",),
        runs=_runs_fig10,
        find=_find_fig10,
        draw=_draw_fig10,
    ),
)

"""RoVegas: on-off traffic against the acknowledgements on one link (figures 9 and 10)."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, flow_column
from vegaslab.papers.judging.verdict import Finding
from vegaslab.papers.rovegas.runs import ALGORITHMS, KBPS, LABELS, SEEDS, Estimate, between, counted, over_seeds, ratio
from vegaslab.runs.result import Result

SCENARIO = "papers/rovegas-fig9"
ALONE_S, BURSTS_S, END_S = 20, 50, 200
LOAD = 0.9
_PAPER_KBPS = {"vegas": 521.0, "rovegas": 1092.0}
_PAPER_RATIO = 4.1
_BURSTS = (1, 2, 3, 4, 6, 12, 54)
"""The mean bursts that figure 9 is run with, in packets: 2.5 to 135 ms."""
_OPTION_BYTES = 8
_PACKET_US = 2500
"""The transmission time of a packet of 1000 B at 3.2 Mb/s, us."""


@dataclass(frozen=True)
class Form:
    """The setting of on-off traffic that the paper leaves open: the mean burst at every load, in packets of 1000 B.

    ns-2's sources send `whole` packets, so short bursts are longer than their mean.
    """

    packets: int
    whole: bool = True

    def __str__(self) -> str:
        """Returns the bursts in words."""
        return f"bursts of {self.packets}" if self.whole else f"bursts of {self.packets}, not rounded"

    def values(self, load: float, sources: int = 1) -> dict[str, object]:
        """Returns values for a scenario with sources that send at twice the link's rate while they are on.

        >>> Form(3).values(0.9) == {
        ...     "traffic.0.on": "7500us",
        ...     "traffic.0.off": "9167us",
        ...     "traffic.0.packet": "1000b",
        ...     "traffic.0.whole_packets": True,
        ... }
        True
        """
        if load == 0:
            return {"traffic": "[]"}
        on_us = self.packets * _PACKET_US
        off_us = round(on_us * (2 / load - 1))
        each = {"on": f"{on_us}us", "off": f"{off_us}us", "packet": "1000b", "whole_packets": self.whole}
        return {f"traffic.{source}.{key}": value for source in range(sources) for key, value in each.items()}


FITTED = Form(4)
"""The form of `_BURSTS` that is nearest to figure 9's two numbers; the other figures are run with it."""
_SHORTER, _LONG, _EXACT = Form(3), Form(_BURSTS[-1]), Form(FITTED.packets, whole=False)


def forms(quick: bool) -> tuple[Form, ...]:
    """Returns the forms of traffic that the sweeps use: the fitted one, and others that test the dependence on it."""
    return (FITTED,) if quick else (FITTED, _SHORTER, _LONG, _EXACT)


def forms_in(data: Data) -> list[Form]:
    """Returns the forms of a sweep's runs."""
    return [form for form in forms(quick=False) if any(key.startswith(f"{form}/") for key in data)]


def loads(quick: bool) -> tuple[float, ...]:
    """Returns the mean rates of the traffic over the link's."""
    return (0.0, 0.1, 0.5, 0.8, 1.0) if quick else tuple(tenths / 10 for tenths in range(11))


def throughput_kbps(result: Result) -> float:
    """Returns the mean throughput over the whole run."""
    return float(result.summary["flows"][0]["throughput_mbps"]) * KBPS


def _over_time(result: Result) -> dict[str, Any]:
    time_s, throughput = flow_column(result, "throughput_mbps")
    _, acked_bytes = flow_column(result, "acked_bytes")
    _, window = flow_column(result, "cwnd_segments")
    start, end = np.searchsorted(time_s, (ALONE_S, BURSTS_S))
    return {
        "payload_alone": float(acked_bytes[end] - acked_bytes[start]) * 8 / 1000 / (BURSTS_S - ALONE_S),
        "window_alone": between(time_s, window, ALONE_S, BURSTS_S),
        "against": between(time_s, throughput, BURSTS_S, END_S) * KBPS,
        "throughput": curve(time_s, throughput * KBPS),
    }


_GRID = (*map(Form, _BURSTS), _EXACT)


def _runs_fig9(_quick: bool) -> dict[str, Run]:
    runs = {
        f"{form}/{algorithm}/{seed}": _against_bursts(form, algorithm, seed)
        for form in _GRID
        for algorithm in ALGORITHMS
        for seed in SEEDS
    }
    long_packets = {f"1500 B/{algorithm}": _against_bursts(FITTED, algorithm, 1, "1500b") for algorithm in ALGORITHMS}
    return {**runs, **long_packets}


def _against_bursts(form: Form, algorithm: str, seed: int, packet: str = "1000b") -> Run:
    values = {"flow.0.algorithm": algorithm, "flow.0.packet": packet, **form.values(LOAD)}
    return Run(scenario=SCENARIO, set=values, seed=seed, extract=_over_time)


def _seeds_of(data: Data, start: str) -> list[int]:
    return [int(key.removeprefix(start)) for key in data if key.startswith(start)]


def _against(data: Data, form: Form, algorithm: str) -> list[float]:
    start = f"{form}/{algorithm}/"
    return [counted(algorithm, data[f"{start}{seed}"]["against"]) for seed in _seeds_of(data, start)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _find_fig9(data: Data) -> dict[str, Finding]:
    vegas, rovegas = (_against(data, FITTED, algorithm) for algorithm in ALGORITHMS)
    gain = ratio(rovegas, vegas).value
    means = over_seeds(vegas), over_seeds(rovegas)
    others = "; ".join(
        f"{form}: {_mean(_against(data, form, 'vegas')):.0f} and {_mean(_against(data, form, 'rovegas')):.0f}"
        for form in _GRID
        if form != FITTED
    )
    return {
        "R-fig9": Finding(
            values=tuple(mean.value for mean in means),
            # "about twice" means a number that rounds to two
            holds=1.5 <= gain < 2.5,
            errors=tuple(mean.errors for mean in means),
            intervals=tuple(mean.interval for mean in means),
            note=f"{gain:.2f} times Vegas's. The mean burst was fitted to these two numbers: of those run, "
            f"{_nearest(data)} come nearest to both. Vegas and RoVegas in kb/s with the others: {others}.",
            facts={
                "shortest_vegas": _mean(_against(data, Form(_BURSTS[0]), "vegas")),
                "longest_rovegas": _mean(_against(data, _LONG, "rovegas")),
            },
        ),
        "R-fig9-overhead": _find_overhead(data, f"{FITTED}/", "/1", "Figure 8's 1587.2 kb/s is 0.8 % less than 1600."),
        "R-probing": _find_overhead(data, "1500 B/", "", _probing_once_a_round(data["1500 B/rovegas"]["window_alone"])),
    }


def _probing_once_a_round(window: float) -> str:
    """Describes the cost of a rule that acts once a round."""
    percent = 100 * _OPTION_BYTES / 1500 / window
    return (
        f"The paper divides {_OPTION_BYTES} bytes by 1500. With one probe a round, by which the window is set, "
        f"it is {percent:.2f} % of {window:.0f} packets in flight, by arithmetic; R-probing-some runs that."
    )


def _find_overhead(data: Data, start: str, end: str, printed: str) -> Finding:
    """Returns the finding on the share of the payload that the option takes before the bursts begin, per cent."""
    vegas, rovegas = (data[f"{start}{name}{end}"]["payload_alone"] for name in ALGORITHMS)
    lost = 1 - rovegas / vegas
    return Finding(
        values=(100 * lost,),
        holds=0 < lost < 0.01,
        note=f"Payload acknowledged from {ALONE_S} to {BURSTS_S} s: {vegas:.1f} and {rovegas:.1f} kb/s. {printed}",
    )


def _nearest(data: Data) -> Form:
    """Returns the form for which the farther of figure 9's numbers is nearest to the paper's, in standard errors."""

    def farther(form: Form) -> float:
        return max(_off(over_seeds(_against(data, form, name)), printed) for name, printed in _PAPER_KBPS.items())

    return min(map(Form, _BURSTS), key=farther)


def _off(found: Estimate, printed: float) -> float:
    """Returns how far the paper's number is, in standard errors of the difference."""
    return abs(found.value - printed) / found.errors.both


def _draw_fig9(data: Data) -> list[Chart]:
    over_time = [
        Curve(
            label=LABELS[name],
            x=data[f"{FITTED}/{name}/1"]["throughput"]["x"],
            y=[counted(name, value) for value in data[f"{FITTED}/{name}/1"]["throughput"]["y"]],
            colour=colour,
        )
        for colour, name in enumerate(ALGORITHMS)
    ]
    printed = [
        Curve(
            label=f"the paper's mean, {LABELS[name]}",
            x=[(BURSTS_S + END_S) / 2],
            y=[_PAPER_KBPS[name]],
            colour=colour,
            style="crosses",
        )
        for colour, name in enumerate(ALGORITHMS)
    ]
    caption = (
        "Throughput over time of one seed, bursts from 50 s on; and its mean under the bursts by their mean length, "
        "which the paper does not give. Crosses: the paper's means, once at either end of the axis. Four packets "
        "give both."
    )
    panels = (
        Panel(x="time (s)", y="throughput (kb/s)", curves=[*over_time, *printed]),
        Panel(
            x="mean burst (packets)",
            y="throughput (kb/s)",
            curves=_by_form(data),
            log_x=True,
        ),
    )
    return [Chart(slug="rovegas-fig9", title="Figure 9: bursts on the way back", caption=caption, panels=panels)]


def _by_form(data: Data) -> list[Curve]:
    curves = [
        Curve(
            label=LABELS[name],
            x=_BURSTS,
            y=[_mean(_against(data, Form(packets), name)) for packets in _BURSTS],
            colour=colour,
        )
        for colour, name in enumerate(ALGORITHMS)
    ]
    printed = [
        Curve(
            label=f"the paper, {LABELS[name]}",
            x=[_BURSTS[0], _BURSTS[-1]],
            y=[_PAPER_KBPS[name]] * 2,
            colour=colour,
            style="crosses",
        )
        for colour, name in enumerate(ALGORITHMS)
    ]
    return [*curves, *printed]


def _runs_fig10(quick: bool) -> dict[str, Run]:
    return {
        load_key(form, load, algorithm, seed): Run(
            scenario=SCENARIO,
            set={"flow.0.algorithm": algorithm, "sample": "off", **_from_the_start(form, load)},
            seed=seed,
            extract=throughput_kbps,
        )
        for form in forms(quick)
        for load in loads(quick)
        for algorithm in ALGORITHMS
        for seed in SEEDS
    }


def _from_the_start(form: Form, load: float) -> dict[str, object]:
    values = form.values(load)
    return values if load == 0 else {**values, "traffic.0.start": "0s"}


def load_key(form: Form, load: float, algorithm: str, seed: int) -> str:
    """Returns the key of a run in a sweep over the load."""
    return f"{form}/{load:g}/{algorithm}/{seed}"


def loads_in(data: Data) -> list[float]:
    """Returns the loads of a sweep's runs, in order."""
    return sorted({float(key.split("/")[1]) for key in data})


def at_load(data: Data, form: Form, load: float, algorithm: str) -> list[float]:
    """Returns the throughputs of a sweep in kb/s, as the paper counts them, seed by seed."""
    start = f"{form}/{load:g}/{algorithm}/"
    return [counted(algorithm, data[f"{start}{seed}"]) for seed in _seeds_of(data, start)]


def gain_at(data: Data, form: Form, load: float) -> float:
    """Returns the ratio of RoVegas's throughput to Vegas's at one load."""
    return gain_over_seeds(data, form, load).value


def gain_over_seeds(data: Data, form: Form, load: float) -> Estimate:
    """Returns that ratio with its errors."""
    return ratio(at_load(data, form, load, "rovegas"), at_load(data, form, load, "vegas"))


def _find_fig10(data: Data) -> dict[str, Finding]:
    at_one = gain_over_seeds(data, FITTED, 1)
    return {
        "R-fig10": Finding(
            values=(at_one.value,),
            holds=always_more(data, FITTED),
            errors=(at_one.errors,),
            intervals=(at_one.interval,),
            note=f"RoVegas over Vegas by load. {gains_by_load(data)}.",
        ),
        "R-fig10-curve": Finding(
            values=tuple(gain_at(data, FITTED, load) for load in loads_in(data) if load > 0),
            holds=is_monotonic(data, FITTED),
            note=f"RoVegas over Vegas, load by load. {throughputs_by_load(data, FITTED)}.",
        ),
    }


def always_more(data: Data, form: Form) -> bool:
    """Returns whether RoVegas is above Vegas at every load above 0."""
    return all(gain_at(data, form, load) > 1 for load in loads_in(data) if load > 0)


def is_monotonic(data: Data, form: Form) -> bool:
    """Returns whether each increase of the load lowers both throughputs, and Vegas's by more."""
    every = list(pairwise(loads_in(data)))
    falls = all(
        _mean(at_load(data, form, more, name)) < _mean(at_load(data, form, less, name))
        for name in ALGORITHMS
        for less, more in every
    )
    return falls and all(gain_at(data, form, less) < gain_at(data, form, more) for less, more in every)


def throughputs_by_load(data: Data, form: Form) -> str:
    """Describes the means."""

    def of(load: float) -> str:
        return " and ".join(f"{_mean(at_load(data, form, load, name)):.0f}" for name in ALGORITHMS)

    return f"Vegas and RoVegas in kb/s: {', '.join(f'{load:g}: {of(load)}' for load in loads_in(data))}"


def gains_by_load(data: Data) -> str:
    """Describes the ratios of RoVegas's throughput to Vegas's."""

    def of(form: Form) -> str:
        return ", ".join(f"{load:g}: {gain_at(data, form, load):.2f}" for load in loads_in(data) if load > 0)

    return "; ".join(f"{form}: {of(form)}" for form in forms_in(data))


def _draw_fig10(data: Data) -> list[Chart]:
    caption = (
        "Mean throughput over 200 s by the mean rate of the bursts over the link's, and RoVegas's over Vegas's, by the "
        "bursts' length. Cross: the paper's ratio at load 1."
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
    """Returns panels of throughput and ratio by load, with the ratio that the paper prints for load 1."""
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
        claims=("R-fig9", "R-fig9-overhead", "R-probing"),
        runs=_runs_fig9,
        find=_find_fig9,
        draw=_draw_fig9,
    ),
    Experiment(
        title="By the load on the way back (figure 10)",
        claims=("R-fig10", "R-fig10-curve"),
        runs=_runs_fig10,
        find=_find_fig10,
        draw=_draw_fig10,
    ),
)

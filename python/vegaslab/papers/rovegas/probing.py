"""RoVegas: the option on some packets only (section 3.2), against the bursts of figure 9."""

from itertools import pairwise
from statistics import mean

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import flow_column
from vegaslab.papers.judging.verdict import Finding, Interval
from vegaslab.papers.rovegas.runs import SEEDS, over_seeds
from vegaslab.papers.rovegas.traffic import ALONE_S, BURSTS_S, END_S, FITTED, LOAD, SCENARIO
from vegaslab.runs.result import Result
from vegaslab.statistics import paired_difference

_EVERY = (1, 2, 5, 10, 100)
_ONCE_A_ROUND = 10
"""Data packets to one that probes; some ten are in flight before the bursts."""


def _payload_kbps(result: Result) -> dict[str, float]:
    """Returns the payload acknowledged before the bursts and against them, kb/s."""
    time_s, acked_bytes = flow_column(result, "acked_bytes")

    def between(start_s: float, end_s: float) -> float:
        start, end = np.searchsorted(time_s, (start_s, end_s))
        return float(acked_bytes[end] - acked_bytes[start]) * 8 / 1000 / (end_s - start_s)

    return {"alone": between(ALONE_S, BURSTS_S), "against": between(BURSTS_S, END_S)}


def _runs(_quick: bool) -> dict[str, Run]:
    algorithms: dict[str, dict[str, object]] = {"vegas": {"flow.0.algorithm": "vegas"}}
    for every in _EVERY:
        algorithms[str(every)] = {"flow.0.algorithm": "rovegas", "flow.0.host.aqt_every": every}
    return {
        f"{name}/{seed}": Run(
            scenario=SCENARIO, set={**values, **FITTED.values(LOAD)}, seed=seed, extract=_payload_kbps
        )
        for name, values in algorithms.items()
        for seed in SEEDS
    }


def _of(data: Data, name: object, what: str) -> list[float]:
    return [run[what] for key, run in data.items() if key.startswith(f"{name}/")]


def _costs(data: Data) -> list[float]:
    """Returns the share of the payload that the option takes before the bursts, per cent; all seeds are alike there."""
    vegas = _of(data, "vegas", "alone")[0]
    return [100 * (1 - _of(data, every, "alone")[0] / vegas) for every in _EVERY]


def _against(data: Data) -> list[float]:
    return [mean(_of(data, every, "against")) for every in _EVERY]


def _interval(data: Data, every: int) -> Interval:
    return over_seeds(_of(data, every, "against")).interval


def _find(data: Data) -> dict[str, Finding]:
    costs = _costs(data)
    more = paired_difference(_of(data, _EVERY[0], "against"), _of(data, _ONCE_A_ROUND, "against"))
    vegas = mean(_of(data, "vegas", "against"))
    packets = "Data packets to one that probes: " + ", ".join(map(str, _EVERY))
    return {
        "R-probing-some": Finding(
            values=tuple(costs),
            holds=all(one > fewer > 0 for one, fewer in pairwise(costs)),
            note=f"{packets}.",
        ),
        "R-probing-often": Finding(
            values=tuple(_against(data)),
            holds=more.low > 0,
            intervals=tuple(_interval(data, every) for every in _EVERY),
            note=f"{packets}. A probe on each keeps {more.mean:.1f} kb/s more than one on every {_ONCE_A_ROUND}th, "
            f"{more.low:.1f} to {more.high:.1f} over seeds; Vegas has {vegas:.0f} kb/s.",
            facts={"more": -more.mean, "vegas": vegas},
        ),
    }


def _draw(data: Data) -> list[Chart]:
    places = range(len(_EVERY))
    cost = Curve(label="RoVegas", x=places, y=_costs(data), colour=1, style="points")
    kept = Curve(label="RoVegas", x=places, y=_against(data), colour=1, style="points")
    bars = [Curve(label="", x=[place, place], y=_interval(data, every), colour=1) for place, every in enumerate(_EVERY)]
    axis, names = "data packets to one that probes", [str(every) for every in _EVERY]
    vegas = (mean(_of(data, "vegas", "against")), "Vegas")
    return [
        Chart(
            slug="rovegas-probing",
            title="Section 3.2: probes on some packets",
            caption="What the option takes of the payload before the bursts of figure 9, and the payload against them "
            "with 95 % intervals over seeds; the option is on one data packet of so many, and on its acknowledgement.",
            panels=(
                Panel(x=axis, y="cost (%)", curves=(cost,), x_names=names),
                Panel(x=axis, y="payload against bursts (kb/s)", curves=(*bars, kept), x_names=names, level=vegas),
            ),
        )
    ]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Probes on some packets (section 3.2)",
        claims=("R-probing-some", "R-probing-often"),
        runs=_runs,
        find=_find,
        draw=_draw,
    ),
)

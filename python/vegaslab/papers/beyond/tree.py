"""Beyond the papers: Vegas's successors from 1994 to today, alone and beside CUBIC."""

from typing import Any

from vegaslab.papers.beyond.intervals import Spread, spread, with_intervals
from vegaslab.papers.experiments.chart import Chart, Panel
from vegaslab.papers.experiments.experiment import Answer, Data, Experiment, Run
from vegaslab.papers.experiments.extract import link_total
from vegaslab.runs.result import Result

_HEIRS: tuple[str, ...] = (
    "vegas-1994",
    "vegas",
    "veno",
    "fast",
    "illinois",
    "yeah",
    "gallop",
    "streak",
    "dynamic",
    "rovegas",
    "nv",
    "tor-vegas",
    "copa",
    "ledbat++",
)
_OTHERS = ("reno", "cubic")
_ALGORITHMS = (*_HEIRS, *_OTHERS)
_ALONE, _BESIDE = "papers/beyond-path", "papers/beyond-incumbent"
_SHORT: dict[str, object] = {"topology.bottleneck.queue": "125p"}
_PLACES: dict[str, tuple[str, dict[str, object]]] = {
    "long fat path": (_ALONE, {"duration": "30s"}),
    "short queue": (_ALONE, {"duration": "30s", **_SHORT}),
    "beside CUBIC": (_BESIDE, {"duration": "40s"}),
    "beside CUBIC, short queue": (_BESIDE, {"duration": "40s", **_SHORT}),
}
_RATE_MBPS = 100.0
_BOTTLENECK = "r1->r2"
_SEEDS, _QUICK_SEEDS = 5, 1
_LATER_MS = 37
"""The delay of a flow's start from one seed to the next, ms: the runs draw no random numbers, but the phase of CUBIC's
sawtooth at the start matters.
"""


def _first(result: Result) -> dict[str, Any]:
    flow = result.summary["flows"][0]
    return {
        "share_percent": 100 * flow["throughput_mbps"] / _RATE_MBPS,
        "waits_ms": link_total(result, _BOTTLENECK)["mean_queueing_ms"],
    }


def _runs(quick: bool) -> dict[str, Run]:
    return {
        f"{place}/{algorithm}/{seed}": Run(
            scenario=scenario,
            set={
                **values,
                "sample": "off",
                "flow.0.algorithm": algorithm,
                **({"flow.0.start": f"{10_000 + _LATER_MS * seed}ms"} if scenario == _BESIDE else {}),
            },
            extract=_first,
        )
        for place, (scenario, values) in _PLACES.items()
        for algorithm in _ALGORITHMS
        for seed in _seeds(scenario, quick)
    }


def _seeds(scenario: str, quick: bool) -> range:
    """Returns the seeds of a network; one is enough for a flow alone, for which the start time changes nothing."""
    return range(1, 1 + ((_QUICK_SEEDS if quick else _SEEDS) if scenario == _BESIDE else 1))


def _of(data: Data, place: str, algorithm: str, what: str) -> Spread:
    prefix = f"{place}/{algorithm}/"
    return spread([float(run[what]) for key, run in data.items() if key.startswith(prefix)])


def _answer(data: Data) -> list[Answer]:
    whats = (("share_percent", "%"), ("waits_ms", "ms"))
    return [
        Answer(
            question="What became of Vegas, from 1994 to today?",
            text=_told(data),
            columns=("algorithm", *(f"{place} ({unit})" for place in _PLACES for _, unit in whats)),
            rows=[
                [algorithm, *(str(_of(data, place, algorithm, what)) for place in _PLACES for what, _ in whats)]
                for algorithm in _ALGORITHMS
            ],
            scenarios=(_ALONE, _BESIDE),
        )
    ]


def _told(data: Data) -> str:
    def named(place: str, least: float, what: str = "share_percent") -> str:
        found = {one: _of(data, place, one, what).mean for one in _HEIRS}
        most = sorted((one for one in _HEIRS if found[one] >= least), key=lambda one: -found[one])
        return ", ".join(f"{one} {found[one]:.0f} %" for one in most) or "none"

    reno, cubic = (
        ", ".join(f"{_of(data, place, one, 'share_percent').mean:.0f} %" for place in _PLACES) for one in _OTHERS
    )
    quiet = [one for one in _HEIRS if _of(data, "long fat path", one, "waits_ms").mean < 5]
    return (
        "Part of 100 Mb/s in the flow's first 30 s, and the mean wait at the bottleneck in the whole run, with a "
        "queue of one product (1250 segments) and of a tenth of it. "
        f"Heirs with 90 % or more of the long fat path: {named('long fat path', 90)}; with the short queue: "
        f"{named('short queue', 90)}. Less than 5 ms of waiting on the long fat path: {', '.join(quiet) or 'none'}. "
        f"Beside CUBIC a quarter or more: {named('beside CUBIC', 25)}; with the short queue: "
        f"{named('beside CUBIC, short queue', 25)}. In the same four places Reno has {reno}, CUBIC {cubic}. The "
        f"bottleneck "
        "stamps, for RoVegas. Intervals are over five starts, 37 ms apart (one with --quick); alone, no start "
        "differs from another."
    )


def _draw(data: Data) -> list[Chart]:
    def panel(what: str, y: str, *, labelled: bool = True) -> Panel:
        series = {place: [_of(data, place, one, what) for one in _ALGORITHMS] for place in _PLACES}
        return Panel(x="algorithm", y=y, curves=with_intervals(series, labelled=labelled), x_names=_ALGORITHMS)

    caption = (
        "First 30 s of one flow on 100 Mb/s and 100 ms, with a queue of one product and (short) of a tenth of it; "
        "alone, and ten "
        "seconds after a CUBIC flow. From Vegas's reading of 1994 by year, Reno and CUBIC beside. 95 % intervals "
        "over starts."
    )
    panels = (
        panel("share_percent", "part of the link (%)"),
        panel("waits_ms", "queueing delay (ms)", labelled=False),
    )
    return [Chart(slug="beyond-tree", title="Vegas's heirs", caption=caption, panels=panels)]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(title="Vegas's heirs", claims=(), runs=_runs, answer=_answer, draw=_draw),
)

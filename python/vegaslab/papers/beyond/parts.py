"""Beyond the papers: Vegas's mechanisms when the sender has SACK, and RoVegas's signal with other slow starts."""

from typing import Any

from vegaslab.papers.beyond.intervals import Spread, of_interval, spread, with_intervals
from vegaslab.papers.experiments.chart import Chart, Panel
from vegaslab.papers.experiments.experiment import Answer, Data, Experiment, Run
from vegaslab.papers.experiments.extract import first_flow
from vegaslab.statistics import paired_difference

_SEEDS, _QUICK_SEEDS = 20, 4

_RECOVERIES = ("reno", "sack")
_NETWORKS: dict[str, dict[str, object]] = {"bursts": {}, "loss 1 %": {"topology.bottleneck.loss": "1%"}}
_WHOLE = "whole"
_WITHOUT: dict[str, dict[str, object]] = {
    "A slow start": {"slow_start": "reno"},
    "B avoidance": {"avoidance": "reno"},
    "C fine timeout": {"fine_retransmit": False},
    "D two more checks": {"recheck_after_retransmit": False},
    "E once a window": {"once_per_window": False},
    "F cut to 3/4": {"cut": "half"},
    "H bursts of 3": {"burst": "none"},
    "I keep up": {"keep_up": False},
    "J spikes (added)": {"suppress_spikes": True},
}

_SIGNALS = ("end-to-end", "router-assisted")
_STARTS = ("vegas", "gallop", "streak")
_LOADS_MBPS = (0.002, 9.0, 15.0, 19.0)
"""The rates of the backward source while it is on, which is half of the time; the first is negligible."""


def _parts(**parts: object) -> dict[str, object]:
    """Returns values that set parts of the first flow's algorithm."""
    return {f"flow.0.algorithm.{name}": value for name, value in parts.items()}


def _mechanism_runs(quick: bool) -> dict[str, Run]:
    return {
        f"{network}/{recovery}/{name}/{seed}": Run(
            scenario="papers/beyond-sack",
            set={**values, **_parts(recovery=recovery, **parts)},
            seed=seed,
            extract=first_flow,
        )
        for network, values in _NETWORKS.items()
        for recovery in _RECOVERIES
        for name, parts in {_WHOLE: {}, **_WITHOUT}.items()
        for seed in range(1, 1 + (_QUICK_SEEDS if quick else _SEEDS))
    }


def _of_seeds(data: Data, prefix: str) -> list[float]:
    return [float(value["goodput_kbps"]) for key, value in data.items() if key.startswith(f"{prefix}/")]


def _worth(data: Data, network: str, recovery: str, name: str) -> Spread:
    """Returns the goodput that a mechanism adds, kb/s, seed by seed."""
    whole, other = (_of_seeds(data, f"{network}/{recovery}/{one}") for one in (_WHOLE, name))
    with_it, without = (other, whole) if name.endswith("(added)") else (whole, other)
    return of_interval(paired_difference(with_it, without))


def _worths(data: Data) -> dict[str, list[Spread]]:
    return {
        f"{network}, {recovery.upper() if recovery == 'sack' else 'Reno'}": [
            _worth(data, network, recovery, name) for name in _WITHOUT
        ]
        for network in _NETWORKS
        for recovery in _RECOVERIES
    }


def _answer_mechanisms(data: Data) -> list[Answer]:
    worths = _worths(data)
    with_sack = {label: spreads for label, spreads in worths.items() if label.endswith("SACK")}

    def named(which: Any) -> str:
        return ", ".join(
            name for place, name in enumerate(_WITHOUT) if any(which(spreads[place]) for spreads in with_sack.values())
        )

    earning, harmful = named(lambda one: one.low > 0), named(lambda one: one.high < 0)
    idle = ", ".join(
        name for place, name in enumerate(_WITHOUT) if not any(one[place].changes for one in with_sack.values())
    )
    return [
        Answer(
            question="Which mechanism still earns its place once the sender has SACK?",
            text="What each adds to the goodput in kb/s, on 10 Mb/s, seed by seed, with 95 % intervals. With SACK the "
            f"interval is above 0 in one of the networks or both for: {earning or 'none'}; below 0 for: "
            f"{harmful or 'none'}. Changes not a single run: {idle or 'none'}. All others do not "
            "differ significantly from 0. What B gives, a short queue, is no "
            "goodput. G, a window of two at the start, was left on.",
            columns=("mechanism", *worths),
            rows=[[name, *(str(spreads[place]) for spreads in worths.values())] for place, name in enumerate(_WITHOUT)],
            scenarios=("papers/beyond-sack",),
        )
    ]


def _draw_mechanisms(data: Data) -> list[Chart]:
    panel = Panel(
        x="mechanism",
        y="added goodput (kb/s)",
        curves=with_intervals(_worths(data)),
        x_names=[name.split()[0] for name in _WITHOUT],
        level=(0.0, "nothing"),
        from_zero=False,
    )
    caption = (
        "Vegas whole less Vegas without one mechanism (J: with it less without), 60 s on 10 Mb/s and 50 ms, queue of "
        "20, "
        "web transfers in bursts: paired differences over seeds with 95 % intervals."
    )
    return [
        Chart(
            slug="beyond-sack", title="Each mechanism's worth, with and without SACK", caption=caption, panels=(panel,)
        )
    ]


def _signal_runs(quick: bool) -> dict[str, Run]:
    return {
        f"{load}/{signal}/{start}/{seed}": Run(
            scenario="papers/beyond-signal",
            set={
                **_parts(slow_start=start, signal=signal),
                "traffic.0.rate": f"{round(1000 * load)}kbit",
                "traffic.0.packet": "1000b",
                **({"traffic.0.on": "10s", "traffic.0.off": "10s"} if load == _LOADS_MBPS[0] else {}),
            },
            seed=seed,
            extract=first_flow,
        )
        for load in _LOADS_MBPS
        for signal in _SIGNALS
        for start in _STARTS
        for seed in range(1, 1 + (_QUICK_SEEDS if quick else _SEEDS))
    }


def _signals(data: Data) -> dict[str, list[Spread]]:
    """Returns the goodput in Mb/s over the loads, by start and signal."""
    return {
        f"{start}, {signal}": [
            spread([one / 1000 for one in _of_seeds(data, f"{load}/{signal}/{start}")]) for load in _LOADS_MBPS
        ]
        for start in _STARTS
        for signal in _SIGNALS
    }


def _load_names() -> list[str]:
    return [f"{load / 2 * 10:.0f} %" for load in _LOADS_MBPS]


def _answer_signals(data: Data) -> list[Answer]:
    found = _signals(data)
    gains = {
        start: paired_difference(
            _of_seeds(data, f"{_LOADS_MBPS[-1]}/router-assisted/{start}"),
            _of_seeds(data, f"{_LOADS_MBPS[-1]}/end-to-end/{start}"),
        )
        for start in _STARTS
    }
    told = ", ".join(f"{start} {of_interval(one)}" for start, one in gains.items())
    return [
        Answer(
            question="What is RoVegas's signal worth under the starts of Gallop and Streak?",
            text="Goodput in Mb/s of the first 18 s on 10 Mb/s and 100 ms, by the load of the backward direction. At "
            f"{_load_names()[-1]} the signal adds, in kb/s: {told}. With a free way back the starts "
            "differ and the signals do not; with a loaded one it is the other way round.",
            columns=("start, signal", *_load_names()),
            rows=[[name, *map(str, spreads)] for name, spreads in found.items()],
            scenarios=("papers/beyond-signal",),
        )
    ]


def _draw_signals(data: Data) -> list[Chart]:
    panel = Panel(
        x="load of the backward direction",
        y="goodput (Mb/s)",
        curves=with_intervals(_signals(data)),
        x_names=_load_names(),
    )
    caption = (
        "First 18 s on 10 Mb/s and 100 ms; traffic against the acknowledgements. Means and 95 % intervals over seeds."
    )
    return [Chart(slug="beyond-signal", title="RoVegas's signal under three starts", caption=caption, panels=(panel,))]


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="Once the sender has SACK",
        claims=(),
        runs=_mechanism_runs,
        answer=_answer_mechanisms,
        draw=_draw_mechanisms,
    ),
    Experiment(
        title="RoVegas's signal under other starts",
        claims=(),
        runs=_signal_runs,
        answer=_answer_signals,
        draw=_draw_signals,
    ),
)

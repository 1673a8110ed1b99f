"""Readings of Dynamic Vegas's paper where it leaves a choice open: ns-2's defaults, and steps, marks, threshold, start
times.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import flow_column, since_when
from vegaslab.papers.judging.claims import claims
from vegaslab.papers.judging.verdict import Finding, Reading
from vegaslab.runs.result import Result

_STEPS = {
    "dynamic": "once a round",
    "dynamic-per-ack": "per ACK",
    "dynamic-ns2": "per ACK, if positive (ns-2)",
}
_MARKS, _MORE_MARKS = ((1, 3), (10, 20)), ((1, 3), (2, 4), (5, 10), (10, 20))
_THRESHOLDS, _MORE_THRESHOLDS = (1024, 32, 21), (1024, 64, 32, 25, 21, 20, 16)
_STARTS_MS = (1000, 0)
_JOINS_S, _BEFORE_S, _AFTER_S = 100, 50, 150
_CHANGES_BY = 0.25
_PATH_PACKETS = 10.7
"""The path of table 1, in packets of 1000 bytes: 1 Mb/s times 86 ms, without queues."""

_MID_THRESHOLD, _MID_ROUNDS, _ROUND_S = 64, 4, 0.1

NS2_WINDOW = 20
"""ns-2's default `window_`: the most packets in flight, and the threshold before the first loss."""
_NS2_ALGORITHMS: Mapping[str, object] = {
    "vegas": {"preset": "vegas", "slow_start": "vegas-ns2-delayed"},
    "dynamic": {"preset": "dynamic", "avoidance": "dynamic-ns2"},
    "reno": "reno",
}
_NS2_FIRST_WINDOWS = {"vegas": 2, "dynamic": 1, "reno": 1}
"""The first windows. With ns-2's delayed growth every flow begins with one segment; `vegas-ns2-delayed` does so by
itself.
"""
_NS2_NAME = (
    f"ns-2's defaults (windows and threshold of {NS2_WINDOW}, delayed growth, steps per ACK if positive); together"
)


def ns2_values(*kinds: str) -> dict[str, object]:
    """Returns values for flows of these kinds, in order: ns-2's defaults wherever the paper gives none."""
    return {
        f"flow.{flow}.{key}": value
        for flow, kind in enumerate(kinds)
        for key, value in {
            "algorithm": _NS2_ALGORITHMS[kind],
            "initial_window": _NS2_FIRST_WINDOWS[kind],
            "ssthresh": NS2_WINDOW,
            "host.receive_window": NS2_WINDOW,
        }.items()
    }


def ns2_runs(
    scenario: str, extract: Callable[[Result], Any], rivals: Mapping[str, str], **others: object
) -> dict[str, Run]:
    """Returns a run of each kind in `rivals` beside its rival, with ns-2's defaults; "" means no rival. `others` are
    set, too.
    """
    more = {key.replace("__", "."): value for key, value in others.items()}
    return {
        f"ns-2/{kind}": Run(
            scenario=scenario, set={**ns2_values(*filter(None, (kind, rival))), **more}, extract=extract
        )
        for kind, rival in rivals.items()
    }


@dataclass(frozen=True)
class Choice:
    """One choice of the settings that the paper leaves open."""

    steps: str
    marks: tuple[int, int]
    threshold: int
    start_ms: int = _STARTS_MS[0]

    @property
    def key(self) -> str:
        """The key of its run."""
        alpha, beta = self.marks
        return f"reading/{self.steps}/{alpha}/{beta}/{self.threshold}/{self.start_ms}"

    @property
    def name(self) -> str:
        """The reading's name."""
        alpha, beta = self.marks
        return f"{_STEPS[self.steps]}; alpha {alpha}, beta {beta}; threshold {self.threshold}"

    def values(self, flows: Sequence[int]) -> dict[str, object]:
        """Returns the values to set in these flows."""
        alpha, beta = self.marks
        own = {
            "algorithm": {"preset": "dynamic", "avoidance": self.steps},
            "alpha": alpha,
            "beta": beta,
            "ssthresh": self.threshold,
        }
        return {f"flow.{flow}.{key}": value for flow in flows for key, value in own.items()}


def choices(quick: bool, starts_ms: Sequence[int] = _STARTS_MS) -> Iterator[Choice]:
    """Yields all choices beside ns-2's defaults."""
    for start_ms in starts_ms:
        for steps in _STEPS:
            for marks in _MARKS if quick else _MORE_MARKS:
                for threshold in _THRESHOLDS if quick else _MORE_THRESHOLDS:
                    yield Choice(steps, marks, threshold, start_ms)


def pair_runs(quick: bool, scenario: str, flows: Sequence[int], extract: Callable[[Result], Any]) -> dict[str, Run]:
    """Returns a run of table 2 for each choice; `flows` are the numbers of Dynamic Vegas's flows."""
    return {
        one.key: Run(scenario=scenario, set={**one.values(flows), "flow.1.start": f"{one.start_ms}ms"}, extract=extract)
        for one in choices(quick)
    }


def pair_readings(
    data: Data,
    reading: Callable[[dict[str, Any], dict[str, Any]], tuple[tuple[float, ...], bool]],
    vegas_at: Mapping[int, str],
) -> list[Reading]:
    """Returns a reading for each choice that was run, ns-2's defaults first.

    `reading` computes values and holds from Vegas's run and Dynamic Vegas's; `vegas_at` has the key of Vegas's run by
    the second flow's start.
    """
    values, holds = reading(data["ns-2/vegas"], data["ns-2/dynamic"])
    made = [one for one in choices(False) if one.key in data]
    found = [(one, *reading(data[vegas_at[one.start_ms]], data[one.key])) for one in made]
    return [
        Reading(name=_NS2_NAME, values=values, holds=holds),
        *(
            Reading(name=f"{one.name}; second flow at {one.start_ms / 1000:g} s", values=values, holds=holds)
            for one, values, holds in found
        ),
    ]


def _joined(result: Result) -> float:
    """Returns the mean window of the last 50 s over that of the 50 s before Reno joins."""
    time_s, window = flow_column(result, "cwnd_segments")
    before = (time_s > _BEFORE_S) & (time_s <= _JOINS_S)
    return float(np.mean(window[time_s > _AFTER_S]) / np.mean(window[before]))


def _joining_runs(quick: bool) -> dict[str, Run]:
    scenario, start = "papers/dynamic-table2-hete", f"{_JOINS_S}s"
    of_dynamic = {
        one.key: Run(scenario=scenario, set={**one.values((0,)), "flow.1.start": start}, extract=_joined)
        for one in choices(quick, _STARTS_MS[:1])
    }
    return {**ns2_runs(scenario, _joined, {"vegas": "reno", "dynamic": "reno"}, flow__1__start=start), **of_dynamic}


def _find_joining(data: Data) -> dict[str, Finding]:
    made = {_NS2_NAME: "ns-2/dynamic"} | {
        one.name: one.key for one in choices(False, _STARTS_MS[:1]) if one.key in data
    }
    vegas = data["ns-2/vegas"]
    readings = [
        Reading(name=name, values=(vegas, data[key]), holds=abs(data[key] - 1) <= _CHANGES_BY)
        for name, key in made.items()
    ]
    return {
        "D-joining": Finding.of_readings(
            *readings,
            note=f"Vegas's window becomes {vegas:.2f} of what it was; Dynamic Vegas's by the reading.",
        )
    }


def _by_round(result: Result) -> list[float]:
    """Returns the windows in the middle of the rounds from the jump to half of the threshold on."""
    time_s, window = flow_column(result, "cwnd_segments")
    jumps_s = float(time_s[int(np.argmax(window >= _MID_THRESHOLD / 2))])
    places = [int(np.searchsorted(time_s, jumps_s + (i + 0.5) * _ROUND_S)) for i in range(_MID_ROUNDS)]
    return [float(window[min(place, len(window) - 1)]) for place in places]


def _mid_speed_runs(_quick: bool) -> dict[str, Run]:
    return {
        slow_start: Run(
            scenario="papers/gallop-windows",
            set={
                "flow.0.algorithm": {
                    "preset": "dynamic",
                    "slow_start": slow_start,
                    "burst": "none",
                    "keep_up": False,
                },
                "flow.0.ssthresh": _MID_THRESHOLD,
            },
            extract=_by_round,
        )
        for slow_start in ("mid-speed", "mid-speed-by-window")
    }


def _find_mid_speed(data: Data) -> dict[str, Finding]:
    text, pseudocode = data["mid-speed"], data["mid-speed-by-window"]
    printed = claims()["D-mid-speed"].values
    in_words = {name: ", ".join(f"{window:.1f}" for window in data[name]) for name in data}
    return {
        "D-mid-speed": Finding(
            values=tuple(text),
            holds=all(abs(ours - theirs) <= 1 for ours, theirs in zip(text, printed, strict=True)),
            arithmetic='The text adds "half of its increasing value in previous RTT", the pseudocode "incr=cwnd/2" '
            f"(line 12). Simulated, the first gives {in_words['mid-speed']} and the second "
            f"{in_words['mid-speed-by-window']}."
            if text != pseudocode
            else "",
        )
    }


def _opened(result: Result) -> dict[str, Any]:
    """Returns when slow start ended and when the window became stable, in s, and the window at slow start's end."""
    flow = result.summary["flows"][0]
    time_s, window = flow_column(result, "cwnd_segments")
    return {
        "end_s": flow["slow_start_end_s"],
        "exit": flow["cwnd_at_slow_start_end"],
        "settled_s": since_when(time_s, np.abs(window - window[-1]) <= 1),
    }


def _start_runs(quick: bool) -> dict[str, Run]:
    scenario = "papers/dynamic-table1"
    vegas = Run(scenario=scenario, set={"flow.0.algorithm": "vegas"}, extract=_opened)
    of_dynamic = {
        one.key: Run(scenario=scenario, set=one.values((0,)), extract=_opened)
        for one in choices(quick, _STARTS_MS[:1])
        if one.marks == _MARKS[0]
    }
    return {**ns2_runs(scenario, _opened, {"vegas": "", "dynamic": ""}), "vegas": vegas, **of_dynamic}


def _find_start(data: Data) -> dict[str, Finding]:
    vegas, vegas_in_ns2 = data["vegas"], data["ns-2/vegas"]
    made = [one for one in choices(False, _STARTS_MS[:1]) if one.key in data]
    pairs = [(_NS2_NAME, vegas_in_ns2, data["ns-2/dynamic"]), *((one.name, vegas, data[one.key]) for one in made)]
    readings = [
        Reading(
            name=name,
            values=(of_vegas["end_s"], run["end_s"]),
            holds=run["exit"] >= _PATH_PACKETS and _or_never(run["settled_s"]) <= _or_never(of_vegas["settled_s"]),
        )
        for name, of_vegas, run in pairs
    ]
    rests = "; ".join(f"{name}: {_in_words(run['settled_s'])}" for name, _, run in pairs)
    return {
        "D-start": Finding.of_readings(
            *readings,
            note=f"With ns-2's defaults Vegas leaves slow start at {vegas_in_ns2['end_s']:.2f} s with "
            f"{vegas_in_ns2['exit']:.0f} packets on a path of {_PATH_PACKETS} and rests from "
            f"{_in_words(vegas_in_ns2['settled_s'])} on, otherwise from {_in_words(vegas['settled_s'])}. Dynamic Vegas "
            f"rests: {rests}.",
            facts={
                "vegas_rests": _or_never(vegas_in_ns2["settled_s"]),
                "dynamic_rests": _or_never(data["ns-2/dynamic"]["settled_s"]),
                "otherwise": _or_never(vegas["settled_s"]),
            },
        )
    }


def _or_never(time_s: float | None) -> float:
    return float("inf") if time_s is None else time_s


def _in_words(time_s: float | None) -> str:
    return "never" if time_s is None else f"{time_s:.1f} s"


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="The start on a path of its own (section 4.1)", claims=("D-start",), runs=_start_runs, find=_find_start
    ),
    Experiment(
        title="Mid-speed start, round by round (section 3.1)",
        claims=("D-mid-speed",),
        runs=_mid_speed_runs,
        find=_find_mid_speed,
    ),
    Experiment(
        title="When Reno joins (sections 4.2, 5)", claims=("D-joining",), runs=_joining_runs, find=_find_joining
    ),
)

"""Revisited: the violated invariant (table III), five flows (figure 2), all mechanisms off and on."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from vegaslab.papers.experiments.chart import Chart, Curve, Panel
from vegaslab.papers.experiments.experiment import Data, Experiment, Run
from vegaslab.papers.experiments.extract import curve, flow_column
from vegaslab.papers.judging.table import Table, number
from vegaslab.papers.judging.verdict import Finding, Reading
from vegaslab.papers.revisited.setting import CORRECTED, LOADS, SCENARIO
from vegaslab.runs.result import Result

_FLOWS = 5
_STEADY_S = 30.0
_HALF_A_SEGMENT = 0.5


_INVARIANT = {"released": "vegas-1994", "corrected": "vegas"}
_PRINTED = (("9 is acked", -2, 2), ("10 is acked", 3, 6))
"""Table III: the events, and the numerators of equations 3 and 4."""


def _diffs(result: Result) -> list[float]:
    """Returns the expected rate less the actual one, in segments, at each change."""
    _, diff = flow_column(result, "diff_segments")
    return [value for value, _ in groupby(diff[~np.isnan(diff)].tolist())]


def _invariant_runs(_quick: bool) -> dict[str, Run]:
    return {
        name: Run(scenario="papers/revisited-table3", set={"flow.0.algorithm": algorithm}, extract=_diffs)
        for name, algorithm in _INVARIANT.items()
    }


def _find_invariant(data: Data) -> dict[str, Finding]:
    broken = {name: [diff for diff in data[name] if diff < 0] for name in _INVARIANT}
    counts = tuple(float(len(found)) for found in broken.values())
    lines = [(event, str(expected), str(actual), str(expected - actual)) for event, expected, actual in _PRINTED]
    return {
        "H-table3": Finding(
            values=counts,
            holds=counts == (2, 0),
            note="How often the expected rate is below the actual one: the released Vegas, the corrected one. The "
            f"released one measures {' and '.join(f'{diff:.0f}' for diff in broken['released'])} segments, by the "
            "acknowledgement of 16 and by the next.",
            tables=(
                Table(
                    title="Table III: the paper's events, segments",
                    head=("event", "expected (eq. 3)", "actual (eq. 4)", "difference"),
                    rows=lines,
                ),
            ),
        )
    }


def _text(letters: str) -> str:
    """Returns Reno with these mechanisms, as text for `--set`."""
    return f'{{ mechanisms = "{letters}" }}'


def _windows(result: Result) -> list[dict[str, Any]]:
    """Returns for each flow the curve and the steady mean of its window, and its steady backlog: as the flow measures
    it, and the true one.
    """
    found = []
    base_ms = min(flow["base_rtt_ms"] for flow in result.summary["flows"])
    for flow in range(_FLOWS):
        time_s, window = flow_column(result, "cwnd_segments", flow)
        _, rtt_ms = flow_column(result, "rtt_ms", flow)
        _, diff = flow_column(result, "diff_segments", flow)
        steady = time_s >= _STEADY_S
        found.append(
            {
                "curve": curve(time_s, window),
                "steady": float(window[steady].mean()),
                "believed": float(diff[steady].mean()),
                # the first flow found the path empty, so the least base RTT is the true one
                "backlog": float((window[steady] * (1 - base_ms / rtt_ms[steady])).mean()),
                "retransmitted": result.summary["flows"][flow]["segments_retransmitted"],
            }
        )
    return found


def _steady_windows(result: Result) -> list[float]:
    return [flow["steady"] for flow in _windows(result)]


@dataclass(frozen=True)
class _Network:
    """A reading of figure 2: the variant of Vegas, and the access links that figure 1 may show."""

    algorithm: str
    access_ms: float
    queue: int = 25

    def __str__(self) -> str:
        """Returns the reading's name."""
        name = _ALGORITHM_NAMES[self.algorithm]
        return f"{name}, access links of {self.access_ms:g} ms" + (f", queue {self.queue}" if self.queue != 25 else "")

    def run(self, starts_s: Sequence[float], extract: Callable[[Result], Any]) -> Run:
        flows = {f"flow.{flow}.algorithm": self.algorithm for flow in range(_FLOWS)}
        starts = {f"flow.{flow}.start": f"{round(1e6 * start)}us" for flow, start in enumerate(starts_s)}
        links = {
            "topology.access.delay": f"{round(1000 * self.access_ms)}us",
            "topology.bottleneck.queue": f"{self.queue}p",
        }
        return Run(scenario="papers/revisited-fig2", set={**flows, **starts, **links}, extract=extract)


_LETTERS = _text(CORRECTED)
_ALGORITHM_NAMES = {
    "vegas": "Vegas",
    _LETTERS: "without H and I",
    "vegas-1994": "the released Vegas",
    "vegas-ns2": "ns-2's Vegas",
}
_READINGS = tuple(_Network(algorithm, access) for access in (0.1, 5.0) for algorithm in _ALGORITHM_NAMES)
_TAKEN, _LONGER_QUEUE = _READINGS[0], _Network("vegas", 0.1, 30)
_EXACT_STARTS_S = tuple(float(flow) for flow in range(_FLOWS))
_JITTER_S, _JITTERED, _QUICK_JITTERED = 0.1, 20, 6


def _jittered_starts(seed: int) -> tuple[float, ...]:
    """Returns starts within a tenth of a second after the exact ones."""
    late_s = np.random.default_rng(seed).uniform(0, _JITTER_S, _FLOWS)
    return tuple(float(start + late) for start, late in zip(_EXACT_STARTS_S, late_s, strict=True))


def _five_runs(quick: bool) -> dict[str, Run]:
    networks = (*_READINGS, _LONGER_QUEUE)
    exact = {f"{network}/exact": network.run(_EXACT_STARTS_S, _windows) for network in networks}
    jittered = {
        f"{network}/{seed}": network.run(_jittered_starts(seed), _steady_windows)
        for network in networks
        for seed in range(_QUICK_JITTERED if quick else _JITTERED)
    }
    return {**exact, **jittered}


def _find_five(data: Data) -> dict[str, Finding]:
    taken, longer = data[f"{_TAKEN}/exact"], data[f"{_LONGER_QUEUE}/exact"]
    jittered = _jittered(data, _LONGER_QUEUE)
    last = longer[-1]
    return {
        "H-fig2": Finding.of_readings(
            *(_five_reading(data, network) for network in _READINGS),
            note=f"Mean windows from {_STEADY_S:g} s on, exactly a second apart; and how many of those whose starts "
            "are up to 0.1 s late give the figure. As taken, segments retransmitted: "
            f"{', '.join(str(flow['retransmitted']) for flow in taken)}. With a queue of {_LONGER_QUEUE.queue}: "
            f"{', '.join(format(flow['steady'], '.1f') for flow in longer)}, and {sum(jittered)} of {len(jittered)}.",
            facts={
                "longer_lost": sum(flow["retransmitted"] for flow in longer),
                "give": sum(jittered),
                "of": len(jittered),
            },
        ),
        "H-persistent": Finding(
            values=(last["believed"], last["backlog"]),
            holds=all(1 <= flow["believed"] <= 3 for flow in longer) and last["backlog"] > 3,
            beyond="" if last["backlog"] > 2 * 3 else '"many more" is less than twice beta',
            note=f"The last of the five flows; the others: {'; '.join(map(_both_backlogs, longer[:-1]))}. "
            f"All have {sum(flow['backlog'] for flow in longer):.0f} segments waiting, where five times beta is 15.",
        ),
    }


def _both_backlogs(flow: dict[str, Any]) -> str:
    return f"{flow['believed']:.1f} and {flow['backlog']:.1f}"


def _jittered(data: Data, network: _Network) -> list[bool]:
    """Returns whether each run with other starts shows what the figure shows."""
    return [
        _later_have_more(windows)
        for key, windows in data.items()
        if key.startswith(f"{network}/") and not key.endswith("/exact")
    ]


def _five_reading(data: Data, network: _Network) -> Reading:
    """Returns the reading with starts exactly a second apart; its name says how many runs with other starts agree with
    the figure.
    """
    steady = [flow["steady"] for flow in data[f"{network}/exact"]]
    gives = _jittered(data, network)
    return Reading(
        name=f"{network}; started up to 0.1 s late: {sum(gives)} of {len(gives)}",
        values=tuple(steady),
        holds=_later_have_more(steady),
    )


def _later_have_more(windows: list[float]) -> bool:
    rises = all(later >= earlier - _HALF_A_SEGMENT for earlier, later in pairwise(windows))
    return rises and windows[-1] > max(windows[:-1])


def _draw_five(data: Data) -> list[Chart]:
    panels = []
    for network in (_TAKEN, _LONGER_QUEUE):
        curves = [
            Curve(
                label=f"flow {flow + 1}" if network == _TAKEN else "",
                x=one["curve"]["x"],
                y=one["curve"]["y"],
                colour=flow,
                style="steps",
            )
            for flow, one in enumerate(data[f"{network}/exact"])
        ]
        panels.append(Panel(x="time (s)", y=f"window (segments), queue {network.queue}", curves=curves))
    return [
        Chart(
            slug="revisited-fig2",
            title="Figure 2: five flows of Vegas, one more each second",
            caption="A later flow finds the others' segments in the queue and takes them for a part of its path.",
            panels=panels,
        )
    ]


def _digest(result: Result) -> dict[str, Any]:
    """Returns a digest of all that happened: each change of a window and a queue, each incident, the totals."""
    hashing = hashlib.sha256()
    for table in (result.series.flows, result.series.links, result.incidents):
        for name in table.column_names:
            hashing.update(repr((name, table[name].to_pylist())).encode())
    # a flow's group, where none is given, has the algorithm's name
    totals = {key: value for key, value in result.summary["flows"][0].items() if key not in ("algorithm", "group")}
    hashing.update(repr((totals, result.summary["links"], result.summary["traffic"])).encode())
    return {"digest": hashing.hexdigest(), "packets": result.summary["delivered_packets"]}


_SAME = {"off": ("", "reno"), "on": ("ABCDEFGHI", "vegas")}
_SAME_SEEDS = range(1, 4)


def _same_runs(_quick: bool) -> dict[str, Run]:
    return {
        f"{state}/{place}/{load}/{seed}": Run(
            scenario=SCENARIO,
            set={
                "flow.0.algorithm": _text(algorithm) if place == 0 else algorithm,
                "traffic.0.interarrival": gap,
                "sample": "change",
                "duration": "40s",
            },
            seed=seed,
            extract=_digest,
        )
        for state, pair in _SAME.items()
        for place, algorithm in enumerate(pair)
        for load, gap in LOADS.items()
        for seed in _SAME_SEEDS
    }


def _find_same(data: Data) -> dict[str, Finding]:
    pairs = {
        state: [
            (data[f"{state}/0/{load}/{seed}"], data[f"{state}/1/{load}/{seed}"])
            for load in LOADS
            for seed in _SAME_SEEDS
        ]
        for state in _SAME
    }
    equal = [sum(one == other for one, other in found) for found in pairs.values()]
    apart = all(one != other for one, other in zip(pairs["off"], pairs["on"], strict=True))
    packets = sum(one["packets"] for found in pairs.values() for one, _ in found)
    count = len(_SAME_SEEDS) * len(LOADS)
    return {
        "H-compatibility": Finding(
            values=tuple(map(float, equal)),
            holds=equal == [count, count] and apart,
            note=f"Of {count} runs each that are equal in every window, queue, drop and retransmission: all off and "
            f"Reno, A to I on and Vegas; {number(packets)} packets delivered. J is off in Vegas, as it was released.",
        )
    }


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        title="The violated invariant (table III)",
        claims=("H-table3",),
        runs=_invariant_runs,
        find=_find_invariant,
    ),
    Experiment(
        title="Five flows, one after the other (figure 2)",
        claims=("H-fig2", "H-persistent"),
        runs=_five_runs,
        find=_find_five,
        draw=_draw_five,
    ),
    Experiment(
        title="All mechanisms off, and on (section VI)",
        claims=("H-compatibility",),
        runs=_same_runs,
        find=_find_same,
    ),
)

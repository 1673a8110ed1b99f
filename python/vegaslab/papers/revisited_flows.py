"""Revisited: the violated invariant (table III), five flows (figure 2), all mechanisms off and on."""

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from vegaslab.papers.chart import Chart, Curve, Panel
from vegaslab.papers.experiment import Data, Experiment, Run
from vegaslab.papers.extract import curve, flow_column
from vegaslab.papers.revisited_setting import CORRECTED, LOADS, SCENARIO
from vegaslab.papers.table import Table, number
from vegaslab.papers.verdict import Finding
from vegaslab.result import Result

_FLOWS = 5
_STEADY_S = 30.0
_HALF_A_SEGMENT = 0.5
_LONGER_QUEUES = (26, 28, 30, 50)


@dataclass(frozen=True)
class _Event:
    """An acknowledgement of table III: what has been sent and acknowledged before it, and what it covers; segments."""

    name: str
    acknowledged: int
    next_sent: int
    begin: int
    begin_reset: int
    """`begin` where an acknowledgement of data from before a timeout resets it (section VII.C)."""
    covers: int


_TABLE_III = (
    _Event("9 is acked", 5, 7, 5, 5, 5),
    _Event("10 is acked", 10, 13, 7, 10, 1),
)
_PRINTED = ((-2, 2), (3, 6))


def _released(event: _Event) -> tuple[int, int]:
    """Numerators of the expected and the actual rate, equations 3 and 4."""
    window = event.next_sent - event.acknowledged + min(1 - event.covers, 0)
    return window, event.next_sent - event.begin


def _corrected(event: _Event) -> tuple[int, int]:
    """The same, repaired: no last term in equation 3, a round that begins anew."""
    return event.next_sent - event.acknowledged, event.next_sent - event.begin_reset


def _find_invariant(_data: Data) -> dict[str, Finding]:
    released, corrected = ([one(event) for event in _TABLE_III] for one in (_released, _corrected))
    broken = [sum(expected < actual for expected, actual in found) for found in (released, corrected)]
    lines = [
        (event.name, *map(str, _PRINTED[place]), *map(str, released[place]), *map(str, corrected[place]))
        for place, event in enumerate(_TABLE_III)
    ]
    head = ("event", "paper: eq. 3", "eq. 4", "released: eq. 3", "eq. 4", "corrected: eq. 3", "eq. 4")
    return {
        "H-table3": Finding(
            values=tuple(map(float, broken)),
            holds=broken == [2, 0] and tuple(released) == _PRINTED,
            note="How often the expected rate is below the actual one: the released Vegas, the corrected one. The "
            "events are the paper's; that the two algorithms do the same at them is what the golden traces "
            "vegas-1994.txt and vegas.txt of vegas-core hold, for it is nothing that a result shows.",
            tables=(Table(title="Table III: segments in equations 3 and 4", head=head, rows=lines),),
        )
    }


def _text(letters: str) -> str:
    """These mechanisms over Reno, as `--set` takes them."""
    return f'{{ mechanisms = "{letters}" }}'


def _windows(result: Result) -> list[dict[str, Any]]:
    """Curve and steady mean of each flow's window."""
    found = []
    for flow in range(_FLOWS):
        time_s, window = flow_column(result, "cwnd_segments", flow)
        found.append(
            {
                "curve": curve(time_s, window),
                "steady": float(window[time_s >= _STEADY_S].mean()),
                "retransmitted": result.summary["flows"][flow]["segments_retransmitted"],
            }
        )
    return found


def _five_runs(_quick: bool) -> dict[str, Run]:
    def run(algorithm: object, more: dict[str, object] | None = None) -> Run:
        values: dict[str, object] = {f"flow.{flow}.algorithm": algorithm for flow in range(_FLOWS)}
        return Run(scenario="papers/revisited-fig2", set={**values, **(more or {})}, extract=_windows)

    return {
        "vegas": run("vegas"),
        "tables": run(_text(CORRECTED)),
        "released": run("vegas-1994"),
        **{f"queue{size}": run("vegas", {"topology.bottleneck.queue": f"{size}p"}) for size in _LONGER_QUEUES},
        "slow": run("vegas", {f"flow.{flow}.start": f"{5 * flow}s" for flow in range(_FLOWS)}),
    }


_FIVE_NAMES = {
    "vegas": "Vegas",
    "tables": "without H and I",
    "released": "the released Vegas",
    **{f"queue{size}": f"a queue of {size}" for size in _LONGER_QUEUES},
    "slow": "five seconds apart",
}


def _find_five(data: Data) -> dict[str, Finding]:
    steady = {key: [flow["steady"] for flow in data[key]] for key in _FIVE_NAMES}
    others = "; ".join(
        f"{_FIVE_NAMES[key]}: {', '.join(f'{window:.1f}' for window in steady[key])}"
        for key in _FIVE_NAMES
        if key != "vegas"
    )
    return {
        "H-fig2": Finding(
            values=tuple(steady["vegas"]),
            holds=_later_have_more(steady["vegas"]),
            note=f"Mean windows from {_STEADY_S:g} s on, in the order of start; segments sent again: "
            f"{', '.join(str(flow['retransmitted']) for flow in data['vegas'])}. Otherwise: {others}. "
            f"Rising within half a segment: {_order(steady)}.",
        )
    }


def _later_have_more(windows: list[float]) -> bool:
    rises = all(later >= earlier - _HALF_A_SEGMENT for earlier, later in pairwise(windows))
    return rises and windows[-1] > max(windows[:-1])


def _order(steady: dict[str, list[float]]) -> str:
    return ", ".join(
        f"{_FIVE_NAMES[key]} {'yes' if _later_have_more(windows) else 'no'}" for key, windows in steady.items()
    )


def _draw_five(data: Data) -> list[Chart]:
    panels = []
    for key, name in (("vegas", "queue 25"), ("queue30", "queue 30")):
        curves = [
            Curve(
                label=f"flow {flow + 1}" if key == "vegas" else "",
                x=one["curve"]["x"],
                y=one["curve"]["y"],
                colour=flow,
                style="steps",
            )
            for flow, one in enumerate(data[key])
        ]
        panels.append(Panel(x="time (s)", y=f"window (segments), {name}", curves=curves))
    return [
        Chart(
            slug="revisited-fig2",
            title="Figure 2: five flows of Vegas, one more each second",
            caption="A later flow finds the others' segments in the queue and takes them for a part of its path.",
            panels=panels,
        )
    ]


def _digest(result: Result) -> dict[str, Any]:
    """Everything that happened, as one digest: each change of a window and a queue, each incident, the totals."""
    hashing = hashlib.sha256()
    for table in (result.series.flows, result.series.links, result.incidents):
        for name in table.column_names:
            hashing.update(repr((name, table[name].to_pylist())).encode())
    totals = {key: value for key, value in result.summary["flows"][0].items() if key != "algorithm"}
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
    Experiment(title="The violated invariant (table III)", claims=("H-table3",), find=_find_invariant),
    Experiment(
        title="Five flows, one after the other (figure 2)",
        claims=("H-fig2",),
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

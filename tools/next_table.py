"""Prints what `vegas-next` has to show beside other algorithms: python tools/next_table.py [ALGORITHM ...].

The cases are the files of scenarios/next and `rovegas-eight-flows`. Each figure is of the run that
`vegaslab run FILE --set flow.N.algorithm=ALGORITHM` makes, with the scenario's own seed.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import vegaslab
from vegaslab.statistics import jain_index, time_to_fill_s

ALGORITHMS = ["vegas", "vegas-next", "cubic", "copa", "bbr3"]
BOTTLENECK = "r1->r2"
Figures = dict[str, float]


@dataclass(frozen=True)
class Case:
    """A scenario, the flows that have the algorithm, and what is looked at."""

    scenario: str
    flows: int
    figures: Callable[[vegaslab.Result], Figures]

    def overrides(self, algorithm: str) -> dict[str, object]:
        """Returns what the scenario's keys are set to."""
        return {f"flow.{number}.algorithm": algorithm for number in range(self.flows)}


def bottleneck(result: vegaslab.Result) -> dict[str, float]:
    """Returns the bottleneck's totals."""
    return next(link for link in result.summary["links"] if link["id"] == BOTTLENECK)


def series(result: vegaslab.Result, table: str, column: str, *, of: int | str) -> np.ndarray:
    """Returns a column of a series, the rows of one flow or link only."""
    rows = result.series[table]
    key = "flow" if table == "flows" else "link"
    chosen = np.array([value == of for value in rows[key].to_pylist()])
    return np.asarray(rows[column].to_pylist(), dtype=np.float64)[chosen]


def jitter(result: vegaslab.Result) -> Figures:
    """Two flows: how unequal they are, and how busy the link is."""
    goodputs = [flow["goodput_mbps"] for flow in result.summary["flows"]]
    return {"jitter: ratio": max(goodputs) / min(goodputs), "utilisation %": 100 * bottleneck(result)["utilisation"]}


def beside_cubic(result: vegaslab.Result) -> Figures:
    """Beside CUBIC: the part of the link that each gets."""
    own, cubic = (flow["throughput_mbps"] for flow in result.summary["flows"])
    return {"cubic: share %": own, "CUBIC's Mb/s": cubic}


def alone(result: vegaslab.Result) -> Figures:
    """Alone: queueing, goodput, and the time to fill in round trips beyond 2 log2(product)."""
    steps, busy = (series(result, "links", column, of=BOTTLENECK) for column in ("time_s", "utilisation"))
    round_trips = time_to_fill_s(steps, busy, start_s=0.0, round_trip_s=0.1) / 0.1
    return {
        "alone: p95 ms": bottleneck(result)["p95_queueing_ms"],
        "goodput": result.summary["flows"][0]["goodput_mbps"],
        "fill, RTT": round_trips,
        "at most": 2 * math.log2(625) + 5,
    }


def eight(result: vegaslab.Result) -> Figures:
    """Eight flows that join one after another: the last 15 s."""
    goodputs = []
    for flow in range(8):
        time_s = series(result, "flows", "time_s", of=flow)
        acked = series(result, "flows", "acked_bytes", of=flow)
        goodputs.append(acked[-1] - acked[np.searchsorted(time_s, 165.0)])
    time_s = series(result, "links", "time_s", of=BOTTLENECK)
    queue = series(result, "links", "queue_packets", of=BOTTLENECK)
    return {"eight: Jain": float(jain_index(goodputs)), "queue": float(queue[time_s >= 165.0].mean())}


CASES = [
    Case("next/jitter", 2, jitter),
    Case("next/cubic", 1, beside_cubic),
    Case("next/alone", 1, alone),
    Case("rovegas-eight-flows", 8, eight),
]


def row(algorithm: str) -> Figures:
    """Returns all figures of an algorithm."""
    figures: Figures = {}
    for case in CASES:
        scenario = f"scenarios/{case.scenario}.toml"
        figures |= case.figures(vegaslab.run(scenario, set=case.overrides(algorithm)))
    return figures


def main(algorithms: list[str]) -> None:
    """Prints the table as Markdown."""
    for number, algorithm in enumerate(algorithms or ALGORITHMS):
        figures = row(algorithm)
        if number == 0:
            print("| algorithm | " + " | ".join(figures) + " |")
            print("|---" * (len(figures) + 1) + "|")
        print(f"| {algorithm} | " + " | ".join(f"{figure:.4g}" for figure in figures.values()) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

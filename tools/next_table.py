"""Prints what `vegas-next` has to show beside other algorithms: python tools/next_table.py [ALGORITHM ...].

The cases are the files of scenarios/next and `rovegas-eight-flows`. Each figure is of the run that
`vegaslab run FILE --set flow.N.algorithm=ALGORITHM` makes, with the scenario's own seed, or with those of `--seeds`.
`--tuning` runs the networks on which `vegas-next` is tuned in place of these cases.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import next_tuning
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
    values: np.ndarray = np.asarray(rows[column].to_pylist(), dtype=np.float64)
    return values[chosen]


def jitter(result: vegaslab.Result) -> Figures:
    """Two flows: how unequal they are, and how busy the link is."""
    goodputs = [flow["goodput_mbps"] for flow in result.summary["flows"]]
    return {"jitter: ratio": max(goodputs) / min(goodputs), "utilisation %": 100 * bottleneck(result)["utilisation"]}


def beside_cubic(result: vegaslab.Result) -> Figures:
    """Beside CUBIC: the part of the link that each gets."""
    own, cubic = (flow["throughput_mbps"] for flow in result.summary["flows"])
    return {"cubic: share %": own, "CUBIC's Mb/s": cubic}


def alone(result: vegaslab.Result) -> Figures:
    """Alone: queueing, goodput, and the time to fill in round trips beyond 2 log2(BDP)."""
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


def row(algorithm: str, seed: int | None) -> Figures:
    """Returns all figures of an algorithm."""
    figures: Figures = {}
    for case in CASES:
        scenario = f"scenarios/{case.scenario}.toml"
        figures |= case.figures(vegaslab.run(scenario, set=case.overrides(algorithm), seed=seed))
    return figures


def print_table(algorithms: list[str], seeds: list[int | None]) -> None:
    """Prints what the cases give, a row a run of all."""
    has_head = False
    for algorithm in algorithms:
        for seed in seeds:
            figures = row(algorithm, seed)
            if not has_head:
                print("| algorithm | " + " | ".join(figures) + " |")
                print("|---" * (len(figures) + 1) + "|")
                has_head = True
            name = algorithm if seed is None else f"{algorithm}, seed {seed}"
            print(f"| {name} | " + " | ".join(f"{figure:.4g}" for figure in figures.values()) + " |", flush=True)


def print_tuning(algorithms: list[str], seeds: list[int | None]) -> None:
    """Prints what the tuning networks give, a row a network."""
    for algorithm in algorithms:
        print(f"| network | {algorithm} |\n|---|---|")
        for network in next_tuning.NETWORKS:
            results = [network.result(algorithm, next_tuning.SEED if seed is None else seed) for seed in seeds]
            print(f"| {network.name} | {'; '.join(results)} |", flush=True)


def main() -> None:
    """Prints tables as Markdown."""
    parser = argparse.ArgumentParser(description="Prints what vegas-next has to show beside other algorithms.")
    parser.add_argument("algorithms", nargs="*", metavar="ALGORITHM")
    parser.add_argument("--tuning", action="store_true", help="the networks on which it is tuned")
    parser.add_argument("--seeds", nargs="+", type=int, metavar="SEED", help="other seeds than the scenario's own")
    given = parser.parse_args()
    seeds: list[int | None] = given.seeds or [None]
    if given.tuning:
        print_tuning(given.algorithms or ["vegas-next"], seeds)
    else:
        print_table(given.algorithms or ALGORITHMS, seeds)


if __name__ == "__main__":
    main()

"""The networks on which `vegas-next` is tuned, and what is looked at: none of them is a case of tools/next_table.py.

`python tools/next_table.py --tuning [ALGORITHM ...]` runs them. Segments have 1000 B, access links 1 Gb/s and 1 ms; a
round trip takes twice the bottleneck's delay and 4 ms more.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import vegaslab
from vegaslab.statistics import jain_index

BOTTLENECK = "r1->r2"
SEED = 11
Table = dict[str, object]


@dataclass(frozen=True)
class Network:
    """A dumbbell, what differs from flow to flow, how many have the algorithm, and what is looked at."""

    name: str
    rate_mbps: float
    delay_ms: int
    queue_packets: int
    duration_s: int
    flows: list[Table]
    judge: Callable[[vegaslab.Result, int], str]
    own: int
    bottleneck: Table = field(default_factory=dict)
    more: Table = field(default_factory=dict)
    """Other keys of the bottleneck and of the scenario."""

    def scenario(self, algorithm: str, seed: int) -> Table:
        """Returns the scenario as a table."""
        flows = [{"algorithm": algorithm, "initial_window": 10, **flow} for flow in self.flows]
        if CUBIC in self.flows:
            # the result depends on when the first drains fall
            flows[0]["start"] = f"{730 * (seed - SEED) % 4000}ms"
        bottleneck = {
            "rate": f"{self.rate_mbps}mbit",
            "delay": f"{self.delay_ms}ms",
            "queue": f"{self.queue_packets}p",
            **self.bottleneck,
        }
        return {
            "name": "next-tuning",
            "description": self.name,
            "duration": f"{self.duration_s}s",
            "seed": seed,
            "topology": {
                "kind": "dumbbell",
                "access": {"rate": "1gbit", "delay": "1ms"},
                "bottleneck": bottleneck,
            },
            "flow": flows,
            **self.more,
        }

    def result(self, algorithm: str, seed: int = SEED) -> str:
        """Runs the network; returns what comes out."""
        return self.judge(vegaslab.run(self.scenario(algorithm, seed)), self.own)


def goodputs_mbps(result: vegaslab.Result, since_s: float, until_s: float = np.inf) -> list[float]:
    """Returns what the flows get between two times."""
    rows = result.series["flows"]
    flow, time_s, acked = (np.asarray(rows[key].to_pylist()) for key in ("flow", "time_s", "acked_bytes"))
    goodputs = []
    for number in range(len(result.summary["flows"])):
        chosen = (flow == number) & (time_s >= since_s) & (time_s <= until_s)
        goodputs.append(float(np.ptp(acked[chosen]) * 8e-6 / np.ptp(time_s[chosen])))
    return goodputs


def mean_of_link(result: vegaslab.Result, column: str, since_s: float) -> float:
    """Returns the mean of a column of the bottleneck from a time on."""
    rows = result.series["links"]
    chosen = np.array([link == BOTTLENECK for link in rows["link"].to_pylist()])
    chosen &= np.asarray(rows["time_s"].to_pylist()) >= since_s
    return float(np.asarray(rows[column].to_pylist(), dtype=np.float64)[chosen].mean())


def ratio(result: vegaslab.Result, _own: int) -> str:
    """How unequal the flows of the second half are, and how busy the link."""
    half_s = result.summary["duration_s"] / 2
    goodputs = goodputs_mbps(result, half_s)
    busy = 100 * mean_of_link(result, "utilisation", half_s)
    return f"ratio {max(goodputs) / min(goodputs):.2f}, link busy {busy:.0f} %"


def share(result: vegaslab.Result, own: int) -> str:
    """What the flow has beside CUBIC."""
    throughputs = [flow["throughput_mbps"] for flow in result.summary["flows"]]
    return f"{100 * sum(throughputs[:own]) / sum(throughputs):.1f} % of {sum(throughputs):.1f} Mb/s"


def comes_and_goes(result: vegaslab.Result, own: int) -> str:
    """What each has while the rival is there, and after it."""
    during = "+".join(f"{goodput:.1f}" for goodput in goodputs_mbps(result, 30, 60)[:own])
    rows = result.series["flows"]
    flow, time_s, acked = (np.asarray(rows[key].to_pylist()) for key in ("flow", "time_s", "acked_bytes"))
    after = [np.ptp(acked[(flow == number) & (time_s >= 80)]) * 8e-6 / (time_s.max() - 80) for number in range(own)]
    queue = mean_of_link(result, "queue_packets", 80)
    return f"{during} Mb/s beside it, {'+'.join(f'{goodput:.1f}' for goodput in after)} after it, queue {queue:.0f}"


def alone(result: vegaslab.Result, _own: int) -> str:
    """Queueing and goodput of one flow."""
    queueing_ms = next(link for link in result.summary["links"] if link["id"] == BOTTLENECK)["p95_queueing_ms"]
    flow = result.summary["flows"][0]
    again = flow["segments_retransmitted"]
    return f"p95 {queueing_ms:.1f} ms, {flow['goodput_mbps']:.1f} Mb/s, {again} retransmitted"


def lost(result: vegaslab.Result, _own: int) -> str:
    """Goodput, and how much is retransmitted, of one flow."""
    flow = result.summary["flows"][0]
    again = 100 * flow["segments_retransmitted"] / flow["segments_sent"]
    return f"{flow['goodput_mbps']:.1f} Mb/s, {again:.1f} % retransmitted"


def joined(result: vegaslab.Result, _own: int) -> str:
    """Fairness and queue of the last 15 s."""
    since_s = result.summary["duration_s"] - 15
    jain = jain_index(goodputs_mbps(result, since_s))
    return f"Jain {jain:.3f}, queue {mean_of_link(result, 'queue_packets', since_s):.1f}"


def jittery(jitter_ms: int) -> Table:
    """A flow with jitter on its access link."""
    return {"access": {"rate": "1gbit", "delay": "1ms", "jitter": f"{jitter_ms}ms"}}


def square(first_s: float, on_s: float, period_s: float) -> Table:
    """A flow with 10 ms more for the first `on_s` of each period."""
    points = [["0s", "0ms"]]
    start = first_s
    while start < 58:
        points.append([f"{start:.1f}s", "10ms"])
        points.append([f"{start + on_s:.1f}s", "0ms"])
        start += period_s
    return {"delay_schedule": {"limit": "10ms", "points": [point for point in points if float(point[0][:-1]) < 60]}}


def step_pairs(first_s: int, every_s: int, delays: tuple[str, str]) -> Table:
    """The bottleneck has one of two delays, in turn."""
    times = range(first_s, 58, every_s)
    changes = [{"at": f"{at}s", "link": BOTTLENECK, "delay": delays[number % 2]} for number, at in enumerate(times)]
    return {"change": changes}


CUBIC: Table = {"algorithm": "cubic"}
STREAM: Table = {"kind": "constant", "rate": "22mbit", "packet": "1200b", "start": "20s", "stop": "32s"}
STEP: Table = {"delay_schedule": {"limit": "10ms", "points": [["0s", "0ms"], ["3.3s", "10ms"]]}}

NETWORKS = [
    Network("60 Mb/s, jitter of 8 ms", 60, 28, 450, 80, [jittery(8), {}], ratio, 2),
    Network("150 Mb/s, jitter of 5 ms", 150, 9, 400, 80, [{}, {}, jittery(5)], ratio, 3),
    Network("20 Mb/s, jitter of 15 ms", 20, 38, 200, 80, [{}, jittery(15)], ratio, 2),
    Network("50 Mb/s, CUBIC", 50, 28, 375, 100, [{}, CUBIC], share, 1),
    Network("150 Mb/s, CUBIC", 150, 18, 1000, 100, [{}, CUBIC], share, 1),
    Network(
        "two flows, CUBIC from 20 to 60 s", 50, 28, 375, 100,
        [{}, {}, {**CUBIC, "start": "20s", "stop": "60s"}], comes_and_goes, 2,
    ),
    Network("30 Mb/s, alone", 30, 38, 300, 60, [{}], alone, 1),
    Network("200 Mb/s, alone", 200, 13, 700, 60, [{}], alone, 1),
    Network("2.4 Mb/s, six join", 2.4, 28, 60, 150, [{"start": f"{15 * n}s"} for n in range(6)], joined, 6),
    Network("40 Mb/s, five join", 40, 18, 300, 100, [{"start": f"{12 * n}s"} for n in range(5)], joined, 5),
    Network("90 Mb/s, 10 ms from 3.3 s on", 90, 23, 560, 60, [STEP, {}], ratio, 2),
    Network("90 Mb/s, squares of 2 s", 90, 23, 560, 60, [square(2, 1.9, 2), {}], ratio, 2),
    Network("90 Mb/s, squares of 4.6 s", 90, 23, 560, 60, [square(3.2, 4.3, 4.6), {"start": "2.5s"}], ratio, 2),
    Network("80 Mb/s, jitter of 12 ms", 80, 14, 320, 80, [jittery(12), {}], ratio, 2),
    Network("90 Mb/s, squares of 5.1 s", 90, 23, 560, 60, [square(1.2, 4.8, 5.1), {}], ratio, 2),
    Network("80 Mb/s, CUBIC", 80, 23, 480, 100, [{}, CUBIC], share, 1),
    Network("40 Mb/s, CUBIC, half a BDP of queue", 40, 28, 150, 80, [{}, CUBIC], share, 1),
    Network("40 Mb/s, CUBIC, a fifth of a BDP", 40, 28, 60, 80, [{}, CUBIC], share, 1),
    Network("200 Mb/s, CUBIC, a fourth of a BDP", 200, 9, 125, 80, [{}, CUBIC], share, 1),
    Network("40 Mb/s and 400 ms, alone", 40, 200, 2000, 60, [{}], alone, 1),
    Network("80 Mb/s, alone, a third of a BDP of queue", 80, 13, 100, 60, [{}], alone, 1),
    Network("1.2 Mb/s, seven join", 1.2, 18, 40, 124, [{"start": f"{12 * n}s"} for n in range(7)], joined, 7),
    Network("25 Mb/s, losses of 0.2 %", 25, 23, 104, 40, [{}], lost, 1, {"loss": "0.2%"}),
    Network("25 Mb/s, losses of 2 %", 25, 23, 104, 40, [{}], lost, 1, {"loss": "2%"}),
    Network(
        "30 Mb/s, policed to 8", 30, 18, 120, 40, [{}], lost, 1, {"policer": {"rate": "8mbit", "burst": "40kb"}}
    ),
    Network(
        "30 Mb/s, 15 ms more every other 4 s", 30, 18, 130, 60, [{}], lost, 1, {}, step_pairs(4, 4, ("33ms", "18ms"))
    ),
    Network("30 Mb/s, a stream of 22 from 20 to 32 s", 30, 18, 130, 60, [{}], alone, 1, {}, {"traffic": [STREAM]}),
]  # fmt: skip

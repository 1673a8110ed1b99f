"""The picture of docs/algorithms/vegas-next.md: starvation by the adversary over the queue that an algorithm keeps."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import vegaslab
from documentation import ROOT
from documentation.drawing import PICTURES, Picture
from documentation.pictures import ALL
from vegaslab.reports.chart import PALETTE
from vegaslab.reports.figure import STYLE, save

_LIMIT_MS = 10.0
_BOTTLENECK = "r1->r2"
_SCENARIOS = {
    "vegas": "attack/vegas",
    "gallop": "attack/gallop",
    "vegas-linux": "attack/vegas-linux",
    "nv": "attack/nv",
    "copa": "attack/copa",
    "fast": "attack/fast",
    "ledbat++": "attack/ledbatpp",
    "vegas-next": "attack/vegas-next",
}
"""The worst that `vegaslab attack` found with D = 10 ms, two flows, 100 Mb/s and 40 ms (docs/attack.md)."""

_LEFT = ("vegas", "gallop", "fast")
"""The name is left of the point, as another point is to the right of it."""


@dataclass(frozen=True)
class Frontier:
    """Each algorithm as a point, and what the theory allows that steers by a function of delay."""

    name: str = "frontier"

    @property
    def path(self) -> Path:
        """The picture's file."""
        return PICTURES / f"{self.name}.svg"

    def draw(self, path: Path) -> None:
        """Simulates the runs and writes the picture; the bytes are the same each time."""
        with matplotlib.rc_context(STYLE):
            figure = Figure(figsize=(8.0, 4.2), layout="constrained")
            FigureCanvasAgg(figure)
            axes = figure.subplots()
            queueing_ms = np.geomspace(0.1, 20, 100)
            for colour, (times, label) in enumerate([(1, "(q + D) / q"), (2, "(q + 2D) / q")]):
                bound = (queueing_ms + times * _LIMIT_MS) / queueing_ms
                axes.plot(queueing_ms, bound, color=PALETTE[colour], lw=1.5, label=label)
            for algorithm, scenario in _SCENARIOS.items():
                point = _queueing_ms(scenario), _ratio(scenario)
                own = algorithm == "vegas-next"
                axes.plot(*point, "D" if own else "o", color=PALETTE[3 if own else 2], ms=8 if own else 6)
                left = algorithm in _LEFT
                offset, alignment = ((-6, 4), "right") if left else ((6, 4), "left")
                axes.annotate(algorithm, point, offset, textcoords="offset points", ha=alignment, fontsize=10)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlim(0.1, 80)
            axes.set_xlabel("q: queueing delay of the two flows left alone (ms)")
            axes.set_ylabel("ratio of goodputs, D = 10 ms")
            axes.legend(fontsize=10)
        save(figure, path)


def _ratio(scenario: str) -> float:
    """The greater goodput of the second half over the lesser one, under the adversary; runs of a minute."""
    series = vegaslab.run(ROOT / "scenarios" / f"{scenario}.toml", set={"duration": "60s"}).series.flows
    flow, time_s, acked = (np.asarray(series[key]) for key in ("flow", "time_s", "acked_bytes"))
    goodputs = [np.ptp(acked[(flow == number) & (time_s >= 30)]) for number in (0, 1)]
    return float(max(goodputs) / min(goodputs))


def _queueing_ms(scenario: str) -> float:
    """Mean queueing delay of the second half with the same two flows from 0 s on, without the adversary."""
    read = tomllib.loads((ROOT / "scenarios" / f"{scenario}.toml").read_text(encoding="utf-8"))
    flows = [{"algorithm": flow["algorithm"], "packet": "1000b"} for flow in read["flow"]]
    alone = {"name": "frontier", "description": "two flows", "duration": "60s", "seed": 1}
    result = vegaslab.run({**alone, "topology": read["topology"], "flow": flows})
    links = result.series.links
    rows = np.array([link == _BOTTLENECK for link in links["link"].to_pylist()]) & (np.asarray(links["time_s"]) >= 30)
    return float(np.asarray(links["queue_packets"], dtype=np.float64)[rows].mean() * 8000 / 100e6 * 1e3)


WITH_FRONTIER: list[Picture | Frontier] = [*ALL, Frontier()]
"""All pictures of the documentation."""

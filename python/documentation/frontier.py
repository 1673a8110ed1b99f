"""The picture of docs/algorithms/vegas-next.md: starvation by the adversary over the queue that an algorithm keeps."""

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
from vegaslab.sweeps.adversary.harm import figures_of
from vegaslab.sweeps.adversary.question import Question

_LIMIT_MS = 10.0
_SCENARIOS = {
    "vegas": "attack/vegas",
    "gallop": "attack/gallop",
    "vegas-linux": "attack/vegas-linux",
    "nv": "attack/nv",
    "copa": "attack/copa",
    "fast": "attack/fast",
    "ledbat++": "attack/ledbatpp",
    "vegas-next": "attack/vegas-next",
    "frcc": "attack/frcc",
}
"""The worst that `vegaslab attack` found with D = 10 ms, two flows, 100 Mb/s and 40 ms (docs/attack.md)."""

_QUEUES = {"frcc": "2500p"}
"""What the bottleneck holds, where it is not one BDP."""

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
                point = _point(algorithm, scenario)
                own = algorithm == "vegas-next"
                axes.plot(*point, "D" if own else "o", color=PALETTE[3 if own else 2], ms=8 if own else 6)
                left = algorithm in _LEFT
                # below its point, where no curve is
                offset, alignment = ((-6, -14), "right") if own else ((-6, 4), "right") if left else ((6, 4), "left")
                axes.annotate(algorithm, point, offset, textcoords="offset points", ha=alignment, fontsize=10)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlim(0.1, 80)
            axes.set_xlabel("q: queueing delay of the two flows left alone (ms)")
            axes.set_ylabel("ratio of goodputs, D = 10 ms")
            axes.legend(fontsize=10)
        save(figure, path)


def _point(algorithm: str, scenario: str) -> tuple[float, float]:
    """Queueing delay of two flows left alone, ms, and ratio of goodputs under the adversary, in the second half."""
    question = Question(algorithm=algorithm, queue=_QUEUES.get(algorithm))
    alone = vegaslab.run(question.document())
    attacked = vegaslab.run(ROOT / "scenarios" / f"{scenario}.toml", set={"duration": question.duration})
    queue_ms, ratio = (
        figures_of(question, result.series.flows, result.series.links)[objective]
        for result, objective in ((alone, "queue"), (attacked, "ratio"))
    )
    return queue_ms, ratio


WITH_FRONTIER: list[Picture | Frontier] = [*ALL, Frontier()]
"""All pictures of the documentation."""

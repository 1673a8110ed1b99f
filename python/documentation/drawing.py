"""The parts of a picture in the documentation: panels of curves, each curve a series of a run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

import vegaslab
from documentation import ROOT
from vegaslab.reports.chart import PALETTE
from vegaslab.reports.figure import STYLE, save

PICTURES = ROOT / "docs" / "pictures"

_POINTS = 250
_PANEL_INCHES = (8.0, 2.6)
_LABELS = {
    "cwnd_segments": "window (segments)",
    "acked_bytes": "acknowledged (kB)",
    "throughput_mbps": "throughput (Mb/s)",
    "max_queue_packets": "queue (packets)",
}
_SCALES = {"acked_bytes": 1e-3}


@dataclass(frozen=True)
class Curve:
    """A line: its label in the legend, and its run, which is the picture's scenario with some values changed."""

    label: str
    set: dict[str, str] = field(default_factory=dict)
    flow: int = 0
    """The number of the flow, where the panel shows a series of flows."""
    dashed: bool = False
    """Whether the line is dashed, for a curve that coincides with another one."""


@dataclass(frozen=True)
class Panel:
    """Curves of one quantity over time: a column of a flow's series, or of a link's if `link` names one."""

    quantity: str
    curves: Sequence[Curve]
    link: str = ""


@dataclass(frozen=True)
class Picture:
    """A file of `docs/pictures`: the scenario that it shows, the start and end of the time shown, and its panels."""

    name: str
    scenario: str
    time_s: tuple[float, float]
    panels: Sequence[Panel]

    @property
    def path(self) -> Path:
        """The picture's file."""
        return PICTURES / f"{self.name}.svg"

    def draw(self, path: Path) -> None:
        """Simulates the runs and writes the picture; the bytes are the same each time."""
        with matplotlib.rc_context(STYLE):
            width, height = _PANEL_INCHES
            figure = Figure(figsize=(width, 0.3 + height * len(self.panels)), layout="constrained")
            FigureCanvasAgg(figure)
            rows = figure.subplots(len(self.panels), 1, sharex=True, squeeze=False)[:, 0]
            for axes, panel in zip(rows, self.panels, strict=True):
                self._draw_panel(axes, panel)
            rows[-1].set_xlabel("time (s)")
            rows[-1].set_xlim(*self.time_s)
            figure.align_ylabels()
        save(figure, path)

    def _draw_panel(self, axes: Axes, panel: Panel) -> None:
        for colour, curve in enumerate(panel.curves):
            series = self._series(panel, curve)
            style = (0, (4, 3)) if curve.dashed else "-"
            axes.plot(*series, color=PALETTE[colour], lw=1.5, ls=style, label=curve.label)
        axes.set_ylabel(_LABELS[panel.quantity])
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=panel.quantity != "throughput_mbps"))
        # outside, so that it never lies on a line
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=10, borderaxespad=0.2, handlelength=1.4)

    def _series(self, panel: Panel, curve: Curve) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        start_s, end_s = self.time_s
        step_ms = max(1, round((end_s - start_s) * 1000 / _POINTS))
        settings = {"duration": f"{round(end_s * 1000)}ms", "sample": f"{step_ms}ms", **curve.set}
        result = _run(self.scenario, tuple(settings.items()))
        if panel.link:
            series = result.series.links
            rows = np.asarray(series["link"].cast(pa.string())) == panel.link
        else:
            series = result.series.flows
            rows = np.asarray(series["flow"]) == curve.flow
        time_s = np.asarray(series["time_s"])
        rows &= time_s >= start_s
        values = np.asarray(series[panel.quantity].cast(pa.float64()), dtype=np.float64)
        return time_s[rows], values[rows] * _SCALES.get(panel.quantity, 1.0)


@cache
def _run(scenario: str, settings: tuple[tuple[str, str], ...]) -> vegaslab.Result:
    return vegaslab.run(ROOT / "scenarios" / f"{scenario}.toml", set=dict(settings))

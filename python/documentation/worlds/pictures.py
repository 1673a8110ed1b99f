"""The windows of both worlds on one path of the plan `both-worlds`: docs/pictures/worlds-*.svg, `make worlds`."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

import vegaslab
from documentation.drawing import PICTURES
from documentation.worlds.rows import MODULES, PLAN, cell_of
from vegaslab.reports.chart import PALETTE
from vegaslab.reports.figure import STYLE, save

GROUPS: dict[str, tuple[str, ...]] = {
    "worlds-family": ("vegas", "vegas-linux", "gallop", "streak", "dynamic", "rovegas"),
    "worlds-heirs": ("vegas-next", "tor-vegas", "nv", "copa", "copa-mvfst", "fast", "ledbat++", "lp"),
    "worlds-delay-and-loss": ("veno", "yeah", "illinois", "westwood", "htcp", "cdg"),
    "worlds-loss": ("reno-linux", "newreno", "cubic-linux", "bic", "highspeed", "hybla", "scalable"),
    "worlds-bbr": ("bbr1", "bbr3", "bbr3-linux"),
}

_RATE = "10mbit"
"""The rate of the plan's path that is drawn."""
_SHOWN = {"duration": "4s", "sample": "20ms"}
_COLUMNS, _PANEL_INCHES = 2, (4.6, 1.9)

_Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


def draw(name: str, kernel: vegaslab.KernelWorld) -> Path:
    """Runs a group's algorithms in both worlds, and writes its picture."""
    panels = [(algorithm, _windows(algorithm, None), _windows(algorithm, kernel)) for algorithm in GROUPS[name]]
    count = -(-len(panels) // _COLUMNS)
    width, height = _PANEL_INCHES
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(_COLUMNS * width, count * height), layout="constrained")
        FigureCanvasAgg(figure)
        places = list(figure.subplots(count, _COLUMNS, sharex=True, squeeze=False).flat)
        for axes, panel in zip(places, panels, strict=False):
            _draw_panel(axes, *panel)
        for axes in places[len(panels) :]:
            axes.set_axis_off()
        figure.supxlabel("time (s)")
        figure.supylabel("window (segments)")
    path = PICTURES / f"{name}.svg"
    save(figure, path)
    return path


def _draw_panel(axes: Axes, algorithm: str, simulated: _Curve, kernel: _Curve) -> None:
    world = "module" if algorithm in MODULES else "BPF"
    axes.plot(*simulated, color=PALETTE[0], lw=1.5, label="simulator")
    axes.plot(*kernel, color=PALETTE[1], lw=1.5, ls=(0, (4, 3)), label=f"kernel, {world}")
    axes.set_title(algorithm, fontsize=10)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8, loc="best")


def _windows(algorithm: str, world: "vegaslab.KernelWorld | None") -> _Curve:
    plan = vegaslab.Plan.from_file(PLAN)
    settings = next(cell for cell in plan.cells() if cell_of(cell)[:2] == (algorithm, _RATE))
    result = vegaslab.run(plan.document["scenario"], set=settings | _SHOWN, world=world)
    time_s, windows = (np.asarray(result.series.flows[key]) for key in ("time_s", "cwnd_segments"))
    # a socket has no window before its handshake
    return time_s[windows > 0], windows[windows > 0]


def main() -> None:
    """Draws all; one boot serves them."""
    kernel = vegaslab.KernelWorld()
    for name in GROUPS:
        print(draw(name, kernel))


if __name__ == "__main__":
    main()

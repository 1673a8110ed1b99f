"""The picture of a capture and runs beside it: what was in flight, round-trip times and rates on one axis."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vegaslab.measuring.measured.figures import FIGURES, Sides, largest, retransmissions_of, series_of
from vegaslab.reports.chart import Curve, Panel, Values
from vegaslab.reports.page.templates import render
from vegaslab.reports.sheet import Sheet, mean_over_steps, thin
from vegaslab.reports.summary import informative, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 1500
_STEPS = 150
TITLES = ("", *(title for title, _ in FIGURES.values()))


def page(beside: Sides) -> str:
    """Returns the page: the picture and the table of figures."""
    return page_of(beside, "against.html", repr(beside).strip("<>").removeprefix("vegaslab.Against "))


def page_of(beside: Sides, template: str, title: str, **values: object) -> str:
    """Returns a page of this template, with the picture, the table of figures, and `values`."""
    figure = {"shared": True, "panels": [panel.data() for panel in panels(beside)]}
    head, *rows = informative(TITLES, figure_rows(beside))
    return render(template, title, [figure], head=head, rows=rows, **values)


def draw(beside: Sides) -> "Figure":
    """Draws the panels by matplotlib."""
    # only here: matplotlib may be missing
    from vegaslab.reports.figure import draw_and_save

    title = Path(beside.runs["capture"].report["file"]).name
    sheet = Sheet(
        title=title, note="", duration_s=_duration_s(beside), throughput_step_s=0.0, groups=(), bottlenecks=()
    )
    return draw_and_save(sheet, lambda _names: panels(beside), None, None)


def figure_rows(beside: Sides) -> list[tuple[str, ...]]:
    """Returns the cells of the table of figures."""
    return [
        (name, *(number(figures[key], decimals) for key, (_, decimals) in FIGURES.items()))
        for name, figures in beside.figures.items()
    ]


def panels(beside: Sides) -> tuple[Panel, ...]:
    """Returns the panels: in flight with retransmissions, RTT, delivered."""
    lost = list(_retransmissions(beside))
    note = f"\N{MULTIPLICATION SIGN} retransmissions, a row for each of {', '.join(beside.runs)}" if lost else ""
    return (
        _panel(beside, "in flight (kB)", [*_lines(beside, "in_flight_bytes", 1e-3), *lost], note, height=3.0),
        _panel(beside, "RTT (ms)", list(_lines(beside, "rtt_ms")), zero=False),
        _panel(beside, "delivered (Mb/s)", list(_lines(beside, "delivered_mbps", mean=True)), "payload acknowledged"),
    )


def _flow_of(beside: Sides, name: str) -> int:
    return beside.flow if name == "capture" else largest(beside.runs[name])


def _lines(beside: Sides, column: str, scale: float = 1.0, *, mean: bool = False) -> Iterator[Curve]:
    for colour, (name, run) in enumerate(beside.runs.items()):
        time_s, values = series_of(run, _flow_of(beside, name), column)
        if not len(time_s):
            continue
        # the steps hide single packets
        step_s = max(_duration_s(beside) / _STEPS, 1e-6)
        line = mean_over_steps(time_s, values, step_s) if mean else thin(time_s, values, _POINTS)
        yield _curve(name, colour, line.time_s, np.asarray(line.values) * scale)


def _curve(name: str, colour: int, x: Values, y: Values) -> Curve:
    # the capture in the colour of text
    return Curve(label=name, x=x, y=y, colour=colour - 1 if colour else None, opacity=1.0 if colour else 0.8)


def _retransmissions(beside: Sides) -> Iterator[Curve]:
    for place, (name, run) in enumerate(beside.runs.items()):
        time_s, _ = retransmissions_of(run, _flow_of(beside, name))
        if len(time_s):
            yield Curve(
                label=name,
                x=time_s,
                y=[float(place)] * len(time_s),
                colour=place - 1 if place else None,
                style="drops",
                name="retransmissions",
            )


def _duration_s(beside: Sides) -> float:
    return max(run.report["duration_s"] for run in beside.runs.values()) or 1e-9


def _panel(
    beside: Sides, y: str, curves: list[Curve], note: str = "", *, height: float = 2.0, zero: bool = True
) -> Panel:
    duration_s = _duration_s(beside)
    return Panel(
        x="time since the first data (s)",
        y=y,
        curves=curves,
        note=note,
        height=height,
        x_range=(0.0, duration_s),
        from_zero=zero,
    )

"""The sheet drawn by matplotlib: PNG and SVG, the same bytes for the same run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from vegaslab.sheet import FlowLines, Group, Line, Queue, Sheet

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6B4E9B", "#5A5A5A")
"""Okabe and Ito's colours, which the colour-blind tell apart, without yellow, with violet and grey."""

INK, FAINT, _ALARM = "#333333", "#8A8A8A", "#C1121F"
_SIZE_INCHES = (10.0, 8.0)
_DOTS_PER_INCH = 150
_MOST_THRESHOLDS = 3
_ROUND = (1, 2, 5, 10)
# matplotlib types its settings as literals that differ from version to version
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.hashsalt": "vegaslab",
}


def draw(sheet: Sheet) -> Figure:
    """Draws the sheet: three panels over one time axis."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
        FigureCanvasAgg(figure)
        window, throughput, queue = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 2))
        _draw_window(window, sheet)
        _draw_throughput(throughput, sheet)
        _draw_queue(queue, sheet)
        queue.set_xlabel("time (s)")
        queue.set_xlim(0, sheet.duration_s)
        figure.align_ylabels()
        title = f"{sheet.title} ({sheet.note})" if sheet.note else sheet.title
        figure.suptitle(title, x=0.01, ha="left", fontsize=14, fontweight="bold", color=INK)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Writes the figure in the format that the suffix names, without a date, so that it can be compared."""
    metadata = {"Date": None} if path.suffix == ".svg" else None
    with matplotlib.rc_context(STYLE):
        figure.savefig(path, dpi=_DOTS_PER_INCH, metadata=metadata)


def _draw_window(axes: Axes, sheet: Sheet) -> None:
    thresholds = _few(sheet) and len(sheet.groups) <= _MOST_THRESHOLDS
    for group in sheet.groups if thresholds else ():
        _draw_threshold(axes, group, group.flows[0])
    _draw_lines(axes, sheet, lambda flow: flow.cwnd_segments)
    ends = _draw_slow_start_ends(axes, sheet)
    axes.set_ylabel("window (segments)")
    axes.yaxis.set_major_locator(MaxNLocator(7, integer=True, steps=_ROUND))
    axes.set_ylim(bottom=0, top=_headroom([flow.cwnd_segments for flow in _flows(sheet)]))
    handles = [Line2D([], [], color=_colour(group.colour), lw=2, label=group.label) for group in sheet.groups]
    if thresholds:
        handles.append(Line2D([], [], color=FAINT, lw=1, ls=(0, (4, 2)), label="ssthresh"))
    if ends:
        handles.append(Line2D([], [], color=FAINT, marker="v", ls="", ms=7, label="slow start ends"))
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=min(6, len(handles)),
        fontsize=10,
        borderaxespad=0.2,
        handlelength=1.4,
        columnspacing=1.2,
    )


def _draw_threshold(axes: Axes, group: Group, flow: FlowLines) -> None:
    line = flow.ssthresh_segments
    if np.isfinite(line.values).any():
        axes.plot(
            line.time_s,
            line.values,
            color=_colour(group.colour),
            lw=1,
            ls=(0, (4, 2)),
            alpha=0.55,
            drawstyle="steps-post",
        )


def _draw_slow_start_ends(axes: Axes, sheet: Sheet) -> bool:
    ends = [(group.colour, flow.slow_start_end) for group in sheet.groups for flow in group.flows]
    marked = [(colour, end) for colour, end in ends if end is not None]
    size = 7 if _few(sheet) else 4
    for colour, (time_s, segments) in marked:
        axes.plot(time_s, segments, marker="v", ms=size, color=_colour(colour), mec="white", mew=0.8, zorder=5)
    return bool(marked)


def _draw_throughput(axes: Axes, sheet: Sheet) -> None:
    _draw_level(axes, sheet.rate_mbps, f"{sheet.link}: {sheet.rate_mbps:g} Mb/s")
    _draw_lines(axes, sheet, lambda flow: flow.throughput_mbps)
    axes.set_ylabel("throughput (Mb/s)")
    axes.set_title(f"throughput (mean over {sheet.throughput_step_s:.2g} s)", loc="left", fontsize=10, color=INK, pad=4)
    axes.set_ylim(bottom=0, top=max(1.2 * sheet.rate_mbps, axes.get_ylim()[1]))


def _draw_level(axes: Axes, value: float, label: str) -> None:
    """A dotted line across the panel with its name at the right."""
    axes.axhline(value, color=FAINT, lw=1, ls=":")
    axes.annotate(
        label,
        (1, value),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=9,
        color=INK,
    )


def _draw_queue(axes: Axes, sheet: Sheet) -> None:
    for queue in sheet.queues:
        _draw_one_queue(axes, queue)
    axes.set_ylabel("queue (packets)")
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True, steps=_ROUND))
    top = _headroom([queue.peak_packets for queue in sheet.queues])
    _draw_queue_limit(axes, sheet, top)
    axes.set_ylim(bottom=0, top=max(top, 1.2 * (sheet.queue_limit_packets or 0) if _limit_shown(sheet, top) else top))
    _draw_drops(axes, sheet)
    axes.set_title(f"queue of {sheet.link} (shaded: most within a step)", loc="left", fontsize=10, color=INK, pad=4)


def _draw_one_queue(axes: Axes, queue: Queue) -> None:
    colour = _colour(queue.colour)
    line, peak = queue.packets, queue.peak_packets
    axes.fill_between(peak.time_s, peak.values, step="pre", color=colour, alpha=0.22, lw=0)
    axes.plot(line.time_s, line.values, color=colour, lw=1.2, label=queue.label)


def _limit_shown(sheet: Sheet, top: float) -> bool:
    """A limit far above what the queue ever was would flatten it."""
    return sheet.queue_limit_packets is not None and sheet.queue_limit_packets <= 1.5 * top


def _draw_queue_limit(axes: Axes, sheet: Sheet, top: float) -> None:
    if sheet.queue_limit_packets is None or not _limit_shown(sheet, top):
        return
    _draw_level(axes, sheet.queue_limit_packets, f"limit {sheet.queue_limit_packets}")


def _draw_drops(axes: Axes, sheet: Sheet) -> None:
    """Crosses at the panel's upper edge, a row a run, with their number."""
    with_drops = [queue for queue in sheet.queues if len(queue.drops_s)]
    for row, queue in enumerate(with_drops):
        colour = _ALARM if queue.colour is None else _colour(queue.colour)
        height = 0.95 - 0.09 * row
        times = np.unique(np.round(queue.drops_s / sheet.duration_s, 3)) * sheet.duration_s
        axes.plot(
            times,
            np.full(len(times), height),
            transform=axes.get_xaxis_transform(),
            color=colour,
            marker="x",
            ms=5,
            mew=1.4,
            ls="",
            clip_on=False,
        )
    if with_drops:
        counts = ", ".join(f"{len(queue.drops_s)} {queue.label}".strip() for queue in with_drops)
        axes.set_title(f"\N{MULTIPLICATION SIGN} drops: {counts}", loc="right", fontsize=10, color=INK, pad=4)


def _draw_lines(axes: Axes, sheet: Sheet, pick: Callable[[FlowLines], Line]) -> None:
    for group in sheet.groups:
        alone = len(group.flows) == 1
        for flow in group.flows:
            line = pick(flow)
            axes.plot(
                line.time_s,
                line.values,
                color=_colour(group.colour),
                lw=1.6 if alone else 0.8,
                alpha=1.0 if alone else min(1.0, max(0.25, 3 / len(group.flows))),
            )


def _flows(sheet: Sheet) -> list[FlowLines]:
    return [flow for group in sheet.groups for flow in group.flows]


def _few(sheet: Sheet) -> bool:
    return all(len(group.flows) == 1 for group in sheet.groups)


def _headroom(lines: list[Line]) -> float:
    """A little above the greatest value; 1 if there is none."""
    return 1.08 * max((float(np.nanmax(line.values)) for line in lines if len(line.values)), default=0.0) or 1.0


def _colour(index: int | None) -> str:
    return INK if index is None else PALETTE[index % len(PALETTE)]

"""The sheet as an interactive page in one file: script, style and data inside, nothing loaded from elsewhere."""

import json
import math
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from vegaslab.report import FLOW_COLUMNS, flow_rows, informative
from vegaslab.sheet import FlowLines, Line, Queue, Sheet

_PARTS = Path(__file__).parent / "page_files"
_SIGNIFICANT_DIGITS = 6
_MOST_THRESHOLDS = 3


def page(sheet: Sheet, summaries: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of a sheet; `summaries` by run's name give its table of flows."""
    template = (_PARTS / "page.html").read_text(encoding="utf-8")
    filling = {
        "TITLE": escape(sheet.title),
        "NOTE": escape(sheet.note),
        "STYLE": (_PARTS / "page.css").read_text(encoding="utf-8"),
        "TABLE": _table(summaries),
        "DATA": _script_safe(json.dumps(_data(sheet), separators=(",", ":"), allow_nan=False)),
        "SCRIPT": (_PARTS / "page.js").read_text(encoding="utf-8"),
    }
    return re.sub("@([A-Z]+)@", lambda place: filling[place[1]], template)


def _script_safe(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c")


def _table(summaries: Mapping[str, Mapping[str, Any]]) -> str:
    flows = [row for summary in summaries.values() for row in flow_rows(summary)]
    titles, *rows = informative(FLOW_COLUMNS, flows)
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _data(sheet: Sheet) -> dict[str, Any]:
    groups = [{"label": group.label, "colour": group.colour} for group in sheet.groups]
    return {
        "duration": sheet.duration_s,
        "groups": groups,
        "panels": [_window_panel(sheet), _throughput_panel(sheet), _queue_panel(sheet)],
    }


def _window_panel(sheet: Sheet) -> dict[str, Any]:
    lines = [_line(flow.cwnd_segments, number) for number, flow in _numbered(sheet)]
    alone = [(number, flow) for number, flow in _numbered(sheet) if len(sheet.groups[number].flows) == 1]
    alone = alone if len(alone) <= _MOST_THRESHOLDS else []
    lines += [
        {**_line(flow.ssthresh_segments, number), "dashed": True, "name": "ssthresh"}
        for number, flow in alone
        if any(map(math.isfinite, flow.ssthresh_segments.values))
    ]
    ends = [(number, flow.slow_start_end) for number, flow in _numbered(sheet)]
    marks = [
        {"group": number, "x": [_short(end[0])], "y": [_short(end[1])], "shape": "triangle"}
        for number, end in ends
        if end is not None
    ]
    return {"title": "window", "unit": "segments", "height": 3, "lines": lines, "marks": marks}


def _throughput_panel(sheet: Sheet) -> dict[str, Any]:
    lines = [_line(flow.throughput_mbps, number) for number, flow in _numbered(sheet)]
    rule = {"y": sheet.rate_mbps, "label": f"{sheet.link}: {sheet.rate_mbps:g} Mb/s"}
    return {
        "title": "throughput",
        "unit": f"Mb/s, mean over {sheet.throughput_step_s:.2g} s",
        "height": 2,
        "lines": lines,
        "marks": [],
        "rule": rule,
    }


def _queue_panel(sheet: Sheet) -> dict[str, Any]:
    groups = [None if queue.colour is None else number for number, queue in enumerate(sheet.queues)]
    lines: list[dict[str, Any]] = []
    for group, queue in zip(groups, sheet.queues, strict=True):
        lines.append({**_line(queue.peak_packets, group), "filled": True, "name": "most"})
        lines.append(_line(queue.packets, group))
    marks = [_drops(queue, group) for group, queue in zip(groups, sheet.queues, strict=True) if len(queue.drops_s)]
    panel = {
        "title": f"queue of {sheet.link}",
        "unit": "packets; shaded: most within a step",
        "height": 2,
        "lines": lines,
        "marks": marks,
    }
    if sheet.queue_limit_packets is not None:
        panel["rule"] = {
            "y": sheet.queue_limit_packets,
            "label": f"limit {sheet.queue_limit_packets}",
            "optional": True,
        }
    return panel


def _drops(queue: Queue, group: int | None) -> dict[str, Any]:
    times = [_short(time) for time in queue.drops_s]
    return {"group": group, "x": times, "shape": "cross", "name": f"{len(times)} drops {queue.label}".strip()}


def _numbered(sheet: Sheet) -> list[tuple[int, FlowLines]]:
    return [(number, flow) for number, group in enumerate(sheet.groups) for flow in group.flows]


def _line(line: Line, group: int | None) -> dict[str, Any]:
    return {"group": group, "x": [_short(time) for time in line.time_s], "y": [_short(value) for value in line.values]}


def _short(value: float) -> float | None:
    """A number of so many digits as a screen can show; null for NaN."""
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else None

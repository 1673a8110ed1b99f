"""The panels of runs: window, RTT, throughput and the bottleneck's queue, each over time."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from vegaslab.reports.chart import Curve, Panel
from vegaslab.reports.sheet import Bottleneck, FlowLines, Group, Line, Sheet
from vegaslab.util.errors import InputError

NAMES = ("cwnd", "rtt", "throughput", "queue")
"""The names of panels that `panels` accepts, in the default order."""

_TIME = "time (s)"
_MOST_WITH_THRESHOLDS = 3
_LIMIT_IN_SIGHT = 1.5
_LONGEST_NAME = 60


class PanelError(InputError, ValueError):
    """No panel has this name; the message is one line.

    >>> import vegaslab
    >>> vegaslab.run("quic", set={"duration": "1s"}).plot(["window"])
    Traceback (most recent call last):
        ...
    vegaslab.reports.panels.PanelError: panels: 'window' was given; write any of cwnd, rtt, throughput, queue
    """


def panels(sheet: Sheet, names: Sequence[str] | None = None) -> tuple[Panel, ...]:
    """Returns the panels of these names, in this order; without names all. Raises `PanelError`."""
    makers = dict(zip(NAMES, (_window, _rtt, _throughput, _queue), strict=True))
    return tuple(makers[name](sheet) for name in known(names, NAMES))


def known(names: Sequence[str] | None, all_names: Sequence[str]) -> Sequence[str]:
    """Returns the names, or all of them if none were chosen. Raises `PanelError` for another name, and for no name."""
    for name in names or ():
        if name not in all_names:
            raise PanelError(f"panels: {name!r} was given; write any of {', '.join(all_names)}")
    if names is not None and not names:
        raise PanelError(f"panels: none was given; write any of {', '.join(all_names)}")
    return all_names if names is None else names


def _window(sheet: Sheet) -> Panel:
    thresholds = list(_dashed(sheet, lambda flow: flow.ssthresh_segments, "ssthresh", in_range=False))
    ends = list(_slow_start_ends(sheet))
    notes = [
        "\N{BLACK DOWN-POINTING TRIANGLE} slow start ends" if ends else "",
        "dashed: ssthresh" if thresholds else "",
        "" if thresholds or _few(sheet) else "ssthresh is not drawn",
    ]
    lines = _of_flows(sheet, lambda flow: flow.cwnd_segments)
    return _panel(sheet, "window (segments)", [*thresholds, *lines, *ends], notes, height=3, whole=True)


def _rtt(sheet: Sheet) -> Panel:
    bases = list(_dashed(sheet, lambda flow: flow.base_rtt_ms, "base"))
    notes = ["dashed: base RTT" if bases else "", "" if bases or _few(sheet) else "base RTTs are not drawn"]
    lines = _of_flows(sheet, lambda flow: flow.rtt_ms)
    return _panel(sheet, "RTT (ms)", [*lines, *bases], notes, from_zero=False)


def _throughput(sheet: Sheet) -> Panel:
    lines = list(_of_flows(sheet, lambda flow: flow.throughput_mbps))
    notes = [f"mean over {sheet.throughput_step_s:.2g} s"]
    links = _apart(sheet, lambda link: (link.link, link.rate_mbps))
    first = links[0]
    steady = len(np.unique(first.rate_mbps.values)) == 1
    if len(links) == 1 and steady:
        rate = float(first.rate_mbps.values[0])
        return _panel(sheet, "throughput (Mb/s)", lines, notes, level=(rate, f"{fitted(first.link)}: {rate:g} Mb/s"))
    offered = [
        Curve(
            label=link.label if len(links) > 1 else "",
            x=link.rate_mbps.time_s,
            y=link.rate_mbps.values,
            colour=link.colour if len(links) > 1 else None,
            style="dotted",
            name=f"{link.link} offers",
        )
        for link in links
    ]
    notes.append(f"dotted: what {_link_names(sheet)} offers")
    return _panel(sheet, "throughput (Mb/s)", [*offered, *lines], notes)


def _queue(sheet: Sheet) -> Panel:
    curves = [curve for link in sheet.bottlenecks for curve in _queue_curves(link)]
    top = max((float(np.nanmax(link.peak_packets.values, initial=0)) for link in sheet.bottlenecks), default=0)
    limits = _apart(sheet, lambda link: (link.link, link.limit_packets))
    shown, level = _limits(limits, top)
    lost = [link for link in sheet.bottlenecks if link.drops]
    curves += [_drops(link, row) for row, link in enumerate(lost)]
    drops = ", ".join(f"{link.drops} {fitted(link.label)}".strip() for link in lost)
    notes = [
        _link_names(sheet),
        "shaded: most within a step",
        f"\N{MULTIPLICATION SIGN} drops: {drops}" if drops else "",
        "dotted: limit" if shown else "",
    ]
    return _panel(sheet, "queue (packets)", [*curves, *shown], notes, level=level, whole=True)


def _queue_curves(link: Bottleneck) -> Iterator[Curve]:
    packets, peak = link.packets, link.peak_packets
    yield Curve(
        label=link.label, x=peak.time_s, y=peak.values, colour=link.colour, style="area", name="most", opacity=0.22
    )
    yield Curve(label=link.label, x=packets.time_s, y=packets.values, colour=link.colour, thin=True)


def _limits(links: Sequence[Bottleneck], top: float) -> tuple[list[Curve], tuple[float, str] | None]:
    """Returns the limits as curves, or a single one as a level; limits far above the queue, which would flatten it, are
    not shown.
    """
    if len(links) == 1 and len(np.unique(links[0].limit_packets.values)) == 1:
        limit = float(links[0].limit_packets.values[0])
        return [], (limit, f"limit {limit:g}") if limit <= _LIMIT_IN_SIGHT * top else None
    several = len(links) > 1
    return [
        Curve(
            label=link.label if several else "",
            x=link.limit_packets.time_s,
            y=link.limit_packets.values,
            colour=link.colour if several else None,
            style="dotted",
            name="limit",
            in_range=float(np.nanmin(link.limit_packets.values)) <= _LIMIT_IN_SIGHT * top,
        )
        for link in links
        if not np.isnan(link.limit_packets.values).all()
    ], None


def _drops(link: Bottleneck, row: int) -> Curve:
    """Returns crosses in a row of their own, counted from the panel's upper edge."""
    return Curve(
        label=link.label, x=link.drops_s, y=[float(row)] * len(link.drops_s), colour=link.colour, style="drops"
    )


def _of_flows(sheet: Sheet, pick: Callable[[FlowLines], Line]) -> Iterator[Curve]:
    for group in sheet.groups:
        number = len(group.flows)
        opacity = 1.0 if number == 1 else min(1.0, max(0.25, 3 / number))
        for flow in group.flows:
            line = pick(flow)
            yield Curve(
                label=group.label,
                x=line.time_s,
                y=line.values,
                colour=group.colour,
                opacity=opacity,
                thin=number > 1,
            )


def _dashed(sheet: Sheet, pick: Callable[[FlowLines], Line], name: str, *, in_range: bool = True) -> Iterator[Curve]:
    """Yields dashed lines beside the flows' lines, if there are few enough flows to distinguish them."""
    if not _few(sheet):
        return
    for group in sheet.groups:
        line = pick(group.flows[0])
        if np.isfinite(line.values).any():
            yield Curve(
                label=group.label,
                x=line.time_s,
                y=line.values,
                colour=group.colour,
                style="dashed",
                name=name,
                opacity=0.6,
                in_range=in_range,
            )


def _slow_start_ends(sheet: Sheet) -> Iterator[Curve]:
    for group in sheet.groups:
        ends = [flow.slow_start_end for flow in group.flows if flow.slow_start_end is not None]
        if ends:
            yield Curve(
                label=group.label,
                x=[time_s for time_s, _ in ends],
                y=[segments for _, segments in ends],
                colour=group.colour,
                style="ends",
                thin=len(group.flows) > 1,
            )


def _few(sheet: Sheet) -> bool:
    groups: tuple[Group, ...] = sheet.groups
    return len(groups) <= _MOST_WITH_THRESHOLDS and all(len(group.flows) == 1 for group in groups)


def _apart(sheet: Sheet, key: Callable[[Bottleneck], tuple[str, Line]]) -> list[Bottleneck]:
    """Returns the first bottleneck alone if all agree in link and line; otherwise all."""
    (link, first), *others = [key(one) for one in sheet.bottlenecks]
    alike = all(name == link and np.array_equal(line.values, first.values, equal_nan=True) for name, line in others)
    return [sheet.bottlenecks[0]] if alike else list(sheet.bottlenecks)


def _link_names(sheet: Sheet) -> str:
    return ", ".join(dict.fromkeys(fitted(link.link) for link in sheet.bottlenecks))


def fitted(name: str) -> str:
    """Returns the name, cut if it would fill the picture."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}\N{HORIZONTAL ELLIPSIS}"


def _panel(
    sheet: Sheet,
    y: str,
    curves: Sequence[Curve],
    notes: Sequence[str],
    *,
    height: float = 2,
    level: tuple[float, str] | None = None,
    from_zero: bool = True,
    whole: bool = False,
) -> Panel:
    return Panel(
        x=_TIME,
        y=y,
        curves=tuple(curves),
        level=level,
        from_zero=from_zero,
        note="; ".join(note for note in notes if note),
        height=height,
        x_range=(0, sheet.duration_s),
        whole=whole,
    )

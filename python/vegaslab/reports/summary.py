"""The summary as plain text, aligned for a terminal."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vegaslab.reports.totals import jain_index, of_part, share_percent, with_bulk_data
from vegaslab.util.terminal import NONE, lay_out

FLOW_COLUMNS = (
    "flow",
    "algorithm",
    "start s",
    "throughput Mb/s",
    "goodput Mb/s",
    "RTT ms",
    "base RTT ms",
    "mean window segments",
    "slow start end s",
    "exit window segments",
    "sent segments",
    "resent segments",
    "timeouts",
    "done s",
)
LINK_COLUMNS = ("link", "utilisation %", "mean queue packets", "max queue packets", "drops packets")
TRAFFIC_COLUMNS = (
    "traffic",
    "kind",
    "start s",
    "sent Mb/s",
    "throughput Mb/s",
    "goodput Mb/s",
    "sent packets",
    "lost packets",
    "transfers started",
    "transfers completed",
    "median s",
    "90 % s",
    "99 % s",
)
GROUP_COLUMNS = (
    "group",
    "flows",
    "goodput Mb/s",
    "share %",
    "Jain's index",
    "RTT ms",
    "queueing ms",
    "resent %",
    "timeouts",
)
FAIRNESS_COLUMNS = ("flows with bulk data", "their goodput Mb/s", "Jain's index")
MEDIA_COLUMNS = (
    "media of flow",
    "layer",
    "frames",
    "given up %",
    "late %",
    "frozen s",
    "mean ms",
    "95 % ms",
    "longest ms",
)
QUEUE_COLUMNS = ("queues of", "queue", "packets", "marks", "drops", "mean ms", "median ms", "95 % ms", "99 % ms")

_MOST_LINKS = 12
_MOST_FLOWS = 1000

Link = Mapping[str, Any]
"""A link's totals, as in a summary."""


def report(summary: Mapping[str, Any]) -> str:
    """Returns tables of the flows, of their fairness, groups, media and traffic if there are any, of the busiest links,
    and of the queues of links with several.
    """
    flows = aligned(FLOW_COLUMNS, flow_rows(summary), keys=2)
    fairness = _table(FAIRNESS_COLUMNS, _fairness_rows(summary))
    groups, media = _table(GROUP_COLUMNS, _group_rows(summary)), _table(MEDIA_COLUMNS, _media_rows(summary), keys=2)
    more = (
        *fairness,
        *groups,
        *media,
        *_table(TRAFFIC_COLUMNS, [_traffic_row(source) for source in summary["traffic"]], keys=2),
    )
    queues = _table(QUEUE_COLUMNS, _queue_rows(summary), keys=2)
    return "\n".join(
        (headline(summary), "", *flows, *other_flows({"": summary}), "", *more, *queues, *links_table(summary))
    )


def comparison_report(runs: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns one table of all runs' flows, and one of the links that carried packets in each."""
    whole, titles, flows = flow_table(runs)
    shown = {name: _links(summary) for name, summary in runs.items()}
    links = [(name, *_link_row(link)) for name, (listed, _) in shown.items() for link in listed]
    lines = [headline(summary) for summary in runs.values()]
    flow_lines = aligned(titles, flows, keys=2 if whole else 3)
    link_lines = aligned(("all flows" if whole else "variant", *LINK_COLUMNS), links, keys=2)
    others = _others([link for _, rest in shown.values() for link in rest], f" in {len(runs)} runs")
    more = (*_of_runs(FAIRNESS_COLUMNS, runs, _fairness_rows), *_of_runs(GROUP_COLUMNS, runs, _group_rows))
    more += tuple(_of_runs(MEDIA_COLUMNS, runs, _media_rows))
    more += tuple(_of_runs(QUEUE_COLUMNS, runs, _queue_rows))
    return "\n".join((*dict.fromkeys(lines), "", *flow_lines, *other_flows(runs), "", *more, *link_lines, *others))


def flow_table(runs: Mapping[str, Mapping[str, Any]]) -> tuple[bool, Sequence[str], list[tuple[str, ...]]]:
    """Returns the titles and rows of all runs' flows; first whether their algorithm tells the runs apart, so that no
    column needs to name them.
    """
    whole = all(name in ("", flow["algorithm"]) for name, summary in runs.items() for flow in summary["flows"])
    rows = [row if whole else (name, *row) for name, summary in runs.items() for row in flow_rows(summary)]
    return whole, FLOW_COLUMNS if whole else ("variant", *FLOW_COLUMNS), rows


def headline(summary: Mapping[str, Any]) -> str:
    """Returns the line that names the run, and its speed."""
    events, wall_s = summary["events"], summary["wall_s"]
    what = f"{summary['scenario']}: {summary['duration_s']:g} s simulated, seed {summary['seed']}"
    return f"{what}, {events:,} events in {wall_s:.2f} s"


def links_table(summary: Mapping[str, Any]) -> list[str]:
    """Returns a table of the links that carried packets, the bottleneck first; access links without losses are one
    line.
    """
    listed, rest = _links(summary)
    return [*aligned(LINK_COLUMNS, [_link_row(link) for link in listed]), *_others(rest)]


def _table(titles: Sequence[str], rows: Sequence[tuple[str, ...]], keys: int = 1) -> list[str]:
    """Returns a table, and an empty line; nothing without rows."""
    return [*aligned(titles, rows, keys), ""] if rows else []


def _of_runs(
    titles: Sequence[str],
    runs: Mapping[str, Mapping[str, Any]],
    rows_of: Callable[[Mapping[str, Any]], list[tuple[str, ...]]],
) -> list[str]:
    rows = [(name, *row) for name, summary in runs.items() for row in rows_of(summary)]
    return _table(("variant", *titles), rows, keys=2)


def _fairness_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Returns a row where several flows send all that they can."""
    goodput = [flow["goodput_mbps"] for flow in with_bulk_data(summary["flows"])]
    if len(goodput) < 2:
        return []
    return [(str(len(goodput)), number(sum(goodput), 3), number(jain_index(goodput), 4))]


def _group_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Returns a row a group; none unless a group has several flows and is not the only one."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for flow in summary["flows"]:
        groups.setdefault(flow["group"], []).append(flow)
    if len(groups) < 2 or max(map(len, groups.values())) < 2:
        return []
    return [_group_row(name, flows, share_percent(flows, summary["flows"])) for name, flows in groups.items()]


def _group_row(name: str, flows: Sequence[Mapping[str, Any]], share: float) -> tuple[str, ...]:
    figures = of_part(flows, [])
    return (
        name,
        str(len(flows)),
        number(sum(flow["goodput_mbps"] for flow in flows), 3),
        number(share, 1),
        number(figures.get("jain_index"), 3),
        number(figures["mean_rtt_ms"], 1),
        number(figures["queueing_ms"], 1),
        number(figures["retransmitted_percent"], 2),
        str(figures["timeouts"]),
    )


def _media_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            str(layer["flow"]),
            str(layer["layer"]),
            str(layer["frames"]),
            number(100 * layer["given_up_frames"] / layer["frames"], 1),
            number(100 * layer["late_frames"] / layer["frames"], 1),
            number(layer["frozen_s"], 2),
            number(layer["mean_delay_ms"], 1),
            number(layer["p95_delay_ms"], 1),
            number(layer["max_delay_ms"], 1),
        )
        for layer in summary.get("media", [])
    ]


def _queue_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Returns a row for each queue that packets have left or been dropped from."""
    times = ("mean_queueing_ms", "p50_queueing_ms", "p95_queueing_ms", "p99_queueing_ms")
    return [
        (
            queue["link"],
            queue["queue"],
            *(str(queue[count]) for count in ("packets", "marks", "drops")),
            *(number(queue[time], 2) for time in times),
        )
        for queue in summary.get("queues", [])
        if queue["packets"] or queue["drops"]
    ]


def flow_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Returns one row of text for each flow, under `FLOW_COLUMNS`; of the first thousand flows."""
    return [_flow_row(flow) for flow in summary["flows"][:_MOST_FLOWS]]


def other_flows(runs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns a line about the flows without a row."""
    others = sum(max(0, len(summary["flows"]) - _MOST_FLOWS) for summary in runs.values())
    return [f"and {others} flows more, in flows.parquet"] if others else []


def _links(summary: Mapping[str, Any]) -> tuple[list[Link], list[Link]]:
    """Returns the links that carried packets, the busiest first: those with a row, a dozen at most, and the others."""
    used = sorted((link for link in summary["links"] if link["utilisation"] > 0), key=lambda link: -link["utilisation"])
    access = _access_links(summary["links"])
    listed = [
        link
        for place, link in enumerate(used)
        if place == 0 or link["drops"] or link["marks"] or link["id"] not in access
    ][:_MOST_LINKS]
    ids = {link["id"] for link in listed}
    return listed, [link for link in used if link["id"] not in ids]


def _access_links(links: Sequence[Link]) -> set[str]:
    """Returns the ids of links to a node with no other neighbour: a host."""
    ends = [tuple(link["id"].split("->")) for link in links]
    neighbours: dict[str, set[str]] = {}
    for one, other in ends:
        neighbours.setdefault(one, set()).add(other)
        neighbours.setdefault(other, set()).add(one)
    return {f"{one}->{other}" for one, other in ends if 1 in (len(neighbours[one]), len(neighbours[other]))}


def _others(links: Sequence[Link], where: str = "") -> list[str]:
    """Returns a line about the links without a row."""
    if not links:
        return []
    busiest = max(link["utilisation"] for link in links)
    longest, drops = max(link["max_queue_packets"] for link in links), sum(link["drops"] for link in links)
    packets = "1 packet" if longest == 1 else f"{longest} packets"
    less = f"utilisation {100 * busiest:.1f} % at most, queue {packets} at most, {drops or 'no'} drops"
    return [f"and {len(links)} links more{where}: {less}"]


def _flow_row(flow: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(flow["id"]),
        flow["algorithm"],
        f"{flow['start_s']:g}",
        number(flow["throughput_mbps"], 3),
        number(flow["goodput_mbps"], 3),
        number(flow["mean_rtt_ms"], 1),
        number(flow["base_rtt_ms"], 1),
        number(flow["mean_cwnd_segments"], 1),
        number(flow["slow_start_end_s"], 2),
        number(flow["cwnd_at_slow_start_end"], 1),
        str(flow["segments_sent"]),
        str(flow["segments_retransmitted"]),
        str(flow["timeouts"]),
        number(flow["completion_s"], 2),
    )


def _link_row(link: Link) -> tuple[str, ...]:
    return (
        link["id"],
        f"{100 * link['utilisation']:.1f}",
        number(link["mean_queue_packets"], 1),
        str(link["max_queue_packets"]),
        str(link["drops"]),
    )


def _traffic_row(source: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(source["id"]),
        source["kind"],
        f"{source['start_s']:g}",
        number(source["sent_mbps"], 3),
        number(source["throughput_mbps"], 3),
        number(source["goodput_mbps"], 3),
        str(source["sent_packets"]),
        str(source["lost_packets"]),
        number(source["transfers_started"], 0),
        number(source["transfers_completed"], 0),
        number(source["completion_p50_s"], 3),
        number(source["completion_p90_s"], 3),
        number(source["completion_p99_s"], 3),
    )


def number(value: float | None, decimals: int) -> str:
    """Returns the number with these decimals, or the sign for none: `None` or NaN."""
    return NONE if value is None or math.isnan(value) else f"{value:.{decimals}f}"


def aligned(titles: Sequence[str], rows: Sequence[Sequence[str]], keys: int = 1) -> list[str]:
    """Lays out a table for the terminal, without columns that are empty in all rows; returns its lines.

    The first `keys` columns identify a row: see `vegaslab.util.terminal.lay_out`.
    """
    return lay_out(informative(titles, rows), keys)


def informative(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Returns titles and rows, without columns that are empty in all rows."""
    kept = [column for column in range(len(titles)) if any(row[column] != NONE for row in rows) or not rows]
    return [[row[column] for column in kept] for row in (titles, *rows)]

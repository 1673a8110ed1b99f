"""The summary as plain text, aligned for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

FLOW_COLUMNS = (
    "flow",
    "algorithm",
    "start s",
    "throughput Mb/s",
    "goodput Mb/s",
    "RTT ms",
    "base ms",
    "mean window",
    "slow start end s",
    "at window",
    "sent",
    "resent",
    "timeouts",
    "done s",
)
LINK_COLUMNS = ("link", "utilisation %", "mean queue", "max queue", "drops")
TRAFFIC_COLUMNS = ("traffic", "kind", "start s", "sent Mb/s", "throughput Mb/s", "sent", "delivered", "lost")

_NONE = "-"
_MOST_LINKS = 12


def report(summary: Mapping[str, Any]) -> str:
    """Tables of the flows, of the traffic if there is any, and of the busiest links."""
    flows = aligned(FLOW_COLUMNS, flow_rows(summary))
    return "\n".join((headline(summary), "", *flows, "", *traffic_table(summary), *links_table(summary)))


def comparison_report(runs: Mapping[str, Mapping[str, Any]]) -> str:
    """One table of all runs' flows, and one of the links that carried anything in each."""
    flows = [row for summary in runs.values() for row in flow_rows(summary)]
    links = [(algorithm, *row) for algorithm, summary in runs.items() for row in link_rows(summary)]
    lines = [headline(summary) for summary in runs.values()]
    flow_lines = aligned(FLOW_COLUMNS, flows)
    return "\n".join((*dict.fromkeys(lines), "", *flow_lines, "", *aligned(("all flows", *LINK_COLUMNS), links)))


def headline(summary: Mapping[str, Any]) -> str:
    """What was run, and how fast."""
    events, wall_s = summary["events"], summary["wall_s"]
    what = f"{summary['scenario']}: {summary['duration_s']:g} s simulated, seed {summary['seed']}"
    return f"{what}, {events:,} events in {wall_s:.2f} s"


def links_table(summary: Mapping[str, Any]) -> list[str]:
    """The links that carried anything."""
    return aligned(LINK_COLUMNS, link_rows(summary))


def traffic_table(summary: Mapping[str, Any]) -> list[str]:
    """The sources of background traffic, and an empty line; nothing where there are none."""
    rows = [_traffic_row(source) for source in summary["traffic"]]
    return [*aligned(TRAFFIC_COLUMNS, rows), ""] if rows else []


def flow_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """One row of text a flow, under `FLOW_COLUMNS`."""
    return [_flow_row(flow) for flow in summary["flows"]]


def link_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """One row of text a link that carried anything, the busiest dozen at most, under `LINK_COLUMNS`."""
    used = [link for link in summary["links"] if link["utilisation"] > 0]
    busiest = sorted(used, key=lambda link: -float(link["utilisation"]))[:_MOST_LINKS]
    return [_link_row(link) for link in used if link in busiest]


def _flow_row(flow: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(flow["id"]),
        flow["algorithm"],
        f"{flow['start_s']:g}",
        _number(flow["throughput_mbps"], 3),
        _number(flow["goodput_mbps"], 3),
        _number(flow["mean_rtt_ms"], 1),
        _number(flow["base_rtt_ms"], 1),
        _number(flow["mean_cwnd_segments"], 1),
        _number(flow["slow_start_end_s"], 2),
        _number(flow["cwnd_at_slow_start_end"], 1),
        str(flow["segments_sent"]),
        str(flow["segments_retransmitted"]),
        str(flow["timeouts"]),
        _number(flow["completion_s"], 2),
    )


def _link_row(link: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        link["id"],
        f"{100 * link['utilisation']:.1f}",
        _number(link["mean_queue_packets"], 1),
        str(link["max_queue_packets"]),
        str(link["drops"]),
    )


def _traffic_row(source: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(source["id"]),
        source["kind"],
        f"{source['start_s']:g}",
        _number(source["sent_mbps"], 3),
        _number(source["throughput_mbps"], 3),
        str(source["sent_packets"]),
        str(source["delivered_packets"]),
        str(source["lost_packets"]),
    )


def _number(value: float | None, decimals: int) -> str:
    return _NONE if value is None else f"{value:.{decimals}f}"


def aligned(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns: numbers to the right, text to the left. Columns in which no row says anything are left out."""
    cells = informative(titles, rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    numeric = [all(_is_number(row[column]) for row in cells[1:]) for column in range(len(cells[0]))]
    return [_line(row, widths, numeric) for row in cells]


def informative(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Titles and rows without the columns in which no row says anything."""
    kept = [column for column in range(len(titles)) if any(row[column] != _NONE for row in rows) or not rows]
    return [[row[column] for column in kept] for row in (titles, *rows)]


def _line(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    columns = zip(row, widths, numeric, strict=True)
    return "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns).rstrip()


def _is_number(cell: str) -> bool:
    return cell == _NONE or cell.replace(".", "", 1).replace("-", "", 1).isdigit()

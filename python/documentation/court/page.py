"""The page of the table: docs/agreement.md."""

from collections.abc import Iterator, Sequence

from documentation.court.rows import GOODPUT_MOST, RETRANSMITTED_MOST, Row
from documentation.markdown import item, number, table

_BEGINNING = """\
# Agreement with what others measured

    make court STRANGERS=folder               # writes this page again; needs the measurements
    make court STRANGERS=folder KERNEL=6.12   # with rows of the real kernel

Each row is a measurement of others on real hosts, and beside it a run of the algorithm that it names: in the simulator,
and in [the real kernel](kernel-world.md) where the table has a row of it. The figures are worked out by
[`vegaslab against`](measured.md#beside-runs-of-the-path) from both alike. The measurements are not part of this
project; these pages state figures only.
"""

_GOODPUT, _RETRANSMITTED = f"{100 * GOODPUT_MOST:.0f} %", f"{100 * RETRANSMITTED_MOST:.0f} %"
_CAPTURES = f"""
## Captures of sixteen congestion controls

Measured by the authors of Nebby (github.com/darshil-kaneria/Nebby, commit 1d6e6aa, `scripts/reference_traces`, MIT
licence): single downloads of 30 s by Linux servers of an unknown version, over a Mahimahi shell with opportunities of
200 kb/s, a drop-tail queue of 5,200 bytes and 2 x 50 ms of delay, in segments of 244 bytes; SACK off, time stamps on, a
receiver with delayed and merged acknowledgements and a window that it tunes from 65,535 bytes on.

The runs go over the path that `vegaslab measured` works out of the capture itself, with that receiver: `receive_window
= "linux"`, `timestamps = true`, `delayed_ack = "linux"`, in the simulator with an application that
[reads](networks.md#merged-acknowledgements) 20 us after data come. A row **agrees** if the goodput is within
{_GOODPUT} and the number of retransmitted segments within {_RETRANSMITTED} of the measured ones. *Of the capture* are
those that the captured sender retransmitted, too, by their place in the data.
"""

_SERIES = """
## CUBIC with marks over FQ-CoDel

Measured by the L4S team (github.com/L4STeam/l4steam.github.io, `iccrg-exp/results`, IETF 109): single flows of 40 s
between network namespaces of Linux 5.4, in intervals of 0.1 s by iperf3. RTT is what the sender's smoothed estimate
showed at the end of each interval, beside round-trip samples of the run. The series of TCP Prague over DualPI2 are on
[a page of their own](l4s.md).
"""

_COMMON = """\
## What all captures have in common

Fewer duplicates leave the captured receivers than segments arrive behind a hole. In the first recovery, of some 28
holes, 166 to 212 duplicates come to the captured senders, and 246 to `reno-linux` in the simulator, each of which lets
a segment out. So in many captures less is in flight at most than in the runs, and the receive window limits none of
them; `reno-50ms` lacks one duplicate in most round trips, and some in none. Linux since 5.0 merges adjacent segments
that arrive while the application reads (`tcp_add_backlog`), which fits, but depends on microseconds: the simulator
does not do it.
"""

_WHY = "## Why rows disagree"


def page(captures: Sequence[Row], series: Sequence[Row], causes: dict[str, str]) -> str:
    """Returns the page as Markdown."""
    parts = [_BEGINNING, _CAPTURES, "", *_counts(captures), "", *_losses(captures), "", *_shapes(captures), _SERIES, ""]
    parts += [*_series(series), "", _COMMON, _WHY, "", *_causes([*captures, *series], causes)]
    return "\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def _counts(rows: Sequence[Row]) -> Iterator[str]:
    for world in dict.fromkeys(row.world for row in rows):
        of_world = [row for row in rows if row.world == world]
        yield f"{world}: {sum(row.agrees for row in of_world)} of {len(of_world)} agree."


def _losses(rows: Sequence[Row]) -> Iterator[str]:
    head = ("capture", "run", "goodput Mb/s", "run", "retransmitted", "run", "of the capture", "agrees")
    yield from table(
        head,
        (
            (
                row.name,
                _of_run(row),
                *_pair(row, "goodput_mbps", 3),
                *_pair(row, "segments_retransmitted", 0),
                number(row.run["lost_as_captured"], 0),
                "yes" if row.agrees else "**no**",
            )
            for row in rows
        ),
    )


def _shapes(rows: Sequence[Row]) -> Iterator[str]:
    head = (
        *("capture", "run", "in flight kB mean", "run", "most", "run", "RTT ms median", "run", "95 %", "run"),
        *("slow start ends s", "run"),
    )
    figures = (
        *(("mean_in_flight_kb", 1), ("max_in_flight_kb", 1), ("p50_rtt_ms", 0), ("p95_rtt_ms", 0)),
        ("slow_start_end_s", 2),
    )
    yield from table(
        head,
        ((row.name, _of_run(row), *(cell for name, n in figures for cell in _pair(row, name, n))) for row in rows),
    )


def _series(rows: Sequence[Row]) -> Iterator[str]:
    head = ("series", "run", "goodput Mb/s", "run", "retransmitted", "run", "RTT ms median", "run", "95 %", "run")
    figures = (("goodput_mbps", 1), ("segments_retransmitted", 0), ("p50_rtt_ms", 1), ("p95_rtt_ms", 1))
    yield from table(
        (*head, "agrees"),
        (
            (
                row.name,
                _of_run(row),
                *(cell for name, decimals in figures for cell in _pair(row, name, decimals)),
                "yes" if row.agrees else "**no**",
            )
            for row in rows
        ),
    )


def _causes(rows: Sequence[Row], causes: dict[str, str]) -> Iterator[str]:
    names = dict.fromkeys(row.name for row in rows if not row.agrees)
    for name in names:
        yield from item(f"{name}: {causes.get(name, 'cause not known.')}")


def _of_run(row: Row) -> str:
    return f"`{row.algorithm}`" if row.world == "simulator" else f"`{row.algorithm}`, {row.world}"


def _pair(row: Row, figure: str, decimals: int) -> tuple[str, str]:
    return number(row.measured[figure], decimals), number(row.run[figure], decimals)

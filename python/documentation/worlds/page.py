"""The tables of the section "Both worlds side by side"."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from documentation.markdown import item, number, paragraph, table
from documentation.worlds.rows import MODULES, Row

_ACCESS_MS = 1.0
"""The delay of each access link of the plan."""

Pair = Callable[[Row], tuple[str, str]]


def section(rows: Sequence[Row], world: Mapping[str, str], causes: Mapping[str, str]) -> str:
    """Returns the tables, a path each, and why rows differ; `causes` are by algorithm."""
    kept = sum(not row.differs_in for row in rows)
    said = (
        f"Linux {world['kernel']}, QEMU {world['qemu']}. {kept} of {len(rows)} rows keep all of "
        "[the judge's rules](swarm.md#the-kernel-as-judge); the last column names the rules that the others do not "
        "keep. Each pair is the simulator's figure, and the kernel's, of the first start."
    )
    lines = paragraph(said)
    for path in dict.fromkeys(row.path for row in rows):
        lines += ["", f"### {title_of(path)}", "", *_table(row for row in rows if row.path == path)]
    lines += ["", "### Why rows differ", "", *_why(rows, causes)]
    return "\n".join(lines) + "\n"


def title_of(path: tuple[object, ...]) -> str:
    """Returns what a path is, such as "10 Mb/s, 40 ms, a queue of 1 BDP"."""
    rate, delay, queue, loss = (str(part) for part in path)
    round_trip_ms = 2 * (float(delay.removesuffix("ms")) + 2 * _ACCESS_MS)
    room = f"{queue.removesuffix('bdp')} BDP" if queue.endswith("bdp") else f"{queue.removesuffix('p')} packets"
    lossy = "" if loss == "None" else f", {100 * float(loss):g} % loss"
    return f"{rate.removesuffix('mbit')} Mb/s, {round_trip_ms:g} ms, a queue of {room}{lossy}"


_COLUMNS: Mapping[str, Pair] = {
    "goodput, Mb/s": lambda row: _pair(row, "flow.0.goodput_mbps", 2),
    "retransmitted": lambda row: _pair(row, "flow.0.segments_retransmitted", 0),
    "timeouts": lambda row: _pair(row, "flow.0.timeouts", 0),
    "slow start ends at, s": lambda row: _pair(row, "flow.0.slow_start_end_s", 3),
    "with a window of": lambda row: _pair(row, "flow.0.cwnd_at_slow_start_end", 0),
    "mean window": lambda row: _pair(row, "flow.0.mean_cwnd_segments", 0),
    "mean queue, packets": lambda row: _pair(row, "link.r1->r2.mean_queue_packets", 1),
}


def _table(rows: Iterable[Row]) -> Iterator[str]:
    yield from table(("algorithm", "in the kernel", *_COLUMNS, "differs in"), map(_cells, rows))


def _cells(row: Row) -> Sequence[str]:
    carried = "module" if row.algorithm in MODULES else "BPF"
    pairs = (", ".join(pair(row)) for pair in _COLUMNS.values())
    return (f"`{row.algorithm}`", carried, *pairs, ", ".join(f"`{rule}`" for rule in row.differs_in))


def _pair(row: Row, column: str, decimals: int) -> tuple[str, str]:
    return _number(row.simulated[0][column], decimals), _number(row.kernel[0][column], decimals)


def _number(value: float | None, decimals: int) -> str:
    return number(value, decimals, missing="-")


def _why(rows: Sequence[Row], causes: Mapping[str, str]) -> Iterator[str]:
    """Yields an item for each cause, with the algorithms that share it."""
    sharing: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.differs_in:
            sharing.setdefault(causes.get(row.algorithm, "cause not known."), {})[f"`{row.algorithm}`"] = None
    for cause, names in sharing.items():
        yield from item(f"{', '.join(names)}: {cause}")

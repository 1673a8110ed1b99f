#!/usr/bin/env python3
"""Packs raw reference traces (one CSV a flow and kind) into the Parquet tables of the folder `reference`.

Usage: .venv/bin/python tools/condense_references.py FOLDER, where FOLDER holds ns2, linux and linux-rivals.

Nothing is rounded: numbers become integers in the unit that their new name says, which delta coding makes small.
`reference/README.md` describes the tables.
"""

import csv
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

Cells = list[int | str | None]
REFERENCE = Path(__file__).resolve().parent.parent / "reference"

NAME = re.compile(r"linux_(?P<run>.+?)(?:_f(?P<flow>[12])_[a-z]+)?(?:_(?P<kind>chg|cc|events|queue|vegasrtt))?\.csv")
KINDS = {None: "samples", "chg": "changes", "cc": "state", "events": "events", "queue": "queue", "vegasrtt": "rounds"}
OF_THE_PATH = ("events", "queue")
"""Tables of a run; the others are of one flow each."""

RENAMED = {
    "t_s": "time_us",
    "t": "time_us",
    "cwnd": "cwnd_segments",
    "ssthresh": "ssthresh_segments",
    "cwnd_before": "cwnd_before_segments",
    "cwnd_after": "cwnd_after_segments",
    "ssthresh_before": "ssthresh_before_segments",
    "ssthresh_after": "ssthresh_after_segments",
    "bytes_acked": "acked_bytes",
    "inflight": "in_flight_segments",
    "qlen": "queue_packets",
    "qlen_end": "queue_packets",
    "qlen_max": "queue_max_packets",
    "qlen_min": "queue_min_packets",
    "qlen_mean": "queue_mean_centipackets",
    "q_end": "queue_packets",
    "q_max": "queue_max_packets",
    "drops_cum": "drops",
    "drops_flow": "drops",
    "retrans_flow": "retransmissions",
    "ca_state": "state",
    "link_busy": "busy_permille",
    "src": "cause",
    "port": "flow",
    "seq_rel": "offset_bytes",
    "in_ss": "in_slow_start",
    "cnt": "rtt_samples",
    "tx_kbps": "sent_bps",
    "ack_tx_kbps": "sent_bps",
}
SCALES = {"_us": 1_000_000, "_centipackets": 100, "_permille": 1000}
"""What a raw number is multiplied by where the raw name has another unit than the new one's ending."""
NONE = "-1"
"""A raw cell that stands for none, in the columns below."""
NONE_IN = {"ssthresh", "ssthresh_before", "ssthresh_after", "vegas_base_us", "vegas_min_us", "pacing_kbps"}
FIRST_PORT = 5001
SAMPLED_STATE = 17
"""Columns of a sample before those of the congestion control's own state, which `state-*.parquet` has."""


@dataclass
class Table:
    """Columns by name, each as long as the table; a column that comes later begins with nulls."""

    rows: int = 0
    columns: dict[str, Cells] = field(default_factory=dict)

    def add(self, columns: dict[str, Cells]) -> None:
        """Appends rows."""
        more = len(next(iter(columns.values()), []))
        for name in {**self.columns, **columns}:
            column = self.columns.setdefault(name, [None] * self.rows)
            column.extend(columns.get(name, [None] * more))
        self.rows += more

    def write(self, path: Path) -> None:
        """Writes the table in the encodings that both Rust's and Python's Parquet read without more libraries."""
        table = pa.table(self.columns)
        words = [column.name for column in table.schema if column.type == pa.string()]
        numbers = {name: "DELTA_BINARY_PACKED" for name in table.column_names if name not in words}
        pq.write_table(
            table,
            path,
            compression="snappy",
            use_dictionary=words,
            column_encoding=numbers,
            row_group_size=table.num_rows or 1,
            write_statistics=False,
            store_schema=False,
        )


def renamed(raw: str) -> str:
    """The new name of a raw column, with its unit."""
    return RENAMED.get(raw) or re.sub("_kbps", "_bps", raw)


def scale(raw: str, name: str) -> int:
    """What a raw number is multiplied by."""
    if "_kbps" in raw:
        return 1000
    return 1 if raw == name else next((by for ending, by in SCALES.items() if name.endswith(ending)), 1)


def cell(text: str, raw: str, by: int) -> int | str | None:
    """A raw cell as the tables have it."""
    if text == NONE and raw in NONE_IN:
        return None
    if raw == "port":
        return int(text) - FIRST_PORT
    try:
        number = float(text) * by
    except ValueError:
        return text
    if abs(number - round(number)) > 1e-6 * max(1.0, abs(number)):
        raise ValueError(f"{raw} = {text} is no whole number of its new unit")
    return round(number)


def read(path: Path) -> dict[str, list[str]]:
    """A raw trace's columns; a line that begins with # ends a trace that was cut short."""
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if not row[0].startswith("#")]
    return {name: [row[at] for row in rows[1:]] for at, name in enumerate(rows[0])}


def converted(columns: dict[str, list[str]], names: Iterable[str]) -> dict[str, Cells]:
    """Raw columns under new names, as integers where they are numbers."""
    chosen = {raw: renamed(raw) for raw in names}
    return {name: [cell(text, raw, scale(raw, name)) for text in columns[raw]] for raw, name in chosen.items()}


def with_run(run: str, flow: int | None, columns: dict[str, Cells]) -> dict[str, Cells]:
    """The columns behind those that say of which run and flow they are."""
    rows = len(next(iter(columns.values())))
    of_flow: dict[str, Cells] = {} if flow is None else {"flow": [flow] * rows}
    return {"run": [run] * rows, **of_flow, **columns}


def control_of(run: str) -> str:
    """The congestion control that a run is about, from the run's name."""
    return run.split("_")[1]


def linux(raw: Path) -> dict[str, Table]:
    """The tables of a folder of kernel traces, by their names."""
    tables: dict[str, Table] = {}
    matches = [match for path in raw.glob("linux_*.csv") if (match := NAME.fullmatch(path.name))]
    for match in sorted(matches, key=lambda match: (match["run"], match["flow"] or "")):
        run, kind = match["run"], KINDS[match["kind"]]
        flow = None if kind in OF_THE_PATH else int(match["flow"] or 1) - 1
        path = raw / match.string
        columns = read(path)
        names = list(columns)[:SAMPLED_STATE] if kind == "samples" else list(columns)
        name = f"state-{control_of(run)}" if kind == "state" else kind
        tables.setdefault(name, Table()).add(with_run(run, flow, converted(columns, names)))
    return tables


def ns2(raw: Path) -> dict[str, Table]:
    """The tables of ns-2's traces: what the bottleneck did, and what the flows did."""
    links, flows = Table(), Table()
    for path in sorted(raw.glob("*.csv")):
        columns = read(path)
        of_flows = [name for name in columns if re.fullmatch(r".*_f\d", name)]
        links.add(with_run(path.stem, None, converted(columns, [name for name in columns if name not in of_flows])))
        for flow in range(len(of_flows) // 2):
            time, received, window = columns["t"], columns[f"rx_kbps_f{flow}"], columns[f"cwnd_f{flow}"]
            part = {"time_us": time, "received_bps": received, "cwnd_millisegments": window}
            scales = (1_000_000, 1000, 1000)
            cells = {
                name: [cell(text, name, by) for text in column]
                for (name, column), by in zip(part.items(), scales, strict=True)
            }
            flows.add(with_run(path.stem, flow, cells))
    return {"links": links, "flows": flows}


def main() -> None:
    """Packs the three sets."""
    raw = Path(sys.argv[1])
    for name, tables in (
        ("ns2", ns2(raw / "ns2")),
        ("linux", linux(raw / "linux")),
        ("linux-rivals", linux(raw / "linux-rivals")),
    ):
        folder = REFERENCE / name
        folder.mkdir(parents=True, exist_ok=True)
        for stem, table in tables.items():
            table.write(folder / f"{stem}.parquet")
    copied = {"ns2/summary.json": "ns2/summary.json", "linux-rivals/summary_table.csv": "linux-rivals/runs.csv"}
    for source, target in copied.items():
        (REFERENCE / target).write_text((raw / source).read_text(), newline="\n")


if __name__ == "__main__":
    main()

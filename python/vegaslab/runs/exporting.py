"""Runs in the formats of other tools: qlog, which qvis draws, and flent's data files.

qlog: the main schema and the recovery events of draft-ietf-quic-qlog-main-schema-02 and -quic-events-02, a trace for
each flow. flent: version 4 of its format, with the names of series that its test `tcp_nup` has.
"""

import gzip
import io
import json
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from vegaslab._vegaslab import version
from vegaslab.runs.result import Result
from vegaslab.util.errors import InputError
from vegaslab.util.folder import replace_file
from vegaslab.util.text import printable

if TYPE_CHECKING:
    import pyarrow

_Row = dict[str, Any]
_STATES = {"slow-start": "slow_start", "avoidance": "congestion_avoidance", "recovery": "recovery"}
"""The states of congestion control that qlog names; a flow that is idle has none."""
_NO_TIME = "1970-01-01T00:00:00.000000Z"
"""The time of a run: it has none of its own, and the same run gives the same file."""


def export(run: Result | str | PathLike[str], file: str | PathLike[str]) -> Path:
    """Writes a run, or that of a folder, as `file`; returns the file.

    The name's ending is the format: `.qlog` (a trace for each flow: window, threshold, bytes in flight and round-trip
    times of `Result.series`, segments retransmitted, and states) or `.flent.gz` (rates, windows and round-trip times of
    each flow). Raises `InputError` for another ending, `FolderError` for a folder that is not a run's, `OSError` if the
    file cannot be written.

    >>> import tempfile, vegaslab
    >>> result = vegaslab.run("gallop-50mbit", set={"duration": "20s"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vegaslab.export(result, folder + "/gallop.qlog").name
    'gallop.qlog'
    """
    target = Path(file)
    write = next((writer for ending, writer in _WRITERS.items() if target.name.endswith(ending)), None)
    if write is None:
        raise InputError(f"{printable(str(target))}: has no known ending; end it with {' or '.join(_WRITERS)}")
    result = run if isinstance(run, Result) else Result.open(run)
    replace_file(target, lambda opened: write(result, opened))
    return target


def _qlog(result: Result, file: BinaryIO) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
    head = {"qlog_version": "0.3", "qlog_format": "JSON", "title": result.summary["scenario"]}
    text.write(json.dumps({**head, "generator": f"vegaslab {version}"})[:-1] + ', "traces": [')
    incidents = _by_flow(result.incidents)
    samples = _by_flow(result.series.flows)
    for number, (flow, payload) in enumerate(
        zip(result.summary["flows"], result.scenario.payload_bytes(), strict=True)
    ):
        text.write(",\n" if number else "\n")
        events = sorted(
            [*_metrics(samples(flow["id"]), payload), *_losses(incidents(flow["id"]), payload)],
            key=lambda event: event["time"],
        )
        text.write(json.dumps(_trace(flow, events)))
    text.write("\n]}\n")
    text.detach()


def _trace(flow: _Row, events: list[_Row]) -> _Row:
    return {
        "title": f"flow {flow['id']}: {flow['algorithm']}",
        "vantage_point": {"name": "sender", "type": "server"},
        "common_fields": {"time_format": "relative", "reference_time": 0, "group_id": f"flow {flow['id']}"},
        "events": events,
    }


def _metrics(rows: Iterator[_Row], payload: int) -> Iterator[_Row]:
    """Yields what has changed at each row: qlog's metrics hold until the next event that has them."""
    before: _Row = {}
    state: str | None = None
    for row in rows:
        now = _STATES.get(row["phase"])
        if now is not None and now != state:
            old = {} if state is None else {"old": state}
            yield _event(row["time_s"], "recovery:congestion_state_updated", {**old, "new": now})
            state = now
        metrics = {
            "congestion_window": _bytes(row["cwnd_segments"], payload),
            "ssthresh": _bytes(row["ssthresh_segments"], payload),
            "bytes_in_flight": _bytes(row["in_flight_segments"], payload),
            "latest_rtt": row["rtt_ms"],
            "min_rtt": row["base_rtt_ms"],
        }
        changed = {name: value for name, value in metrics.items() if value is not None and value != before.get(name)}
        if changed:
            yield _event(row["time_s"], "recovery:metrics_updated", changed)
            before.update(changed)


def _losses(rows: Iterator[_Row], payload: int) -> Iterator[_Row]:
    """Yields the timeouts and the segments that the sender took for lost, which it names by their place in the data."""
    timeout_s = None
    for row in rows:
        if row["kind"] == "timeout":
            timeout_s = row["time_s"]
            yield _event(timeout_s, "recovery:loss_timer_updated", {"event_type": "expired", "timer_type": "pto"})
        elif row["kind"] == "retransmit":
            header = {"packet_type": "1RTT", "packet_number": row["sequence"] // payload}
            trigger = "pto_expired" if row["time_s"] == timeout_s else "reordering_threshold"
            yield _event(row["time_s"], "recovery:packet_lost", {"header": header, "trigger": trigger})


def _event(time_s: float, name: str, data: _Row) -> _Row:
    return {"time": round(time_s * 1e3, 6), "name": name, "data": data}


def _bytes(segments: float | None, payload: int) -> int | None:
    return None if segments is None else round(segments * payload)


def _by_flow(table: "pyarrow.Table") -> Callable[[int], Iterator[_Row]]:
    """Returns what gives the rows of a flow, in order of time."""
    # imported here: the commands that write no file of another tool need not wait for it
    import pyarrow.compute as pc

    ordered = table.sort_by([("flow", "ascending"), ("time_s", "ascending")])
    spans: dict[int, tuple[int, int]] = {}
    at = 0
    for entry in pc.value_counts(ordered["flow"]).to_pylist():
        spans[entry["values"]] = (at, entry["counts"])
        at += entry["counts"]

    def rows(flow: int) -> Iterator[_Row]:
        for batch in ordered.slice(*spans.get(flow, (0, 0))).to_batches(max_chunksize=1 << 12):
            yield from batch.to_pylist()

    return rows


def _flent(result: Result, file: BinaryIO) -> None:
    # neither a time nor a name in the head, so that the same run gives the same bytes
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(json.dumps(_flent_data(result)).encode())


def _flent_data(result: Result) -> _Row:
    flows = result.summary["flows"]
    rows = _by_flow(result.series.flows)
    raw = {_upload(number): [_flent_sample(row) for row in rows(flow["id"])] for number, flow in enumerate(flows, 1)}
    times = sorted({sample["t"] for samples in raw.values() for sample in samples})
    series = {
        name + ending: _line(samples, key, times)
        for name, samples in raw.items()
        for ending, key in (("", "val"), ("::tcp_cwnd", "tcp_cwnd"), ("::tcp_rtt", "tcp_rtt"))
    }
    sums = [sum(value or 0.0 for value in step) for step in zip(*(series[name] for name in raw), strict=True)]
    series["TCP upload sum"] = [*sums]
    series["TCP upload avg"] = [total / len(flows) for total in sums]
    metadata = _flent_metadata(result, times)
    return {"version": 4, "metadata": metadata, "x_values": times, "results": series, "raw_values": raw}


def _upload(number: int) -> str:
    return f"TCP upload::{number}"


def _flent_sample(row: _Row) -> _Row:
    sample = {"t": row["time_s"], "val": row["throughput_mbps"]}
    sample |= {"tcp_cwnd": row["cwnd_segments"], "tcp_rtt": row["rtt_ms"]}
    return {name: value for name, value in sample.items() if value is not None}


def _line(samples: list[_Row], key: str, times: list[float]) -> list[float | None]:
    values = {sample["t"]: sample.get(key) for sample in samples}
    return [values.get(time_s) for time_s in times]


def _flent_metadata(result: Result, times: list[float]) -> _Row:
    flows = result.summary["flows"]
    return {
        "NAME": "tcp_nup",
        "TITLE": result.summary["scenario"],
        "HOST": "receivers",
        "LOCAL_HOST": "senders",
        "TIME": _NO_TIME,
        "T0": _NO_TIME,
        "LENGTH": result.summary["duration_s"],
        "TOTAL_LENGTH": result.summary["duration_s"],
        "STEP_SIZE": times[1] - times[0] if len(times) > 1 else result.summary["duration_s"],
        "TEST_PARAMETERS": {"upload_streams": str(len(flows))},
        "FLENT_VERSION": "2.1.1",
        "NOTE": f"vegaslab {version}, seed {result.summary['seed']}",
        "DATA_FILENAME": f"{result.summary['scenario']}.flent.gz",
        "SERIES_META": {_upload(number): {"CC_ALGO": flow["algorithm"]} for number, flow in enumerate(flows, 1)},
    }


_WRITERS: dict[str, Callable[[Result, BinaryIO], None]] = {".qlog": _qlog, ".flent.gz": _flent}
"""What writes a file, by the ending of its name."""

"""The table of agreement: `make court` with others' measurements at hand, and without."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import vegaslab
from documentation.court import captures
from documentation.court.__main__ import main
from documentation.court.page import page
from documentation.court.rows import Row


def test_without_the_measurements_a_line_names_what_is_missing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(here)]) == 2
    said = capsys.readouterr().err
    names = "captures-50ms.parquet and l4s-20-500mbit.parquet"
    assert said == f"court: {here}: has no captures-50ms.parquet; give the folder with {names}\n"
    assert list(here.iterdir()) == []


def _row(**run: float) -> Row:
    measured = {"goodput_mbps": 1.0, "segments_retransmitted": 10.0}
    shape = ("mean_in_flight_kb", "max_in_flight_kb", "p50_rtt_ms", "p95_rtt_ms", "slow_start_end_s")
    others = dict.fromkeys((*shape, "lost_as_captured"), 1.0)
    return Row(
        name="one", algorithm="reno-linux", world="simulator", measured=measured | others, run=measured | others | run
    )


def test_a_row_agrees_within_the_aims_and_has_a_cause_if_it_does_not() -> None:
    assert _row(goodput_mbps=1.15, segments_retransmitted=8.0).agrees
    assert not _row(goodput_mbps=1.16).agrees
    assert not _row(segments_retransmitted=13.0).agrees
    text = page([_row(), _row(goodput_mbps=0.5)], [], {"one": "it is slow."})
    assert "simulator: 1 of 2 agree." in text
    assert text.endswith("- one: it is slow.\n")
    assert page([_row(goodput_mbps=0.5)], [], {}).endswith("- one: cause not known.\n")


def test_a_table_of_headers_becomes_a_capture(here: Path) -> None:
    """By hand: a handshake, 1 ms of it on the sender's side, then segments that are acknowledged 40 ms later."""
    syn = {"time_us": 0, "to_receiver": False, "payload": 0, "seq": 0, "ack": 0, "frame": 60}
    rows = [syn, syn | {"time_us": 1_000, "to_receiver": True, "ack": 1}]
    rows.append(syn | {"time_us": 41_000, "seq": 1, "ack": 1, "frame": 52})
    for number in range(30):
        data = {"time_us": 50_000 + 10_000 * number, "to_receiver": True, "payload": 244, "ack": 1, "frame": 296}
        rows.append(data | {"seq": 1 + 244 * number})
        ack = {"time_us": 90_000 + 10_000 * number, "to_receiver": False, "payload": 0, "seq": 1, "frame": 52}
        rows.append(ack | {"ack": 245 + 244 * number})
    table = [row | {"trace": "reno-40ms"} for row in sorted(rows, key=lambda row: row["time_us"])]
    pq.write_table(pa.Table.from_pylist(table), here / captures.TABLE)
    assert captures.names(here) == ["reno-40ms"]
    captures.write_pcap(here, "reno-40ms", here / "reno-40ms.pcap")
    (flow,) = (row for row in vegaslab.measured(here / "reno-40ms.pcap").flows.to_pylist() if row["delivered_bytes"])
    assert (flow["segments_sent"], flow["delivered_bytes"], flow["mss_bytes"]) == (30, 30 * 244, 244)
    assert (flow["timestamps"], flow["sack"], flow["base_rtt_ms"]) == (True, False, 41.0)

"""Runs in the formats of other tools: qlog as the reader of strangers' logs reads it, and flent's data."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import vegaslab
from vegaslab.commands import cli

SCENARIO = """
name = "two"
duration = "5s"
flow = [{ algorithm = "cubic" }, { algorithm = "vegas", start = "1s", transport = "TRANSPORT" }]
[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "1ms" }
bottleneck = { rate = "10mbit", delay = "10ms", queue = "30p" }
"""


@pytest.fixture(scope="module", params=["tcp", "quic"])
def two(request: pytest.FixtureRequest) -> vegaslab.Result:
    return vegaslab.run(SCENARIO.replace("TRANSPORT", request.param))


def test_a_qlog_is_read_as_what_the_run_has(two: vegaslab.Result, tmp_path: Path) -> None:
    read = vegaslab.measured(vegaslab.export(two, tmp_path / "two.qlog")).series.flows.to_pylist()
    payloads = two.scenario.payload_bytes()
    for flow in (0, 1):
        own = [row for row in two.series.flows.to_pylist() if row["flow"] == flow and row["in_flight_segments"]]
        log = [row for row in read if row["flow"] == flow]
        windows = {round(row["cwnd_segments"] * payloads[flow]) for row in own}
        assert len(windows) > 5
        # the reader has windows in segments of its own choice: their ratios are the run's
        most = max(row["cwnd_segments"] for row in log)
        assert most / log[-1]["cwnd_segments"] == pytest.approx(max(windows) / _last(own, payloads[flow]), rel=1e-3)
        # the reader takes the first round-trip time of a log for a guess
        measured = [round(row["rtt_ms"], 6) for row in own if row["rtt_ms"] is not None]
        found = {round(row["rtt_ms"], 6) for row in log if row["rtt_ms"] is not None}
        assert found | {measured[0]} == set(measured)


def _last(rows: list[dict[str, Any]], payload: int) -> float:
    return float(rows[-1]["cwnd_segments"] * payload)


def test_a_qlog_names_the_segments_that_were_retransmitted(tmp_path: Path) -> None:
    run = vegaslab.run(SCENARIO.replace("TRANSPORT", "tcp"))
    log = json.loads(vegaslab.export(run, tmp_path / "two.qlog").read_bytes())
    assert [trace["title"] for trace in log["traces"]] == ["flow 0: cubic", "flow 1: vegas"]
    for flow, trace in zip(run.summary["flows"], log["traces"], strict=True):
        lost = [event["data"] for event in trace["events"] if event["name"] == "recovery:packet_lost"]
        assert len(lost) == flow["segments_retransmitted"]
        times = [event["time"] for event in trace["events"]]
        assert times == sorted(times)
    incident = next(row for row in run.incidents.to_pylist() if row["kind"] == "retransmit" and row["flow"] == 0)
    first = next(event for event in log["traces"][0]["events"] if event["name"] == "recovery:packet_lost")
    assert first["time"] == pytest.approx(incident["time_s"] * 1e3)
    assert first["data"]["header"]["packet_number"] * run.scenario.payload_bytes()[0] == incident["sequence"]


def test_flents_data_has_the_series_of_its_upload_test(two: vegaslab.Result, tmp_path: Path) -> None:
    with gzip.open(vegaslab.export(two, tmp_path / "two.flent.gz")) as file:
        data = json.load(file)
    assert data["version"] == 4
    assert data["metadata"]["NAME"] == "tcp_nup"
    results = data["results"]
    assert all(len(line) == len(data["x_values"]) for line in results.values())
    total = [first + (second or 0) for first, second in zip(*_rates(results), strict=True)]
    assert results["TCP upload sum"] == pytest.approx(total)
    rows = [row for row in two.series.flows.to_pylist() if row["flow"] == 1]
    at = data["x_values"].index(rows[-1]["time_s"])
    assert results["TCP upload::2::tcp_cwnd"][at] == rows[-1]["cwnd_segments"]
    assert results["TCP upload::2::tcp_rtt"][at] == rows[-1]["rtt_ms"]


def _rates(results: dict[str, list[float]]) -> tuple[list[float], list[float]]:
    return results["TCP upload::1"], results["TCP upload::2"]


def test_the_command_writes_the_same_bytes_from_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = vegaslab.run(SCENARIO.replace("TRANSPORT", "tcp"))
    folder = run.write(tmp_path / "run")
    names = ("two.qlog", "two.flent.gz")
    assert cli.main(["export", str(folder), *(str(tmp_path / name) for name in names)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"written: {tmp_path / name}" for name in names]
    for name in names:
        assert (tmp_path / name).read_bytes() == vegaslab.export(run, tmp_path / f"again-{name}").read_bytes()


def test_an_ending_that_no_tool_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", str(tmp_path), str(tmp_path / "two.json")]) == 2
    assert "two.json: has no known ending; end it with .qlog or .flent.gz" in capsys.readouterr().err
    assert not (tmp_path / "two.json").exists()

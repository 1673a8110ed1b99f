"""`vegaslab trace`: rates and delays as people have them; the parsers' own tests are in Rust."""

import json
from pathlib import Path

import pytest

from tests.conftest import Command

RATES = "\ufeff,time_s,throughput_mbps\r\n0,0.0,1.2000000000000002\r\n1,5.0,0.6\r\n2,10.0,2.4\r\n"
DELAYS = "timestamp,rtt\n1700000000,60\n1700000001,40\n1700000002,-1\n1700000003,50\n"


def test_rates_are_shown_and_converted(vegaslab: Command, here: Path) -> None:
    (here / "rates.csv").write_text(RATES)
    done = vegaslab("trace", "rates.csv", "-o", "rates.down")
    assert done.returncode == 0, done.stderr
    first, second, *_ = done.stdout.splitlines()
    assert first == "rates.csv: taken for times (column 2) and rates (column 3)"
    assert second == "rate: mean 1.4 Mb/s, from 0 to 3.2, over 15 s, then again"
    again = vegaslab("trace", "rates.down", "--json")
    found = json.loads(again.stdout)
    assert (found["kind"], found["period_s"]) == ("rate", 15.0)
    assert found["taken_for"] == "opportunities to send 1500 bytes, in ms (Mahimahi)"


def test_a_file_of_other_content_is_not_written_over(vegaslab: Command, here: Path) -> None:
    (here / "rates.csv").write_text(RATES)
    for _ in range(2):
        assert vegaslab("trace", "rates.csv", "-o", "rates.down").returncode == 0
    for there in ("rates.csv", "mine.txt"):
        (here / there).write_text(RATES)
        done = vegaslab("trace", "rates.csv", "-o", there)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"vegaslab: {there}: is there and holds something else; give another name, or move it away\n"
        )
        assert (here / there).read_bytes() == RATES.encode()


def test_delays_are_shown_and_converted(vegaslab: Command, here: Path) -> None:
    (here / "starlink.csv").write_text(DELAYS)
    done = vegaslab("trace", "starlink.csv", "-o", "delays.csv")
    assert done.returncode == 0, done.stderr
    first, second, *_ = done.stdout.splitlines()
    assert first == (
        "starlink.csv: taken for times (column 1) and round-trip times, halved (column 2), 1 lines without a delay"
    )
    assert second == "delay: mean 24 ms, from 20 to 30, over 5 s, then again"
    assert (here / "delays.csv").read_text() == "time_s,delay_ms\n0,30\n1,20\n3,25\n5,25\n"
    again = json.loads(vegaslab("trace", "delays.csv", "--json").stdout)
    assert again["points"] == json.loads(vegaslab("trace", "starlink.csv", "--json").stdout)["points"]


def test_one_value_a_line_holds_for_a_step(vegaslab: Command, here: Path) -> None:
    (here / "delays.txt").write_text("30\n20.5\n25\n")
    done = vegaslab("trace", "delays.txt", "--as", "delay", "--step", "10ms", "--json")
    assert json.loads(done.stdout)["points"] == [[0.0, 30.0], [0.01, 20.5], [0.02, 25.0]]


def test_a_run_says_what_a_trace_was_taken_for(vegaslab: Command, short: Path) -> None:
    (short.parent / "rates.csv").write_text(RATES)
    done = vegaslab("run", short, "--set", 'topology.bottleneck.rate={ trace = "rates.csv" }', "--no-plot")
    assert done.returncode == 0, done.stderr
    assert "the trace of its rate was taken for times (column 2) and rates (column 3)" in done.stderr


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("0 1\n1 2\n", [], "may be rates or delays; say which, with --as rate or --as delay"),
        ("0 1\n0 2\n", ["--as", "rate"], "line 2: is not later than the line before; write the times ascending"),
        ("30\n20\n", ["--as", "delay"], 'has one value a line; say how long each holds, such as step = "10ms"'),
        ("time,temperature\n1,2\n", ["--as", "rate"], "line 1: names no rate; name a time and a rate"),
        ("", ["--as", "rate"], "is empty"),
        ("0 1\n1 2\n", ["--as", "rate", "--step", "soon"], "soon"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(
    vegaslab: Command, here: Path, text: str, options: list[str], said: str
) -> None:
    (here / "given.txt").write_text(text)
    done = vegaslab("trace", "given.txt", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("vegaslab: given.txt: ")
    assert said in done.stderr

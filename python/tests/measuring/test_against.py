"""`vegaslab against`: a capture beside runs of its path, as a user reads them."""

import json
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command
from tests.measuring.sent import INPUTS, sent
from vegaslab.measuring.measured.against import SENDERS, Limit


@pytest.fixture
def capture(here: Path) -> Path:
    """A capture of a simulated sender, of a known path."""
    return sent(here / "sent", rate="4mbit", queue="15000b", duration="12s")


def test_a_capture_is_explained_by_the_algorithm_that_sent_it(vegaslab: Command, here: Path, capture: Path) -> None:
    limits = ["--limit", "goodput_mbps=2%", "--limit", "timeouts=0", "--limit", "max_in_flight_kb=5%"]
    done = vegaslab("against", capture, "-a", "cubic-linux", "-o", "out", *limits)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "the same as in the capture" in done.stdout
    assert {path.name for path in (here / "out").iterdir()} == {
        "capture",
        "comparison.json",
        "cubic-linux",
        "picture.html",
    }
    page = (here / "out" / "picture.html").read_text(encoding="utf-8")
    assert "figures of the capture and of each run" in page
    again = vegaslab("against", capture, "-a", "reno-linux", "-o", "out", "--json", "--no-plot")
    assert again.returncode == 0, again.stderr
    figures = json.loads(again.stdout)
    assert set(figures) == {"capture", "reno-linux"}
    assert figures["capture"]["lost_otherwise"] == 0
    assert figures["capture"]["lost_as_captured"] == figures["capture"]["segments_retransmitted"] > 0


def test_an_edited_path_of_the_capture_stays(vegaslab: Command, here: Path, capture: Path) -> None:
    call = ("against", capture, "-a", "reno-linux", "-o", "out", "--no-plot")
    assert vegaslab(*call).returncode == 0
    path = here / "out" / "capture" / "path.toml"
    path.write_text(path.read_text() + "# mine\n")
    done = vegaslab(*call)
    assert done.returncode == 2
    assert 'holds "capture/path.toml", which was edited since vegaslab wrote it' in done.stderr
    assert path.read_text().endswith("# mine\n")


def test_a_broken_limit_is_a_line_and_a_code(vegaslab: Command, here: Path, capture: Path) -> None:
    done = vegaslab("against", capture, "-a", "vegas-linux", "--no-plot", "--limit", "segments_retransmitted=0")
    assert done.returncode == 1
    assert done.stderr.startswith("vegaslab: vegas-linux: segments_retransmitted is ")
    assert (here / "results" / "capture-against" / "comparison.json").exists()


def test_what_is_no_capture_of_a_path_is_refused(vegaslab: Command, here: Path, capture: Path) -> None:
    for arguments, said in (
        ([INPUTS / "ss-tin.txt"], "shows no path"),
        ([capture, "--limit", "goodput=5%"], "'goodput=5%' was given; FIGURE=VALUE or FIGURE=PERCENT%"),
        ([capture, "-a", "renno"], "capture.pcapng: its path, with flow.0.algorithm=renno: "),
        ([capture, "-a", "reno-linux", "--set", "flow.0.foo=3"], "capture.pcapng: its path, with flow.0.foo=3: "),
    ):
        done = vegaslab("against", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert ".vegaslab-" not in done.stderr
    assert not (here / "results").exists()


def test_limits_are_parts_or_amounts() -> None:
    there = {"timeouts": 2, "goodput_mbps": 10.0, "slow_start_end_s": None}
    here = {"timeouts": 3, "goodput_mbps": 9.6, "slow_start_end_s": 0.5}
    broken = [Limit.parse(text).broken("run", here, there) for text in ("timeouts=1", "timeouts=0", "goodput_mbps=5%")]
    assert broken == [None, "run: timeouts is 3, in the capture 2; at most 0 apart", None]
    assert Limit.parse("slow_start_end_s=1").broken("run", here, there) is not None


def test_senders_are_presets(capture: Path) -> None:
    beside = vegaslab.against(capture, SENDERS[:1], set={"duration": "1s"})
    assert list(beside.runs) == ["capture", SENDERS[0]]
    for name in SENDERS[1:]:
        sent(capture.with_name(name), rate="4mbit", queue="15000b", duration="100ms", algorithm=name)

"""`vegaslab identify`: captures of simulated senders are recognised, and what shows no window is refused in a line."""

import json
from pathlib import Path

import pytest

import vegaslab as lab
from tests.conftest import Command
from tests.measuring.sent import INPUTS, sent
from vegaslab.measuring.measured.against import SENDERS
from vegaslab.measuring.measured.answer import Identified, candidate_rows


def capture_of(algorithm: str, folder: Path, duration: str = "30s") -> Path:
    """A capture of a simulated sender."""
    path = {"flow.0.packet": "1500b", "flow.0.host.timestamps": True}
    return sent(folder, rate="10mbit", queue="60p", duration=duration, algorithm=algorithm, more=path)


@pytest.mark.parametrize("algorithm", SENDERS)
def test_a_simulated_sender_is_recognised(here: Path, algorithm: str) -> None:
    found = lab.identify(capture_of(algorithm, here / "run"))
    assert algorithm in found.answer, found.errors
    assert len(found.answer) <= 4, found.errors


def test_the_answer_is_a_table_and_a_sentence(vegaslab: Command, here: Path) -> None:
    capture = capture_of("veno", here / "run")
    done = vegaslab("identify", capture)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "\nflow 0: veno\n" in done.stdout
    done = vegaslab("identify", capture, "-a", "bbr1", "-a", "hybla", "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    found = json.loads(done.stdout)
    assert (set(found["errors"]), found["answer"]) == ({"bbr1", "hybla"}, [])


def test_what_shows_no_window_is_refused_in_a_line(vegaslab: Command, here: Path) -> None:
    capture = capture_of("reno-linux", here / "run", duration="100ms")
    for arguments, said in (
        ([INPUTS / "ss-tin.txt"], "is no capture"),
        ([capture.with_name("capture-receiver.pcapng")], "was captured at the receiver"),
        ([capture], "of 5 that are needed"),
        ([capture, "--flow", "7"], "has no flow 7 of TCP"),
        ([capture, "-a", "renno"], "'renno' is no preset"),
        ([here / "missing.pcap"], "missing.pcap"),
    ):
        done = vegaslab("identify", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stdout
        assert said.replace("'", '"') in done.stderr.replace("'", '"')
        assert len(done.stderr.splitlines()) == 1


def test_a_margin_is_that_of_the_first_other_one() -> None:
    errors = {"reno-linux": 0.01, "lp": 0.01, "veno": 0.05}
    assert Identified("x", 0, 9, ("reno-linux", "lp"), errors, 1.2, 0.2).margin == 5.0
    assert Identified("x", 0, 9, ("reno-linux", "lp", "veno"), errors, 1.2, 0.2).margin is None
    assert Identified("x", 0, 9, (), errors, 1.2, 0.2).sentence == "none of these"


def test_a_page_says_what_speaks_for_the_best_two_and_against_them(vegaslab: Command, here: Path) -> None:
    capture = capture_of("veno", here / "run")
    done = vegaslab("identify", capture, "-a", "veno", "-a", "scalable", "-a", "bbr1", "-o", "out")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.endswith("\nresults: out\npicture: out/picture.html\n")
    assert {path.name for path in (here / "out").iterdir()} == {
        "capture",
        "comparison.json",
        "picture.html",
        "scalable",
        "veno",
    }
    page = (here / "out" / "picture.html").read_text(encoding="utf-8")
    of_veno, of_scalable = page.partition("<h2>veno</h2>")[2].partition("<h2>scalable</h2>")[::2]
    assert "<li>window 0.0 % from what was in flight</li>" in of_veno
    assert "<b>Against</b>" not in of_veno
    assert "<li>window " in of_scalable.partition("<b>Against</b>")[2]
    assert "<b>flow 0: veno</b>" in page
    found = json.loads((here / "out" / "comparison.json").read_bytes())["identified"]
    assert found["answer"] == ["veno"]
    call = ("identify", capture, "-a", "veno", "-o", "out")
    again = vegaslab(*call)
    assert (again.returncode, again.stderr) == (0, "")
    assert {path.name for path in (here / "out").iterdir()} == {"capture", "comparison.json", "picture.html", "veno"}
    path = here / "out" / "capture" / "path.toml"
    path.write_text("mine")
    refused = vegaslab(*call)
    assert refused.returncode == 2
    assert 'holds "capture/path.toml", which was edited since vegaslab wrote it' in refused.stderr
    assert path.read_text() == "mine"


def test_a_page_of_none_of_these_says_so(here: Path) -> None:
    found = lab.identify(capture_of("veno", here / "run"), ["hybla", "bbr1"], here / "out")
    assert found.answer == ()
    page = (here / "out" / "picture.html").read_text(encoding="utf-8")
    assert "<b>flow 0: none of these</b>" in page
    judged = page.partition("<h2>hybla</h2>")[2].partition("<h2>")[0]
    assert "<li>window " in judged.partition("<b>Against</b>")[2]


def test_the_last_line_names_the_limit() -> None:
    """A candidate beyond the limit by little is not rounded onto it."""
    errors = {"reno-linux": 0.01, "veno": 0.0124}
    found = Identified("x", 0, 9, ("reno-linux",), errors, 1.2, 0.2)
    *_, last = found.said()
    assert last == (
        "by 9 points at which the window shows; up to 1.2 times the best one's error is as good, and the next one's is "
        "1.24 times that"
    )
    assert candidate_rows(found) == [("reno-linux", "1.0", "1.00"), ("veno", "1.2", "1.24")]
    *_, last = Identified("x", 0, 9, (), {"veno": 0.3}, 1.2, 0.2).said()
    assert last == "by 9 points at which the window shows; the best one's error is 30.0 %, and 20 % is the most"

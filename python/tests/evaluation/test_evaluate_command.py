"""The command: reports that repeat themselves, runs that are kept, two reports compared, bad input in one line."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import TIMEOUT_S, Command, Loopback, interrupted
from vegaslab import evaluate as dossier
from vegaslab.commands import cli
from vegaslab.runs.kept import cache
from vegaslab.util.store import Store

SMALL = ("--quick", "--baseline", "cubic", "--criterion", "bufferbloat", "--criterion", "real-time")
FILES = ("index.html", "report.md", "report.json")


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a dossier made on one core."""
    folder = tmp_path_factory.mktemp("dossier") / "whole"
    command = [sys.executable, "-m", "vegaslab", "evaluate", "gallop", *SMALL, "-o", str(folder), "-j", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gallop keeps a 95th percentile of queueing of " in done.stdout
    return folder


def test_the_first_page_is_what_the_terminal_shows(vegaslab: Command, here: Path) -> None:
    done = vegaslab("evaluate", "gallop", *SMALL[:3], "--criterion", "existing", "-o", "first")
    question, *_ = (line for line in done.stdout.splitlines() if line.startswith("safe to deploy beside CUBIC?"))
    assert " yes " in question
    assert "what a second flow of CUBIC does" in question
    text = (here / "first" / "report.md").read_text()
    assert "\n| safe to deploy beside CUBIC? | yes | 5.2.1 harm: goodput | " in text
    assert text.index("safe to deploy") < text.index("## 5.2.1")
    page = (here / "first" / "index.html").read_text()
    assert page.index("safe to deploy") < page.index("<h2>Pictures</h2>") < page.index("<h2>Chapters</h2>")


def kept(folder: Path) -> dict[str, int]:
    """When each run that is kept was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "cache").glob("*.json")}


def test_a_report_repeats_itself_on_any_number_of_cores(vegaslab: Command, here: Path, whole: Path) -> None:
    assert vegaslab("evaluate", "gallop", *SMALL, "-o", "other", "-j", "3").returncode == 0
    assert contents(here / "other") == contents(whole)
    before = kept(here / "other")
    assert vegaslab("evaluate", "gallop", *SMALL, "-o", "other").returncode == 0
    assert kept(here / "other") == before
    page = contents(whole)["index.html"].decode()
    assert "<script" not in page
    assert str(whole.parent) not in page + contents(whole)["report.json"].decode()


def test_a_killed_command_goes_on(vegaslab: Command, here: Path, whole: Path) -> None:
    command = ["evaluate", "gallop", *SMALL, "-o", "killed", "-j", "1"]
    assert interrupted(command, 60, signal.SIGKILL, folder=here).returncode == -signal.SIGKILL
    before = kept(here / "killed")
    assert 0 < len(before) < len(kept(whole))
    assert not (here / "killed" / "report.json").exists()
    assert vegaslab(*command).returncode == 0
    assert {name: kept(here / "killed")[name] for name in before} == before
    assert contents(here / "killed") == contents(whole)


def test_two_reports_are_compared(vegaslab: Command) -> None:
    bloat = SMALL[:5]
    for name, algorithm in (("old", "tuned = { preset = 'vegas' }"), ("new", "tuned = { preset = 'sack' }")):
        assert vegaslab("evaluate", algorithm, *bloat, "-o", name).returncode == 0
    assert (
        vegaslab("evaluate", "--compare", "old", "old").stdout == "0 figures are worse, 0 better, 0 otherwise changed\n"
    )
    worse = vegaslab("evaluate", "--compare", "old", "new")
    assert worse.returncode == 1
    assert any(
        line.split()[:2] == ["ten-bdp", "p95_queueing_ms"] and line.endswith("worse")
        for line in worse.stdout.splitlines()
    )


@pytest.mark.parametrize(
    ("update", "kept_runs"), [("self.windw += 1", False), ("if (ack.rtt_ns or 0) > 100_000_000: raise KeyError", True)]
)
def test_an_algorithm_that_fails_leaves_finished_runs_or_nothing(
    update: str, kept_runs: bool, vegaslab: Command, here: Path
) -> None:
    """The chapter on bufferbloat has a base RTT of 40 ms; that on fairness, after it, has flows with 160 ms."""
    (here / "mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, start):\n        self.window = 10.0\n"
        f"    def on_ack(self, ack):\n        {update}\n"
        "    def on_loss(self, loss):\n        pass\n"
    )
    done = vegaslab(
        "evaluate", "mine.py:Mine", *SMALL[:5], "--criterion", "self-fairness", "-o", "marks/mine", "-j", "1"
    )
    assert done.returncode == 1
    assert "mine.py:5: on_ack at " in done.stderr
    assert done.stderr.endswith("; no report was written; finished runs are kept\n")
    assert (here / "marks").exists() == kept_runs
    assert bool(kept(here / "marks" / "mine")) == kept_runs


def test_an_algorithm_of_ones_own(vegaslab: Command, here: Path) -> None:
    (here / "mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, start):\n        self.window = 10.0\n"
        "    def on_ack(self, ack):\n        self.window += 1 / self.window\n"
        "    def on_loss(self, loss):\n        self.window = max(2.0, self.window / 2)\n"
    )
    done = vegaslab("evaluate", "mine.py:Mine", *SMALL[:5], "-o", "mine")
    assert done.returncode == 0, done.stderr
    report = json.loads((here / "mine" / "report.json").read_text())
    assert (report["name"], report["algorithms"]["Mine"]) == ("Mine", "mine.py:Mine")
    assert str(here) not in (here / "mine" / "report.json").read_text()
    # a table of parts names the file in the same folder
    table = "Mine = { python = 'mine.py:Mine' }"
    assert vegaslab("evaluate", table, *SMALL[:5], "-o", "table").returncode == 0
    assert (
        json.loads((here / "table" / "report.json").read_text())["criteria"][0]["cases"][0]["rows"][0]["values"]
        == (report["criteria"][0]["cases"][0]["rows"][0]["values"])
    )
    before = len([*(here / "mine" / "cache").iterdir()])
    (here / "mine.py").write_text((here / "mine.py").read_text().replace("10.0", "4.0"))
    assert vegaslab("evaluate", "mine.py:Mine", *SMALL[:5], "-o", "mine").returncode == 0
    # its runs are made again, those of the baseline are not
    assert len([*(here / "mine" / "cache").iterdir()]) == before + 10


def test_what_answers_no_signal_of_congestion_is_unsafe(vegaslab: Command, here: Path) -> None:
    """Its hosts answer losses by timeouts, so that a window of 1000 does little harm to CUBIC beside it."""
    (here / "fixed.py").write_text(
        "class Fixed:\n"
        "    def __init__(self, start):\n        self.window = 1000\n"
        "    def on_ack(self, ack):\n        pass\n"
        "    def on_loss(self, loss):\n        pass\n"
    )
    beside = [*SMALL[:3], "--criterion", "existing"]
    for algorithm, safe, said in (
        ("fixed.py:Fixed", "no", "It answers loss: no, delay: no, marks: no."),
        ("vegas", "yes", "It answers loss: yes, delay: yes, marks: yes."),
    ):
        folder = here / f"safe-{safe}"
        done = vegaslab("evaluate", algorithm, *beside, "-o", str(folder))
        assert done.returncode == 0, done.stderr
        question, *_ = (line for line in done.stdout.splitlines() if line.startswith("safe to deploy beside CUBIC?"))
        for text in (done.stdout, (folder / "report.md").read_text(), (folder / "index.html").read_text()):
            assert said in text
            unsafe = "Unsafe to deploy: Fixed answers neither losses nor a standing queue nor marks." in text
            assert unsafe == (safe == "no")
        assert f" {safe} " in question


OWN = """\
class Mine:
    def __init__(self, start):
        self.window = start.initial_window

    def on_ack(self, ack):
        self.window += ack.acked * {gain} / self.window

    def on_loss(self, loss):
        self.window = max(self.window / 2, 1)
"""


def test_baselines_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cached: Store) -> None:
    """A dossier of a changed algorithm takes them from the cache; one of the same algorithm takes all."""
    monkeypatch.chdir(tmp_path)

    def made(gain: float, folder: str) -> tuple[int, int]:
        (tmp_path / "mine.py").write_text(OWN.format(gain=gain))
        taken, new = cache.count.taken, cache.count.made
        dossier("mine.py:Mine", folder, baselines=["cubic"], quick=True, criteria=["bufferbloat"])
        return cache.count.taken - taken, cache.count.made - new

    taken, all_runs = made(1, "first")
    assert (taken, all_runs > 5) == (0, True)
    assert made(1, "same") == (all_runs, 0)
    assert contents(tmp_path / "first") == contents(tmp_path / "same")
    taken, new = made(2, "changed")
    assert taken + new == all_runs
    assert taken == all_runs / 2
    assert contents(tmp_path / "changed") != contents(tmp_path / "same")
    cached.clear()
    assert made(2, "again") == (0, all_runs)
    assert contents(tmp_path / "again") == contents(tmp_path / "changed")


def test_by_quic(vegaslab: Command, here: Path) -> None:
    done = vegaslab("evaluate", "gallop", *SMALL[:3], "--criterion", "wired", "--transport", "quic", "-o", "quic")
    assert done.returncode == 0, done.stderr
    report = json.loads((here / "quic" / "report.json").read_text())
    assert report["transport"] == "quic"
    case, *_ = report["criteria"][0]["cases"]
    assert "--set=flow.0.transport=quic" in case["rows"][0]["command"]
    assert case["rows"][0]["means"]["goodput_mbps"]["mean"] > 15
    constrained = vegaslab("evaluate", "gallop", *SMALL[:3], "--criterion", "constrained", "--transport", "quic")
    assert constrained.returncode == 0
    why = (
        "  gallop is not run: evaluate/constrained:17: flow.0.packet: 500b was given; a QUIC packet has 1228b at least"
    )
    assert constrained.stdout.count(why) == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((), "vegaslab: evaluate: name an algorithm, such as gallop, or two dossiers with --compare"),
        (("galop",), 'flow.0.algorithm: "galop"'),
        (("gallop", "--criterion", "bloat"), "--criterion bloat: no such chapter; expected one of collapse, "),
        (("gallop", "-j", "0"), "jobs: 0 was given; at least 1"),
        (("gallop", "--on", "here"), "on: 'here' was given; local, or an address such as "),
        (("gallop", "-o", "full"), "full: holds 'thesis.txt', which vegaslab does not write; move it away"),
        (("--compare", "false", "false"), "false/report.json: is no dossier; give the folder that"),
        (("--compare", "full", "full"), "full/report.json: No such file or directory"),
        (("gallop", "--baseline", "gallop = { preset = 'vegas' }"), "two algorithms have one name"),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[str, ...],
    line: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (here / "full").mkdir()
    (here / "full" / "thesis.txt").write_text("mine")
    (here / "false").mkdir()
    (here / "false" / "report.json").write_text('{"generator": "vegaslab evaluate", "format": 1}')
    monkeypatch.chdir(here)
    assert cli.main(["evaluate", *arguments]) == 2
    complaint = capsys.readouterr().err
    assert line in complaint
    assert complaint.count("\n") == 1
    assert (here / "full" / "thesis.txt").read_text() == "mine"
    # no folder is left behind
    assert {path.name for path in here.iterdir()} == {"full", "false"}


def test_a_cluster_gives_the_report_of_one_machine(
    vegaslab: Command, here: Path, whole: Path, loopback: Loopback
) -> None:
    loopback.worker()
    loopback.wait_for_workers(1)
    assert vegaslab("evaluate", "gallop", *SMALL, "-o", "there", "--on", loopback.address).returncode == 0
    assert contents(here / "there") == contents(whole)

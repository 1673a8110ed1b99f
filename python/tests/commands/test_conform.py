"""`vegaslab conform`: verdicts, files and exit codes."""

import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import vegaslab
from documentation import conformance
from tests.conftest import TIMEOUT_S, cpu_s, ended_cpu_s, wait_until
from vegaslab.commands.cli import main

_QUICK = ["--quick", "--case", "startup-plateau", "--case", "drain-inflight"]
_NAMES = {"startup-plateau", "drain-inflight"}


def test_bbr3_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "bbr3", *_QUICK, "-o", str(tmp_path)]) == 0
    assert "2 of 2 cases pass, 0 fail, 0 do not apply" in capsys.readouterr().out
    files = {f"{name}.{kind}" for name in _NAMES for kind in ("toml", "qlog", "svg")} | {"cases.json", "junit.xml"}
    assert {file.name for file in tmp_path.iterdir()} == files
    report = json.loads((tmp_path / "cases.json").read_text())
    assert report["passed"]
    assert {case["case"] for case in report["cases"]} == _NAMES
    suite = ET.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("6", "0")


def test_a_known_failure_counts_as_none(capsys: pytest.CaptureFixture[str]) -> None:
    """As with the crate's `Report::unexpected`: another failure counts, and so does a known one that passes."""
    of_reno = ["conform", "reno", "--suite", "generic", "--quick", "--case", "app-limited", "--case", "collapse"]
    assert main(of_reno) == 1
    failed = [line.split(":")[0].split() for line in capsys.readouterr().out.splitlines() if "expected:" in line]
    assert {case for case, _ in failed} == {"app-limited"}
    known = [word for case, point in failed for word in ("--known", f"{case}:{point}")]
    assert main([*of_reno, *known]) == 0
    assert f"{len(failed)} failures are known, 0 unexpected" in capsys.readouterr().out
    _, point = failed[0]
    assert main([*of_reno, *known, "--known", f"collapse:{point}"]) == 1
    assert f"collapse {point} does not fail: take collapse:{point} out of --known" in capsys.readouterr().out
    assert main([*of_reno, "--known", "collapse:there"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("vegaslab: known: 'collapse:there' is no CASE:POINT that was judged; ")
    done = vegaslab.conform("reno", suite="generic", quick=True, known=[f"collapse:{point}"])
    assert not done.passed
    assert done.unexpected == [f"app-limited {point} fails", f"collapse {point} does not fail"]


def test_the_same_again_is_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, jobs in zip(folders, ("1", "2"), strict=True):
        main(["conform", "bbr3", *_QUICK, "-j", jobs, "-o", str(folder)])
    one, two = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders)
    assert one == two


def test_an_edited_scenario_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["conform", "bbr3", *_QUICK, "-o", str(tmp_path)]
    assert (main(call), main(call)) == (0, 0)
    edited = tmp_path / "drain-inflight.toml"
    edited.write_text("mine")
    capsys.readouterr()
    assert main(call) == 2
    remedy = "move it away, or give another folder"
    assert capsys.readouterr().err == f"vegaslab: {edited}: was edited since vegaslab wrote it; {remedy}\n"
    assert edited.read_text() == "mine"


def test_a_report_replaces_no_other_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "junit.xml"
    call = ["conform", "bbr3", "--quick", "--case", "startup-plateau", "--junit", str(report)]
    assert (main(call), main(call)) == (0, 0)
    report.write_text("mine")
    capsys.readouterr()
    assert main(call) == 2
    remedy = "give another name, or move it away"
    assert capsys.readouterr().err == f"vegaslab: {report}: is there and holds something else; {remedy}\n"
    assert report.read_text() == "mine"


def test_a_scenario_file_of_a_case_can_be_run(tmp_path: Path) -> None:
    main(["conform", "bbr3", *_QUICK, "-o", str(tmp_path)])
    result = vegaslab.run(tmp_path / "drain-inflight.toml")
    assert result.flows.to_pylist()[0]["goodput_mbps"] > 0


def test_a_signal_ends_one_with_an_algorithm_in_python(here: Path) -> None:
    own = Path(__file__).parents[3] / "examples" / "own-algorithm" / "aimd.py"
    command = [sys.executable, "-m", "vegaslab", "conform", str(own), "--suite", "bbr", "-o", "out"]
    before_s = ended_cpu_s()
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # the suite takes much longer
        wait_until(lambda: cpu_s(process) > 4)
        at_signal_s = cpu_s(process)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, stderr
    assert ended_cpu_s() - before_s - at_signal_s < 1
    assert list(here.iterdir()) == []


def test_qlog_tells_states_in_the_order_of_time(tmp_path: Path) -> None:
    main(["conform", "bbr3", *_QUICK, "-o", str(tmp_path)])
    trace = json.loads((tmp_path / "startup-plateau.qlog").read_text())["traces"][0]
    times = [event["time"] for event in trace["events"]]
    assert times == sorted(times)
    updates = [event for event in trace["events"] if event["name"] == "recovery:congestion_state_updated"]
    assert [event["data"]["new"] for event in updates][:2] == ["STARTUP", "DRAIN"]


def test_reno_is_judged_from_outside(capsys: pytest.CaptureFixture[str]) -> None:
    """It has no states to judge, and fills the queue until packets are lost."""
    assert main(["conform", "reno", "--quick", "--case", "startup-plateau", "--case", "drain-time", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    verdicts = [{verdict["verdict"] for verdict in case["verdicts"]} for case in report["cases"]]
    assert verdicts == [{"fail"}, {"not applicable"}]


def test_reno_is_judged_by_the_generic_suite(capsys: pytest.CaptureFixture[str]) -> None:
    """RFC 5681 lets the window grow while the application limits the sender, unlike RFC 9002, section 7.8."""
    assert main(["conform", "reno", "--suite", "generic", "--quick"]) == 1
    printed = capsys.readouterr().out
    assert "6 of 7 cases pass, 1 fail, 0 do not apply" in printed
    assert "app-limited" in printed
    assert main(["conform", "reno-linux", "--suite", "generic", "--quick"]) == 0


def test_what_fails_is_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The kernel's code drains at 0.35, not at the draft's 0.5."""
    junit = tmp_path / "junit.xml"
    assert main(["conform", "bbr3-linux", *_QUICK, "--junit", str(junit)]) == 1
    assert "pacing_gain 0.50 in DRAIN" in capsys.readouterr().out
    assert ET.parse(junit).getroot().find(".//failure") is not None


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(["bbr4"], "bbr4"), (["bbr3", "--case", "drain"], "drain"), (["bbr3", "-j", "0"], "jobs: 0 was given")],
)
def test_bad_input_is_exit_code_2(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", *arguments]) == 2
    assert named in capsys.readouterr().err


def test_several_algorithms_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    """BBR is judged by its draft's cases, others by what RFCs ask of all."""
    assert main(["conform", "reno-linux", "bbr3", "copa", "--quick"]) == 1
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert said[1:] == [
        ["reno-linux", "generic", "7", "0", "0"],
        ["bbr3", "bbr", "22", "0", "0"],
        ["copa", "generic", "5", "2", "0", "loss-response,", "collapse"],
    ]


def test_a_window_that_nothing_moves_answers_no_signal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The queue holds 480 packets behind a path of 150, so that 1000 overflow it all the time."""
    fixed = tmp_path / "fixed.py"
    fixed.write_text(
        "class Fixed:\n"
        "    def __init__(self, start):\n        self.window = 1000\n"
        "    def on_ack(self, ack):\n        pass\n"
        "    def on_loss(self, loss):\n        pass\n"
    )
    assert main(["conform", f"{fixed}:Fixed", "--quick", "--case", "responds", "--json"]) == 1
    [case] = json.loads(capsys.readouterr().out)["cases"]
    seen = "loss: no / delay: no / marks: no, with 1.00 / 1.00 / 1.00 of the window left"
    assert [(verdict["verdict"], verdict["seen"]) for verdict in case["verdicts"]] == [("fail", seen)] * 3


def test_the_table_of_what_presets_fail_is_up_to_date() -> None:
    page = conformance.PAGE.read_text(encoding="utf-8")
    assert conformance.with_table(page) == page, "make conformance writes it again: look at what changed"


def test_which_algorithm_is_asked_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["reno", "--all"]):
        assert main(["conform", *arguments]) == 2
        assert capsys.readouterr().err == "vegaslab: NAME: give an algorithm or several, or --all\n"
    assert main(["conform", "reno", "copa", "--json"]) == 2
    assert capsys.readouterr().err == "vegaslab: json: is for one algorithm; leave it out, or name one\n"

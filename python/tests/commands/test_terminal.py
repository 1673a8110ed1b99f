"""What a terminal shows: tables within its width, colour, and names that were nearly right."""

import io
import json
import os
import pty
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command
from vegaslab.measuring import linux
from vegaslab.reports import summary as report
from vegaslab.scenario.source import UnusedWarning, load
from vegaslab.util import progress, terminal

NAME = "vegas+gallop-slow-start+cubic-avoidance+no-fine-retransmit"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def shown(summary: dict[str, object], width: int, environment: pytest.MonkeyPatch) -> str:
    environment.setenv("COLUMNS", str(width))
    with terminal.shown_on(Terminal()):
        return report.report(summary)


@pytest.fixture(scope="module")
def summary() -> dict[str, object]:
    parts = {"name": NAME, "preset": "vegas", "slow_start": "gallop"}
    overrides = {"flow.0.algorithm": parts, "duration": "5s"}
    return vegaslab.run("short-transfers", set=overrides).summary


@pytest.mark.parametrize("width", [60, 80, 100, 132, 200])
def test_tables_fit_the_terminal_and_lose_nothing(
    summary: dict[str, object], width: int, environment: pytest.MonkeyPatch
) -> None:
    wide = report.report(summary)
    narrow = plain(shown(summary, width, environment))
    tables = [line for line in narrow.splitlines() if not line.startswith(("and ", "short-transfers:"))]
    assert max(map(len, tables)) <= width
    assert set(re.findall(r"[0-9.]+", wide)) == set(re.findall(r"[0-9.]+", narrow))
    assert NAME in "".join(re.findall(r"^(?:   0| {4})  (\S+)", narrow, re.MULTILINE))


def test_without_a_terminal_a_row_is_a_line_without_colour(summary: dict[str, object]) -> None:
    lines = report.report(summary).splitlines()
    assert len([line for line in lines if NAME in line]) == 1
    assert "\x1b" not in "".join(lines)


def test_colour_is_for_terminals_that_have_and_want_it(
    summary: dict[str, object], environment: pytest.MonkeyPatch
) -> None:
    assert "\x1b[1m" in shown(summary, 200, environment)
    environment.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(summary, 200, environment)
    environment.setenv("NO_COLOR", "")
    environment.setenv("TERM", "dumb")
    assert "\x1b" not in shown(summary, 200, environment)


def test_the_bottleneck_is_first_and_quiet_access_links_are_one_line(short: Path) -> None:
    lines = report.report(vegaslab.run(short).summary).splitlines()
    links = lines[next(number for number, line in enumerate(lines) if line.startswith("link ")) + 1 :]
    assert [line.split()[0] for line in links] == ["r1->r2", "r2->r1", "and"]
    assert links[-1].startswith("and 8 links more: utilisation ")
    assert links[-1].endswith("no drops")
    # an access link that loses packets has its row
    lossy = vegaslab.run(short, set={"topology.access.queue": "2p", "topology.bottleneck.rate": "1gbit"})
    assert "s0->r1" in report.report(lossy.summary)


def test_every_title_has_its_unit() -> None:
    of_themselves = {"flow", "algorithm", "timeouts", "link", "traffic", "kind"}
    units = {"s", "ms", "Mb/s", "%", "segments", "packets", "started", "completed"}
    for columns in (report.FLOW_COLUMNS, report.LINK_COLUMNS, report.TRAFFIC_COLUMNS):
        assert [title for title in columns if title not in of_themselves and title.split()[-1] not in units] == []


def test_a_command_on_a_terminal_stays_within_it(short: Path, here: Path) -> None:
    main, other = pty.openpty()
    environment = {**os.environ, "COLUMNS": "70", "TERM": "xterm", "NO_COLOR": ""}
    command = [sys.executable, "-m", "vegaslab", "run", str(short), "--no-plot"]
    with subprocess.Popen(command, stdout=other, stderr=other, cwd=here, env=environment):
        os.close(other)
        said = b""
        while True:
            try:
                said += os.read(main, 65536)
            except OSError:
                break
    os.close(main)
    text = said.decode()
    assert "\x1b[1m" in text
    assert max(len(line) for line in plain(text).splitlines() if not line.startswith(("and ", "short:"))) <= 70


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("rnu", "lossy"), "run"),
        (("run", "losy"), "lossy"),
        (("run", "lossy", "--sed", "3"), "--seed"),
        (("run", "lossy", "--set", "flow.0.algorithm=vagas"), "vegas"),
        (("run", "lossy", "--set", "topology.bottleneck.rate=50Mbit"), "50mbit"),
        (("run", "lossy", "--set", "flow.0.size=1MB"), "1mb"),
        (("run", "lossy", "--memory", "4GB"), "4gb"),
        (("list", "plan"), "plans"),
        (("explain", "galop"), "gallop"),
        (("check", "vegas-phase"), "vegas-phases"),
        (("sweep", "vegas-or-galop"), "vegas-or-gallop"),
        (("factorial", "phases"), "vegas-phases"),
        (("reproduce", "rovega"), "rovegas"),
        (("linux", "instal"), "install"),
        (("linux", "run", "lossy", "--no-ecko"), "--no-echo"),
        (("model", "galop"), "gallop"),
    ],
)
def test_what_was_nearly_right_is_answered_by_what_is(
    vegaslab: Command, arguments: tuple[str, ...], meant: str
) -> None:
    done = vegaslab(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f'did you mean "{meant}"?' in done.stderr


def test_plans_are_listed_checked_and_used_by_name(vegaslab: Command, here: Path) -> None:
    listed = [line.split()[0] for line in vegaslab("list", "plans").stdout.splitlines()[1:]]
    assert "vegas-or-gallop" in listed
    for name in listed:
        assert vegaslab("check", name).stdout.startswith(f"{name}: good: plan {name}, "), name
    done = vegaslab("sweep", "vegas-or-gallop", "--dry-run")
    assert done.stdout.startswith("vegas-or-gallop: 4 cells x 5 seeds")
    own = here / "own.toml"
    own.write_text('scenario = "lossy"\n[grid]\n"flow.0.alpa" = [1]\n')
    assert "did you mean" in vegaslab("check", "own.toml").stderr


def test_no_plan_is_named_as_a_scenario_is() -> None:
    assert not set(vegaslab.shipped_plans()) & set(vegaslab.shipped_scenarios())


def test_a_parameter_without_effect_is_a_warning(vegaslab: Command) -> None:
    done = vegaslab("run", "lossy", "--json", "--set", "flow.0.algorithm=reno", "--set", "flow.0.alpha=2")
    assert done.returncode == 0
    assert json.loads(done.stdout)["scenario"] == "lossy"
    assert done.stderr.endswith("flow.0.alpha: has no effect: reno does not look at it\n")
    assert done.stderr.count("\n") == 1


def test_python_warns_of_it_too() -> None:
    overrides = {"flow.0.algorithm": "cubic", "flow.0.gamma": 2, "duration": "1s"}
    with pytest.warns(UnusedWarning, match=r"flow\.0\.gamma: has no effect: cubic does not look at it"):
        vegaslab.run("lossy", set=overrides)


def test_no_shipped_scenario_has_a_parameter_without_effect() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in vegaslab.shipped_scenarios():
            assert load(name).warnings() == [], name


def test_linux_run_prints_the_table_that_run_prints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a program in the place of the kernel's that answers with a simulated summary."""
    lateness = {f"lateness_{name}_us": 1.0 for name in ("median", "p99", "max", "bound")}
    summary = vegaslab.run("lossy", set={"duration": "5s"}).summary | {"linux": {**lateness, "trustworthy": True}}
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps(summary))
    program = tmp_path / "vegas-linux"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{tmp_path}/arguments\ncat {answer}\n')
    program.chmod(0o755)
    monkeypatch.setattr(linux, "program", lambda: str(program))
    monkeypatch.chdir(tmp_path)
    from vegaslab.commands import cli

    assert cli.main(["linux", "run", "lossy", "--set", "duration=5s", "--seed", "3", "--csv"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(report.report(summary))
    assert "the router was late by 1 us" in said
    assert said.endswith("results: results/lossy-linux\n")
    given = (tmp_path / "arguments").read_text().split()
    assert given[0] == "run"
    assert given[2:] == [
        *("--set", "duration=5s", "--set", "seed=3", "--csv", "--output", "results/lossy-linux"),
        *("--json", "--with-parent"),
    ]  # fmt: skip
    assert cli.main(["linux", "run", "lossy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == summary
    assert "--output" not in (tmp_path / "arguments").read_text()


def test_progress_into_a_pipe_is_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now_s)
    shown = progress.Progress(100.0, "run: ")
    for second in range(150):
        now_s = float(second)
        shown(second / 2)
    assert capsys.readouterr().err == "run:  30 % of 100 s\nrun:  60 % of 100 s\n"

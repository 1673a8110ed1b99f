"""Nothing of a user's is lost: folders, files, and results when pictures cannot be drawn."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vegaslab
from documentation import ROOT
from tests.conftest import TIMEOUT_S, prepared
from vegaslab.commands.cli import main
from vegaslab.papers.judging.errors import PapersError
from vegaslab.papers.report.reproduce import reproduce
from vegaslab.reports import figure, sheet
from vegaslab.reports.panels import panels
from vegaslab.runs.result import KeptResult
from vegaslab.scenario.source import load
from vegaslab.sweeps.dataset import Dataset, remove_dataset
from vegaslab.sweeps.plans.plan import Plan
from vegaslab.sweeps.sweep import sweep
from vegaslab.util.folder import FolderError, check_folder, whole_folder

ONE_SECOND = {"duration": "1s"}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        file = folder / name.replace("__", "/").replace("_DOT_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def plan(short: Path) -> Plan:
    return Plan(str(short), grid={"duration": ["1s"], "topology.bottleneck.queue": ["5p", "9p"]}, name="short")


@pytest.mark.parametrize("command", [["run"], ["compare", "-a", "reno"], ["compare", "-a", "reno", "--seeds", "2"]])
def test_another_programs_folder_is_never_replaced(
    command: list[str], short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A manifest of another program is none of ours, whatever its name."""
    theirs = write(
        tmp_path / "d", manifest_DOT_json='{"name":"my web app"}', measurements_DOT_csv="a", sub__thesis_DOT_png="x"
    )
    before = contents(theirs)
    assert main([*command, str(short), "--set", "duration=1s", "-o", str(theirs)]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "manifest.json" in said
    assert contents(theirs) == before


def test_what_each_command_writes_it_replaces_and_a_stranger_in_it_is_named(short: Path, tmp_path: Path) -> None:
    common = [str(short), "--set", "duration=1s"]
    commands = {
        "run": ["run", *common, "--csv", "--pcapng"],
        "compare": ["compare", *common, "-a", "reno", "-a", "vegas"],
        "seeds": ["compare", *common, "-a", "reno", "-a", "vegas", "--seeds", "2", "--csv"],
    }
    for name, command in commands.items():
        out = tmp_path / name
        for _ in range(2):
            assert main([*command, "-o", str(out)]) == 0
        for stranger in (out / "thesis.png", out / "reno" / "notes.md"):
            if stranger.parent.is_dir():
                stranger.write_text("years of work")
                with pytest.raises(FolderError, match=stranger.name):
                    check_folder(out)
                stranger.unlink()
        check_folder(out)
    assert {path.name for path in tmp_path.iterdir()} == {*commands, short.name}


def test_results_of_real_sockets_do_not_mix_with_what_is_there(short: Path, tmp_path: Path) -> None:
    scenario = load(short, set=ONE_SECOND)
    measured = vegaslab.run(short, set=ONE_SECOND).write(tmp_path / "measured")
    theirs = write(tmp_path / "theirs", notes_DOT_md="x")
    with pytest.raises(FolderError, match=r"notes\.md"):
        KeptResult(measured, {}, scenario).write(theirs)
    assert contents(theirs) == {"notes.md": b"x"}
    KeptResult(measured, {}, scenario).write(tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(measured)


def test_a_folder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), whole_folder(tmp_path / "a" / "b") as folder:
        (folder / "flows.csv").rename(folder / "links.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_keeps_out_of_folders_of_others(short: Path, tmp_path: Path) -> None:
    theirs = write(tmp_path / "theirs", plan_DOT_json='{"name": "my plan"}')
    with pytest.raises(FolderError, match=r"plan\.json"):
        sweep(plan(short), theirs)
    assert contents(theirs) == {"plan.json": b'{"name": "my plan"}'}

    ours = tmp_path / "ours"
    sweep(plan(short), ours, jobs=1)
    write(ours, draft_DOT_new="years of work", runs__00000_DOT_new="torn")
    sweep(plan(short), ours, jobs=1)
    assert (ours / "draft.new").read_text() == "years of work"
    assert not (ours / "runs" / "00000.new").exists()
    remove_dataset(ours)
    assert (ours / "draft.new").exists()
    for name in ("runs__mine_DOT_parquet", "earlier__mine_DOT_csv", "flow_series__mine_DOT_parquet"):
        write(ours, **{name: "x"})
        before = contents(ours)
        with pytest.raises(FolderError, match="mine"):
            Dataset(ours, plan(short)).__enter__()
        assert contents(ours) == before
        next(ours.rglob("mine.*")).unlink()


def test_a_sweep_that_was_killed_at_its_start_goes_on(short: Path, tmp_path: Path) -> None:
    for files in ({}, {"_DOT_lock": ""}, {"_DOT_lock": "", "plan_DOT_new": '{"gen'}):
        folder = write(tmp_path / f"killed-{len(files)}", **files)
        (folder / "runs").mkdir(parents=True, exist_ok=True) if files else None
        assert sweep(plan(short), folder, jobs=1).made == 2


def test_a_report_keeps_out_of_folders_of_others(tmp_path: Path) -> None:
    for name, files in {
        "web": {"index_DOT_html": "<p>my page</p>", "cache__0123456789abcdef01234567_DOT_json": "{}"},
        "claims": {"claims_DOT_json": "[]", "cache__0123456789abcdef01234567_DOT_json": "{}"},
        "cache": {"cache__thesis_DOT_json": "{}"},
    }.items():
        theirs = write(tmp_path / name, **files)
        before = contents(theirs)
        with pytest.raises((PapersError, FolderError)):
            reproduce(["G-fig8"], theirs, quick=True)
        assert contents(theirs) == before


def test_qlog_files_of_an_earlier_measurement_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "client-1-reno.sqlog").write_text("measured")
    (tmp_path / "server-1.sqlog").write_text("measured")
    fetch = ["fetch", "127.0.0.1:9", "1mb", "-a", "reno", "--fingerprint", "00"]
    for command in (fetch, ["serve", "--listen", "127.0.0.1:0"]):
        assert main(["quic", *command, "--qlog", str(tmp_path)]) == 2
        assert "-1" in capsys.readouterr().err


# --- pictures ---


def test_a_picture_that_fails_costs_a_line(
    short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("Axis limits\ncannot be NaN")

    monkeypatch.setattr(figure, "draw", fail)
    assert main(["run", str(short), "--set", "duration=1s", "--plot", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert said.err == "vegaslab: picture: cannot be drawn: Axis limits cannot be NaN; all tables are written\n"
    assert f"picture: {tmp_path}/out/picture.html" in said.out
    assert {"manifest.json", "flows.parquet", "picture.html"} <= {path.name for path in (tmp_path / "out").iterdir()}


@pytest.mark.parametrize(
    "values",
    [
        {"flow.0.size": "1kb", "sample": "1s"},
        {"sample": "off"},
        {"flow.0.start": "900ms", "duration": "1s"},
        {"duration": "1ns"},
        {"duration": "1ms", "sample": "1s"},
    ],
)
def test_hardly_any_samples_are_drawn(values: dict[str, str], tmp_path: Path) -> None:
    result = vegaslab.run("gallop-50mbit", set={"duration": "2s", **values})
    result.plot(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    assert "<html" in result.html()


@pytest.mark.parametrize("name", [r"$\frac{", "a$b$c", "_under_", "50%", "<b>&amp;", "x" * 3000, "\\", ""])
def test_any_name_is_drawn_as_it_is(name: str, short: Path, tmp_path: Path) -> None:
    drawn = sheet.sheet_of_run(vegaslab.run(short, set=ONE_SECOND))
    links = tuple(replace(link, link=name, label=name) for link in drawn.bottlenecks)
    groups = tuple(replace(group, label=name) for group in drawn.groups)
    named = replace(drawn, title=name, bottlenecks=links, groups=groups)
    figure.save(figure.draw(named, panels(named)), tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 10_000


@pytest.mark.parametrize("values", [[], [np.nan], [0.0], [np.inf], [np.nan, 3.0]])
def test_any_values_are_drawn(values: list[float], short: Path, tmp_path: Path) -> None:
    drawn = sheet.sheet_of_run(vegaslab.run(short, set=ONE_SECOND))
    line = sheet.Line(time_s=np.arange(float(len(values))), values=np.array(values))
    flow = sheet.FlowLines(
        cwnd_segments=line,
        ssthresh_segments=line,
        rtt_ms=line,
        base_rtt_ms=line,
        throughput_mbps=line,
        slow_start_end=None,
    )
    link = replace(drawn.bottlenecks[0], packets=line, peak_packets=line, drops_s=np.empty(0), drops=0)
    strange = replace(drawn, groups=(sheet.Group(label="", colour=0, flows=(flow,)),), bottlenecks=(link,))
    figure.save(figure.draw(strange, panels(strange)), tmp_path / "picture.png")


# --- words that are no text, files that are not to be quoted, interruptions ---


def test_half_a_character_is_one_line(short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--set", "name=\udcff"], ["--seed", "\udcff"], ["--set", "\udcff=1"]):
        assert main(["run", str(short), *arguments]) == 2
        said = capsys.readouterr().err
        assert len(said.splitlines()) == 1
        assert "UTF-8" in said
    strange = short.with_name("p\udcff.toml")
    shutil.copy(short, strange)
    assert main(["check", str(strange)]) == 0
    with pytest.raises(vegaslab.ScenarioError, match="UTF-8"):
        vegaslab.run("name = '\udc80'\n")


def test_a_file_that_is_no_trace_is_not_quoted(short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short.with_name("secret").write_text("root:$y$j9T:19000\n12\n")
    text = short.read_text().replace('bottleneck = { rate = "10mbit"', 'bottleneck = { rate = { trace = "secret" }')
    short.write_text(text)
    assert main(["check", str(short)]) == 2
    said = capsys.readouterr().err
    assert "line 1" in said
    assert "milliseconds" in said
    assert "j9T" not in said


def test_ctrl_c_while_the_interpreter_starts_has_no_traceback(tmp_path: Path) -> None:
    """The launcher holds it back, the program lets it through: here it comes before the interpreter begins."""
    start = tmp_path / "vegaslab-start"
    start.write_text(f'#!/bin/sh\nkill -INT $$\nexec {sys.executable} -m vegaslab "$@"\n')
    start.chmod(0o755)
    launcher = tmp_path / "vegaslab"
    launcher.write_bytes((ROOT / "launcher" / "scripts" / "vegaslab").read_bytes())
    launcher.chmod(0o755)
    linked = tmp_path / "linked"
    linked.symlink_to(launcher)
    for command in (launcher, linked):
        done = subprocess.run([command, "list", "algorithms"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_without_a_way_to_hold_ctrl_c_back_the_launcher_starts_all_the_same(tmp_path: Path) -> None:
    start = tmp_path / "vegaslab-start"
    start.write_text('#!/bin/sh\necho "started $1"\n')
    start.chmod(0o755)
    old = tmp_path / "bin" / "env"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\nexit 125\n")
    old.chmod(0o755)
    launcher = tmp_path / "vegaslab"
    launcher.write_bytes((ROOT / "launcher" / "scripts" / "vegaslab").read_bytes())
    launcher.chmod(0o755)
    path = f"{old.parent}:{os.environ['PATH']}"
    done = subprocess.run([launcher, "run"], env={"PATH": path}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "started run\n", "")


def test_ctrl_c_while_libraries_load_has_no_traceback(here: Path) -> None:
    """From the first line that is vegaslab's on."""
    code = (
        "import sys, os, signal; sys.argv[0] = 'vegaslab'\n"
        "import vegaslab.__main__ as begin\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == os.environ['AT']: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.exit(begin.main())"
    )
    for module in (
        "vegaslab.commands.cli",
        "json",
        "vegaslab.util.errors",
        "matplotlib",
        "pyarrow",
        "jinja2",
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, "run", "gallop-50mbit", "--set", "duration=1s", "--plot"],
            cwd=here,
            env={"AT": module, "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (-signal.SIGINT, 130), done.stderr
        assert "Traceback" not in done.stderr
        assert len(done.stderr.splitlines()) <= 1


def test_the_campaign_in_small() -> None:
    """`make crash` kills 200 calls; here a few, and each kind of full disk."""
    command = [sys.executable, "-m", "reliability", "--points", "9", "--full", "1", "--only", "sweep,seeds,cached"]
    done = subprocess.run(command, cwd=ROOT / "python", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_where_files_run_out_no_folder_is_left(short: Path, here: Path) -> None:
    says = set()
    for files in range(7, 12):
        limit = (
            f"import resource; from vegaslab import compare; resource.setrlimit(resource.RLIMIT_NOFILE, ({files},) * 2)"
        )
        command = prepared(limit, ["compare", short, "-a", "vegas", "-a", "reno", "-o", "out", "--no-plot"])
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
        says.add(done.returncode)
        assert {path.name for path in here.iterdir()} <= {"out"}, (files, done.stderr)
    assert 0 in says


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], ["list", "algorithms"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output_is_one_line(arguments: list[str], unbuffered: str) -> None:
    """Python writes what it has kept once more when it ends."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "vegaslab", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "standard output: No space left on device; " in done.stderr

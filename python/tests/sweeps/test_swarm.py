"""Swarms: whatever happens to one, its result is one. The program is a script that says what the real one would."""

import json
import resource
import sys
from pathlib import Path

import pytest

from vegaslab import _vegaslab
from vegaslab.commands import cli
from vegaslab.sweeps.swarm import batches as swarms

# networks of which the number ends in 7 fail, and with a file `die` beside it network 60 ends the program
SCRIPT = f"""\
#!{sys.executable}
import json, os, pathlib, sys
if "--version" in sys.argv:
    print("vegaslab-swarm {_vegaslab.version}")
elif sys.argv[1] == "show":
    print('name = "network-' + sys.argv[-1] + '"')
else:
    first, count = int(sys.argv[5]), int(sys.argv[7])
    for number in range(first, first + count):
        print(json.dumps({{"network": number}}), flush=True)
        if number == 60 and pathlib.Path(sys.argv[0]).with_name("die").exists():
            os.abort()
        line = {{"verdict": "held", "events": 3, "compared": ["twice"]}}
        if number % 10 == 7:
            toml, traces = 'name = "small"\\n', {{"a.txt": "1\\n"}}
            line = {{"verdict": "failed", "check": "no_stall", "place": "", "message": "silent"}}
            line |= {{"toml": toml, "traces": traces}}
        print(json.dumps(line), flush=True)
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script, in place of the program."""
    path = tmp_path / "vegaslab-swarm"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    monkeypatch.setattr(swarms, "program", lambda: path)
    return path


def run(folder: Path, *options: str) -> int:
    return cli.main(["swarm", "-o", str(folder), "-j", "2", *options])


def totals(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    summary = json.loads(capsys.readouterr().out)
    return {key: value for key, value in summary.items() if key not in ("cpu_s", "folder")}


def test_findings_are_kept_and_the_swarm_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "s", "--networks", "40", "--json") == 1
    assert totals(capsys)["networks"] == 50
    found = tmp_path / "s" / "findings" / "17-no_stall.toml"
    assert found.read_text() == '# network 17 of seed 1: no_stall\n# silent\nname = "small"\n'
    assert (found.parent / "a.txt").read_text() == "1\n"
    found.unlink()
    assert run(tmp_path / "s", "--networks", "120", "--json") == 1
    gone_on = totals(capsys)
    assert not found.exists(), "a batch that was there is made again"
    assert run(tmp_path / "t", "--networks", "120", "--json") == 1
    assert gone_on == totals(capsys)
    assert (gone_on["held"], gone_on["failed"], gone_on["compared"]) == (135, 15, {"twice": 135})


def test_half_a_line_is_no_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "s", "--networks", "100", "--json")
    whole = totals(capsys)
    batches = tmp_path / "s" / "batches.jsonl"
    batches.write_text(batches.read_text()[:-20])
    run(tmp_path / "s", "--networks", "100", "--json")
    assert totals(capsys) == whole
    assert len(batches.read_text().splitlines()) == 2


def test_a_network_that_ends_the_program_is_a_finding(
    tmp_path: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.with_name("die").touch()
    run(tmp_path / "s", "--networks", "100", "--json")
    summary = totals(capsys)
    assert (summary["networks"], summary["held"], summary["failed"]) == (100, 89, 11)
    text = (tmp_path / "s" / "findings" / "60-no_end.toml").read_text()
    assert "the program ended with -6" in text
    assert 'name = "network-60"' in text


def test_a_network_that_never_ends_is_given_up(
    tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # longer than a verdict takes on a busy machine
    monkeypatch.setattr(swarms, "_SILENT_S", 20.0)
    program.write_text(SCRIPT.replace("os.abort()", "sys.stdin.read() if False else __import__('signal').pause()"))
    program.with_name("die").touch()
    run(tmp_path / "s", "--networks", "100", "--json")
    assert totals(capsys)["held"] == 89
    assert "no verdict after 20 s" in (tmp_path / "s" / "findings" / "60-no_end.toml").read_text()


def test_another_swarm_or_folder_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "s", "--networks", "10")
    assert run(tmp_path / "s", "--networks", "10", "--seed", "2") == 2
    assert "give another folder" in capsys.readouterr().err
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("x")
    assert run(other, "--networks", "10") == 2
    assert [path.name for path in other.iterdir()] == ["mine.txt"]


def test_a_swarm_of_one_relation_is_another_swarm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "s", "--networks", "10", "--relation", "reference")
    assert json.loads((tmp_path / "s" / "swarm.json").read_text())["relation"] == "reference"
    assert run(tmp_path / "s", "--networks", "10") == 2
    assert "give another folder" in capsys.readouterr().err


def test_an_unknown_relation_is_refused_in_one_line(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_text(SCRIPT.replace("import json,", "import sys; sys.exit('error: no relation')\nimport json,"))
    assert run(tmp_path / "s", "--relation", "mine") == 2
    assert capsys.readouterr().err == "vegaslab: no relation\n"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--networks", "0"], "--networks: 0 was given; at least 1"),
        (["--seed", "-1"], "--seed: -1 was given; 64 bits, 0 or more"),
        (["--on", "here"], 'jobs: goes with on "local"'),
    ],
)
def test_bad_options(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], complaint: str) -> None:
    assert run(tmp_path / "s", *options) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_a_full_disk_is_one_line_and_the_same_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (0, 100):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        try:
            code = run(tmp_path / "s", "--networks", "500")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        said = capsys.readouterr().err
        assert (code, len(said.splitlines())) == (1, 1)
        assert said.startswith(f"vegaslab: {tmp_path / 's'}")
        assert ": cannot be written: File too large; " in said
    run(tmp_path / "s", "--networks", "500", "--json")
    assert totals(capsys)["networks"] == 500


def test_ctrl_c_keeps_what_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add = swarms.Swarm.add

    def interrupted(self: swarms.Swarm, *arguments: object) -> None:
        add(self, *arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(swarms.Swarm, "add", interrupted)
        assert run(tmp_path / "s", "--networks", "500") == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert len((tmp_path / "s" / "batches.jsonl").read_text().splitlines()) == 1
    run(tmp_path / "s", "--networks", "500", "--json")
    assert totals(capsys)["networks"] == 500

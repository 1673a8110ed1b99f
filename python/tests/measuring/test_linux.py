"""`vegaslab linux`: what it says without its program, and what it compares. The kernel's side is tested in Rust."""

import re
import sys
from pathlib import Path

import pytest

from documentation import ROOT
from vegaslab.commands import cli
from vegaslab.measuring import linux


def test_without_its_program_it_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 2; the rest of vegaslab does not need it."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    for arguments in (["linux", "status"], ["linux", "compare", "gallop-50mbit"]):
        assert cli.main(arguments) == 2
        assert capsys.readouterr().err == (
            "vegaslab: vegas-linux is not installed: pip install --find-links FOLDER 'vegaslab[linux]', with the "
            "folder of vegaslab's wheels, or `make linux` in the sources (docs/install.md)\n"
        )


def test_differences_are_linux_less_the_simulator() -> None:
    """A quantity that one of them lacks has no difference."""
    keys = [key for key, _ in linux._COMPARED]
    simulated = {"algorithm": "gallop", **dict.fromkeys(keys, 2.0)}
    measured = {**simulated, keys[0]: 3.5, keys[1]: None}
    lines = linux.differences([simulated], [measured]).splitlines()
    assert lines[1].split()[-3:] == ["2.000", "3.500", "+1.500"]
    assert lines[2].split()[-3:] == ["2.000", "-", "-"]


def test_every_action_that_the_documentation_shows_is_one() -> None:
    """Some are the program's, and only named here."""
    text = (ROOT / "docs" / "linux.md").read_text(encoding="utf-8")
    actions = set(re.findall(r"vegaslab linux ([a-z]+)", text))
    assert {"install", "echo", "watch", "run", "receive"} <= actions
    for action in actions:
        options = cli._parser().parse_args(["linux", action, *(["x.toml"] if action in ("compare", "run") else [])])
        assert callable(options.action), action

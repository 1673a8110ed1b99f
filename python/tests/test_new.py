"""`vegaslab new`: what it writes runs and passes its own test, and what it refuses is named in one line."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TIMEOUT_S

from vegaslab.commands.cli import main


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_it_writes_runs_and_passes_its_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "my-idea"]) == 0
    assert main(["run", "my-idea/scenario.toml", "--no-plot"]) == 0
    assert "MyIdea" in capsys.readouterr().out
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "my-idea"], capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert "2 passed" in tested.stdout, tested.stdout + tested.stderr


def test_its_algorithm_is_compared_with_a_preset(capsys: pytest.CaptureFixture[str]) -> None:
    main(["new", "my-idea"])
    arguments = ["compare", "my-idea/scenario.toml", "-a", "my-idea/algorithm.py", "-a", "vegas", "--no-plot"]
    assert main(arguments) == 0
    assert "MyIdea" in capsys.readouterr().out


def test_an_existing_folder_is_left_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine").mkdir()
    assert main(["new", "mine"]) == 2
    assert capsys.readouterr().err == "vegaslab: mine: exists already; give another name\n"
    assert list(Path("mine").iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "a/b", "Mine", "1st", "my_idea", "a--b", "none", "a" * 41, "a\n"])
def test_other_names_are_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", name]) == 2
    assert "is no name for an algorithm" in capsys.readouterr().err
    assert list(Path().iterdir()) == []

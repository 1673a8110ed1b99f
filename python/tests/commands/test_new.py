"""`vegaslab new`: what it writes runs and passes its own test, and what it refuses is named in one line."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from documentation import ROOT
from tests.conftest import TIMEOUT_S
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


@pytest.mark.parametrize("preset", ["reno", "vegas"])
def test_it_begins_as_a_preset(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "my-idea", "--from", preset]) == 0
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "my-idea"], capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert "2 passed" in tested.stdout, tested.stdout + tested.stderr
    capsys.readouterr()
    table = f'grown={{ python = "my-idea/algorithm.py:MyIdea", preset = "{preset}" }}'
    assert main(["compare", "lossy", "-a", table, "-a", preset, "--set", "duration=2s", "--json"]) == 0
    own, other = json.loads(capsys.readouterr().out)["runs"].values()
    assert own["flows"][0]["segments_retransmitted"] == other["flows"][0]["segments_retransmitted"] > 0
    assert own["flows"][0]["algorithm"] == "grown"
    assert main(["new", "other", "--from", preset, "--language", "rust"]) == 2


WITHOUT_CLANG = pytest.mark.skipif(
    not any(shutil.which(f"wasm-ld{version}") for version in ("", *(f"-{number}" for number in range(14, 41)))),
    reason="no wasm-ld; apt-get install clang lld gives one",
)


@WITHOUT_CLANG
def test_what_it_writes_in_c_is_built_and_passes_its_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "my-idea", "--language", "wasm"]) == 0
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "my-idea"], capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert "2 passed" in tested.stdout, tested.stdout + tested.stderr
    assert main(["run", "my-idea/scenario.toml", "--no-plot"]) == 0
    assert "my-idea" in capsys.readouterr().out


def test_c_without_a_compiler_is_a_line(tmp_path: Path) -> None:
    main(["new", "my-idea", "--language", "wasm"])
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "seq"):
        (tools / name).symlink_to(shutil.which(name) or name)
    built = subprocess.run(
        [str(tools / "sh"), "my-idea/build.sh"],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert (built.returncode, built.stderr) == (1, "missing: clang (Debian: apt-get install clang)\n")


def test_what_it_writes_in_rust_names_the_checkout(capsys: pytest.CaptureFixture[str]) -> None:
    """`make test-new` builds it and runs its tests."""

    assert main(["new", "my-idea", "--language", "rust", "--vegaslab", str(ROOT)]) == 0
    crates = re.findall(r'path = "(.*)"', Path("my-idea/Cargo.toml").read_text())
    assert [Path(crate).is_dir() for crate in crates] == [True, True]
    assert "{{" not in "".join(file.read_text() for file in Path("my-idea").rglob("*.*") if file.name != "Cargo.lock")
    assert main(["new", "other", "--language", "rust", "--vegaslab", "my-idea"]) == 2
    assert "my-idea: is no checkout of vegaslab; --vegaslab PATH names one" in capsys.readouterr().err
    assert not Path("other").exists()


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

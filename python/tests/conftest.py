"""What the tests share."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SHORT = """\
name = "short"
duration = "3s"
seed = 1

[topology]
kind = "dumbbell"
access = { rate = "100mbit", delay = "1ms" }
bottleneck = { rate = "10mbit", delay = "8ms", queue = "10p" }

[[flow]]
algorithm = "reno"

[[flow]]
algorithm = "vegas"
start = "500ms"
"""

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A file of three seconds, two flows and a queue that overflows."""
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    return path


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The empty folder in which the command runs."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


@pytest.fixture
def vegaslab(here: Path) -> Command:
    """Runs the command."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "vegaslab", *map(str, arguments)]
        return subprocess.run(command, cwd=here, capture_output=True, text=True, check=False, timeout=60)

    return run

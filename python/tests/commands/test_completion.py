"""`vegaslab completion` in the shells themselves."""

import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import TIMEOUT_S

SHELLS = ("bash", "zsh", "fish")
# a line as far as it is typed, and what is offered for its last word
CASES = {
    "vegaslab exp": "explain",
    "vegaslab ne": "new",
    "vegaslab explain strea": "streak",
    "vegaslab run gallop-50mbit-q": "gallop-50mbit-queue30",
    "vegaslab run papers/revisited-wa": "papers/revisited-wan",
    "vegaslab run mine-too.to": "mine-too.toml",
    "vegaslab compare lossy -a vegas-19": "vegas-1994",
    "vegaslab run lossy --no-p": "--no-plot",
    "vegaslab reproduce G-fig4-g": "G-fig4-gallop",
    "vegaslab linux comp": "compare",
    "vegaslab run lossy --set flow.0.gam": "flow.0.gamma=",
    "vegaslab analyse results -r good": "goodput_mbps",
}


def _present(shell: str) -> None:
    if shutil.which(shell) is None:
        assert os.environ.get("CI") != "true", f"CI installs {shell}"
        pytest.skip(f"{shell} is not installed")


@pytest.fixture(scope="module", params=SHELLS)
def script(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    shell: str = request.param
    _present(shell)
    made = subprocess.run(
        [sys.executable, "-m", "vegaslab", "completion", shell], capture_output=True, text=True, check=True
    )
    # zsh finds it by this name, in a folder of its path
    path = tmp_path_factory.mktemp(shell) / ("_vegaslab" if shell == "zsh" else f"vegaslab.{shell}")
    path.write_text(made.stdout)
    (path.parent / "mine-too.toml").touch()
    return path


def test_the_shell_completes(script: Path) -> None:
    offered = {".bash": _bash, "": _zsh, ".fish": _fish}[script.suffix](script)
    assert {line: wanted for line, wanted in CASES.items() if wanted not in offered[line]} == {}, offered


def _bash(script: Path) -> dict[str, list[str]]:
    def asked(line: str) -> str:
        words = line.split()
        return f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _shtab_vegaslab; " + r'echo "${COMPREPLY[@]}"'

    said = _said(script, ["bash", "--norc", "-c", "\n".join([f"source {script}", *map(asked, CASES)])])
    return {line: offers.split() for line, offers in zip(CASES, said.splitlines(), strict=True)}


def _fish(script: Path) -> dict[str, list[str]]:
    # an offer's description follows it
    asked = [f"echo (complete -C '{line}')" for line in CASES]
    said = _said(script, ["fish", "--no-config", "-c", "\n".join([f"source {script}", *asked])])
    return {line: offers.split() for line, offers in zip(CASES, said.splitlines(), strict=True)}


def _said(script: Path, command: list[str]) -> str:
    return subprocess.run(
        command, cwd=script.parent, capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    ).stdout


def _zsh(script: Path) -> dict[str, list[str]]:
    """zsh completes only what is typed: a terminal, the line, the tab key, and what the line then is."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(script.parent)
        os.environ.update(TERM="dumb", PS1="")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        ready = f"fpath=({script.parent} $fpath); autoload -Uz compinit; compinit -D -u; echo re''ady\n"
        os.write(terminal, ready.encode())
        _read_until(terminal, "ready")
        return {line: _completed(terminal, line) for line in CASES}
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def _completed(terminal: int, line: str) -> list[str]:
    # once it is completed, the line becomes what echo says
    os.write(terminal, f"{line}\t\x01echo \x05 do''ne\n".encode())
    return _read_until(terminal, "done").split()


def _read_until(terminal: int, mark: str) -> str:
    text, ends = "", time.monotonic() + TIMEOUT_S
    while mark not in text:
        assert time.monotonic() < ends, text
        text += os.read(terminal, 4096).decode(errors="replace")
    return text


def test_another_shell_is_refused_in_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vegaslab", "completion", "ksh"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert 'did you mean "zsh"?' in done.stderr

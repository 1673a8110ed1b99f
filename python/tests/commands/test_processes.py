"""What only shows in a process of its own: signals, pipes, terminals, start-up."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import TIMEOUT_S, Command, cpu_s, ended_cpu_s

COMMAND = [sys.executable, "-m", "vegaslab"]
FOR_AGES = ["--set", "duration=500000s", "--set", "sample=off"]


def test_an_unwritable_folder_is_found_before_the_run(vegaslab: Command, short: Path) -> None:
    before_s = ended_cpu_s()
    for folder in (short / "under" / "a" / "file", "/proc/results"):
        done = vegaslab("run", short, *FOR_AGES, "-o", folder)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert str(folder) in done.stderr
    assert ended_cpu_s() - before_s < 10


@pytest.mark.parametrize(("signal_", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_within_a_second_and_leaves_nothing(
    short: Path, here: Path, signal_: signal.Signals, code: int
) -> None:
    command = [*COMMAND, "run", str(short), *FOR_AGES]
    before_s = ended_cpu_s()
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + TIMEOUT_S
        while not list(here.glob("results/.short.*")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(0.3)
        assert process.poll() is None
        at_signal_s = cpu_s(process)
        process.send_signal(signal_)
        out, err = process.communicate(timeout=TIMEOUT_S)
    assert ended_cpu_s() - before_s - at_signal_s < 1
    assert (process.returncode, out, err) == (code, "", "vegaslab: interrupted; nothing was written\n")
    assert list(here.iterdir()) == []


def test_a_reader_that_leaves_is_no_accident() -> None:
    # no byte is read and the pipe is closed before the command writes to it
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = subprocess.run(
            [*COMMAND, "schema"], stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=TIMEOUT_S
        )
    assert done.returncode == 1
    assert done.stderr == b""


def test_a_long_run_tells_a_terminal_how_far_it_is(short: Path) -> None:
    terminal, stderr = pty.openpty()
    command = [*COMMAND, "run", str(short), *FOR_AGES, "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr) as process:
        os.close(stderr)
        said = b""
        while b"% of 500000 s" not in said:
            said += os.read(terminal, 4096)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=TIMEOUT_S) == 130
    os.close(terminal)


def test_a_short_run_starts_without_the_heavy_libraries(short: Path) -> None:
    code = (
        "import sys; from vegaslab.commands.cli import main; main(['run', sys.argv[1], '--json']);"
        "sys.exit(' '.join({'numpy', 'pyarrow', 'pandas', 'matplotlib'} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code, str(short)], stdout=subprocess.DEVNULL, check=True)


def test_a_report_that_is_interrupted_keeps_its_finished_runs(here: Path) -> None:
    command = [*COMMAND, "reproduce", "G-fig8", "-o", "report"]
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + TIMEOUT_S
        while not list(here.glob("report/cache/*.json")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, out) == (130, "")
    assert "finished runs are kept in report" in err
    assert len(err.splitlines()) == 1
    assert {path.suffix for path in here.glob("report/cache/*")} == {".json"}
    assert not (here / "report" / "index.html").exists()

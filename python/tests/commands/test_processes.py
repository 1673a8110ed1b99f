"""What only shows in a process of its own: signals, pipes, terminals, start-up."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import FOR_AGES, TIMEOUT_S, cpu_s, ended_cpu_s, interrupted, prepared, under_way

COMMAND = [sys.executable, "-m", "vegaslab"]


def test_an_unwritable_folder_is_found_before_the_run(short: Path) -> None:
    no_run = "from vegaslab import _vegaslab; _vegaslab.run = lambda *_: sys.exit('there is a run')"
    for folder in (short / "under" / "a" / "file", "/proc/results"):
        command = prepared(no_run, ["run", short, "-o", folder])
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert str(folder) in done.stderr
    command = prepared(no_run, ["run", short, "-o", short.parent / "out"])
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.stderr == "there is a run\n"


@pytest.mark.parametrize(("signal_", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_within_a_second_and_leaves_nothing(
    short: Path, here: Path, signal_: signal.Signals, code: int
) -> None:
    before_s = ended_cpu_s()
    with under_way(["run", short], here) as process:
        assert list(here.glob("results/.short.*"))
        at_signal_s = cpu_s(process)
        process.send_signal(signal_)
        out, err = process.communicate(timeout=TIMEOUT_S)
    # a slow machine's second is as long as the command's start: CPU time, which other work does not change
    assert ended_cpu_s() - before_s - at_signal_s < 1 + at_signal_s
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
    done = interrupted(["reproduce", "G-fig8", "-o", "report"], 20, signal.SIGINT, folder=here)
    assert (done.returncode, done.stdout) == (130, "")
    assert "finished runs are kept in report" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(here.glob("report/cache/*.json"))
    assert {path.suffix for path in here.glob("report/cache/*")} == {".json"}
    assert not (here / "report" / "index.html").exists()

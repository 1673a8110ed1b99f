"""Live connections drawn on a terminal."""

import io
import json
import signal
import subprocess
import sys
from typing import Any

from tests.conftest import TIMEOUT_S
from vegaslab.measuring.watching import Screen, draw_steps, sparkline


def row(flow: int, window: float, **other: Any) -> dict[str, Any]:
    """A connection."""
    return {
        "flow": flow,
        "algorithm": "vegas_gallop",
        "local": "127.0.0.1:4000",
        "remote": "127.0.0.1:5001",
        "phase": "slow-start",
        "cwnd_segments": window,
        "ssthresh_segments": None,
        "in_flight_segments": 3,
        "rtt_ms": 1.25,
        "base_rtt_ms": 1.0,
        "diff_segments": None,
        "throughput_mbps": 9.5,
        "silent_s": 0.1,
    } | other


def step(*rows: dict[str, Any], lost: int = 0) -> dict[str, Any]:
    """The state at 3 s."""
    return {"time_s": 3.2, "records_lost": lost, "connections": list(rows)}


def test_bars_are_parts_of_the_greatest() -> None:
    assert sparkline([0, 7, 14], 10) == "▁▅█"
    assert sparkline([1, 2, 4, 8], 2) == "▅█"
    assert sparkline([0, 0], 10) == "▁▁"
    assert sparkline([1], 0) == sparkline([], 10) == ""


def test_a_connection_s_windows_become_a_line() -> None:
    screen = Screen()
    screen.lines(step(row(0, 2.0)), 120, 40)
    lines = screen.lines(step(row(0, 4.0, silent_s=2.6)), 120, 40)
    assert lines[0] == "3 s: 1 connections; Ctrl-C ends it"
    assert lines[2] == "0   vegas_gallop  127.0.0.1:4000 > 127.0.0.1:5001  silent for 3 s"
    assert lines[3].split() == ["slow-start", "4.0", "-", "3", "1.25", "1.00", "-", "9.50", "▅█"]


def test_lines_fit_the_terminal_and_say_what_is_left_out() -> None:
    lines = Screen().lines(step(*(row(flow, 5.0) for flow in range(20)), lost=7), 60, 12)
    assert len(lines) < 12
    assert max(map(len, lines)) == 60
    assert lines[0] == "3 s: 20 connections, 7 records lost; Ctrl-C ends it"
    assert lines[-1] == "and 16 more"


def test_steps_are_drawn_over_each_other_and_the_code_is_the_program_s() -> None:
    told = "\n".join(json.dumps(step(row(0, window))) for window in (2.0, 3.0))
    out = io.StringIO()
    code = draw_steps([sys.executable, "-c", f"import sys; print({told!r}); sys.exit(3)"], out)
    first, second = out.getvalue().split("\x1b[4F\x1b[J")
    assert code == 3
    assert "2.0" in first
    assert "3.0" in second


def test_sigterm_is_handed_on_to_the_program() -> None:
    """Ctrl-C reaches both by itself."""
    child = (
        "import signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]);"
        "print(sys.argv[1], flush=True); signal.sigwait([signal.SIGTERM])"
    )
    parent = (
        "import sys; from vegaslab.measuring.watching import draw_steps\n"
        "from vegaslab.util.ending import sigterm_as_ctrl_c\n"
        f"command = [sys.executable, '-c', {child!r}, sys.argv[1]]\n"
        "with sigterm_as_ctrl_c():\n"
        "    sys.exit(draw_steps(command, sys.stdout))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", parent, json.dumps(step(row(0, 2.0)))], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert "1 connections" in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0

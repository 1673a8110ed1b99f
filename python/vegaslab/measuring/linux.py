"""Runs on real sockets: reads the results of `vegas-linux`, and compares them with the simulator's."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vegaslab import _vegaslab
from vegaslab.reports.summary import aligned
from vegaslab.runs.result import KeptResult
from vegaslab.util.ending import is_sigterm
from vegaslab.util.errors import InputError
from vegaslab.util.programs import find, not_installed

PROGRAM = "vegas-linux"
"""The program that talks to the kernel; `make linux` builds it."""

_COMPARED = (
    ("cwnd_at_slow_start_end", "window at the end of slow start, segments"),
    ("slow_start_end_s", "end of slow start, s"),
    ("final_cwnd_segments", "window at the end, segments"),
    ("mean_cwnd_segments", "mean window, segments"),
    ("throughput_mbps", "throughput, Mb/s"),
    ("mean_rtt_ms", "mean round trip, ms"),
    ("base_rtt_ms", "base round trip, ms"),
    ("segments_retransmitted", "segments retransmitted"),
)


class LinuxError(InputError):
    """The kernel's side cannot be used, or reports an error: one line.

    >>> raise LinuxError("vegas-linux: build it by `make linux`")
    Traceback (most recent call last):
    vegaslab.measuring.linux.LinuxError: vegas-linux: build it by `make linux`
    """


def program() -> str:
    """Returns the program's path: beside this Python, or in PATH. Raises `LinuxError`."""
    found = find(PROGRAM)
    if found is None:
        raise LinuxError(not_installed(PROGRAM, "linux"))
    return found


def run(scenario: _vegaslab.Scenario, folder: Path, by: Path | None = None) -> KeptResult:
    """Carries a scenario out on real sockets, in real time. `folder` must not exist yet.

    The summary's table `linux` has the kernel's release and the router's lateness.

    `by` is the path of another program to use instead of the installed one.
    Raises `LinuxError` with the program's own line.
    """
    with TemporaryDirectory() as elsewhere:
        file = Path(elsewhere) / "scenario.json"
        file.write_text(scenario.document_json(), encoding="utf-8")
        return KeptResult(folder, carry_out([str(file)], "--output", str(folder), by=by), scenario)


def carry_out(scenario: Sequence[str], *options: str, by: Path | None = None) -> dict[str, Any]:
    """Returns the summary of the program's command `run`. `scenario` is a file with its settings, as on the command
    line.

    Ctrl-C and SIGTERM also end the program, which cleans up. Raises `LinuxError` with the program's own line.
    """
    command = [by or program(), "run", *scenario, *options, "--json", "--with-parent"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            summary, said = running.communicate()
        except KeyboardInterrupt as interrupt:
            if is_sigterm(interrupt):
                running.terminate()
            running.communicate()
            raise
    if running.returncode != 0:
        raise LinuxError(said.strip() or f"{PROGRAM} ended with {running.returncode}")
    read: dict[str, Any] = json.loads(summary)
    return read


def differences(simulated: Sequence[dict[str, Any]], measured: Sequence[dict[str, Any]]) -> str:
    """Returns a table of flows' figures in the simulator and on Linux; each argument is the `flows` of a summary."""
    rows = []
    for flow, (one, other) in enumerate(zip(simulated, measured, strict=True)):
        for key, what in _COMPARED:
            rows.append((f"{flow} {one['algorithm']}", what, *_pair(one[key], other[key])))
    return "\n".join(aligned(("flow", "quantity", "simulator", "linux", "difference"), rows))


def _pair(one: float | None, other: float | None) -> tuple[str, str, str]:
    shown = [("-" if value is None else f"{value:.3f}") for value in (one, other)]
    both = one is not None and other is not None
    return shown[0], shown[1], f"{other - one:+.3f}" if both and one is not None and other is not None else "-"

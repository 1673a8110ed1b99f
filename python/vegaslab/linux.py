"""Runs on real sockets, as `vegas-linux` wrote them, and the simulator beside them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cached_property
from os import PathLike, pathsep
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vegaslab import _vegaslab
from vegaslab.report import aligned
from vegaslab.result import Result, Series

if TYPE_CHECKING:
    import pyarrow

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
    ("segments_retransmitted", "segments sent again"),
)


class LinuxError(Exception):
    """The kernel's side cannot be used, or complained: one line."""


class LinuxResult(Result):
    """What a run on real sockets gave, read from its folder: the simulator's tables."""

    def __init__(self, scenario: _vegaslab.Scenario, folder: Path, summary: dict[str, Any]) -> None:
        """Reads tables from `folder` when they are asked for; `summary` is what the program printed."""
        self.scenario = scenario
        self._folder = folder
        self._summary = summary

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The simulator's summary, and under `linux` the kernel's release and how late the router was."""
        return self._summary

    @cached_property
    def flows(self) -> "pyarrow.Table":
        """One row a flow: its totals."""
        return self._table("flows")

    @cached_property
    def links(self) -> "pyarrow.Table":
        """One row a one-way link: its totals."""
        return self._table("links")

    @cached_property
    def traffic(self) -> "pyarrow.Table":
        """One row a source of background traffic: its totals."""
        return self._table("traffic")

    @cached_property
    def series(self) -> Series:
        """The time series of flows and links."""
        return Series(self._table("flow_series"), self._table("link_series"))

    @cached_property
    def incidents(self) -> "pyarrow.Table":
        """Drops, losses, timeouts and exits from slow start, in order of time."""
        return self._table("incidents")

    def write(self, dir: str | PathLike[str], *, csv: bool = False, pcapng: bool = False) -> Path:  # noqa: ARG002
        """Copies the folder; the program has written all that there is."""
        return Path(shutil.copytree(self._folder, dir, dirs_exist_ok=True))

    def _table(self, name: str) -> "pyarrow.Table":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(self._folder / f"{name}.parquet")


def program() -> str:
    """The program's path: beside this Python, or in the path for commands. Raises `LinuxError`."""
    import os

    places = pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    found = shutil.which(PROGRAM, path=places)
    if found is None:
        raise LinuxError(f"{PROGRAM} is not built: make linux (docs/linux.md says what it needs)")
    return found


def run(scenario: _vegaslab.Scenario, folder: Path, by: Path | None = None) -> LinuxResult:
    """Carries a scenario out on real sockets; it takes the scenario's duration. `folder` must not be there yet.

    `by` is another program than the installed one.
    Raises `LinuxError` with the program's own line.
    """
    file = folder.with_suffix(".json")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(scenario.document_json(), encoding="utf-8")
    try:
        done = subprocess.run(
            [by or program(), "run", str(file), "--output", str(folder), "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        file.unlink()
    if done.returncode != 0:
        raise LinuxError(done.stderr.strip() or f"{PROGRAM} ended with {done.returncode}")
    return LinuxResult(scenario, folder, json.loads(done.stdout))


def differences(simulated: Sequence[dict[str, Any]], measured: Sequence[dict[str, Any]]) -> str:
    """A table of what flows did in the simulator and on Linux; each argument is the `flows` of a summary."""
    rows = []
    for flow, (one, other) in enumerate(zip(simulated, measured, strict=True)):
        for key, what in _COMPARED:
            rows.append((f"{flow} {one['algorithm']}", what, *_pair(one[key], other[key])))
    return "\n".join(aligned(("flow", "quantity", "simulator", "linux", "difference"), rows))


def _pair(one: float | None, other: float | None) -> tuple[str, str, str]:
    shown = [("-" if value is None else f"{value:.3f}") for value in (one, other)]
    both = one is not None and other is not None
    return shown[0], shown[1], f"{other - one:+.3f}" if both and one is not None and other is not None else "-"

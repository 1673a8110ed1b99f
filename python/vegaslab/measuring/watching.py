"""Live connections on a terminal: `vegas-linux watch --json`, drawn."""

import contextlib
import json
import shutil
import subprocess
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from vegaslab.util.ending import is_sigterm

Step = dict[str, Any]
"""What the program says: `time_s`, `records_lost`, and `connections`, the rows of the table `flow_series`."""

_BARS = "▁▂▃▄▅▆▇█"
_HISTORY = 60
"""Steps that a sparkline shows at most."""
_TITLE = (
    f"{'':4}{'phase':<11}{'window':>8}{'ssthresh':>9}{'flight':>7}{'RTT ms':>9}{'base ms':>9}{'diff':>5}{'Mb/s':>9}"
    "  window by time"
)


class Screen:
    """The lines that show a step, and what sparklines remember."""

    def __init__(self) -> None:
        """Starts with no connection."""
        self._windows: dict[int, deque[float]] = {}

    def lines(self, step: Step, width: int, height: int) -> list[str]:
        """Two lines a connection, no longer than `width` and no more than `height`, the title included."""
        rows = step["connections"]
        self._remember(rows)
        lost = f", {step['records_lost']} records lost" if step["records_lost"] else ""
        first = f"{step['time_s']:.0f} s: {len(rows)} connections{lost}; Ctrl-C ends it"
        room = max(1, (height - 3) // 2)
        shown = [line for row in rows[:room] for line in self._pair(row, width)]
        more = [f"and {len(rows) - room} more"] if len(rows) > room else []
        return [line[:width] for line in [first, *([_TITLE] if rows else []), *shown, *more]]

    def _remember(self, rows: Sequence[dict[str, Any]]) -> None:
        known = {row["flow"]: self._windows.get(row["flow"], deque(maxlen=_HISTORY)) for row in rows}
        for row in rows:
            known[row["flow"]].append(row["cwnd_segments"])
        self._windows = known

    def _pair(self, row: dict[str, Any], width: int) -> list[str]:
        silent = f"  silent for {row['silent_s']:.0f} s" if row["silent_s"] >= 2 else ""
        names = f"{row['flow']:<4}{row['algorithm']}  {row['local']} > {row['remote']}{silent}"
        state = (
            f"{'':4}{row['phase']:<11}{_number(row['cwnd_segments'], 8, 1)}{_number(row['ssthresh_segments'], 9)}"
            f"{_number(row['in_flight_segments'], 7)}{_number(row['rtt_ms'], 9, 2)}{_number(row['base_rtt_ms'], 9, 2)}"
            f"{_number(row['diff_segments'], 5)}{_number(row['throughput_mbps'], 9, 2)}  "
        )
        return [names, state + sparkline(self._windows[row["flow"]], max(0, width - len(state)))]


def sparkline(values: Iterable[float], width: int) -> str:
    """The newest values as bars between nothing and the greatest of them, a character each."""
    newest = list(values)[-width:] if width else []
    greatest = max(newest, default=0.0)
    steps = len(_BARS) - 1
    return "".join(_BARS[round(steps * value / greatest) if greatest > 0 else 0] for value in newest)


def draw_steps(command: Sequence[str], out: TextIO) -> int:
    """Draws what a command says, a step a line, each over the one before; the last stays. Returns its exit code."""
    screen, drawn = Screen(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            while line := _next(running):
                size = shutil.get_terminal_size()
                lines = screen.lines(json.loads(line), size.columns, size.lines)
                back = f"\x1b[{drawn}F\x1b[J" if drawn else ""
                out.write(back + "".join(f"{text}\n" for text in lines))
                out.flush()
                drawn = len(lines)
        except KeyboardInterrupt as interrupt:
            _hand_on(interrupt, running)
        finally:
            with contextlib.suppress(KeyboardInterrupt):
                running.wait()
    return running.returncode


def _next(running: "subprocess.Popen[str]") -> str:
    """The next line. Ctrl-C has reached the program too, which says a last one, writes its file and ends."""
    assert running.stdout is not None
    while True:
        try:
            return running.stdout.readline()
        except KeyboardInterrupt as interrupt:
            _hand_on(interrupt, running)


def _hand_on(interrupt: KeyboardInterrupt, running: "subprocess.Popen[str]") -> None:
    """Ctrl-C has reached the program by itself."""
    if is_sigterm(interrupt):
        running.terminate()


def _number(value: float | None, width: int, digits: int = 0) -> str:
    return f"{'-' if value is None else f'{value:.{digits}f}':>{width}}"

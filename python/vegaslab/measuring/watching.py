"""Live connections on a terminal: draws the output of `vegas-linux watch --json`."""

import contextlib
import json
import shutil
import subprocess
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from vegaslab.util.ending import is_sigterm

Step = dict[str, Any]
"""A line of the program's: `time_s`, `records_lost`, and `connections`, the rows of the table `flow_series`."""

_BARS = "▁▂▃▄▅▆▇█"
_HISTORY = 60
"""The most steps that a sparkline shows."""
_TITLE = (
    f"{'':4}{'phase':<11}{'window':>8}{'ssthresh':>9}{'flight':>7}{'RTT ms':>9}{'base ms':>9}{'diff':>5}{'Mb/s':>9}"
    "  window by time"
)


class Screen:
    """The lines that show a step, and the history for their sparklines."""

    def __init__(self) -> None:
        """Starts without connections."""
        self._windows: dict[int, deque[float]] = {}

    def lines(self, step: Step, width: int, height: int) -> list[str]:
        """Returns two lines for each connection, none longer than `width` and no more than `height`, the title
        included.
        """
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
    """Returns the newest values as bars, a character each, scaled from zero to the greatest of them."""
    newest = list(values)[-width:] if width else []
    greatest = max(newest, default=0.0)
    steps = len(_BARS) - 1
    return "".join(_BARS[round(steps * value / greatest) if greatest > 0 else 0] for value in newest)


def draw_steps(command: Sequence[str], out: TextIO) -> int:
    """Draws the output of a command: each line is a step, drawn over the one before; the last step stays. Returns the
    exit code.
    """
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
    """Returns the next line. Ctrl-C reaches the program too, which prints a last line, writes its file and ends."""
    assert running.stdout is not None
    while True:
        try:
            return running.stdout.readline()
        except KeyboardInterrupt as interrupt:
            _hand_on(interrupt, running)


def _hand_on(interrupt: KeyboardInterrupt, running: "subprocess.Popen[str]") -> None:
    """Passes the interrupt on to the program, unless it was Ctrl-C, which has reached the program by itself."""
    if is_sigterm(interrupt):
        running.terminate()


def _number(value: float | None, width: int, digits: int = 0) -> str:
    return f"{'-' if value is None else f'{value:.{digits}f}':>{width}}"

"""How far a run or a sweep is, on a terminal."""

import sys
import time
from types import TracebackType
from typing import Self

_SILENT_S = 1.0


class _Line:
    """A line on standard error, if that is a terminal, once something has taken a second; gone when it ends."""

    def __init__(self) -> None:
        """Starts the clock."""
        self._started = time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._written = False

    @property
    def _shown(self) -> bool:
        return self._terminal and time.monotonic() - self._started >= _SILENT_S

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self._written = True

    def __enter__(self) -> Self:
        """Starts the clock."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clears the line."""
        if self._written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Progress(_Line):
    """How far a run is."""

    def __init__(self, duration_s: float, what: str = "") -> None:
        """For a run of so many simulated seconds."""
        super().__init__()
        self._duration_s = duration_s
        self._what = what

    def __call__(self, reached_s: float) -> None:
        """Says that so many simulated seconds have passed."""
        if self._shown:
            self._write(f"{self._what}{100 * reached_s / self._duration_s:3.0f} % of {self._duration_s:g} s")


class SweepProgress(_Line):
    """How far a sweep is: runs, rate, time left, failures."""

    _WIDTH = 20

    def __init__(self) -> None:
        """Nothing is known yet."""
        super().__init__()
        self._there_first: int | None = None

    def __call__(self, there: int, runs: int, failed: int) -> None:
        """Says that so many runs of all are there, and that so many failed."""
        if self._there_first is None:
            self._there_first = there
            self._started_counting = time.monotonic()
            return
        if self._shown:
            rate = (there - self._there_first) / (time.monotonic() - self._started_counting)
            self._write(sweep_line(there, runs, rate, failed, self._WIDTH))


class TransferProgress(_Line):
    """Which transfer is being made."""

    def __call__(self, number: int, transfers: int, what: str) -> None:
        """Says that the transfer of this number, from 0, begins."""
        if self._terminal:
            self._write(f"{number + 1}/{transfers} {what}")


def sweep_line(there: int, runs: int, rate: float, failed: int, width: int) -> str:
    """A bar of so many characters, the runs, their rate in runs a second, the time left and the failures."""
    full = width * there // runs
    left = readable_time((runs - there) / rate) if rate > 0 else "?"
    return f"{'#' * full}{'.' * (width - full)} {there}/{runs} runs, {rate:.3g}/s, {left} left, {failed} failed"


def readable_time(span_s: float) -> str:
    """A time as people say it: `3 s`, `4:05 min`, `2:10 h`."""
    seconds = round(span_s)
    if seconds < 60:
        return f"{span_s:.2g} s" if span_s < 10 else f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02} min"
    return f"{seconds // 3600}:{seconds % 3600 // 60:02} h"

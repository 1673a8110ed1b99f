"""How far a run is, on a terminal."""

import sys
import time
from types import TracebackType
from typing import Self

_SILENT_S = 1.0


class Progress:
    """A line on standard error, if that is a terminal, once a run has taken a second; gone when it ends."""

    def __init__(self, duration_s: float, what: str = "") -> None:
        """For a run of so many simulated seconds."""
        self._duration_s = duration_s
        self._what = what
        self._started = time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._written = False

    def __call__(self, reached_s: float) -> None:
        """Says that so many simulated seconds have passed."""
        if not self._terminal or time.monotonic() - self._started < _SILENT_S:
            return
        part = 100 * reached_s / self._duration_s
        sys.stderr.write(f"\r\x1b[K{self._what}{part:3.0f} % of {self._duration_s:g} s")
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

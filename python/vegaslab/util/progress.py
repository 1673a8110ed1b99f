"""The progress of a run or a sweep, on a terminal or in a notebook."""

import sys
import time
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

_SILENT_S = 1.0
_NOTEBOOK_STEP_S = 0.2
_LINE_STEP_S = 60.0


class Place(Protocol):
    """A place that shows a changing line."""

    def write(self, text: str) -> None:
        """Shows this text in place of the last one."""

    def clear(self) -> None:
        """Removes the text."""


class _Nowhere:
    def write(self, text: str) -> None:
        pass

    def clear(self) -> None:
        pass


class _Terminal:
    def write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def clear(self) -> None:
        self.write("")


class _Lines:
    """A pipe or a file: a line a minute, so that long work can be seen in a log, and short work leaves none."""

    def __init__(self) -> None:
        self._written = time.monotonic()

    def write(self, text: str) -> None:
        if time.monotonic() - self._written >= _LINE_STEP_S:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
            self._written = time.monotonic()

    def clear(self) -> None:
        pass


class _Notebook:
    """An output of the notebook cell that runs."""

    def __init__(self) -> None:
        self._output: Any = None
        self._written = 0.0

    def write(self, text: str) -> None:
        # a browser need not draw more often than this
        if time.monotonic() - self._written >= _NOTEBOOK_STEP_S:
            self._show(text)
            self._written = time.monotonic()

    def clear(self) -> None:
        self._show("")

    def _show(self, text: str) -> None:
        data = {"text/plain": text}
        if self._output is None:
            self._output = import_module("IPython.display").display(data, raw=True, display_id=True)
        else:
            self._output.update(data, raw=True)


def terminal() -> Place:
    """Returns standard error, a line that changes or else a line a minute: for commands."""
    return _Terminal() if sys.stderr.isatty() else _Lines()


def nowhere() -> Place:
    """Returns a place that shows nothing: for what is read or run beside others."""
    return _Nowhere()


def notebook() -> Place:
    """Returns the output of the running cell in a Jupyter notebook: for functions, which print nothing elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return _Notebook() if hasattr(shell, "kernel") else _Nowhere()


class _Line:
    """A line that appears after a second of work and disappears at its end."""

    def __init__(self, place: Place) -> None:
        """Starts the clock."""
        self._started = time.monotonic()
        self._place = place
        self._written = False

    def _write(self, text: str) -> None:
        self._place.write(text)
        self._written = True

    @property
    def _shown(self) -> bool:
        return time.monotonic() - self._started >= _SILENT_S

    def __enter__(self) -> Self:
        """Starts the clock."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clears the line."""
        if self._written:
            self._place.clear()


class Progress(_Line):
    """The progress of a run."""

    def __init__(self, duration_s: float, what: str = "", place: Place | None = None) -> None:
        """Takes the simulated seconds of the run; the line is shown on the terminal, if no other place is given."""
        super().__init__(place or terminal())
        self._duration_s = duration_s
        self._what = what

    def __call__(self, reached_s: float) -> None:
        """Reports that this many simulated seconds have passed."""
        if self._shown:
            self._write(f"{self._what}{100 * reached_s / self._duration_s:3.0f} % of {self._duration_s:g} s")


class ReadingProgress(_Line):
    """The progress of the reading of a file."""

    def __init__(self, file: Path, place: Place | None = None) -> None:
        """Takes the file; the line is shown on the terminal, if no other place is given."""
        super().__init__(place or terminal())
        self._file = file
        self._bytes = file.stat().st_size if file.is_file() else 0

    def __call__(self, read_bytes: int) -> None:
        """Reports that this many bytes have been read, since the file was last begun."""
        if self._shown:
            part = 100 * read_bytes / max(self._bytes, 1)
            self._write(f"{self._file.name}: {min(part, 100):3.0f} % of {self._bytes / 1e6:.0f} MB")


class SweepProgress(_Line):
    """The progress of a sweep: its finished runs (or other items), their rate, the time left, the failures."""

    _WIDTH = 20

    def __init__(self, what: str = "runs", place: Place | None = None) -> None:
        """Starts without runs; the line is shown on the terminal, if no other place is given."""
        super().__init__(place or terminal())
        self._what = what
        self._there_first: int | None = None

    def __call__(self, there: int, runs: int, failed: int) -> None:
        """Reports that this many runs of all are finished, and that this many failed."""
        if self._there_first is None:
            self._there_first = there
            self._started_counting = time.monotonic()
            return
        if self._shown:
            rate = (there - self._there_first) / (time.monotonic() - self._started_counting)
            self._write(sweep_line(there, runs, rate, failed, self._WIDTH, self._what))


class SearchProgress(_Line):
    """The progress of a search: the part of its runs or of its processor time that is used up, and its best value."""

    _WIDTH = 20

    def __init__(self, runs: int | None, budget_s: float | None, what: str) -> None:
        """Takes the search's limit, one of two, and the name of its values; shows the line on the terminal."""
        super().__init__(terminal())
        self._runs, self._budget_s, self._what = runs, budget_s, what

    def __call__(self, runs: int, spent_s: float, value: float | None) -> None:
        """Reports the finished runs, the processor time spent, s, and the best value."""
        if self._shown:
            part = min(1.0, runs / self._runs if self._runs is not None else spent_s / (self._budget_s or 1.0))
            full = round(part * self._WIDTH)
            best = "?" if value is None else f"{value:.4g}"
            bar = f"{'#' * full}{'.' * (self._WIDTH - full)} {100 * part:.0f} %"
            self._write(f"{bar}, {runs} runs, {readable_time(spent_s)} of processor time, {self._what} {best}")


class TransferProgress(_Line):
    """The number and name of the current transfer."""

    def __init__(self) -> None:
        """Shows the line on the terminal."""
        super().__init__(terminal())

    def __call__(self, number: int, transfers: int, what: str) -> None:
        """Reports that the transfer of this number, from 0, begins."""
        self._write(f"{number + 1}/{transfers} {what}")


def sweep_line(there: int, runs: int, rate: float, failed: int, width: int, what: str = "runs") -> str:
    """Returns a bar of this many characters, the runs (or `what` is counted), their rate, the time left and the
    failures.
    """
    full = width * there // runs
    left = readable_time((runs - there) / rate) if rate > 0 else "?"
    return f"{'#' * full}{'.' * (width - full)} {there}/{runs} {what}, {rate:.3g}/s, {left} left, {failed} failed"


def readable_time(span_s: float) -> str:
    """Returns a time in readable form: `3 s`, `4:05 min`, `2:10 h`."""
    seconds = round(span_s)
    if seconds < 60:
        return f"{span_s:.2g} s" if span_s < 10 else f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02} min"
    return f"{seconds // 3600}:{seconds % 3600 // 60:02} h"

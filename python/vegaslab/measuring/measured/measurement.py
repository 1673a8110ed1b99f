"""A measurement: its tables, its pictures, and the path that it shows."""

import json
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from vegaslab import _vegaslab
from vegaslab.measuring.measured.tables import MeasuredTables
from vegaslab.runs.drawable import Pictured
from vegaslab.util.errors import MeasuredError
from vegaslab.util.folder import whole_folder
from vegaslab.util.progress import ReadingProgress, notebook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

__all__ = ["Measured", "MeasuredError", "measured", "read_into"]

_DEFAULT_STEP = "10ms"


def measured(
    file: str | PathLike[str],
    dir: str | PathLike[str] | None = None,
    *,
    flow: int | None = None,
    step: str = _DEFAULT_STEP,
) -> "Measured":
    r"""Reads a capture or a log of a real host into the tables of a run.

    `file` is a pcap or pcapng capture, a log of `ss -ti` with times, a report of iperf3, a qlog, lines of `tcp_probe`,
    a log of Mahimahi's link, or CSV with named columns; its content says which. The tables go into the folder `dir`;
    without one they are kept in memory. `flow` is the number of the flow of which a capture shows the path
    (default: the one that delivered most), `step` that of the time series.

    Raises `MeasuredError` for a file that is damaged or of no known kind, `OSError` for one that cannot be read,
    `FolderError` for a folder that holds anything that vegaslab does not write.

    >>> import tempfile, pathlib, vegaslab
    >>> log = pathlib.Path(tempfile.mkdtemp(), "cwnd.csv")
    >>> _ = log.write_text("time_s,cwnd,rtt_ms\n0,10,20.5\n0.1,20,21\n")
    >>> measurement = vegaslab.measured(log)
    >>> measurement
    <vegaslab.Measured cwnd.csv: CSV table, 0.1 s, 1 flow>
    >>> measurement.series["cwnd_segments"].to_pylist()
    [10.0, 20.0]
    """
    if dir is None:
        with TemporaryDirectory(prefix="vegaslab-") as folder:
            read_into(Path(file), Path(folder), flow=flow, step=step, progress=_progress(file))
            return Measured(Path(folder), in_memory=True)
    check_readable(Path(file))
    with whole_folder(Path(dir)) as folder:
        read_into(Path(file), folder, flow=flow, step=step, progress=_progress(file))
    return Measured(Path(dir))


def _progress(file: str | PathLike[str]) -> ReadingProgress:
    return ReadingProgress(Path(file), place=notebook())


def check_readable(file: Path) -> None:
    """Raises `OSError` for a file that cannot be opened, before a folder is begun for its results."""
    with file.open("rb"):
        pass


def read_into(
    file: Path, folder: Path, *, flow: int | None, step: str, progress: ReadingProgress, path: bool = True
) -> dict[str, Any]:
    """Reads the file into an empty folder; returns the report. Raises the errors of `measured`."""
    step_ns = _vegaslab.nanoseconds(step)
    if step_ns <= 0:
        raise MeasuredError(f"step: {step} was given; more than 0, such as {_DEFAULT_STEP}")
    with progress:
        text = _vegaslab.measured(file, folder, step_ns=step_ns, flow=flow, path=path, progress=progress)
    report: dict[str, Any] = json.loads(text)
    return report


class Measured(MeasuredTables, Pictured):
    r"""A measurement in its folder. Tables are read when first used; an unreadable one raises `FolderError`.

    >>> import tempfile, pathlib, vegaslab
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "cwnd.csv").write_text("time_s,cwnd,rtt_ms\n0,10,20.5\n0.1,20,21\n")
    >>> _ = vegaslab.measured(folder / "cwnd.csv", folder / "measured")
    >>> vegaslab.Measured.open(folder / "measured").series["rtt_ms"].to_pylist()
    [20.5, 21.0]
    """

    @classmethod
    def open(cls, dir: str | PathLike[str]) -> "Measured":
        """Reads back what `vegaslab measured` has written. Raises `FolderError` for another folder."""
        return cls(Path(dir))

    def plot(
        self, panels: "str | Sequence[str] | PathLike[str] | None" = None, path: str | PathLike[str] | None = None
    ) -> "Figure":
        """Draws panels over time, one below the other; writes them to `path` (`.png`, `.svg`, `.pdf`).

        `panels` are any of "in flight", "cwnd", "rtt", "rate" and "queue", as far as the measurement has them.
        """
        # only here: numpy, which reading the tables does not need
        from vegaslab.measuring.measured.picture import draw

        return draw(self, panels, path)

    def html(self) -> str:
        """An interactive page in one piece: it needs neither network nor other files."""
        # only here: numpy, which reading the tables does not need
        from vegaslab.measuring.measured.picture import page

        return page(self)

    def __repr__(self) -> str:
        """Names the file, its kind and its extent."""
        report = self.report
        kind, flows = report["taken_for"].partition(":")[0], report["flows"]
        count = "1 flow" if flows == 1 else f"{flows} flows"
        return f"<vegaslab.Measured {Path(report['file']).name}: {kind}, {report['duration_s']:g} s, {count}>"

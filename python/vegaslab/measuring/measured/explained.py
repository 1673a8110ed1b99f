"""The page of an answer: the capture beside runs of the best two candidates, with what speaks for and against each."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vegaslab.measuring.measured.against import Against, read_beside
from vegaslab.measuring.measured.answer import TITLES, Identified, candidate_rows
from vegaslab.measuring.measured.figures import CAPTURE
from vegaslab.measuring.measured.measurement import Measured
from vegaslab.reports.summary import number
from vegaslab.util.folder import whole_folder

RUNS = 2
"""The candidates that are run over the path of the capture: the best ones."""
_NEAR = 0.1
"""A figure that is nearer to the capture's than this part of it speaks for a candidate."""
_COMPARED = {
    "goodput_mbps": ("goodput", "Mb/s", 3),
    "segments_retransmitted": ("retransmitted", "segments", 0),
    "timeouts": ("timeouts", "", 0),
    "slow_start_end_s": ("end of slow start", "s", 2),
    "mean_in_flight_kb": ("mean in flight", "kB", 1),
    "max_in_flight_kb": ("most in flight", "kB", 1),
    "p50_rtt_ms": ("median RTT", "ms", 1),
    "p95_rtt_ms": ("95 % of the RTTs up to", "ms", 1),
}
"""The figures that speak for or against a candidate: name, unit, decimals."""


class Explained(Against):
    """An answer with runs of its best candidates beside the capture."""

    def __init__(self, found: Identified, runs: Mapping[str, Measured]) -> None:
        """Works the figures out."""
        super().__init__(runs)
        self.found = found

    def content(self) -> dict[str, Any]:
        """What `comparison.json` holds."""
        return {**super().content(), "identified": self.found.content()}

    def html(self) -> str:
        """The page."""
        # only here: numpy, which the figures do not need
        from vegaslab.measuring.measured.beside import page_of

        title = repr(self.found).strip("<>").removeprefix("vegaslab.Identified ")
        candidates = candidate_rows(self.found)
        near = f"{100 * _NEAR:.0f} %"
        said = {"answer": list(self.found.said()), "titles": TITLES, "candidates": candidates, "near": near}
        return page_of(self, "identified.html", title, **said, judged=[self._judged(name) for name in self._names])

    @property
    def _names(self) -> list[str]:
        return [name for name in self.runs if name != CAPTURE]

    def _judged(self, name: str) -> dict[str, Any]:
        """Returns what speaks for a candidate and against it."""
        remarks = [self._on_window(name), *self._on_run(name)]
        words = (("For", True), ("Against", False))
        spoken = [(word, [text for is_so, text in remarks if is_so == is_for]) for word, is_for in words]
        return {"name": name, "remarks": [(word, lines) for word, lines in spoken if lines]}

    def _on_window(self, name: str) -> tuple[bool, str]:
        error, best = self.found.errors[name], min(self.found.errors.values())
        text = f"window {number(100 * error, 1)} % from what was in flight"
        times = f", {error / best:.1f} times the best one's" if error > best > 0 else ""
        return name in self.found.answer, text + times

    def _on_run(self, name: str) -> Iterator[tuple[bool, str]]:
        """Yields whether a figure of the run speaks for the candidate, and the figure."""
        here, there = self.figures[name], self.figures[CAPTURE]
        for key, (what, unit, decimals) in _COMPARED.items():
            values = here[key], there[key]
            if values == (None, None):
                continue
            ours, captured = (number(value, decimals) for value in values)
            yield _are_near(*values), f"{what} {ours} {unit}".rstrip() + f", in the capture {captured}"
        lost, same = there["segments_retransmitted"] or 0, here["lost_as_captured"]
        if lost:
            share = f"{same} of the {lost:.0f} segments that the capture retransmitted"
            yield 2 * same >= lost, f"its run retransmits {share}"


def _are_near(here: float | None, there: float | None) -> bool:
    return here == there or (here is not None and there is not None and abs(here - there) <= _NEAR * abs(there))


def explain(found: Identified, folder: Path) -> Explained:
    """Runs the best candidates over the path of the capture; writes tables and the answer into a folder.

    Raises `MeasuredError` for a capture that shows no path.
    """
    best: Sequence[str] = list(found.errors)[:RUNS]
    explained = Explained(found, read_beside(Path(found.file), folder, best, flow=found.flow, set=None, world=None))
    explained.write_into(folder)
    return explained


def write_page(found: Identified, target: Path) -> None:
    """Writes the page and what it shows into a folder. Raises as `explain` does, and `FolderError`."""
    with whole_folder(target) as folder:
        explain(found, folder).draw_into(folder)

"""The answer to the question which congestion control sent a captured flow."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vegaslab.reports.summary import number

TITLES = ("algorithm", "error %", "times the best")
"""The titles of the candidates' table."""


@dataclass(frozen=True)
class Identified:
    """How well congestion controls explain a captured flow.

    >>> errors = {"reno-linux": 0.01, "lp": 0.01, "veno": 0.08}
    >>> found = Identified("a.pcap", 0, 300, ("reno-linux", "lp"), errors, 1.2, 0.2)
    >>> found
    <vegaslab.Identified a.pcap: one of reno-linux, lp>
    >>> found.margin
    8.0
    """

    file: str
    """The file's name."""
    flow: int
    """The flow's number."""
    points: int
    """How often the window showed: acknowledgements after which the window alone held the sender back."""
    answer: tuple[str, ...]
    """The presets that explain the flow best and about equally well; empty if none does."""
    errors: Mapping[str, float]
    """How far what each preset lets be in flight is from what was, the best first; 0.1 are about 10 %."""
    about: float
    """Presets up to this many times as far away as the best one are in the answer."""
    explains_most: float
    """A best preset with more error than this explains nothing."""

    @property
    def margin(self) -> float | None:
        """How many times further than the best preset the first one is that is not in the answer."""
        best = next(iter(self.errors.values()))
        others = (error for name, error in self.errors.items() if name not in self.answer)
        return next((error / best for error in others if best > 0), None)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if not self.answer:
            return "none of these"
        return self.answer[0] if len(self.answer) == 1 else f"one of {', '.join(self.answer)}"

    def said(self) -> Iterator[str]:
        """Yields the answer's two lines; the second names the limit by which it is the answer."""
        yield f"flow {self.flow}: {self.sentence}"
        yield f"by {self.points} points at which the window shows; {self._limit()}"

    def _limit(self) -> str:
        if not self.answer:
            best = min(self.errors.values(), default=float("inf"))
            return f"the best one's error is {100 * best:.1f} %, and {100 * self.explains_most:g} % is the most"
        within = f"up to {self.about:g} times the best one's error is as good"
        margin = "" if self.margin is None else f", and the next one's is {self.margin:.2f} times that"
        return within + margin

    def content(self) -> dict[str, Any]:
        """All of it as a document of JSON."""
        keys = ("file", "flow", "points", "answer", "margin", "about", "explains_most")
        return {**{key: getattr(self, key) for key in keys}, "errors": dict(self.errors)}

    def __repr__(self) -> str:
        """Names the file and the answer."""
        return f"<vegaslab.Identified {Path(self.file).name}: {self.sentence}>"


def candidate_rows(found: Identified) -> list[tuple[str, ...]]:
    """Returns the cells of the candidates' table."""
    best = next(iter(found.errors.values()))
    return [
        (name, number(100 * error, 1), number(error / best if best > 0 else None, 2))
        for name, error in found.errors.items()
    ]

"""The experiment that a paper's module registers: its runs, the findings on its claims, and the figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.chart import Chart
from vegaslab.papers.judging.verdict import Finding
from vegaslab.runs.extracted import Run

__all__ = ["Answer", "Data", "Experiment", "Flow", "Mutant", "Run"]

Data = Mapping[str, Any]
"""The data extracted from each run, by its key: the value of its `extract`, as JSON returns it (lists, not tuples).

The data of a batch are its columns.
"""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The findings on a question that no paper asks: a text, and a table of texts if there is one."""

    question: str
    text: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    scenarios: Sequence[str] = ()


Flow = Mapping[str, Any]
"""A flow of a scenario, as in its document."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A wrong implementation of every algorithm that measures its backlog, or of closed forms."""

    name: str
    change: Callable[[Flow], Mapping[str, object]] = lambda _flow: {}
    """Returns the values to set in a flow, by key of the flow."""
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """The functions that replace others, by the full names of those."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure, a table or a worked example: runs by key, findings by claim, charts.

    `runs` returns the runs by key; its argument says whether the report is to be quick (fewer seeds, fewer points).
    `find` and `draw` take the data of the runs, and so does `answer`, for an experiment without claims.
    """

    title: str
    claims: Sequence[str]
    find: Callable[[Data], Mapping[str, Finding]] = lambda _data: {}
    runs: Callable[[bool], Mapping[str, Run | Batch]] = lambda _quick: {}
    draw: Callable[[Data], Sequence[Chart]] = lambda _data: ()
    answer: Callable[[Data], Sequence[Answer]] = lambda _data: ()
    mutants: Sequence[Mutant] = ()
    """Mutants that replace the common ones (`mutants.py`), where those change nothing."""

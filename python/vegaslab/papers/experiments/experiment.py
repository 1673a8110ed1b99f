"""What a paper's module registers: the runs it needs, what they say of its claims, and the figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vegaslab.papers.experiments.batch import Batch
from vegaslab.papers.experiments.chart import Chart
from vegaslab.papers.judging.verdict import Finding
from vegaslab.runs.result import Result

Data = Mapping[str, Any]
"""What each run gave, by its key: whatever its `extract` kept, as JSON gives it back (lists, not tuples).

Of a batch, its columns.
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One simulation: a shipped scenario with values set, and what is kept of its result.

    `extract` is a function of a module, which must give what JSON can hold. A run is simulated again only if the
    scenario, a value, the seed, the engine or the file that holds `extract` changes.
    """

    scenario: str
    extract: Callable[[Result], Any]
    set: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was found on a question that no paper asks: a text, and a table of texts if there is one."""

    question: str
    text: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    scenarios: Sequence[str] = ()


Flow = Mapping[str, Any]
"""A flow of a scenario, as its document has it."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A wrong implementation of every algorithm that measures its backlog, or of closed forms."""

    name: str
    change: Callable[[Flow], Mapping[str, object]] = lambda _flow: {}
    """Values to set in a flow, by key of the flow."""
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """What takes the place of a function, by its full name."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure, a table or a worked example: runs by key, findings by claim, charts.

    `runs` takes whether the report is to be quick (less of it: fewer seeds, fewer points) and gives runs by
    key; `find` and `draw` take what they gave, and so does `answer`, for an experiment without claims.
    """

    title: str
    claims: Sequence[str]
    find: Callable[[Data], Mapping[str, Finding]] = lambda _data: {}
    runs: Callable[[bool], Mapping[str, Run | Batch]] = lambda _quick: {}
    draw: Callable[[Data], Sequence[Chart]] = lambda _data: ()
    answer: Callable[[Data], Sequence[Answer]] = lambda _data: ()
    mutants: Sequence[Mutant] = ()
    """In place of those that every experiment is run with (`mutants.py`), where they change nothing."""

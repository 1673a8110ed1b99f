"""The native half of vegaslab: scenarios are checked here, simulated here, and their results held here."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Literal, TypedDict

version: str

class ScenarioError(ValueError):
    """A scenario is wrong: one line that names source, key, what was given and what would be right."""

class LinkInfo(TypedDict):
    """A one-way link of a scenario."""

    id: str
    rate_mbps: float
    delay_ms: float
    queue_packets: int | None

class AlgorithmInfo(TypedDict):
    """A preset of the registry."""

    name: str
    summary: str
    source: str
    parts: dict[str, str | bool | int | None]
    parameters: dict[str, int]

class Scenario:
    """A checked scenario, ready to run. Made by `load`."""

    @property
    def name(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    def document_json(self) -> str: ...
    def links(self) -> list[LinkInfo]: ...

class Table:
    """A table that any Arrow library takes without a copy."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Template:
    """A scenario that is run many times with some of its values replaced. Those are given as JSON text."""

    def __init__(self, text: str, format: Literal["toml", "json"], source: str) -> None: ...
    def scenario(self, replaced: str, seed: int) -> Scenario: ...
    def run_ids(self, replaced: Sequence[str], seeds: Sequence[int]) -> bytes: ...

class Outcome:
    """What a run gave. Made by `run`."""

    @property
    def flows(self) -> Table: ...
    @property
    def links(self) -> Table: ...
    @property
    def traffic(self) -> Table: ...
    @property
    def flow_series(self) -> Table: ...
    @property
    def link_series(self) -> Table: ...
    @property
    def incidents(self) -> Table: ...
    def summary_json(self) -> str: ...
    def write(self, dir: str | PathLike[str], csv: bool = False, pcapng: bool = False) -> None: ...

def load(text: str, format: Literal["toml", "json"], source: str, overrides: Sequence[tuple[str, str]]) -> Scenario: ...
def run(scenario: Scenario, progress: Callable[[float], object] | None = None) -> Outcome: ...
def algorithms() -> list[AlgorithmInfo]: ...
def schema() -> str: ...
def read_toml(text: str, source: str) -> tuple[str, dict[str, int]]: ...
def figure_columns() -> list[tuple[str, list[str]]]: ...
def sweep(
    template: Template,
    runs: Iterable[tuple[int, str, int]],
    jobs: int,
    deliver: Callable[[Table], object],
    *,
    series: Sequence[str] = ...,
    events: int | None = None,
    memory_bytes: int | None = None,
    wall_s: float | None = None,
) -> None: ...

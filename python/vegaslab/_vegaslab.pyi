"""The native half of vegaslab: scenarios are checked here, simulated here, and their results held here."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Literal, TypedDict

version: str
commit: str | None

class Start:
    """What a connection begins with: an algorithm's numbers, in segments, and the seed of its random numbers."""

    initial_window: int
    restart_window: int
    max_window: int
    ssthresh: int | None
    alpha: int
    beta: int
    gamma: int
    seed: int

class Ack:
    """An acknowledgement."""

    now_ns: int
    rtt_ns: int | None
    acked: int
    in_flight: int
    newest: int
    next: int
    window_limited: bool
    ce_marked: int
    in_recovery: bool
    delivered: int
    lost: int
    forward_queueing_ns: int | None
    backward_queueing_ns: int | None
    one_way_delay_ns: int | None
    rate: Rate | None
    may_grow: bool

class Rate:
    """How fast segments arrived."""

    delivered: int
    interval_ns: int
    lost: int
    in_flight: int
    prior_delivered: int
    total: int
    app_limited: bool

class Loss:
    """A loss, a timeout or a mark."""

    now_ns: int
    kind: Literal["duplicate-acks", "timeout", "ecn"]
    sent_ns: int
    retransmission: bool
    in_flight: int
    next: int
    lost: int

class Sent:
    """A segment leaves."""

    now_ns: int
    index: int
    in_flight: int
    retransmission: bool

class LostSegment:
    """A segment was found lost."""

    in_flight: int
    lost: int
    app_limited: bool

class Restart:
    """The application sends again after nothing was in flight."""

    now_ns: int
    next: int
    idle_ns: int

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
    host: Literal["bsd", "linux"]
    hosts: dict[str, str | None]

class TraceInfo(TypedDict):
    """A trace of rates or delays."""

    kind: Literal["rate", "delay"]
    taken_for: str
    period_s: float
    points: list[tuple[float, float]]
    text: str

class Scenario:
    """A checked scenario, ready to run. Made by `load`."""

    @property
    def name(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    def run_id(self) -> str: ...
    def own_sha256(self) -> list[str]: ...
    def document_json(self) -> str: ...
    def algorithms(self) -> list[str]: ...
    def hosts(self) -> tuple[list[str], list[str | None]]: ...
    def payload_bytes(self) -> list[int]: ...
    def warnings(self) -> list[str]: ...
    def links(self) -> list[LinkInfo]: ...
    def link_rates(self, link: str, step_s: float) -> list[tuple[float, float]]: ...
    def link_queue_limits(self, link: str) -> list[tuple[float, int | None]]: ...

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
    @property
    def media(self) -> Table: ...
    def pack(self) -> bytes | None: ...
    def summary_json(self) -> str: ...
    def write(self, dir: str | PathLike[str], csv: bool = False, pcapng: bool = False) -> None: ...

class Conformance:
    """What came out of the cases of the conformance kit. Made by `conform`."""

    @property
    def passed(self) -> bool: ...
    @property
    def rows(self) -> list[tuple[str, str, str, str, str | None]]: ...
    def cases_json(self) -> str: ...
    def junit_xml(self) -> str: ...
    def runs(self) -> list[tuple[str, str, str, str, list[tuple[str, list[float | None]]]]]: ...

class Place:
    """The place of a results folder, taken; see `vegaslab.util.folder.whole_folder`."""

    def __init__(self, dir: str | PathLike[str]) -> None: ...
    @property
    def new_folder(self) -> str | PathLike[str]: ...
    def put(self) -> None: ...
    def discard(self) -> None: ...

def remedy(errno: int) -> str: ...
def load(
    text: str,
    format: Literal["toml", "json"],
    source: str,
    overrides: Sequence[tuple[str, str]],
    memory_bytes: int | None = None,
) -> Scenario: ...
def run(
    scenario: Scenario,
    progress: Callable[[float], object] | None = None,
    memory_bytes: int | None = None,
    engine: Literal["fast", "reference"] = "fast",
) -> Outcome: ...
def unpack(scenario: Scenario, packed: bytes) -> Outcome: ...
def measured(
    file: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    step_ns: int,
    flow: int | None = None,
    path: bool = True,
    progress: Callable[[int], object] | None = None,
) -> str: ...
def identify(
    file: str | PathLike[str],
    algorithms: Sequence[str],
    *,
    flow: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> str: ...
def read_trace(text: str, kind: str | None = None, step_ns: int | None = None) -> TraceInfo: ...
def nanoseconds(text: str) -> int: ...
def bits_per_second(text: str) -> int: ...
def size_bytes(text: str) -> int: ...
def algorithms() -> list[AlgorithmInfo]: ...
def parts() -> list[tuple[str, str, str]]: ...
def schema() -> str: ...
def read_toml(text: str, source: str) -> tuple[str, dict[str, int]]: ...
def conform(
    name: str,
    algorithm: str,
    *,
    suite: str = "bbr",
    names: Sequence[str] = ...,
    quick: bool = False,
    threads: int = 1,
) -> Conformance: ...
def conformance_cases() -> list[tuple[str, str, str, str]]: ...
def packetdrill(
    text: str, folder: str | PathLike[str], host: str
) -> tuple[Literal["pass", "fail", "not applicable"], list[str], list[tuple[int, str]], list[str]]: ...
def columns() -> list[tuple[str, str, str, str]]: ...
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

"""Scenarios as typed objects. They only spell the keys of a scenario file; checked is the dict they become.

Quantities are text as in a file (`"50mbit"`, `"48ms"`, `"100p"`, `"1500b"`). What is left at `None` gets the file's
default. What each key means stands in `docs/` and in the JSON Schema (`vegaslab schema`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal


class _Table:
    """A table of the scenario file; a name that Python reserves ends in an underscore here."""

    def to_dict(self) -> dict[str, object]:
        """The table as a dict, without what was not given."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return {name.rstrip("_"): _plain(value) for name, value in given if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, _Table):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


@dataclass(frozen=True, kw_only=True)
class Reorder(_Table):
    """Packets held back so that later ones overtake them."""

    probability: float
    delay: str


@dataclass(frozen=True, kw_only=True)
class Queue(_Table):
    """A managed queue: "red", "codel", "pie" or "fq-codel", with the parameters that this one has."""

    kind: Literal["red", "codel", "pie", "fq-codel"]
    limit: str
    target: str | None = None
    interval: str | None = None
    update: str | None = None
    max_burst: str | None = None
    queues: int | None = None
    quantum: int | None = None
    min: int | None = None
    max: int | None = None
    max_probability: float | str | None = None
    weight: float | str | None = None


@dataclass(frozen=True, kw_only=True)
class TraceRate(_Table):
    """A rate that varies as recorded in a file in Mahimahi's format."""

    trace: str


@dataclass(frozen=True, kw_only=True)
class BurstLoss(_Table):
    """Losses in bursts: a channel with a good and a bad state, which may change before each packet."""

    good_to_bad: float | str
    bad_to_good: float | str
    loss_good: float | str | None = None
    loss_bad: float | str | None = None
    model: Literal["gilbert-elliott"] = "gilbert-elliott"


@dataclass(frozen=True, kw_only=True)
class Backward(_Table):
    """What differs in the reverse direction of a link."""

    rate: str | TraceRate | None = None
    delay: str | None = None
    queue: str | Queue | None = None
    aqt: bool | None = None
    loss: float | str | BurstLoss | None = None
    jitter: str | None = None
    duplicate: float | None = None
    reorder: Reorder | None = None
    drop: Sequence[int] | None = None


@dataclass(frozen=True, kw_only=True)
class Link(_Table):
    """A link of both directions: rate, one-way delay, queue, impairments. `between` names its nodes in a graph."""

    rate: str | TraceRate
    delay: str
    queue: str | Queue | None = None
    aqt: bool | None = None
    between: tuple[str, str] | None = None
    backward: Backward | None = None
    loss: float | str | BurstLoss | None = None
    jitter: str | None = None
    duplicate: float | None = None
    reorder: Reorder | None = None
    drop: Sequence[int] | None = None


@dataclass(frozen=True, kw_only=True)
class Access(Link):
    """The link between a host and its router."""


@dataclass(frozen=True, kw_only=True)
class Dumbbell(_Table):
    """Senders, a router, one bottleneck, a router, receivers."""

    access: Link
    bottleneck: Link
    kind: Literal["dumbbell"] = "dumbbell"


@dataclass(frozen=True, kw_only=True)
class ParkingLot(_Table):
    """Routers in a row: `hops` times the same `bottleneck`, or `bottlenecks` one by one."""

    access: Link
    bottleneck: Link | None = None
    hops: int | None = None
    bottlenecks: Sequence[Link] | None = None
    kind: Literal["parking-lot"] = "parking-lot"


@dataclass(frozen=True, kw_only=True)
class Graph(_Table):
    """Any nodes, and links between them."""

    nodes: Sequence[str]
    link: Sequence[Link]
    kind: Literal["graph"] = "graph"


@dataclass(frozen=True, kw_only=True)
class Parts(_Table):
    """An algorithm by its parts; what is left out is that of `preset`, or of `mechanisms` over Reno."""

    preset: str | None = None
    mechanisms: str | None = None
    signal: str | Mapping[str, object] | None = None
    slow_start: str | Mapping[str, object] | None = None
    avoidance: str | Mapping[str, object] | None = None
    cut: str | None = None
    once_per_window: bool | None = None
    recovery: str | None = None
    fine_retransmit: bool | None = None
    recheck_after_retransmit: bool | None = None
    burst: int | str | None = None
    keep_up: bool | None = None
    suppress_spikes: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Host(_Table):
    """How a flow's hosts behave: what belongs to TCP and not to the congestion control."""

    kind: str | None = None
    dupack_threshold: int | None = None
    limited_transmit: bool | None = None
    recovery_burst: int | str | None = None
    delayed_ack: str | bool | None = None
    receive_window: int | str | None = None
    rto_min: str | None = None
    rto_max: str | None = None
    rto_initial: str | None = None
    rto_grain: str | None = None
    handshake: str | None = None


@dataclass(frozen=True, kw_only=True)
class Flow(_Table):
    """One connection that sends data one way, or `count` alike. Windows and thresholds are in segments."""

    algorithm: str | Parts
    transport: str | None = None
    count: int | None = None
    start: str | None = None
    stop: str | None = None
    size: str | None = None
    packet: str | None = None
    ack: str | None = None
    header: str | None = None
    alpha: int | None = None
    beta: int | None = None
    gamma: int | None = None
    initial_window: int | None = None
    restart_window: int | None = None
    ssthresh: int | None = None
    max_window: int | None = None
    recovery: str | None = None
    delayed_ack: str | bool | None = None
    access: Link | None = None
    from_: str | None = None
    to: str | None = None
    via: Sequence[str] | None = None
    enter: str | None = None
    leave: str | None = None
    host: str | Host | None = None


@dataclass(frozen=True, kw_only=True)
class Change(_Table):
    """What changes during the run: values of a `link` (one direction, "r1->r2"), or the route of a `flow`."""

    at: str
    link: str | None = None
    rate: str | None = None
    delay: str | None = None
    queue: str | None = None
    flow: int | None = None
    via: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Traffic(_Table):
    """One source of background traffic; `docs/traffic.md` tells the kinds."""

    kind: str
    start: str | None = None
    stop: str | None = None
    rate: str | None = None
    packet: str | None = None
    on: str | None = None
    off: str | None = None
    shape: float | None = None
    interarrival: str | None = None
    size: str | None = None
    size_distribution: Literal["fixed", "exponential", "pareto"] | None = None
    flow: Flow | None = None
    direction: Literal["forward", "backward"] | None = None
    access: Link | None = None
    from_: str | None = None
    to: str | None = None
    via: Sequence[str] | None = None
    enter: str | None = None
    leave: str | None = None


@dataclass(frozen=True, kw_only=True)
class Scenario(_Table):
    """What is simulated, for how long, and from which seed."""

    name: str
    duration: str
    topology: Dumbbell | ParkingLot | Graph
    flow: Sequence[Flow]
    change: Sequence[Change] | None = None
    traffic: Sequence[Traffic] | None = None
    description: str | None = None
    seed: int | None = None
    sample: str | None = None
    capture: bool | None = None

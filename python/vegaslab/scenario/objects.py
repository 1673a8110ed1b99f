"""Scenarios as typed objects. They only spell the keys of a scenario file; checked is the dict they become.

Quantities are text as in a file (`"50mbit"`, `"48ms"`, `"100p"`, `"1500b"`). What is left at `None` gets the file's
default.

Made from the JSON Schema (`vegaslab schema`) by `make objects`: edit `python/documentation/objects.py` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vegaslab.scenario.typed import Table


@dataclass(frozen=True, kw_only=True, repr=False)
class Scenario(Table):
    """A scenario: what is simulated, for how long, and from which seed.

    >>> import vegaslab
    >>> from vegaslab import Dumbbell, Flow, Link, Scenario
    >>> access, link = Link(rate="1gbit", delay="1ms"), Link(rate="10mbit", delay="8ms", queue="30p")
    >>> topology = Dumbbell(access=access, bottleneck=link)
    >>> scenario = Scenario(name="two", duration="10s", topology=topology, flow=[Flow(algorithm="vegas", count=2)])
    >>> vegaslab.run(scenario)
    <vegaslab.Result two: 10 s, 2 flows, 10 links>
    """

    name: str
    """The scenario's name, also that of its results folder."""
    description: str | None = None
    """What the scenario shows, in a sentence."""
    duration: str
    """The duration of the run; above 0, 100 days (`"2400h"`) at most."""
    until_complete: bool | None = None
    """Whether the run ends before that, as soon as every flow has completed; each needs a `size`. Default: `false`."""
    seed: int | None = None
    """The seed of every random stream. Default: `1`."""
    sample: str | None = None
    """The step of the time series; or a row at every change; or no series. At most 50 million rows, all flows and links
    together. Default: `"100ms"`."""
    capture: bool | None = None
    """Whether every packet is kept for a capture file. Default: `false`."""
    topology: Dumbbell | ParkingLot | Graph
    """The network: `[topology]`."""
    flow: Sequence[Flow]
    """The flows, at least one: `[[flow]]`."""
    change: Sequence[Change] | None = None
    """The changes during the run: `[[change]]`."""
    traffic: Sequence[Traffic] | None = None
    """Background traffic: `[[traffic]]`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Dumbbell(Table):
    """Senders, a router, one bottleneck, a router, receivers.

    >>> from vegaslab import Dumbbell, Link
    >>> access, link = Link(rate="1gbit", delay="1ms"), Link(rate="10mbit", delay="8ms", queue="30p")
    >>> Dumbbell(access=access, bottleneck=link).kind
    'dumbbell'
    """

    kind: Literal["dumbbell"] = "dumbbell"
    """The shape of the network."""
    access: Link
    """The link between each host and its router, on both sides. Required in dumbbell and parking-lot."""
    bottleneck: Link
    """The link between two routers; its `queue` is required. Required in dumbbell; in parking-lot unless
    `bottlenecks`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ParkingLot(Table):
    """Routers in a row: `hops` times the same `bottleneck`, or `bottlenecks` one by one.

    >>> from vegaslab import Link, ParkingLot
    >>> access, link = Link(rate="1gbit", delay="1ms"), Link(rate="10mbit", delay="8ms", queue="30p")
    >>> list(ParkingLot(access=access, bottleneck=link, hops=3).to_dict())
    ['kind', 'access', 'bottleneck', 'hops']
    """

    kind: Literal["parking-lot"] = "parking-lot"
    """The shape of the network."""
    access: Link
    """The link between each host and its router, on both sides. Required in dumbbell and parking-lot."""
    bottleneck: Link | None = None
    """The link between two routers; its `queue` is required. Required in dumbbell; in parking-lot unless
    `bottlenecks`."""
    bottlenecks: Sequence[Link] | None = None
    """The links between the routers one by one, instead of `bottleneck`."""
    hops: int | None = None
    """The number of links between the routers. Default: the number of `bottlenecks`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Graph(Table):
    """Any nodes, and links between them.

    >>> from vegaslab import Graph, Link
    >>> graph = Graph(nodes=["a", "b"], link=[Link(between=("a", "b"), rate="1mbit", delay="1ms", queue="9p")])
    >>> graph.to_dict()["link"][0]["between"]
    ['a', 'b']
    """

    kind: Literal["graph"] = "graph"
    """The shape of the network."""
    nodes: Sequence[str]
    """The nodes. Required in graph."""
    link: Sequence[Link]
    """The links: `[[topology.link]]`. Required in graph."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Link(Table):
    """A link between two nodes; the reverse direction is the same, without the impairments, unless said.

    >>> from vegaslab import Backward, Link
    >>> Link(rate="10mbit", delay="8ms", queue="30p", loss="1%", backward=Backward(rate="1mbit")).to_dict()
    {'rate': '10mbit', 'delay': '8ms', 'queue': '30p', 'backward': {'rate': '1mbit'}, 'loss': '1%'}
    """

    between: tuple[str, str] | None = None
    """The nodes; forward is from the first to the second."""
    rate: str | TraceRate
    """Transmission rate, 1 bit/s to 1 Tbit/s; or a recorded one that varies: `rate`."""
    delay: str | TraceDelay
    """Propagation delay, one way; 1 h at most; or a recorded one that varies: `delay`."""
    queue: str | Queue | None = None
    """The capacity of the drop-tail queue, of a dumbbell's bottleneck also in bandwidth-delay products; the packet in
    transmission counts. Or a managed queue: `queue`. Unlimited is a host's own interface, which blocks its sender
    instead of dropping. Default: `"unlimited"` for `access`, else required."""
    aqt: bool | None = None
    """Whether it stamps its queueing time into the packets of flows that request it, as `rovegas` does. Default:
    `false`."""
    backward: Backward | None = None
    """The differences in the reverse direction: `backward`. Default: as forward."""
    loss: float | str | BurstLoss | None = None
    """The probability that a packet offered to the link is lost; or losses in bursts: `loss`. Default: `0`."""
    policer: Policer | None = None
    """Loses the packets that exceed a rate: `policer`."""
    jitter: str | ModelledJitter | None = None
    """Additional delay of each packet, uniform from 0 to this; a packet that would overtake waits for the one before
    it. 1 h at most. Or by a model: `jitter`. Default: `"0s"`."""
    delay_schedule: DelaySchedule | None = None
    """Additional delay that changes at given times: `delay_schedule`."""
    batch: str | None = None
    """Packets leave the link together, at multiples of this time from the beginning of the run, as on a link that
    aggregates; 1 h at most. Default: `"0s"`."""
    duplicate: float | str | None = None
    """The probability that a delivered packet is delivered twice. Default: `0`."""
    reorder: Reorder | None = None
    """Packets are delayed so that later ones overtake them: `reorder`."""
    ecn_field: Literal["not-ect", "ect0", "ect1", "ce"] | None = None
    """The ECN field with which ECN-capable packets leave the link; a mark stays one unless this is `"not-ect"`:
    bleached and mangled marks. Default: as it came."""
    drop: Sequence[int] | None = None
    """Data packets to lose, counted from 1 in the order in which they are offered to the link; ascending."""


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceRate(Table):
    """A rate that varies as recorded in a file.

    >>> from vegaslab import Link, TraceRate
    >>> Link(rate=TraceRate(trace="rate-trace.txt"), delay="20ms", queue="100p")
    Link(rate=TraceRate(trace='rate-trace.txt'), delay='20ms', queue='100p')
    """

    trace: str
    """A file, relative to the scenario file (to the working folder if the scenario is no file): in Mahimahi's format,
    on each line the time in ms of an opportunity to send 1500 bytes, ascending; or a table of times and rates. It
    begins again at its end."""
    step: str | None = None
    """For a file with one rate a line, in Mb/s: the time that each holds."""


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceDelay(Table):
    """A delay that varies as recorded in a file.

    >>> from vegaslab import Link, TraceDelay
    >>> Link(rate="10mbit", delay=TraceDelay(trace="leo-delay.csv")).delay
    TraceDelay(trace='leo-delay.csv')
    """

    trace: str
    """A CSV file, relative to the scenario file: the line `time_s,delay_ms`, then on each line a time and the one-way
    delay from then on, ascending from 0; at the last time it begins again. Or another table of times and delays."""
    step: str | None = None
    """For a file with one delay a line, in ms: the time that each holds."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Queue(Table):
    """A queue with a discipline, and its parameters.

    >>> from vegaslab import Link, Queue
    >>> Link(rate="10mbit", delay="8ms", queue=Queue(kind="codel", limit="100p", ecn=True))
    Link(rate='10mbit', delay='8ms', queue=Queue(kind='codel', limit='100p', ecn=True))
    """

    kind: Literal["drop-tail", "red", "codel", "pie", "fq-codel", "step", "dualpi2"]
    """The discipline."""
    limit: str
    """The capacity of the queue; the packet in transmission counts."""
    ecn: bool | None = None
    """red, codel, pie, fq-codel: packets of flows with `ecn` are marked instead of dropped. Default: `false`."""
    target: str | None = None
    """codel, fq-codel, pie, dualpi2: the targeted waiting time; above 0, 1 min at most, as all times here. Default:
    `"5ms"`; `"15ms"` with pie and dualpi2."""
    interval: str | None = None
    """codel, fq-codel: the time for which packets wait above the target before the first drop. Default: `"100ms"`."""
    ce_threshold: str | None = None
    """codel, fq-codel: the waiting time above which each packet of a flow with `ecn` is marked; dualpi2: that of the L
    queue. Default: none; `"1ms"` with dualpi2."""
    update: str | None = None
    """pie: the time between two updates of the probability. Default: `"15ms"`."""
    max_burst: str | None = None
    """pie: a burst of this length passes undropped. Default: `"150ms"`."""
    queues: int | None = None
    """fq-codel: the number of queues. Default: `1024`."""
    quantum: int | None = None
    """fq-codel: bytes that a queue sends in a turn. Default: `1514`."""
    isolate: Literal["flows", "users"] | None = None
    """fq-codel: what has a queue of its own: each direction of a connection, or each user. Default: `"flows"`."""
    min: int | None = None
    """red: the average queue in packets from which packets are dropped; step: the waiting packets above which a packet
    that arrives is marked. Default: `5`; `65` with step."""
    max: int | None = None
    """red: the average queue in packets at which `max_probability` is reached; above `min`. Default: three times
    `min`."""
    max_probability: float | str | None = None
    """red: the probability of a drop at `max`. Default: `0.1`."""
    weight: float | str | None = None
    """red: the weight of one packet in the average; above 0. dualpi2: the part of the link that the classic queue has
    while both queues have packets. Default: `0.002`; `0.1` with dualpi2."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Backward(Table):
    """The reverse direction of a link: what is left out is as in the forward direction, impairments excepted.

    >>> from vegaslab import Backward, Link
    >>> Link(rate="10mbit", delay="8ms", queue="30p", backward=Backward(rate="1mbit", queue="10p")).backward
    Backward(rate='1mbit', queue='10p')
    """

    rate: str | TraceRate | None = None
    """Transmission rate: `rate`. Default: as forward."""
    delay: str | TraceDelay | None = None
    """Propagation delay, one way: `delay`. Default: as forward."""
    queue: str | Queue | None = None
    """The capacity of the queue: `queue`. Default: as forward."""
    aqt: bool | None = None
    """Whether it stamps. Default: as forward."""
    loss: float | str | BurstLoss | None = None
    """The probability that a packet offered to the link is lost; or losses in bursts: `loss`. Default: `0`."""
    policer: Policer | None = None
    """Loses the packets that exceed a rate: `policer`."""
    jitter: str | ModelledJitter | None = None
    """Additional delay of each packet, uniform from 0 to this; a packet that would overtake waits for the one before
    it. 1 h at most. Or by a model: `jitter`. Default: `"0s"`."""
    delay_schedule: DelaySchedule | None = None
    """Additional delay that changes at given times: `delay_schedule`."""
    batch: str | None = None
    """Packets leave the link together, at multiples of this time from the beginning of the run, as on a link that
    aggregates; 1 h at most. Default: `"0s"`."""
    duplicate: float | str | None = None
    """The probability that a delivered packet is delivered twice. Default: `0`."""
    reorder: Reorder | None = None
    """Packets are delayed so that later ones overtake them: `reorder`."""
    ecn_field: Literal["not-ect", "ect0", "ect1", "ce"] | None = None
    """The ECN field with which ECN-capable packets leave the link; a mark stays one unless this is `"not-ect"`:
    bleached and mangled marks. Default: as it came."""
    drop: Sequence[int] | None = None
    """Data packets to lose, counted from 1 in the order in which they are offered to the link; ascending."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BurstLoss(Table):
    """Losses in bursts: a channel with a good and a bad state, which may change before each packet.

    >>> from vegaslab import BurstLoss, Link
    >>> Link(rate="10mbit", delay="8ms", loss=BurstLoss(good_to_bad="1%", bad_to_good="25%")).loss
    BurstLoss(model='gilbert-elliott', good_to_bad='1%', bad_to_good='25%')
    """

    model: Literal["gilbert-elliott"] = "gilbert-elliott"
    """The model's name."""
    good_to_bad: float | str
    """The probability that the good state turns bad."""
    bad_to_good: float | str
    """The probability that the bad state turns good; above 0."""
    loss_good: float | str | None = None
    """The probability that a packet is lost in the good state. Default: `0`."""
    loss_bad: float | str | None = None
    """The probability that a packet is lost in the bad state. Default: `1`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Policer(Table):
    """A token bucket that drops the packets which find too few tokens.

    >>> from vegaslab import Link, Policer
    >>> Link(rate="10mbit", delay="8ms", policer=Policer(rate="5mbit", burst="30kb")).policer
    Policer(rate='5mbit', burst='30kb')
    """

    rate: str
    """The rate at which tokens arrive."""
    burst: str
    """The number of bytes that may pass at once: the depth of the bucket, which is full at the beginning; above 0. A
    larger packet never passes."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelledJitter(Table):
    """Extra delay of packets by a model.

    >>> from vegaslab import Link, ModelledJitter
    >>> Link(rate="10mbit", delay="8ms", jitter=ModelledJitter(mean="7ms")).jitter
    ModelledJitter(model='wifi', mean='7ms')
    """

    model: Literal["wifi"] = "wifi"
    """The model's name."""
    mean: str
    """The mean of the model, 1 ms to 91 ms; values below or above count as these."""


@dataclass(frozen=True, kw_only=True, repr=False)
class DelaySchedule(Table):
    """An additional delay that changes at given times; packets are kept in order.

    >>> from vegaslab import DelaySchedule, Flow
    >>> schedule = DelaySchedule(limit="10ms", points=[("0s", "0ms"), ("3.5s", "10ms")])
    >>> Flow(algorithm="copa", delay_schedule=schedule).to_dict()["delay_schedule"]["limit"]
    '10ms'
    """

    limit: str
    """The greatest delay that a point may have; 1 h at most."""
    points: Sequence[tuple[str, str]]
    """A time, and the delay from then on; the times ascend. Before the first point there is no delay."""
    every: str | None = None
    """From the first point on, the points begin again after each such time; longer than from the first point to the
    last. Without it they are gone through once."""
    backward: bool | None = None
    """flow: whether acknowledgements are delayed instead of data. A link's schedule stands in the table of its
    direction. Default: `false`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Reorder(Table):
    """Packets held back so that later ones overtake them.

    >>> from vegaslab import Link, Reorder
    >>> Link(rate="10mbit", delay="8ms", reorder=Reorder(probability="1%", delay="5ms")).reorder
    Reorder(probability='1%', delay='5ms')
    """

    probability: float | str
    """The probability that a packet is delayed."""
    delay: str
    """The length of the delay; above 0, 1 h at most."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Flow(Table):
    """One connection that sends data one way, or many alike.

    >>> from vegaslab import Flow
    >>> Flow(algorithm="vegas", start="2s", size="10mb", alpha=2, beta=4)
    Flow(algorithm='vegas', start='2s', size='10mb', alpha=2, beta=4)
    """

    count: int | None = None
    """The number of such flows; 1000000 in the whole file at most. Default: `1`."""
    algorithm: str | Parts
    """The congestion control: a preset, or a table of parts."""
    transport: Literal["tcp", "quic"] | None = None
    """The transport of the flow. QUIC's ends are quinn's, in simulated time: QUIC flows. Default: `"tcp"`."""
    start: str | None = None
    """The departure of the first packet; before the run ends. Default: `"0s"`."""
    stop: str | None = None
    """The time at which the application stops giving data; after `start`. Default: never."""
    size: str | None = None
    """The payload of the flow. Default: no end."""
    application: Sequence[ApplicationPhase] | None = None
    """The data that the application gives the flow, phase by phase: `application`. Default: bulk data."""
    packet: str | None = None
    """A full data packet on the wire, headers and their options included; 65535 bytes at most. QUIC's has 28 bytes of
    UDP and IP headers, and 1228 at least. Default: `"1000b"`, QUIC `"1480b"`."""
    ack: str | None = None
    """An acknowledgement on the wire, to which SACK blocks come; 65535 bytes at most. Default: `"40b"`; on host
    `"linux"` with time stamps `"52b"`."""
    header: str | None = None
    """Header bytes within `packet`, less than it; the rest is payload. Default: `"40b"`; on host `"linux"` with time
    stamps `"52b"`."""
    alpha: int | None = None
    """Backlog below which the window grows in congestion avoidance; not above `beta`. Default: the preset's."""
    beta: int | None = None
    """Backlog above which the window shrinks in congestion avoidance. Default: the preset's."""
    gamma: int | None = None
    """Backlog above which slow start ends. Default: the preset's."""
    initial_window: int | None = None
    """Window at the start. Default: the preset's."""
    restart_window: int | None = None
    """Window after a timeout. Default: the preset's."""
    ssthresh: int | None = None
    """Slow-start threshold before the first loss. None means no bound; for `mid-speed` (`dynamic`), which jumps to half
    of it, it is 64."""
    max_window: int | None = None
    """The window never exceeds this; the receiver's window also bounds it. Default: the receiver's window."""
    recovery: Literal["reno", "newreno", "sack"] | None = None
    """The host's fast recovery: RFC 5681, RFC 6582 or RFC 6675. It also overrides that of a table of parts. Default:
    the algorithm's."""
    delayed_ack: str | Literal[False] | None = None
    """The receiver acknowledges every second segment, or one alone after this time; 500 ms at most (RFC 1122).
    `"linux"`, for a Linux host: as the kernel. Default: `false`."""
    ecn: bool | None = None
    """Whether both hosts use explicit congestion notification (RFC 3168, or RFC 9768 where the algorithm counts marks).
    Default: `false`; `true` where the algorithm counts marks."""
    delay_schedule: DelaySchedule | None = None
    """Additional delay of this flow's packets behind the last link of their path, which changes at given times:
    `delay_schedule`."""
    access: Link | None = None
    """dumbbell, parking-lot: the flow's own access links, both sides; for flows of different delays. It replaces the
    topology's as a whole. Default: the topology's `access`."""
    from_: str | None = None
    """graph: the sender's node. Required in graph."""
    to: str | None = None
    """graph: the receiver's node. Required in graph."""
    via: Sequence[str] | None = None
    """graph: nodes to pass on the way, in order, by least delay from each to the next."""
    enter: str | None = None
    """parking-lot: the sender's router. Default: `"r1"`."""
    leave: str | None = None
    """parking-lot: the receiver's router. Default: the last."""
    user: str | None = None
    """The flow's user, for queues that isolate users. Default: one of its own."""
    group: str | None = None
    """The flow's group, which has figures of its own in comparisons. Default: flows of one algorithm and
    application."""
    receiver: Receiver | None = None
    """A rule that the receiver breaks: `receiver`."""
    host: Literal["bsd", "linux"] | Host | None = None
    """The behaviour of the hosts: `[flow.host]`. Default: that of the algorithm."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Parts(Table):
    """The parts of a congestion control; what is left out is the preset's.

    >>> from vegaslab import Flow, Parts
    >>> Flow(algorithm=Parts(preset="vegas", slow_start="gallop", burst="none")).to_dict()
    {'algorithm': {'preset': 'vegas', 'slow_start': 'gallop', 'burst': 'none'}}
    """

    name: str | None = None
    """The algorithm's name in tables, pictures and folders; no preset's name, 60 characters at most. Default: the
    preset and the differences, such as `vegas+gallop`."""
    python: str | None = None
    """An algorithm of your own: a file and its class, such as `"mine.py:Mine"`, relative to the scenario file. It
    decides the window; the host's parts (`recovery`, `fine_retransmit`, `recheck_after_retransmit`, `burst`) and the
    numbers are those of `preset`."""
    wasm: str | None = None
    """An algorithm of your own as a WebAssembly module, such as `"mine.wasm"`."""
    rust: str | None = None
    """An algorithm of your own as a type of the Rust program that runs the scenario."""
    javascript: str | None = None
    """An algorithm of your own as a class in JavaScript that the playground's page holds, such as `"mine.js"`, or
    `"mine.js:Mine"` where it has several."""
    preset: str | None = None
    """The source of the parts that are left out. Default: `"reno"`, of an algorithm of your own `"sack"`."""
    mechanisms: str | None = None
    """Instead of `preset`: these mechanisms over Reno. `"ABCDEFGHI"` is `vegas`, `""` is `reno`."""
    signal: (
        Literal[
            "none",
            "end-to-end",
            "end-to-end-1994",
            "end-to-end-ns2",
            "end-to-end-linux",
            "end-to-end-ns3",
            "router-assisted",
            "router-assisted-least-base",
        ]
        | None
    ) = None
    """The measurement of the backlog: none; from round-trip times; as the released version or ns-2, or Linux and ns-3
    do it; with the queueing times that routers stamp. Default: the preset's."""
    base_rtt: Literal["least", "handshake", "drains"] | None = None
    """Where the base RTT comes from. Default: the preset's."""
    rivals: Literal["ignore", "compete"] | None = None
    """What happens beside flows that fill the queue. Default: the preset's."""
    slow_start: (
        Literal[
            "reno",
            "reno-beta",
            "vegas",
            "vegas-ns2",
            "vegas-ns2-delayed",
            "gallop",
            "gallop-joining",
            "mid-speed",
            "mid-speed-by-window",
            "streak",
            "vegas-linux",
            "vegas-ns3",
            "hystart++",
            "hystart",
            "rapid-start",
            "rapid-start-paced",
            "search",
            "search-draft-09",
            "search-drain",
        ]
        | None
    ) = None
    """The rule by which the window opens. Default: the preset's."""
    avoidance: (
        Literal[
            "reno", "vegas", "dynamic", "dynamic-per-ack", "dynamic-ns2", "vegas-linux", "vegas-ns3", "cubic", "by-rate"
        ]
        | None
    ) = None
    """The rule of congestion avoidance. Default: the preset's."""
    cut: Literal["half", "half-linux", "three-quarters", "cubic", "vegas-ns3", "scalable"] | None = None
    """The rule for the window after a loss. Default: the preset's."""
    once_per_window: bool | None = None
    """E: cut only for the loss of a segment that was sent after the last cut. Default: the preset's."""
    recovery: Literal["reno", "newreno", "sack"] | None = None
    """The host's actions between a loss and its repair. Default: the preset's."""
    fine_retransmit: bool | None = None
    """C: a duplicate acknowledgement retransmits a segment that is older than its fine-grained timeout. Default: the
    preset's."""
    recheck_after_retransmit: bool | None = None
    """D: the first two new acknowledgements after a retransmission check the next segment likewise. Default: the
    preset's."""
    burst: int | Literal["none"] | None = None
    """H: the greatest number of segments sent back to back in answer to one acknowledgement. Default: the preset's."""
    keep_up: bool | None = None
    """I: no growth while the window exceeds the segments in flight by more than two. Default: the preset's."""
    suppress_spikes: bool | None = None
    """J: segments are paced to at most twice the number that left in the newest round trip. bsd. Default: the
    preset's."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ApplicationPhase(Table):
    """A phase of an application.

    >>> from vegaslab import ApplicationPhase, Flow
    >>> Flow(algorithm="nv", application=[ApplicationPhase(kind="rate", rate="2mbit")]).application
    [ApplicationPhase(kind='rate', rate='2mbit')]
    """

    kind: Literal["bulk", "idle", "rate", "on-off", "requests", "video", "media"]
    """The behaviour of the application in the phase."""
    duration: str | None = None
    """The length of the phase; only the last one may have no end. Default: until the flow ends."""
    rate: str | None = None
    """rate, on-off: payload a second. Required in rate and on-off."""
    on: str | None = None
    """on-off: length of a period of sending; 1 h at most. Required in on-off."""
    off: str | None = None
    """on-off: length of a period of silence; 1 h at most. Required in on-off."""
    size: str | None = None
    """requests: payload of a response. Required in requests."""
    think: str | None = None
    """requests: from a response's last acknowledgement to the next response. Default: `"0s"`."""
    ladder: Sequence[str] | None = None
    """video: the rates at which the video is available, payload a second; ascending. Required in video."""
    segment: str | None = None
    """video: playing time of a segment of video; 1 h at most. Default: `"4s"`."""
    buffer: str | None = None
    """video: the greatest playing time that the player keeps; `segment` at least; 1 h at most. Default: `"30s"`."""
    layers: Sequence[MediaLayer] | None = None
    """media: the layers, the most important first: `layers`. Media is the only phase, without `duration`, of a flow
    without `size`. Required in media."""


@dataclass(frozen=True, kw_only=True, repr=False)
class MediaLayer(Table):
    """A layer of media: frames of voice, or of a video at one quality.

    >>> from vegaslab import ApplicationPhase, MediaLayer
    >>> ApplicationPhase(kind="media", layers=[MediaLayer(every="20ms", size="80b")]).to_dict()["layers"]
    [{'every': '20ms', 'size': '80b'}]
    """

    every: str
    """The time between two frames; the first is made as the flow starts; 100 us to 1 h."""
    size: str
    """Payload of a frame; 1 GB at most."""
    key_size: str | None = None
    """Payload of a key frame, with which each group begins; 1 GB at most. Default: `size`."""
    group: int | None = None
    """The number of frames in a group. Default: `1`."""
    give_up: str | None = None
    """A frame that has not left whole after this time is given up, with the rest of its group; 1 h at most. Default:
    never."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Receiver(Table):
    """A receiver that breaks the rules.

    >>> from vegaslab import Flow, Receiver
    >>> Flow(algorithm="reno", receiver=Receiver(misbehaves="dupack-spoofing")).receiver
    Receiver(misbehaves='dupack-spoofing')
    """

    misbehaves: Literal["dupack-spoofing", "conceals-marks", "inflates-marks", "optimistic-acks", "ack-division"]
    """The rule that it breaks."""
    ahead: int | None = None
    """optimistic-acks: the number of segments beyond the newest one that has arrived which it acknowledges; with 0 it
    only conceals losses. Default: `10`."""
    parts: int | None = None
    """ack-division: the number of parts into which it divides an acknowledgement. Default: `10`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Host(Table):
    """How a flow's hosts behave: what belongs to TCP and not to the congestion control.

    >>> from vegaslab import Flow, Host
    >>> Flow(algorithm="reno", host=Host(kind="linux", rto_min="300ms")).host
    Host(kind='linux', rto_min='300ms')
    """

    kind: Literal["bsd", "linux"] | None = None
    """The recovery and the timers of BSD or of Linux. Default: that of the algorithm."""
    dupack_threshold: int | None = None
    """The number of duplicate acknowledgements that means a loss (RFC 5681, section 3.2). Default: `3`."""
    limited_transmit: bool | None = None
    """New data on the first two duplicate acknowledgements (RFC 3042). Mechanism C uses these for its own check. bsd.
    Default: `true`; `false` with `fine_retransmit`."""
    recovery_burst: int | Literal["none"] | None = None
    """The greatest number of segments sent in answer to one acknowledgement during fast recovery; ns-2's NewReno allows
    two. bsd. Default: `"none"`; `2` with `newreno` recovery."""
    delayed_ack: str | Literal[False] | None = None
    """Equivalent to the flow's own `delayed_ack`; give one of the two. Default: `false`."""
    gro: str | Literal[False] | None = None
    """The longest time for which the receiver's network interface holds segments in order to merge those that follow,
    so that one acknowledgement covers them (GRO; `gro_flush_timeout`). `"0s"`: those that arrive at one instant. 10 ms
    at most. Default: `false`."""
    reads_after: str | None = None
    """The time from the arrival of data until the application has been woken and reads, 10 ms at most: with `"linux"`
    acknowledgements may wait for that. linux. Default: `"0s"`."""
    sack: bool | None = None
    """Whether acknowledgements are selective (`net.ipv4.tcp_sack`). Without them three duplicates mean a loss, and
    recovery repairs one loss a round trip. linux. Default: `true`."""
    timestamps: bool | None = None
    """Whether segments have time stamps (`net.ipv4.tcp_timestamps`; what they are for). linux. Default: `true`."""
    receive_window: int | Literal["linux"] | LinuxWindow | None = None
    """The receiver's window: constant, or as Linux tunes it. Default: `1048576`, which limits no sender; linux:
    `"linux"`."""
    rto_min: str | None = None
    """Least retransmission timeout; linux: the least addition to the smoothed RTT. The default is that of ns-2 and
    Linux; RFC 6298, section 2.4 says 1 s. Default: `"200ms"`."""
    rto_max: str | None = None
    """Greatest retransmission timeout (RFC 6298, section 2.5). Default: `"60s"`; linux: `"120s"`."""
    rto_initial: str | None = None
    """Retransmission timeout before the first sample. The default is that of ns-2; RFC 6298, section 2.1 says 1 s.
    Default: `"3s"`; linux: `"1s"`."""
    rto_grain: str | None = None
    """Granularity of the retransmission clock (G of RFC 6298). The default is that of ns-2; Reno of the papers had 500
    ms. bsd. Default: `"10ms"`."""
    ticks_per_second: int | None = None
    """Ticks a second of the kernel's clock by which `cubic-linux`, `westwood`, `htcp` and `bic` count time and the
    timers of this host and of delayed acknowledgements expire (`CONFIG_HZ`); pacing has nanoseconds. The default is
    that of Debian's kernels. linux. Default: `250`."""
    handshake: Literal["none", "full"] | None = None
    """`"full"`: a SYN, its acknowledgement, and the acknowledgement of that right before the first data, which leave
    one round trip after `start`. Each is as large as an acknowledgement, and takes its place in queues. Default:
    `"none"`; linux: `"full"`."""
    byte_counting: bool | None = None
    """Whether the window grows by what is acknowledged, by a segment at most for each acknowledgement (RFC 5681,
    section 3.1). `false`: by a segment for each acknowledgement of new data, as RFC 2581 allowed; the two differ where
    an acknowledgement is divided. bsd. Default: `true`."""
    slow_start_after_idle: bool | None = None
    """Whether the window shrinks while it is not used: to the initial window after a retransmission timeout of silence
    (RFC 5681, section 4.1); linux: by a half for each timeout, and after a timeout with less to send
    (`net.ipv4.tcp_slow_start_after_idle`). Default: `true`."""
    accepts_ecn: Literal["none", "classic", "accurate"] | None = None
    """The newest version of ECN that the receiver takes where the sender asks for it: none, echoes (RFC 3168) or counts
    (RFC 9768); what a sender does without. Default: `"accurate"`."""
    aqt_every: int | None = None
    """Of an algorithm that asks routers, as `rovegas` does: the number of data packets to one that carries the option,
    with its acknowledgement. Default: `1`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class LinuxWindow(Table):
    """The limits of a receive window as Linux tunes it. linux.

    >>> from vegaslab import Flow, Host, LinuxWindow
    >>> Flow(algorithm="cubic-linux", host=Host(kind="linux", receive_window=LinuxWindow(max="1mb"))).to_dict()
    {'algorithm': 'cubic-linux', 'host': {'kind': 'linux', 'receive_window': {'max': '1mb'}}}
    """

    initial: str | None = None
    """The window of the handshake, in whole segments; two at least. It is half of the buffer (`tcp_rmem[1]`). Default:
    `"65535b"`."""
    max: str | None = None
    """The greatest window; 1 GiB at most. Default: what `tcp_rmem[2]`, 6 MiB, leaves for data, 3.75 MiB in packets of
    1500 bytes."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Change(Table):
    """Something that changes during the run: a link's values, or a flow's route.

    >>> from vegaslab import Change
    >>> Change(at="20s", link="r1->r2", rate="5mbit")
    Change(at='20s', link='r1->r2', rate='5mbit')
    """

    at: str
    """The time of the change; before the run ends."""
    link: str | None = None
    """The link, by its name in results (`"r1->r2"`): one direction. Either this or `flow`."""
    rate: str | None = None
    """link: the rate from then on; not for a link that follows a trace. Default: as before."""
    delay: str | None = None
    """link: the propagation delay from then on. Default: as before."""
    queue: str | None = None
    """link: the capacity of the queue from then on. Default: as before."""
    loss: float | str | None = None
    """link: the probability that a packet is lost from then on; 1 is a black hole. Losses in bursts continue beside it.
    Default: as before."""
    flow: int | None = None
    """graph: the flow that takes another route, counted from 0."""
    via: Sequence[str] | None = None
    """flow: nodes to pass on the way from then on, as in `[[flow]]`; `[]` for the path of least delay. Required with
    `flow`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Traffic(Table):
    """A source of background traffic.

    >>> from vegaslab import Traffic
    >>> Traffic(kind="exponential-on-off", rate="2mbit", on="100ms", off="100ms")
    Traffic(kind='exponential-on-off', rate='2mbit', on='100ms', off='100ms')
    """

    kind: Literal["constant", "exponential-on-off", "pareto-on-off", "poisson-transfers", "tcplib", "connection-trace"]
    """The kind of traffic."""
    start: str | None = None
    """The start of the source; before the run ends. Default: `"0s"`."""
    stop: str | None = None
    """The time from which the source sends no new data; after `start`. Default: never."""
    rate: str | None = None
    """constant, on-off: bits on the wire a second while the source is on, 1 bit/s to 1 Tbit/s. Required in constant and
    on-off."""
    packet: str | None = None
    """constant, on-off: a datagram on the wire, headers included; 65535 bytes at most. Default: `"1000b"`."""
    on: str | None = None
    """on-off: mean length of a period of sending; not below the time between two packets unless `whole_packets` is
    true, 1 h at most. Required in on-off."""
    off: str | None = None
    """on-off: mean length of a period of silence; above 0, 1 h at most. Required in on-off."""
    whole_packets: bool | None = None
    """on-off: whether each period of sending is rounded to whole packets, one at least, as in ns-2. Default:
    `false`."""
    shape: float | None = None
    """pareto-on-off, Pareto sizes: the shape of the Pareto distribution, in steps of 0.001. Default: `1.5`."""
    interarrival: str | None = None
    """poisson-transfers, tcplib: mean time between the starts of two transfers or conversations; above 0, 1 h at most.
    Required in poisson-transfers and tcplib."""
    items: int | None = None
    """tcplib: number of items in each conversation of FTP and NNTP, 1 to 1000. Default: drawn from tcplib's tables."""
    size: str | None = None
    """poisson-transfers: payload of a transfer, the mean where it is random. Required in poisson-transfers."""
    size_distribution: Literal["fixed", "exponential", "pareto"] | None = None
    """poisson-transfers: the distribution of the sizes. Default: `"fixed"`."""
    trace: str | None = None
    """connection-trace: a CSV file, relative to the scenario file: the line
    `start_s,request_bytes,response_bytes,think_s`, then an epoch on each line; one without a start continues the
    connection above. Required in connection-trace."""
    side: Literal["responses", "requests"] | None = None
    """connection-trace: which of the trace's bytes the source sends. Default: `"responses"`."""
    flow: Flow | None = None
    """poisson-transfers, tcplib, connection-trace: every connection, with the keys of a `[[flow]]` except `start`,
    `stop`, `size` and those of its path. Those of poisson-transfers may have `transport = "quic"`. Required in poisson-
    transfers, tcplib and connection-trace."""
    user: str | None = None
    """The user of all traffic of the source, for queues that isolate users. Default: one of its own."""
    direction: Literal["forward", "backward"] | None = None
    """dumbbell: the direction in which the traffic crosses the bottleneck; backward is from `r2` to `r1`. Default:
    `"forward"`."""
    access: Link | None = None
    """dumbbell, parking-lot: the source's own access links, both sides. Default: the topology's `access`."""
    from_: str | None = None
    """graph: the sender's node. Required in graph."""
    to: str | None = None
    """graph: the receiver's node. Required in graph."""
    via: Sequence[str] | None = None
    """graph: nodes to pass on the way, in order."""
    enter: str | None = None
    """parking-lot: the sender's router. Default: `"r1"`."""
    leave: str | None = None
    """parking-lot: the receiver's router. Default: the last."""


class Access(Link):
    """The link between a host and its router.

    >>> from vegaslab import Access
    >>> Access(rate="1gbit", delay="1ms")
    Access(rate='1gbit', delay='1ms')
    """

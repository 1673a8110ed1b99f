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
    """How long the run lasts."""
    until_complete: bool | None = None
    """Whether the run ends before that, as soon as every flow has completed; each needs a `size`. Default: false."""
    seed: int | None = None
    """The seed of every random stream. Default: 1."""
    sample: str | None = None
    """The step of the time series, or "change" for a row at every change, or "off". Default: "100ms"."""
    capture: bool | None = None
    """Whether every packet is kept for a capture file. Default: false."""
    topology: Dumbbell | ParkingLot | Graph
    """The network."""
    flow: Sequence[Flow]
    """The flows, one table each."""
    change: Sequence[Change] | None = None
    """What changes during the run. Default: nothing."""
    traffic: Sequence[Traffic] | None = None
    """Background traffic, one table a source. Default: none."""


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
    """The link between each host and its router, on both sides."""
    bottleneck: Link
    """The link between two routers."""


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
    """The link between each host and its router, on both sides."""
    bottleneck: Link | None = None
    """The link between two routers."""
    bottlenecks: Sequence[Link] | None = None
    """The links between the routers one by one, instead of `bottleneck`."""
    hops: int | None = None
    """How many links there are between the routers. Default: the number of `bottlenecks`."""


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
    """The names of the nodes."""
    link: Sequence[Link]
    """The links, one table each."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Link(Table):
    """A link between two nodes; the reverse direction is the same, without the impairments, unless said.

    >>> from vegaslab import Backward, Link
    >>> Link(rate="10mbit", delay="8ms", queue="30p", loss="1%", backward=Backward(rate="1mbit")).to_dict()
    {'rate': '10mbit', 'delay': '8ms', 'queue': '30p', 'backward': {'rate': '1mbit'}, 'loss': '1%'}
    """

    between: tuple[str, str] | None = None
    """The two nodes; forward is from the first to the second."""
    rate: str | TraceRate
    """Transmission rate."""
    delay: str | TraceDelay
    """Propagation delay, one way."""
    queue: str | Queue | None = None
    """How much the queue holds, with the packet being sent; required between routers. Default: "unlimited"."""
    aqt: bool | None = None
    """Whether it stamps its queueing time into the packets of flows that ask for it, as `rovegas` does. Default:
    false."""
    backward: Backward | None = None
    """What differs in the reverse direction."""
    loss: float | str | BurstLoss | None = None
    """Probability that a packet is lost, or a model of losses in bursts; in this direction only. Default: 0."""
    policer: Policer | None = None
    """What exceeds a rate is lost; in this direction only. Default: none."""
    jitter: str | ModelledJitter | None = None
    """Extra delay, uniform from 0 to this, or by a model, packets kept in order; in this direction only. Default:
    "0s"."""
    delay_schedule: DelaySchedule | None = None
    """Additional delay that changes at given times, packets kept in order; in this direction only. Default: none."""
    batch: str | None = None
    """Packets come out together, at multiples of this time; in this direction only. Default: "0s"."""
    duplicate: float | str | None = None
    """Probability that a packet is delivered twice, in this direction only. Default: 0."""
    reorder: Reorder | None = None
    """Packets held back so that later ones overtake them, in this direction only. Default: none."""
    drop: Sequence[int] | None = None
    """Data packets to lose, counted from 1 in their order on the link, ascending. Default: none."""


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceRate(Table):
    """A rate that varies as recorded in a file.

    >>> from vegaslab import Link, TraceRate
    >>> Link(rate=TraceRate(trace="rate-trace.txt"), delay="20ms", queue="100p")
    Link(rate=TraceRate(trace='rate-trace.txt'), delay='20ms', queue='100p')
    """

    trace: str
    """A file in Mahimahi's format, relative to the scenario file: on each line the time in ms of an opportunity to send
    1500 bytes, ascending; it begins anew at its end."""


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceDelay(Table):
    """A delay that varies as recorded in a file.

    >>> from vegaslab import Link, TraceDelay
    >>> Link(rate="10mbit", delay=TraceDelay(trace="leo-delay.csv")).delay
    TraceDelay(trace='leo-delay.csv')
    """

    trace: str
    """A CSV file, relative to the scenario file: the line `time_s,delay_ms`, then on each line a time and the delay
    from then on, ascending from 0; at the last time it begins anew."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Queue(Table):
    """A queue with a discipline, and its parameters.

    >>> from vegaslab import Link, Queue
    >>> Link(rate="10mbit", delay="8ms", queue=Queue(kind="codel", limit="100p", ecn=True))
    Link(rate='10mbit', delay='8ms', queue=Queue(kind='codel', limit='100p', ecn=True))
    """

    kind: Literal["drop-tail", "red", "codel", "pie", "fq-codel"]
    """The discipline."""
    limit: str
    """How much the queue holds, with the packet being sent."""
    ecn: bool | None = None
    """all but drop-tail: packets of flows with `ecn` are marked instead of dropped. Default: false."""
    target: str | None = None
    """codel, fq-codel, pie: the waiting time to hold. Default: "5ms"; with pie "15ms"."""
    interval: str | None = None
    """codel, fq-codel: how long packets wait above the target before the first drop. Default: "100ms"."""
    update: str | None = None
    """pie: the time between two updates of the probability. Default: "15ms"."""
    max_burst: str | None = None
    """pie: a burst of this length passes undropped. Default: "150ms"."""
    queues: int | None = None
    """fq-codel: the number of queues. Default: 1024."""
    quantum: int | None = None
    """fq-codel: bytes that a queue sends in a turn. Default: 1514."""
    isolate: Literal["flows", "users"] | None = None
    """fq-codel: what has a queue of its own: "flows" or "users". Default: "flows"."""
    min: int | None = None
    """red: the average queue in packets from which packets are dropped. Default: 5."""
    max: int | None = None
    """red: the average queue in packets at which `max_probability` is reached. Default: three times `min`."""
    max_probability: float | str | None = None
    """red: the probability of a drop at `max`. Default: 0.1."""
    weight: float | str | None = None
    """red: the weight of one packet in the average. Default: 0.002."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Backward(Table):
    """The reverse direction of a link: what is left out is as in the forward direction, impairments excepted.

    >>> from vegaslab import Backward, Link
    >>> Link(rate="10mbit", delay="8ms", queue="30p", backward=Backward(rate="1mbit", queue="10p")).backward
    Backward(rate='1mbit', queue='10p')
    """

    rate: str | TraceRate | None = None
    """Transmission rate. Default: the link's."""
    delay: str | TraceDelay | None = None
    """Propagation delay, one way. Default: the link's."""
    queue: str | Queue | None = None
    """How much the queue holds, with the packet being sent. Default: the link's."""
    aqt: bool | None = None
    """Whether it stamps its queueing time into the packets of flows that ask for it, as `rovegas` does. Default: as the
    link."""
    loss: float | str | BurstLoss | None = None
    """Probability that a packet is lost, or a model of losses in bursts; in this direction only. Default: 0."""
    policer: Policer | None = None
    """What exceeds a rate is lost; in this direction only. Default: none."""
    jitter: str | ModelledJitter | None = None
    """Extra delay, uniform from 0 to this, or by a model, packets kept in order; in this direction only. Default:
    "0s"."""
    delay_schedule: DelaySchedule | None = None
    """Additional delay that changes at given times, packets kept in order; in this direction only. Default: none."""
    batch: str | None = None
    """Packets come out together, at multiples of this time; in this direction only. Default: "0s"."""
    duplicate: float | str | None = None
    """Probability that a packet is delivered twice, in this direction only. Default: 0."""
    reorder: Reorder | None = None
    """Packets held back so that later ones overtake them, in this direction only. Default: none."""
    drop: Sequence[int] | None = None
    """Data packets to lose, counted from 1 in their order on the link, ascending. Default: none."""


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
    """Probability that the good state turns bad."""
    bad_to_good: float | str
    """Probability that the bad state turns good; above 0."""
    loss_good: float | str | None = None
    """Probability that a packet is lost in the good state. Default: 0."""
    loss_bad: float | str | None = None
    """Probability that a packet is lost in the bad state. Default: 1."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Policer(Table):
    """A token bucket that drops the packets which find too few tokens.

    >>> from vegaslab import Link, Policer
    >>> Link(rate="10mbit", delay="8ms", policer=Policer(rate="5mbit", burst="30kb")).policer
    Policer(rate='5mbit', burst='30kb')
    """

    rate: str
    """At what rate tokens come."""
    burst: str
    """How many bytes may pass at once: the depth of the bucket, which is full at the beginning."""


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
    """The mean that the model aims at."""


@dataclass(frozen=True, kw_only=True, repr=False)
class DelaySchedule(Table):
    """An additional delay that changes at given times; packets are kept in order.

    >>> from vegaslab import DelaySchedule, Flow
    >>> schedule = DelaySchedule(limit="10ms", points=[("0s", "0ms"), ("3.5s", "10ms")])
    >>> Flow(algorithm="copa", delay_schedule=schedule).to_dict()["delay_schedule"]["limit"]
    '10ms'
    """

    limit: str
    """The greatest delay that a point may have."""
    points: Sequence[tuple[str, str]]
    """Pairs of a time and the delay from then on, ascending; before the first there is none."""
    every: str | None = None
    """From the first point on, the points begin anew after each such time."""
    backward: bool | None = None
    """flow: whether acknowledgements are held instead of data. Default: false."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Reorder(Table):
    """Packets held back so that later ones overtake them.

    >>> from vegaslab import Link, Reorder
    >>> Link(rate="10mbit", delay="8ms", reorder=Reorder(probability="1%", delay="5ms")).reorder
    Reorder(probability='1%', delay='5ms')
    """

    probability: float | str
    """Probability that a packet is held back."""
    delay: str
    """For how long."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Flow(Table):
    """One connection that sends data one way, or many alike.

    >>> from vegaslab import Flow
    >>> Flow(algorithm="vegas", start="2s", size="10mb", alpha=2, beta=4)
    Flow(algorithm='vegas', start='2s', size='10mb', alpha=2, beta=4)
    """

    count: int | None = None
    """How many such flows there are, each with hosts of its own, up to 100000. Default: 1."""
    algorithm: str | Parts
    """The congestion control: a preset's name, or a table of parts."""
    transport: Literal["tcp", "quic"] | None = None
    """What carries it: "tcp", or "quic", with quinn's ends. Default: "tcp"."""
    start: str | None = None
    """When the flow starts. Default: "0s"."""
    stop: str | None = None
    """When the application stops giving data. Default: never."""
    size: str | None = None
    """How much payload is sent. Default: no end."""
    application: Sequence[ApplicationPhase] | None = None
    """What the application gives the flow to send, phase by phase. Default: all of it at the start."""
    packet: str | None = None
    """A full data packet on the wire, headers included, 1 to 65535 bytes; for QUIC with those of UDP and IP, from 1228.
    Default: "1000b", for QUIC "1480b"."""
    ack: str | None = None
    """An acknowledgement on the wire, 1 to 65535 bytes. Default: "40b"."""
    header: str | None = None
    """The header bytes in a data packet, less than `packet`. Default: "40b"."""
    alpha: int | None = None
    """Backlog in segments below which the window grows in congestion avoidance. Default: the preset's."""
    beta: int | None = None
    """Backlog in segments above which the window shrinks in congestion avoidance. Default: the preset's."""
    gamma: int | None = None
    """Backlog in segments above which slow start ends. Default: the preset's."""
    initial_window: int | None = None
    """Window at the start, in segments. Default: the preset's."""
    restart_window: int | None = None
    """Window after a timeout, in segments. Default: the preset's."""
    ssthresh: int | None = None
    """Slow-start threshold before the first loss, in segments. Default: none, but for `mid-speed` 64."""
    max_window: int | None = None
    """The window never exceeds this many segments. Default: the receiver's window."""
    recovery: Literal["reno", "newreno", "sack"] | None = None
    """The host's fast recovery. Default: the algorithm's."""
    delayed_ack: str | Literal[False] | None = None
    """The receiver's delayed acknowledgements: the longest wait for a second segment, "linux" for those of Linux with
    its quick-ack phase, or false. Default: false."""
    ecn: bool | None = None
    """Whether both hosts use explicit congestion notification (RFC 3168). Default: false."""
    delay_schedule: DelaySchedule | None = None
    """Additional delay of the flow's packets behind the last link, which changes at given times; packets are kept in
    order. Default: none."""
    access: Link | None = None
    """dumbbell, parking-lot: the flow's own access links, instead of the topology's."""
    from_: str | None = None
    """graph: the sender's node."""
    to: str | None = None
    """graph: the receiver's node."""
    via: Sequence[str] | None = None
    """graph: nodes to pass on the way, in order. Default: none, the path of least delay."""
    enter: str | None = None
    """parking-lot: the router of the sender. Default: the first."""
    leave: str | None = None
    """parking-lot: the router of the receiver. Default: the last."""
    user: str | None = None
    """The flow's user, for queues that isolate users. Default: one of its own."""
    receiver: Receiver | None = None
    """What the receiver does that it should not do. Default: nothing."""
    host: Literal["bsd", "linux"] | Host | None = None
    """How the flow's hosts behave: a kind, or a table. Default: "bsd"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Parts(Table):
    """The parts of a congestion control; what is left out is the preset's.

    >>> from vegaslab import Flow, Parts
    >>> Flow(algorithm=Parts(preset="vegas", slow_start="gallop", burst="none")).to_dict()
    {'algorithm': {'preset': 'vegas', 'slow_start': 'gallop', 'burst': 'none'}}
    """

    name: str | None = None
    """What results call the algorithm: letters, digits, - _ +. Default: the preset and what differs from it, such as
    "vegas+gallop"."""
    python: str | None = None
    """A class in a Python file, relative to the scenario file, such as "mine.py:Mine": it sets the window, and host's
    parts and numbers are those of `preset`."""
    wasm: str | None = None
    """An algorithm of one's own: a WebAssembly module, such as "mine.wasm"."""
    rust: str | None = None
    """An algorithm of one's own: a type of the Rust program that runs the scenario, by the name that it gives."""
    javascript: str | None = None
    """An algorithm of one's own: a class in JavaScript that the playground's page holds, such as "mine.js" or
    "mine.js:Mine"."""
    preset: str | None = None
    """Where the parts come from that are left out. Default: "reno"."""
    mechanisms: str | None = None
    """Letters from A to J: these mechanisms of "Revisited" over Reno, instead of `preset`."""
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
    """How the backlog is measured."""
    base_rtt: Literal["least", "drains"] | None = None
    """Where the base RTT comes from."""
    rivals: Literal["ignore", "compete"] | None = None
    """What happens beside flows that fill the queue."""
    slow_start: (
        Literal[
            "reno",
            "vegas",
            "vegas-ns2",
            "vegas-ns2-delayed",
            "gallop",
            "gallop-joining",
            "mid-speed",
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
    """How the window opens."""
    avoidance: (
        Literal[
            "reno", "vegas", "dynamic", "dynamic-per-ack", "dynamic-ns2", "vegas-linux", "vegas-ns3", "cubic", "by-rate"
        ]
        | None
    ) = None
    """How the window is held."""
    cut: Literal["half", "three-quarters", "cubic", "vegas-ns3"] | None = None
    """How far a loss cuts the window (F of "Revisited": three-quarters)."""
    once_per_window: bool | None = None
    """Cut only if what was lost had been sent after the last cut (E of "Revisited")."""
    recovery: Literal["reno", "newreno", "sack"] | None = None
    """What happens between a loss and its repair."""
    fine_retransmit: bool | None = None
    """A duplicate acknowledgement retransmits a segment older than its fine-grained timeout (C of "Revisited")."""
    recheck_after_retransmit: bool | None = None
    """The first two new acknowledgements after a retransmission check the next segment likewise (D of "Revisited")."""
    burst: int | Literal["none"] | None = None
    """Most segments sent in answer to one acknowledgement, or "none" (H of "Revisited")."""
    keep_up: bool | None = None
    """No growth while the window is more than two segments above what is in flight (I of "Revisited")."""
    suppress_spikes: bool | None = None
    """What leaves is paced to at most twice what left in the newest round trip (J of "Revisited"). bsd only."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ApplicationPhase(Table):
    """A phase of an application.

    >>> from vegaslab import ApplicationPhase, Flow
    >>> Flow(algorithm="nv", application=[ApplicationPhase(kind="rate", rate="2mbit")]).application
    [ApplicationPhase(kind='rate', rate='2mbit')]
    """

    kind: Literal["bulk", "idle", "rate", "on-off", "requests", "video", "media"]
    """What the application does in this phase."""
    duration: str | None = None
    """How long the phase lasts; only the last one may have no end. Default: until the flow ends."""
    rate: str | None = None
    """rate, on-off: bits of payload a second."""
    on: str | None = None
    """on-off: length of a period of sending."""
    off: str | None = None
    """on-off: length of a period of silence."""
    size: str | None = None
    """requests: payload of a response."""
    think: str | None = None
    """requests: time from a response's last acknowledgement to the next response. Default: "0s"."""
    ladder: Sequence[str] | None = None
    """video: bits of payload a second that the video is to be had at, ascending."""
    segment: str | None = None
    """video: playing time of a segment of video. Default: "4s"."""
    buffer: str | None = None
    """video: playing time that the player keeps at most. Default: "30s"."""
    layers: Sequence[MediaLayer] | None = None
    """media: the layers, the most important first."""


@dataclass(frozen=True, kw_only=True, repr=False)
class MediaLayer(Table):
    """A layer of media: frames of voice, or of a video at one quality.

    >>> from vegaslab import ApplicationPhase, MediaLayer
    >>> ApplicationPhase(kind="media", layers=[MediaLayer(every="20ms", size="80b")]).to_dict()["layers"]
    [{'every': '20ms', 'size': '80b'}]
    """

    every: str
    """The time between two frames."""
    size: str
    """Payload of a frame."""
    key_size: str | None = None
    """Payload of a key frame, with which each group begins. Default: `size`."""
    group: int | None = None
    """The number of frames in a group. Default: 1."""
    give_up: str | None = None
    """A frame that has not left whole after this time is given up, with the rest of its group. Default: never."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Receiver(Table):
    """A receiver that breaks the rules.

    >>> from vegaslab import Flow, Receiver
    >>> Flow(algorithm="reno", receiver=Receiver(misbehaves="dupack-spoofing")).receiver
    Receiver(misbehaves='dupack-spoofing')
    """

    misbehaves: Literal["dupack-spoofing", "conceals-marks", "optimistic-acks", "ack-division"]
    """Which rule it breaks."""
    ahead: int | None = None
    """optimistic-acks: how many segments beyond the newest one that has arrived it acknowledges. Default: 10."""
    parts: int | None = None
    """ack-division: into how many parts it divides an acknowledgement. Default: 10."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Host(Table):
    """How a flow's hosts behave: what belongs to TCP and not to the congestion control.

    >>> from vegaslab import Flow, Host
    >>> Flow(algorithm="reno", host=Host(kind="linux", rto_min="300ms")).host
    Host(kind='linux', rto_min='300ms')
    """

    kind: Literal["bsd", "linux"] | None = None
    """Which recovery and timers: "bsd", the papers', or "linux". Default: "bsd"."""
    dupack_threshold: int | None = None
    """Duplicate acknowledgements that mean a loss (RFC 5681, section 3.2). Default: 3."""
    limited_transmit: bool | None = None
    """New data on the first two duplicate acknowledgements (RFC 3042). Default: true, but false for an algorithm with
    `fine_retransmit`. bsd only."""
    recovery_burst: int | Literal["none"] | None = None
    """Most segments sent in answer to one acknowledgement during fast recovery, or "none". Default: "none", but 2 for
    `newreno`, as in ns-2. bsd only."""
    delayed_ack: str | Literal[False] | None = None
    """The receiver's delayed acknowledgements: the longest wait for a second segment, "linux" for those of Linux with
    its quick-ack phase, or false. Default: false."""
    sack: bool | None = None
    """Whether acknowledgements are selective. Default: true. linux only."""
    receive_window: int | None = None
    """The receiver's window in segments. Default: 1048576."""
    rto_min: str | None = None
    """Least retransmission timeout. Default: "200ms", as in ns-2 and Linux (RFC 6298: 1 s)."""
    rto_max: str | None = None
    """Greatest retransmission timeout. Default: "60s" (RFC 6298, section 2.5); linux: "120s"."""
    rto_initial: str | None = None
    """Retransmission timeout before the first sample. Default: "3s", as in ns-2; linux: "1s" (RFC 6298)."""
    rto_grain: str | None = None
    """Grain of the retransmission clock. Default: "10ms", as in ns-2. bsd only."""
    handshake: Literal["none", "full"] | None = None
    """What precedes the data: "none", or a "full" handshake of one round trip. Default: "none"; linux: "full"."""
    byte_counting: bool | None = None
    """Whether the window grows by what is acknowledged, a segment at most for each acknowledgement (RFC 5681, section
    3.1); else by a segment for each acknowledgement of new data (RFC 2581). Default: true. bsd only."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Change(Table):
    """Something that changes during the run: a link's values, or a flow's route.

    >>> from vegaslab import Change
    >>> Change(at="20s", link="r1->r2", rate="5mbit")
    Change(at='20s', link='r1->r2', rate='5mbit')
    """

    at: str
    """When, before the run ends."""
    link: str | None = None
    """The link, one direction, by its name in results, such as "r1->r2"."""
    rate: str | None = None
    """link: the rate from then on."""
    delay: str | None = None
    """link: the propagation delay from then on."""
    queue: str | None = None
    """link: how much the queue holds from then on."""
    loss: float | str | None = None
    """link: the probability that a packet is lost from then on; 1 is a black hole."""
    flow: int | None = None
    """graph: the flow that takes another route, counted from 0."""
    via: Sequence[str] | None = None
    """flow: nodes to pass on the way from then on, in order; an empty list for the path of least delay."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Traffic(Table):
    """A source of background traffic.

    >>> from vegaslab import Traffic
    >>> Traffic(kind="exponential-on-off", rate="2mbit", on="100ms", off="100ms")
    Traffic(kind='exponential-on-off', rate='2mbit', on='100ms', off='100ms')
    """

    kind: Literal["constant", "exponential-on-off", "pareto-on-off", "poisson-transfers", "tcplib", "connection-trace"]
    """What the source sends."""
    start: str | None = None
    """When the source begins. Default: "0s"."""
    stop: str | None = None
    """When the source sends nothing new any more. Default: never."""
    rate: str | None = None
    """constant, on-off: bits on the wire a second while the source is on."""
    packet: str | None = None
    """constant, on-off: a datagram on the wire, headers included, 1 to 65535 bytes. Default: "1000b"."""
    on: str | None = None
    """on-off: mean length of a period of sending."""
    off: str | None = None
    """on-off: mean length of a period of silence."""
    whole_packets: bool | None = None
    """on-off: whether each period of sending is rounded to whole packets, one at least, as in ns-2. Default: false."""
    shape: float | None = None
    """pareto-on-off, Pareto sizes: the shape of the Pareto distribution, 1.01 to 100. Default: 1.5, as in ns-2."""
    interarrival: str | None = None
    """poisson-transfers, tcplib: mean time between the starts of two transfers or conversations."""
    size: str | None = None
    """poisson-transfers: payload of a transfer, the mean where it is random."""
    size_distribution: Literal["fixed", "exponential", "pareto"] | None = None
    """poisson-transfers: how the sizes are distributed. Default: "fixed"."""
    trace: str | None = None
    """connection-trace: a CSV file, relative to the scenario file: the line
    `start_s,request_bytes,response_bytes,think_s`, then an epoch on each line; one without a start continues the
    connection above."""
    side: Literal["responses", "requests"] | None = None
    """connection-trace: which of the trace's bytes the source sends. Default: "responses"."""
    flow: Flow | None = None
    """poisson-transfers, tcplib, connection-trace: every connection, as a flow without times, size and path."""
    user: str | None = None
    """The traffic's user, for queues that isolate users. Default: one of its own."""
    direction: Literal["forward", "backward"] | None = None
    """dumbbell: which way the traffic crosses the bottleneck. Default: "forward"."""
    access: Link | None = None
    """dumbbell, parking-lot: the source's own access links, instead of the topology's."""
    from_: str | None = None
    """graph: the sender's node."""
    to: str | None = None
    """graph: the receiver's node."""
    via: Sequence[str] | None = None
    """graph: nodes to pass on the way, in order. Default: none, the path of least delay."""
    enter: str | None = None
    """parking-lot: the router of the sender. Default: the first."""
    leave: str | None = None
    """parking-lot: the router of the receiver. Default: the last."""


class Access(Link):
    """The link between a host and its router.

    >>> from vegaslab import Access
    >>> Access(rate="1gbit", delay="1ms")
    Access(rate='1gbit', delay='1ms')
    """

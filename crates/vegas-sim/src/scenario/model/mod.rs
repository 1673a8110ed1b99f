//! A scenario as the engine takes it: every value checked, every name resolved, every default filled in.
//!
//! The file that a user writes is [`crate::scenario::document`]; this is what is left of it after validation.

mod application;
pub(crate) mod memory;
mod own;
pub(crate) mod trace;
mod traffic;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use vegas_core::aqt::OPTION_BYTES;
use vegas_core::units::{Bytes, Rate, Segments, Span, Time};
use vegas_core::{Composition, Parameters, Recovery, Standalone};

use crate::packet::{SackBlocks, WireSize};

pub use application::{Activity, ApplicationPhase, Video};
pub use own::{Failure, Language, Loaded, Loader, Own, OwnControl, Program};
pub use trace::{Folder, OnDisk, RateTrace};
pub use traffic::*;

/// What is simulated, for how long, and from which seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The scenario's name, also that of its results folder.
    pub name: String,
    /// What it shows, in a sentence.
    pub description: Option<String>,
    /// When the run ends.
    pub duration: Span,
    /// Whether it ends before that, as soon as every flow has completed.
    pub until_complete: bool,
    /// The seed of every random stream.
    pub seed: u64,
    /// How the time series are sampled.
    pub sampling: Sampling,
    /// Node names; a node's id is its index here.
    pub nodes: Vec<String>,
    /// One-way links; a link's id is its index here.
    pub links: Vec<LinkSpec>,
    /// Flows; a flow's id is its index here.
    pub flows: Vec<FlowSpec>,
    /// What changes during the run, in the order of time.
    pub changes: Vec<ScheduledChange>,
    /// Background traffic; a source's id is its index here.
    pub traffic: Vec<TrafficSpec>,
    /// Whether every packet is kept for a capture file.
    pub capture: bool,
    /// The file as given, after overrides: for the manifest and its hash.
    pub document: serde_json::Value,
    /// What of the file has no effect: a line each, as errors are.
    pub warnings: Vec<String>,
}

/// A change, and when it happens: before anything else at that instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledChange {
    /// When.
    pub at: Time,
    /// What.
    pub change: Change,
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A link's values.
    Link(LinkChange),
    /// A flow's way through the network.
    Route(RouteChange),
}

/// New values of a link; none: as before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// Which link.
    pub link: LinkId,
    /// For what waits and what comes; a packet that is being sent is finished at the old rate. Not with a trace.
    pub rate: Option<Rate>,
    /// For what has not left the transmitter; what is on its way keeps the old delay.
    pub delay: Option<Span>,
    /// For what comes; what waits beyond it stays.
    pub queue: Option<QueueLimit>,
    /// The probability that a packet that comes is lost, in millionths; 1,000,000 is a black hole.
    pub loss_ppm: Option<u32>,
}

/// A flow's new paths, for packets that leave their hosts from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteChange {
    /// Index into [`Scenario::flows`].
    pub flow: usize,
    /// Links from the sender to the receiver, in order.
    pub path: Vec<LinkId>,
    /// Links from the receiver back to the sender, in order.
    pub reverse_path: Vec<LinkId>,
}

/// How the time series are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// A row at every multiple of the step.
    Every(Span),
    /// A row at every change of a flow's window or of a link's queue.
    EveryChange,
    /// No series at all.
    Off,
}

/// Index of a node in [`Scenario::nodes`].
pub type NodeId = usize;
/// Index of a link in [`Scenario::links`].
pub type LinkId = usize;

/// A one-way link. What it does is that of its [`LinkKind`], which it dereferences to.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Where packets enter.
    pub from: NodeId,
    /// Where packets arrive.
    pub to: NodeId,
    /// Shared by all links of one description; a change of one link's leaves the others' as they are.
    pub kind: Arc<LinkKind>,
}

/// A queue, a transmitter of one rate, and a propagation delay.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkKind {
    /// Transmission rate; with a trace its mean.
    pub rate: Rate,
    /// When the link may send, if its rate varies.
    pub trace: Option<Arc<RateTrace>>,
    /// Propagation delay, one way.
    pub delay: Span,
    /// How much may wait; counts the packet being sent (docs/design.md, section 4.2).
    pub queue: QueueLimit,
    /// What the queue drops before it is full.
    pub discipline: Discipline,
    /// Whether it stamps its queueing time into the packets of flows that ask for it (RoVegas).
    pub aqt: bool,
    /// What goes wrong on the link.
    pub impairments: Impairments,
}

impl Deref for LinkSpec {
    type Target = LinkKind;

    fn deref(&self) -> &LinkKind {
        &self.kind
    }
}

impl DerefMut for LinkSpec {
    fn deref_mut(&mut self) -> &mut LinkKind {
        Arc::make_mut(&mut self.kind)
    }
}

/// How a queue is managed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// Not at all: what does not fit is dropped.
    DropTail,
    /// Random early detection, gentle (Floyd and Jacobson 1993, Floyd 2000).
    Red(RedSpec),
    /// RFC 8289.
    CoDel(CoDelSpec),
    /// RFC 8033.
    Pie(PieSpec),
    /// RFC 8290.
    FqCoDel(FqCoDelSpec),
}

impl Discipline {
    /// Whether it tells connections apart, by a hash of what their packets say of them.
    pub fn tells_connections_apart(&self) -> bool {
        match self {
            Discipline::DropTail | Discipline::Red(_) | Discipline::CoDel(_) | Discipline::Pie(_) => false,
            Discipline::FqCoDel(_) => true,
        }
    }
}

/// Parameters of RED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedSpec {
    /// Average queue from which packets are dropped.
    pub min_packets: u32,
    /// Average queue at which `max_probability_ppm` is reached; above `min_packets`.
    pub max_packets: u32,
    /// Probability at `max_packets`, in millionths.
    pub max_probability_ppm: u32,
    /// Weight of one packet in the average, in millionths.
    pub weight_ppm: u32,
    /// Whether packets that can be are marked instead of dropped (ECN), up to `max_packets`.
    pub ecn: bool,
}

/// Parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelSpec {
    /// Waiting time to hold.
    pub target: Span,
    /// How long packets must wait longer than that before the first drop.
    pub interval: Span,
    /// Whether packets that can be are marked instead of dropped (ECN).
    pub ecn: bool,
}

/// Parameters of PIE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieSpec {
    /// Waiting time to hold.
    pub target: Span,
    /// Time between two updates of the probability.
    pub update: Span,
    /// A burst of this length passes undropped.
    pub max_burst: Span,
    /// Whether packets that can be are marked instead of dropped (ECN), up to a probability of 10 %.
    pub ecn: bool,
}

/// Parameters of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelSpec {
    /// Those of each queue.
    pub codel: CoDelSpec,
    /// Number of queues.
    pub queues: u32,
    /// Bytes that a queue sends in a turn.
    pub quantum_bytes: u32,
}

/// The limit of a queue; the packet being sent counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// The greatest number of packets.
    Packets(u32),
    /// The greatest number of bytes.
    Bytes(Bytes),
    /// No limit: a host's own interface, which holds back its sender instead of dropping.
    Unlimited,
}

impl QueueLimit {
    /// Whether a packet of this size has room where there is no other.
    pub(crate) fn admits(&self, wire: WireSize) -> bool {
        match self {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(packets) => *packets > 0,
            QueueLimit::Bytes(bytes) => u64::from(wire) <= bytes.get(),
        }
    }
}

/// What a link does to packets besides delaying them. All off by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// Probability that a packet offered to the link is lost, in millionths.
    pub loss_ppm: u32,
    /// Losses in bursts, besides those of `loss_ppm`.
    pub burst_loss: Option<GilbertElliott>,
    /// Packets beyond this rate are lost.
    pub policer: Option<Policer>,
    /// Extra delay, drawn for each packet; packets stay in order.
    pub jitter: Jitter,
    /// Packets come out together, at multiples of this since the beginning of the run; 0 is each by itself.
    pub batch: Span,
    /// Probability that a delivered packet is delivered twice, in millionths.
    pub duplicate_ppm: u32,
    /// Probability that a packet is held back by `reorder_delay`, in millionths.
    pub reorder_ppm: u32,
    /// How long a reordered packet is held back.
    pub reorder_delay: Span,
    /// Packets to lose, counted from 1 in the order in which data packets are offered to the link; ascending.
    pub drop_data: Vec<u64>,
}

/// A token bucket that drops what finds too few tokens (RFC 2475, section 2.3.3.4): `burst` bytes at the beginning and at
/// most, filled at `rate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policer {
    /// Rate of the tokens.
    pub rate: Rate,
    /// Depth of the bucket.
    pub burst: Bytes,
}

/// How the extra delay of a packet is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Uniform from 0 to this.
    Uniform(Span),
    /// That of a crowded Wi-Fi channel, by the model of draft-huitema-ccwg-c4-test ("Handling of High Jitter Environments"),
    /// with this target for the mean.
    Wifi(Span),
}

impl Default for Jitter {
    fn default() -> Self {
        Jitter::Uniform(Span::ZERO)
    }
}

/// A channel with a good and a bad state, each with a loss rate of its own (Elliott 1963; Gilbert 1960 with a good
/// state that loses nothing). The state may change before each packet. All in millionths, from 0 to 1,000,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GilbertElliott {
    /// Probability that a good channel turns bad; the mean good stretch is its inverse, in packets.
    pub good_to_bad_ppm: u32,
    /// Probability that a bad channel turns good; the mean bad stretch is its inverse, in packets.
    pub bad_to_good_ppm: u32,
    /// Probability that a packet is lost in the good state.
    pub loss_good_ppm: u32,
    /// Probability that a packet is lost in the bad state.
    pub loss_bad_ppm: u32,
}

/// One connection that sends data one way. What it is like is its [`FlowKind`], which it dereferences to.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// When the first data leaves (or the SYN, with a handshake).
    pub start: Time,
    /// When the application stops giving data, if it does.
    pub stop: Option<Time>,
    /// Links from the sender to the receiver, in order.
    pub path: Vec<LinkId>,
    /// Links from the receiver back to the sender, in order.
    pub reverse_path: Vec<LinkId>,
    /// Shared by flows that are alike; a change of one flow's leaves the others' as they are.
    pub kind: Arc<FlowKind>,
}

/// Which protocol carries the flow, and what it carries.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowKind {
    /// What carries it.
    pub transport: Transport,
    /// The preset's name, or that of the table of parts.
    pub algorithm: String,
    /// The parts.
    pub composition: Composition,
    /// The algorithm, where it is no composition of parts; of those then only detection and limits mean something.
    pub standalone: Option<Standalone>,
    /// The algorithm, where it is one from outside; then as with `standalone`.
    pub own: Option<Own>,
    /// Thresholds and window bounds.
    pub parameters: Parameters,
    /// How the hosts at both ends behave.
    pub host: HostSpec,
    /// Whether both hosts use explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// How much payload is sent; unlimited if none.
    pub size: Option<Bytes>,
    /// What the application gives and when; empty: all of it at the start.
    pub application: Vec<ApplicationPhase>,
    /// A full data packet on the wire, headers included.
    pub packet: Bytes,
    /// An acknowledgement on the wire.
    pub ack: Bytes,
    /// Header bytes in a data packet; payload is `packet - header`.
    pub header: Bytes,
}

impl Deref for FlowSpec {
    type Target = FlowKind;

    fn deref(&self) -> &FlowKind {
        &self.kind
    }
}

impl DerefMut for FlowSpec {
    fn deref_mut(&mut self) -> &mut FlowKind {
        Arc::make_mut(&mut self.kind)
    }
}

impl FlowKind {
    /// The largest data packet on the wire, with the option that routers stamp.
    pub fn largest_packet(&self) -> Bytes {
        Bytes::new(self.packet.get() + self.router_option())
    }

    /// An acknowledgement on the wire without selective ones, with the option that routers stamp.
    pub(crate) fn smallest_ack(&self) -> Bytes {
        Bytes::new(self.ack.get() + self.router_option())
    }

    /// The largest acknowledgement on the wire, with its options.
    pub fn largest_ack(&self) -> Bytes {
        if self.transport == Transport::Quic {
            return self.ack;
        }
        let sack = match self.composition.detection.recovery {
            Recovery::Sack => SackBlocks::WIRE_BYTES_MAX,
            Recovery::Reno | Recovery::NewReno => 0,
        };
        Bytes::new(self.ack.get() + sack + self.router_option())
    }

    fn router_option(&self) -> u64 {
        if self.composition.signal.needs_routers() { OPTION_BYTES as u64 } else { 0 }
    }
}

/// What carries a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The simulator's own TCP.
    Tcp,
    /// QUIC, by a [`crate::endpoint::external::Stack`].
    Quic,
}

/// How a flow's hosts behave: what belongs to TCP and not to the congestion control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSpec {
    /// Which recovery and timers.
    pub kind: HostKind,
    /// Duplicate acknowledgements that mean a loss (RFC 5681, section 3.2: 3).
    pub dupack_threshold: u32,
    /// New data on the first two duplicate acknowledgements (RFC 3042).
    pub limited_transmit: bool,
    /// Most segments sent in answer to one acknowledgement during fast recovery; none: no limit.
    pub recovery_burst: Option<Segments>,
    /// The receiver's delayed acknowledgements.
    pub delayed_ack: DelayedAck,
    /// Whether acknowledgements are selective; only a Linux host asks, for others the recovery says.
    pub sack: bool,
    /// The receiver's window.
    pub receive_window: Segments,
    /// Least retransmission timeout (RFC 6298, section 2.4 says 1 s; ns-2 and Linux 200 ms).
    pub rto_min: Span,
    /// Greatest retransmission timeout.
    pub rto_max: Span,
    /// Retransmission timeout before the first sample (RFC 6298, section 2.1).
    pub rto_initial: Span,
    /// Grain of the retransmission clock (G of RFC 6298).
    pub rto_grain: Span,
    /// What precedes the data.
    pub handshake: Handshake,
}

/// When a receiver acknowledges segments that come in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedAck {
    /// Each at once.
    None,
    /// Every second one, and a single one after this span (RFC 5681, section 4.2).
    After(Span),
    /// As Linux: each at once while the receive window grows, then every second one.
    Linux,
}

impl DelayedAck {
    /// Whether each segment is acknowledged at once.
    pub fn is_none(self) -> bool {
        match self {
            DelayedAck::None => true,
            DelayedAck::After(_) | DelayedAck::Linux => false,
        }
    }
}

/// Which loss detection, recovery and timers a sender has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// The papers': Reno, NewReno or SACK recovery as the composition says, a retransmission clock of settable grain.
    Bsd,
    /// Linux's: SACK, RACK-TLP (RFC 8985), PRR (RFC 6937), F-RTO (RFC 5682), and its own retransmission timeout.
    Linux,
}

/// What precedes the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// Nothing: the first data packet leaves at the flow's start.
    None,
    /// A SYN and its acknowledgement: the first data leaves one round trip after the flow's start.
    Full,
}

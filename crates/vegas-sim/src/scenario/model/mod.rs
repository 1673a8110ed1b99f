//! A scenario in the form that the engine takes: every value checked, every name resolved, every default filled in.
//!
//! The file that a user writes is [`crate::scenario::document`]; validation turns it into these types.

mod application;
mod connections;
mod delay;
mod discipline;
mod host;
mod media;
pub(crate) mod memory;
mod own;
pub(crate) mod trace;
mod traffic;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use vegas_core::aqt::OPTION_BYTES;
use vegas_core::units::{Bytes, Rate, Span, Time};
use vegas_core::{Composition, Controller, Needs, Parameters, Recovery, Standalone};

use crate::packet::{SackBlocks, WireSize};

pub use crate::packet::EcnField;
pub use application::{Activity, ApplicationPhase, Video};
pub use connections::{ConnectionTrace, Epoch, Side, TracedConnection};
pub use delay::DelaySchedule;
pub use discipline::{
    CoDelSpec, Discipline, DisciplineKind, DualPi2Spec, FqCoDelSpec, Isolation, PieSpec, RedSpec, StepSpec,
};
pub(crate) use discipline::{Keys, Value};
pub use host::{
    DelayedAck, EcnVersion, Handshake, HostKind, HostSpec, Misbehaviour, ReceiveWindow, Receiving, TcpOptions,
    Timeouts, UNSENT, WRITE_SEGMENTS,
};
pub use media::MediaLayer;
pub use own::{Failure, Language, Loaded, Loader, Own, Program};
pub use trace::{Folder, NamedText, OnDisk, RateTrace, TraceKind};
pub use traffic::*;

/// A scenario: its network, flows, changes and background traffic, its duration and its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The scenario's name, also that of its results folder.
    pub name: String,
    /// What the scenario shows, in a sentence.
    pub description: Option<String>,
    /// When the run ends.
    pub duration: Span,
    /// Whether the run ends before that, as soon as every flow has completed.
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
    /// The changes during the run, in the order of time.
    pub changes: Vec<ScheduledChange>,
    /// Background traffic; a source's id is its index here.
    pub traffic: Vec<TrafficSpec>,
    /// Whether every packet is kept for a capture file.
    pub capture: bool,
    /// The values of the file, after overrides: for the manifest and its hash.
    pub document: serde_json::Value,
    /// The keys of the file that have no effect: a line for each, in the form of an error.
    pub warnings: Vec<String>,
}

/// A change, and its time: it happens before any other event of that instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledChange {
    /// The time of the change.
    pub at: Time,
    /// The change.
    pub change: Change,
}

/// A change during the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A link's values.
    Link(LinkChange),
    /// A flow's paths through the network.
    Route(RouteChange),
}

/// New values of a link; a value that is `None` stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// The link that changes.
    pub link: LinkId,
    /// The rate for packets that wait or arrive; a packet in the transmitter is finished at the old rate. `None` on a
    /// link with a trace.
    pub rate: Option<Rate>,
    /// The delay for packets that have not left the transmitter; packets that have left it keep the old delay.
    pub delay: Option<Span>,
    /// The limit for packets that arrive; waiting packets beyond it stay.
    pub queue: Option<QueueLimit>,
    /// The probability that an arriving packet is lost, in millionths; 1,000,000 is a black hole.
    pub loss_ppm: Option<u32>,
}

/// A flow's new paths, for packets that leave their hosts from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteChange {
    /// The index of the flow in [`Scenario::flows`].
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
    /// No series.
    Off,
}

/// Index of a node in [`Scenario::nodes`].
pub type NodeId = usize;
/// Index of a link in [`Scenario::links`].
pub type LinkId = usize;

/// A one-way link. It dereferences to its [`LinkKind`], which describes its behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// The node at which packets enter.
    pub from: NodeId,
    /// The node at which packets arrive.
    pub to: NodeId,
    /// The description, shared by all links that have it; a change of one link's leaves the others' unchanged.
    pub kind: Arc<LinkKind>,
}

/// A queue, a transmitter with a rate, and a propagation delay.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkKind {
    /// Transmission rate; with a trace, the mean rate of the trace.
    pub rate: Rate,
    /// The opportunities to send, if the rate varies.
    pub trace: Option<Arc<RateTrace>>,
    /// Propagation delay, one way.
    pub delay: Span,
    /// The limit of the queue, which counts the packet in the transmitter (docs/design.md, section 4.2).
    pub queue: QueueLimit,
    /// The rule by which the queue drops packets before it is full.
    pub discipline: Discipline,
    /// Whether the link stamps its queueing time into the packets of flows that ask for it (RoVegas).
    pub aqt: bool,
    /// The link's impairments.
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

/// The limit of a queue; the packet in the transmitter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// The greatest number of packets.
    Packets(u32),
    /// The greatest number of bytes.
    Bytes(Bytes),
    /// No limit: a host's own interface, which makes its sender wait instead of dropping.
    Unlimited,
}

impl QueueLimit {
    /// Returns whether a packet of this size fits the empty queue.
    pub(crate) fn admits(&self, wire: WireSize) -> bool {
        match self {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(packets) => *packets > 0,
            QueueLimit::Bytes(bytes) => u64::from(wire) <= bytes.get(),
        }
    }
}

/// The impairments of a link: its effects on packets other than rate, delay and queue. All are off by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// Probability that a packet offered to the link is lost, in millionths.
    pub loss_ppm: u32,
    /// Losses in bursts, in addition to those of `loss_ppm`.
    pub burst_loss: Option<GilbertElliott>,
    /// The policer, which drops the packets that exceed its rate.
    pub policer: Option<Policer>,
    /// Extra delay, drawn for each packet; packets stay in order.
    pub jitter: Jitter,
    /// Additional delay by a schedule; packets stay in order.
    pub delay_schedule: DelaySchedule,
    /// Packets arrive together, at multiples of this time since the beginning of the run; 0 for each packet separately.
    pub batch: Span,
    /// Probability that a delivered packet is delivered twice, in millionths.
    pub duplicate_ppm: u32,
    /// Probability that a packet is held back by `reorder_delay`, in millionths.
    pub reorder_ppm: u32,
    /// The time for which a reordered packet is held back.
    pub reorder_delay: Span,
    /// The ECN field with which ECN-capable packets leave, marked ones only if it is Not-ECT; `None` for the one with
    /// which they came.
    pub ecn_field: Option<EcnField>,
    /// The data packets to lose, counted from 1 in the order in which data packets are offered to the link; ascending.
    pub drop_data: Vec<u64>,
}

/// A token bucket that drops a packet that finds too few tokens (RFC 2475, section 2.3.3.4). It holds at most `burst`
/// bytes, which it has at the beginning, and is filled at `rate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policer {
    /// The rate of the tokens.
    pub rate: Rate,
    /// The depth of the bucket.
    pub burst: Bytes,
}

/// The distribution of a packet's extra delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Uniform from 0 to this time.
    Uniform(Span),
    /// The delay of a crowded Wi-Fi channel, by the model of draft-huitema-ccwg-c4-test ("Handling of High Jitter
    /// Environments"), with this target for the mean.
    Wifi(Span),
}

impl Default for Jitter {
    fn default() -> Self {
        Jitter::Uniform(Span::ZERO)
    }
}

/// A channel with a good and a bad state, each with a separate loss rate (Elliott 1963; Gilbert 1960 with a good state
/// without losses). The state may change before each packet. All values are in millionths, from 0 to 1,000,000.
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

/// One connection that sends data one way. It dereferences to its [`FlowKind`], which describes all but its times and
/// paths.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// When the first data leaves (or the SYN, with a handshake).
    pub start: Time,
    /// When the application stops giving data; `None` for never.
    pub stop: Option<Time>,
    /// Links from the sender to the receiver, in order.
    pub path: Vec<LinkId>,
    /// Links from the receiver back to the sender, in order.
    pub reverse_path: Vec<LinkId>,
    /// The description, shared by flows that are alike; a change of one flow's leaves the others' unchanged.
    pub kind: Arc<FlowKind>,
}

/// The description of a flow: its transport, algorithm, hosts, data and sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowKind {
    /// The transport protocol.
    pub transport: Transport,
    /// The preset's name, or the name of the table of parts.
    pub algorithm: String,
    /// The parts of the algorithm.
    pub composition: Composition,
    /// The standalone algorithm, if it is one; of the parts only detection and limits then have an effect.
    pub standalone: Option<Standalone>,
    /// The user's own algorithm, if it is one; the parts then have the effect that they have with `standalone`.
    pub own: Option<Own>,
    /// Thresholds and window bounds.
    pub parameters: Parameters,
    /// The behaviour of the hosts at both ends.
    pub host: HostSpec,
    /// Whether both hosts use explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// The payload to send; `None` for no end.
    pub size: Option<Bytes>,
    /// The phases of the application; empty if all data are there at the start.
    pub application: Vec<ApplicationPhase>,
    /// The size of a full data packet on the wire, headers included.
    pub packet: Bytes,
    /// The size of an acknowledgement on the wire.
    pub ack: Bytes,
    /// The header bytes in a data packet; the payload is `packet - header`.
    pub header: Bytes,
    /// The flow's user, for queues that tell users apart; `None` for one of its own.
    pub user: Option<String>,
    /// The name of the flow's group, if it has one: [`group_name`](FlowKind::group_name).
    pub group: Option<String>,
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
    /// What the congestion control needs of the hosts.
    pub fn needs(&self) -> Needs {
        match &self.own {
            Some(own) => own.program().needs(),
            None => Controller::needs(&self.composition, self.standalone),
        }
    }

    /// The version of ECN that the sender asks for.
    pub fn asked_ecn(&self) -> EcnVersion {
        match (self.ecn, self.needs().accurate_ecn) {
            (false, _) => EcnVersion::None,
            (true, false) => EcnVersion::Classic,
            (true, true) => EcnVersion::Accurate,
        }
    }

    /// The version of ECN that the two ends agree on where nothing of the handshake is lost.
    pub fn agreed_ecn(&self) -> EcnVersion {
        self.asked_ecn().min(self.host.accepts_ecn)
    }

    /// The size of the largest data packet on the wire, with the option that routers stamp.
    pub fn largest_packet(&self) -> Bytes {
        Bytes::new(self.packet.get() + self.router_option())
    }

    /// The size of the smallest full data packet on the wire, without the option that routers stamp if some lack it.
    pub(crate) fn smallest_full_packet(&self) -> Bytes {
        Bytes::new(self.packet.get() + self.option_of_all())
    }

    /// The size of an acknowledgement on the wire without SACK blocks, with the option that routers stamp.
    pub(crate) fn ack_with_option(&self) -> Bytes {
        Bytes::new(self.ack.get() + self.router_option())
    }

    /// The size of an acknowledgement on the wire without SACK blocks, and without the option that routers stamp if
    /// some lack it.
    pub(crate) fn smallest_ack(&self) -> Bytes {
        Bytes::new(self.ack.get() + self.option_of_all())
    }

    /// The size of the largest acknowledgement on the wire, with its options.
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

    /// Returns whether the application sends media, in packets of any size.
    pub(crate) fn sends_media(&self) -> bool {
        self.media_layers() > 0
    }

    /// The group of the flow: its own, or the algorithm's name, with that of the application unless all data are there
    /// at the start (`cubic`, `cubic/media`).
    pub fn group_name(&self) -> String {
        match (&self.group, self.application_name().as_str()) {
            (Some(group), _) => group.clone(),
            (None, "bulk") => self.algorithm.clone(),
            (None, application) => format!("{}/{application}", self.algorithm),
        }
    }

    /// The kinds of the application's phases, each once, in their order (`bulk`, `idle+rate`).
    pub fn application_name(&self) -> String {
        let mut kinds: Vec<&str> = Vec::new();
        for phase in &self.application {
            let kind = phase.activity.kind();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.is_empty() { "bulk".to_owned() } else { kinds.join("+") }
    }

    /// The number of layers of the media that the application sends; 0 if it sends none.
    pub fn media_layers(&self) -> usize {
        match &self.application[..] {
            [ApplicationPhase { activity: Activity::Media(layers), .. }] => layers.len(),
            _ => 0,
        }
    }

    fn router_option(&self) -> u64 {
        if self.composition.signal.needs_routers() { OPTION_BYTES as u64 } else { 0 }
    }

    /// The size of the option that routers stamp if all packets have it.
    fn option_of_all(&self) -> u64 {
        if self.host.aqt_every > 1 { 0 } else { self.router_option() }
    }
}

/// The transport protocol of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The simulator's own TCP.
    Tcp,
    /// QUIC, from a [`crate::endpoint::external::Stack`].
    Quic,
}

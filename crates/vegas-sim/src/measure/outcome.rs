//! The outcome of a run: plain columns and rows, independent of file formats.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use vegas_core::aqt::Stamps;
use vegas_core::units::Time;

use crate::packet::WireSize;

/// All measurements of a finished run. As data for serde it has no captured packets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The flows' totals, in the scenario's order.
    pub flows: Vec<FlowOutcome>,
    /// The one-way links' totals, in the scenario's order.
    pub links: Vec<LinkOutcome>,
    /// The traffic sources' totals, in the scenario's order.
    pub traffic: Vec<TrafficOutcome>,
    /// The time series of the flows.
    pub flow_series: FlowSeries,
    /// The time series of the links.
    pub link_series: LinkSeries,
    /// The incidents, in the order of time.
    pub incidents: Vec<Incident>,
    /// The frames of flows that send media, flow by flow, in the order in which they were made.
    pub media: Vec<MediaFrame>,
    /// The packets of the capture, if the scenario asks for one.
    #[serde(skip)]
    pub capture: Vec<CapturedPacket>,
    /// The captured packets of real hosts, as bytes.
    #[serde(skip)]
    pub frames: Vec<Frame>,
    /// When the run ended, s.
    pub end_s: f64,
    /// The number of events that the engine handled.
    pub events: u64,
    /// The number of data packets that reached their receivers, those of traffic included.
    pub delivered_packets: u64,
}

/// A flow's totals. Means are over the time that the flow was active.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// When it started, s.
    pub start_s: f64,
    /// Bytes on the wire that reached the receiver over the active time, Mb/s; retransmissions and headers count.
    pub throughput_mbps: f64,
    /// Payload delivered in order over the active time, Mb/s.
    pub goodput_mbps: f64,
    /// Payload delivered in order, bytes.
    pub delivered_bytes: u64,
    /// The time from the start to the acknowledgement of the last byte, s; `None` for a flow without a size or cut
    /// short.
    pub completion_s: Option<f64>,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments retransmitted.
    pub segments_retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// The number of times that the sender answered marks (ECN), at most once for each window of data.
    pub ecn_reductions: u64,
    /// Mean of the round-trip samples, ms.
    pub mean_rtt_ms: Option<f64>,
    /// Least round-trip sample, ms; the algorithm's base RTT if it has one.
    pub base_rtt_ms: Option<f64>,
    /// The first exit from slow start, s since the run began.
    pub slow_start_end_s: Option<f64>,
    /// The window at that exit, before the cut, segments.
    pub cwnd_at_slow_start_end: Option<f64>,
    /// The window at the end, segments.
    pub final_cwnd_segments: f64,
    /// The mean of the window over the active time, segments.
    pub mean_cwnd_segments: f64,
}

/// A one-way link's totals over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// The most packets waiting, without the packet in the transmitter.
    pub max_queue_packets: u64,
    /// The mean number of packets waiting over the run.
    pub mean_queue_packets: f64,
    /// Packets lost: queue overflow, random loss, and packets that the scenario drops.
    pub drops: u64,
    /// Packets that the queue marked (ECN).
    pub marks: u64,
    /// The part of the run for which the transmitter was busy, 0 to 1.
    pub utilisation: f64,
    /// The times for which packets waited for the transmitter; `None` without packets.
    pub queueing: Option<QueueingTimes>,
    /// The queues of a discipline that has several with names; empty otherwise.
    pub queues: Vec<QueueOutcome>,
}

/// The totals of one of a link's queues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueOutcome {
    /// The queue's name.
    pub name: Cow<'static, str>,
    /// Packets that left the queue for the transmitter.
    pub packets: u64,
    /// Packets that the queue marked (ECN).
    pub marks: u64,
    /// Packets that the queue dropped, or that found no room.
    pub drops: u64,
    /// The times for which `packets` waited; `None` without packets.
    pub queueing: Option<QueueingTimes>,
}

/// The times for which the packets of a link waited in its queue, without their transmission, ms. A percentile is the
/// least time that this part of the packets do not exceed, within 1 %; mean and maximum are exact. The packets of a
/// drop-tail queue count on arrival, with the waiting time that they will have; those of a managed queue count when
/// they are dequeued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueingTimes {
    /// The mean.
    pub mean_ms: f64,
    /// The median: half of the packets.
    pub p50_ms: f64,
    /// The 95th percentile.
    pub p95_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
    /// The longest time.
    pub max_ms: f64,
}

/// A traffic source's totals. Rates are over the time for which the source was active.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficOutcome {
    /// When it started, s.
    pub start_s: f64,
    /// Data packets sent.
    pub sent_packets: u64,
    /// Data packets that reached their receiver; a packet that the network duplicated counts twice.
    pub delivered_packets: u64,
    /// Data packets lost on the way. Packets in flight at the end are neither lost nor delivered.
    pub lost_packets: u64,
    /// Bytes on the wire that the source sent, Mb/s.
    pub sent_mbps: f64,
    /// Bytes on the wire that reached the receiver, Mb/s.
    pub throughput_mbps: f64,
    /// The totals of its transfers, if the source sends transfers.
    pub transfers: Option<TransferOutcome>,
}

/// The totals of a source's transfers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TransferOutcome {
    /// Transfers started.
    pub started: u64,
    /// Transfers with their last byte acknowledged.
    pub completed: u64,
    /// Payload delivered in order, Mb/s, that of unfinished transfers included.
    pub goodput_mbps: f64,
    /// The times from a transfer's start to the acknowledgement of its last byte, s; `None` if no transfer is
    /// completed.
    pub completion: Option<CompletionTimes>,
}

/// Percentiles of the completion times, s: the least time that this part of the completed transfers do not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompletionTimes {
    /// The median: half of the transfers.
    pub p50_s: f64,
    /// The 90th percentile.
    pub p90_s: f64,
    /// The 99th percentile.
    pub p99_s: f64,
}

/// The time series of the flows: one vector per column, all of equal length.
///
/// Gauges (`cwnd`, `in_flight`, ...) are at the row's time, counters (`acked_bytes`, `retransmits`, `timeouts`) are
/// since the start, and `throughput_mbps` is over the step that ends at the row's time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSeries {
    /// Time since the run began, s.
    pub time_s: Vec<f64>,
    /// Flow id.
    pub flow: Vec<u32>,
    /// Congestion window.
    pub cwnd_segments: Vec<f64>,
    /// Slow-start threshold; `None` while it is unbounded.
    pub ssthresh_segments: Vec<Option<f64>>,
    /// Segments in flight.
    pub in_flight_segments: Vec<u32>,
    /// Newest round-trip sample.
    pub rtt_ms: Vec<Option<f64>>,
    /// The algorithm's base RTT.
    pub base_rtt_ms: Vec<Option<f64>>,
    /// The algorithm's newest diff (backlog).
    pub diff_segments: Vec<Option<f64>>,
    /// The phase, as an index into [`PHASES`].
    pub phase: Vec<u8>,
    /// Payload acknowledged.
    pub acked_bytes: Vec<u64>,
    /// Segments retransmitted.
    pub retransmits: Vec<u64>,
    /// Retransmission timeouts.
    pub timeouts: Vec<u64>,
    /// Bytes on the wire that the receiver received over the step, Mb/s.
    pub throughput_mbps: Vec<f64>,
}

impl FlowSeries {
    /// Creates series without rows, with memory reserved for `rows`, which the system provides as it is written to.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        FlowSeries {
            time_s: Vec::with_capacity(rows),
            flow: Vec::with_capacity(rows),
            cwnd_segments: Vec::with_capacity(rows),
            ssthresh_segments: Vec::with_capacity(rows),
            in_flight_segments: Vec::with_capacity(rows),
            rtt_ms: Vec::with_capacity(rows),
            base_rtt_ms: Vec::with_capacity(rows),
            diff_segments: Vec::with_capacity(rows),
            phase: Vec::with_capacity(rows),
            acked_bytes: Vec::with_capacity(rows),
            retransmits: Vec::with_capacity(rows),
            timeouts: Vec::with_capacity(rows),
            throughput_mbps: Vec::with_capacity(rows),
        }
    }
}

/// The names of the values of [`FlowSeries::phase`].
pub const PHASES: [&str; 4] = ["idle", "slow-start", "avoidance", "recovery"];

/// The time series of the links: one vector per column, all of equal length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkSeries {
    /// Time since the run began, s.
    pub time_s: Vec<f64>,
    /// Link id (its name is `from->to`).
    pub link: Vec<u32>,
    /// Packets waiting, without the one in the transmitter.
    pub queue_packets: Vec<u32>,
    /// Bytes waiting, without the packet in the transmitter.
    pub queue_bytes: Vec<u64>,
    /// Most packets waiting during the step.
    pub max_queue_packets: Vec<u32>,
    /// Packets lost since the start.
    pub drops: Vec<u64>,
    /// Bytes that the transmitter sent over the step, Mb/s.
    pub throughput_mbps: Vec<f64>,
    /// The part of the step for which the transmitter was busy, 0 to 1.
    pub utilisation: Vec<f64>,
}

impl LinkSeries {
    /// Creates series without rows, with memory reserved for `rows`, which the system provides as it is written to.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        LinkSeries {
            time_s: Vec::with_capacity(rows),
            link: Vec::with_capacity(rows),
            queue_packets: Vec::with_capacity(rows),
            queue_bytes: Vec::with_capacity(rows),
            max_queue_packets: Vec::with_capacity(rows),
            drops: Vec::with_capacity(rows),
            throughput_mbps: Vec::with_capacity(rows),
            utilisation: Vec::with_capacity(rows),
        }
    }
}

/// A single occurrence, such as a drop or a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    /// Time since the run began, s.
    pub time_s: f64,
    /// The kind of the incident.
    pub kind: IncidentKind,
    /// The flow's number.
    pub flow: u32,
    /// The link's number, for drops and marks.
    pub link: Option<u32>,
    /// The first payload byte of the segment concerned, from 0. For a QUIC packet, the number of datagrams that its end
    /// had sent before; for a lost connection, the payload that was delivered, bytes.
    pub sequence: u64,
    /// What made the sender retransmit a segment; missing for other incidents, and where a host does not tell.
    pub retransmission: Option<Retransmission>,
}

/// What makes a sender retransmit a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Retransmission {
    /// Duplicate or selective acknowledgements, or their absence where a fine-grained timer looks (mechanisms C, D).
    Fast,
    /// The retransmission timer, as it runs out.
    Timeout,
    /// A timeout before, until what was outstanding then is acknowledged.
    AfterTimeout,
    /// A tail loss probe (RFC 8985, section 7).
    Probe,
}

impl Retransmission {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Retransmission; 4] =
        [Retransmission::Fast, Retransmission::Timeout, Retransmission::AfterTimeout, Retransmission::Probe];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Retransmission::Fast => "fast",
            Retransmission::Timeout => "timeout",
            Retransmission::AfterTimeout => "after-timeout",
            Retransmission::Probe => "probe",
        }
    }
}

/// A frame that an application of media made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaFrame {
    /// When the application made it, s.
    pub time_s: f64,
    /// The flow's number.
    pub flow: u32,
    /// The number of its layer, from 0, the most important.
    pub layer: u32,
    /// Its payload.
    pub bytes: u64,
    /// What became of it by the end of the run.
    pub state: FrameState,
    /// The time until the receiver had all of it, ms.
    pub delay_ms: Option<f64>,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameState {
    /// The receiver has all of it.
    Delivered,
    /// The application gave it up.
    GivenUp,
    /// It waits at the sender, or is on its way.
    UnderWay,
}

impl FrameState {
    /// All states, in the order of their numbers.
    pub const ALL: [FrameState; 3] = [FrameState::Delivered, FrameState::GivenUp, FrameState::UnderWay];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            FrameState::Delivered => "delivered",
            FrameState::GivenUp => "given-up",
            FrameState::UnderWay => "under-way",
        }
    }
}

/// The kinds of incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IncidentKind {
    /// A packet found the queue full.
    QueueDrop,
    /// A packet was lost to an impairment.
    Loss,
    /// A queue marked a packet (ECN).
    Mark,
    /// A segment was retransmitted.
    Retransmit,
    /// The retransmission timer ran out.
    Timeout,
    /// The algorithm left slow start.
    SlowStartExit,
    /// The connection was lost, and the flow is over.
    ConnectionLost,
}

impl IncidentKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [IncidentKind; 7] = [
        IncidentKind::QueueDrop,
        IncidentKind::Loss,
        IncidentKind::Mark,
        IncidentKind::Retransmit,
        IncidentKind::Timeout,
        IncidentKind::SlowStartExit,
        IncidentKind::ConnectionLost,
    ];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            IncidentKind::QueueDrop => "queue-drop",
            IncidentKind::Loss => "loss",
            IncidentKind::Mark => "mark",
            IncidentKind::Retransmit => "retransmit",
            IncidentKind::Timeout => "timeout",
            IncidentKind::SlowStartExit => "slow-start-exit",
            IncidentKind::ConnectionLost => "connection-lost",
        }
    }
}

/// A packet of the capture file, as seen at an end of its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapturedPacket {
    /// When the packet was seen.
    pub at: Time,
    /// Flow id.
    pub flow: u32,
    /// The place where the packet was seen.
    pub point: CapturePoint,
    /// First payload byte, from 0; for an acknowledgement the sender's next byte.
    pub sequence: u64,
    /// Next byte expected by the receiver; 0 in data packets.
    pub acknowledgement: u64,
    /// Payload bytes.
    pub payload: u32,
    /// Bytes on the wire.
    pub wire: WireSize,
    /// SACK blocks `[from, to)`; the first `sack_blocks` of them are valid.
    pub sack: [(u64, u64); 3],
    /// The number of valid blocks in `sack`.
    pub sack_blocks: u8,
    /// The window that an acknowledgement offers, scaled as in the field of a TCP header
    /// ([`ReceiveWindow::shift`](crate::scenario::ReceiveWindow::shift)); 0 in other packets, and where it is constant.
    pub window: u16,
    /// SYN flag.
    pub syn: bool,
    /// The ECN field of the IP header: 0 for a transport without ECN, 1 for ECT(1), 2 for ECT(0), 3 for CE (RFC 3168,
    /// section 5).
    pub codepoint: u8,
    /// Other flags of the TCP header.
    pub flags: TcpFlags,
    /// The stamps of routers and hosts.
    pub stamps: CapturedStamps,
    /// The beginning of a datagram of UDP; `None` in packets of TCP.
    pub datagram: Option<DatagramHead>,
}

/// The first bytes of a datagram of UDP: those of its own headers that an observer may read, as a long header of QUIC
/// with its connection ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramHead {
    bytes: [u8; DatagramHead::BYTES_MAX],
    count: u8,
}

impl DatagramHead {
    /// The greatest number of bytes that are kept.
    pub const BYTES_MAX: usize = 32;

    /// Returns the beginning of these bytes.
    pub fn of(payload: &[u8]) -> Self {
        let count = payload.len().min(Self::BYTES_MAX);
        let mut bytes = [0; Self::BYTES_MAX];
        bytes[..count].copy_from_slice(&payload[..count]);
        DatagramHead { bytes, count: count as u8 }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.count)]
    }
}

/// The flags PSH and of ECN of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFlags {
    /// Push: the end of a write.
    pub psh: bool,
    /// ECN-Echo, or the lowest bit of Accurate ECN's count.
    pub ece: bool,
    /// Congestion Window Reduced, or the second bit of the count.
    pub cwr: bool,
    /// Accurate ECN (RFC 9768), or the third bit of the count.
    pub ae: bool,
}

/// The stamps of a captured packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapturedStamps {
    /// RoVegas's IPv4 option; `None` in packets of flows that do not ask routers.
    pub aqt: Option<Stamps>,
    /// The time stamp, and the one that it echoes or 0 (RFC 7323); `None` in packets of flows without.
    pub time: Option<(u32, u32)>,
}

/// A real host's packet for the capture file, with its own IPv4 and TCP headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When the packet was seen.
    pub at: Time,
    /// Flow id.
    pub flow: u32,
    /// The place where the packet was seen.
    pub point: CapturePoint,
    /// Bytes on the wire.
    pub wire: WireSize,
    head: [u8; Frame::HEAD_BYTES_MAX],
    head_bytes: u8,
}

impl Frame {
    /// The greatest length of an IPv4 and a TCP header together, bytes.
    pub const HEAD_BYTES_MAX: usize = 120;

    /// Describes a packet that begins with `head`, of which at most [`Frame::HEAD_BYTES_MAX`] bytes are kept.
    pub fn new(at: Time, flow: u32, point: CapturePoint, wire: WireSize, head: &[u8]) -> Self {
        let mut kept = [0; Frame::HEAD_BYTES_MAX];
        let length = head.len().min(kept.len());
        kept[..length].copy_from_slice(&head[..length]);
        Frame { at, flow, point, wire, head: kept, head_bytes: length as u8 }
    }

    /// The first bytes of the packet.
    pub fn head(&self) -> &[u8] {
        &self.head[..usize::from(self.head_bytes)]
    }
}

/// The place where a captured packet was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturePoint {
    /// Data leaving the sender.
    SenderOut,
    /// An acknowledgement arriving at the sender.
    SenderIn,
    /// Data arriving at the receiver.
    ReceiverIn,
    /// An acknowledgement leaving the receiver.
    ReceiverOut,
}

//! What a run gives: plain columns and rows, before any file format.

use vegas_core::aqt::Stamps;
use vegas_core::units::Time;

use crate::packet::WireSize;

/// Everything a finished run has measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// One entry a flow, in the scenario's order.
    pub flows: Vec<FlowOutcome>,
    /// One entry a one-way link, in the scenario's order.
    pub links: Vec<LinkOutcome>,
    /// One entry a source of traffic, in the scenario's order.
    pub traffic: Vec<TrafficOutcome>,
    /// Time series of the flows.
    pub flow_series: FlowSeries,
    /// Time series of the links.
    pub link_series: LinkSeries,
    /// What happened, in order of time.
    pub incidents: Vec<Incident>,
    /// Packets seen, when the scenario asks for a capture.
    pub capture: Vec<CapturedPacket>,
    /// Packets of real hosts, which are bytes.
    pub frames: Vec<Frame>,
    /// When the run ended, s.
    pub end_s: f64,
    /// Events the engine handled.
    pub events: u64,
    /// Data packets that reached their receiver, those of traffic included.
    pub delivered_packets: u64,
}

/// A flow's totals. Means are over the time that the flow was active.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowOutcome {
    /// When it started, s.
    pub start_s: f64,
    /// Bytes on the wire that reached the receiver over the active time, Mb/s (retransmissions and headers count).
    pub throughput_mbps: f64,
    /// Payload delivered in order over the active time, Mb/s.
    pub goodput_mbps: f64,
    /// Payload delivered in order, bytes.
    pub delivered_bytes: u64,
    /// From the start to the acknowledgement of the last byte, s; none for a flow without a size or cut short.
    pub completion_s: Option<f64>,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments sent again.
    pub segments_retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times that the sender answered marks (ECN), at most once for each window of data.
    pub ecn_reductions: u64,
    /// Mean of the round-trip samples, ms.
    pub mean_rtt_ms: Option<f64>,
    /// Least round-trip sample, ms (the algorithm's base RTT where it has one).
    pub base_rtt_ms: Option<f64>,
    /// First exit from slow start, s since the run began.
    pub slow_start_end_s: Option<f64>,
    /// Window at that exit, before the cut, segments.
    pub cwnd_at_slow_start_end: Option<f64>,
    /// Window at the end, segments.
    pub final_cwnd_segments: f64,
    /// Window, mean over the active time, segments.
    pub mean_cwnd_segments: f64,
}

/// A one-way link's totals over the whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkOutcome {
    /// Most packets waiting (the one being sent does not wait).
    pub max_queue_packets: u64,
    /// Packets waiting, mean over the run.
    pub mean_queue_packets: f64,
    /// Packets lost: queue overflow, random loss, and packets told to drop.
    pub drops: u64,
    /// Packets that the queue marked (ECN).
    pub marks: u64,
    /// Part of the run that the transmitter was busy, 0 to 1.
    pub utilisation: f64,
    /// How long packets waited for the transmitter; none without packets.
    pub queueing: Option<QueueingTimes>,
}

/// How long the packets of a link waited in its queue, the time of transmission not counted, ms. Percentiles are the
/// least time that this part of the packets do not exceed, within 1 %; mean and maximum are exact. A drop-tail queue's
/// packets count when they come, with the waiting time that lies ahead of them; those of a managed queue when their turn
/// has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueueingTimes {
    /// The mean.
    pub mean_ms: f64,
    /// Half of the packets.
    pub p50_ms: f64,
    /// 95 in 100.
    pub p95_ms: f64,
    /// 99 in 100.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

/// A traffic source's totals. Rates are over the time that it was active.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrafficOutcome {
    /// When it started, s.
    pub start_s: f64,
    /// Data packets sent.
    pub sent_packets: u64,
    /// Data packets that reached their receiver; one that the network doubled counts twice.
    pub delivered_packets: u64,
    /// Data packets lost on the way. Those still under way at the end are neither lost nor delivered.
    pub lost_packets: u64,
    /// Bytes on the wire sent, Mb/s.
    pub sent_mbps: f64,
    /// Bytes on the wire that reached the receiver, Mb/s.
    pub throughput_mbps: f64,
    /// What became of its transfers, if that is what it sends.
    pub transfers: Option<TransferOutcome>,
}

/// What became of a source's transfers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransferOutcome {
    /// Transfers started.
    pub started: u64,
    /// Transfers of which the last byte was acknowledged.
    pub completed: u64,
    /// Payload delivered in order, Mb/s, that of unfinished transfers included.
    pub goodput_mbps: f64,
    /// From a transfer's start to the acknowledgement of its last byte, s; none while none is completed.
    pub completion: Option<CompletionTimes>,
}

/// Percentiles of the completion times, s: the least time that this part of the completed transfers do not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompletionTimes {
    /// Half of them.
    pub p50_s: f64,
    /// Nine in ten.
    pub p90_s: f64,
    /// 99 in 100.
    pub p99_s: f64,
}

/// Flow series, one vector a column, all of one length.
///
/// Gauges (`cwnd`, `in_flight`, ...) are at the row's time, counters (`acked_bytes`, `retransmits`, `timeouts`)
/// since the start, `throughput_mbps` over the step that ends at the row's time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSeries {
    /// s since the run began.
    pub time_s: Vec<f64>,
    /// Flow id.
    pub flow: Vec<u32>,
    /// Congestion window.
    pub cwnd_segments: Vec<f64>,
    /// Slow-start threshold; none while it is unbounded.
    pub ssthresh_segments: Vec<Option<f64>>,
    /// Segments in flight.
    pub in_flight_segments: Vec<u32>,
    /// Newest round-trip sample.
    pub rtt_ms: Vec<Option<f64>>,
    /// The algorithm's base RTT.
    pub base_rtt_ms: Vec<Option<f64>>,
    /// The algorithm's newest diff (backlog).
    pub diff_segments: Vec<Option<f64>>,
    /// `slow-start`, `avoidance` or `recovery` (see [`PHASES`]): index into that list.
    pub phase: Vec<u8>,
    /// Payload acknowledged.
    pub acked_bytes: Vec<u64>,
    /// Segments retransmitted.
    pub retransmits: Vec<u64>,
    /// Retransmission timeouts.
    pub timeouts: Vec<u64>,
    /// Wire rate received, over the step.
    pub throughput_mbps: Vec<f64>,
}

impl FlowSeries {
    /// Without rows, with memory reserved for `rows`, which the system provides as it is written to.
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

/// Names of [`FlowSeries::phase`].
pub const PHASES: [&str; 4] = ["idle", "slow-start", "avoidance", "recovery"];

/// Link series, one vector a column, all of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSeries {
    /// s since the run began.
    pub time_s: Vec<f64>,
    /// Link id (its name is `from->to`).
    pub link: Vec<u32>,
    /// Packets waiting, without the one being sent.
    pub queue_packets: Vec<u32>,
    /// Bytes waiting, without the packet being sent.
    pub queue_bytes: Vec<u64>,
    /// Most packets waiting during the step.
    pub max_queue_packets: Vec<u32>,
    /// Packets lost since the start.
    pub drops: Vec<u64>,
    /// Sent by the transmitter over the step.
    pub throughput_mbps: Vec<f64>,
    /// Part of the step that the transmitter was busy, 0 to 1.
    pub utilisation: Vec<f64>,
}

impl LinkSeries {
    /// Without rows, with memory reserved for `rows`, which the system provides as it is written to.
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

/// Something that happened once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Incident {
    /// s since the run began.
    pub time_s: f64,
    /// What happened.
    pub kind: IncidentKind,
    /// The flow it happened to.
    pub flow: u32,
    /// The link it happened on, for drops and marks.
    pub link: Option<u32>,
    /// First payload byte of the segment concerned, from 0. Of a QUIC packet how many datagrams the end that sent it had
    /// sent before; of a lost connection the payload that was delivered.
    pub sequence: u64,
}

/// Kinds of incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentKind {
    /// A packet found the queue full.
    QueueDrop,
    /// A packet was lost to an impairment.
    Loss,
    /// A queue marked a packet (ECN).
    Mark,
    /// A segment was sent again.
    Retransmit,
    /// The retransmission timer ran out.
    Timeout,
    /// The algorithm left slow start.
    SlowStartExit,
    /// The connection was lost, and the flow is over.
    ConnectionLost,
}

impl IncidentKind {
    /// All there are, in the order of their numbers.
    pub(crate) const ALL: [IncidentKind; 7] = [
        IncidentKind::QueueDrop,
        IncidentKind::Loss,
        IncidentKind::Mark,
        IncidentKind::Retransmit,
        IncidentKind::Timeout,
        IncidentKind::SlowStartExit,
        IncidentKind::ConnectionLost,
    ];

    /// The name in tables.
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

/// A packet as seen where it entered its first link (`from` a sender or receiver) for the capture file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapturedPacket {
    /// When.
    pub at: Time,
    /// Flow id.
    pub flow: u32,
    /// Seen where: leaving the sender, arriving at the sender, leaving the receiver, arriving at the receiver.
    pub point: CapturePoint,
    /// First payload byte, from 0; for an acknowledgement the sender's next byte.
    pub sequence: u64,
    /// Next byte expected by the receiver; 0 in data packets.
    pub acknowledgement: u64,
    /// Payload bytes.
    pub payload: u32,
    /// Bytes on the wire.
    pub wire: WireSize,
    /// SACK blocks, `[from, to)`, first `sack_blocks` of them valid.
    pub sack: [(u64, u64); 3],
    /// How many of `sack` are valid.
    pub sack_blocks: u8,
    /// SYN flag.
    pub syn: bool,
    /// The ECN field of the IP header: 0 for a transport without ECN, 2 for ECT(0), 3 for CE (RFC 3168, section 5).
    pub codepoint: u8,
    /// ECN-Echo flag.
    pub ece: bool,
    /// Congestion Window Reduced flag.
    pub cwr: bool,
    /// RoVegas's IPv4 option; none in packets of flows that do not ask routers.
    pub stamps: Option<Stamps>,
}

/// A real host's packet for the capture file: its IPv4 and TCP headers as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When.
    pub at: Time,
    /// Flow id.
    pub flow: u32,
    /// Seen where.
    pub point: CapturePoint,
    /// Bytes on the wire.
    pub wire: WireSize,
    head: [u8; Frame::HEAD_BYTES_MAX],
    head_bytes: u8,
}

impl Frame {
    /// An IPv4 and a TCP header, at their longest.
    pub const HEAD_BYTES_MAX: usize = 120;

    /// A packet of which `head` is the beginning that is kept, at most [`Frame::HEAD_BYTES_MAX`] bytes of it.
    pub fn new(at: Time, flow: u32, point: CapturePoint, wire: WireSize, head: &[u8]) -> Self {
        let mut kept = [0; Frame::HEAD_BYTES_MAX];
        let length = head.len().min(kept.len());
        kept[..length].copy_from_slice(&head[..length]);
        Frame { at, flow, point, wire, head: kept, head_bytes: length as u8 }
    }

    /// What is kept of it.
    pub fn head(&self) -> &[u8] {
        &self.head[..usize::from(self.head_bytes)]
    }
}

/// Where a captured packet was seen.
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

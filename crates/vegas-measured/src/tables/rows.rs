//! The rows of the tables. Times are seconds since the measurement began; what the source does not tell is missing.

/// A flow: the data of one direction of a connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// The number of the flow, from 0, in the order of the first data.
    pub id: u32,
    /// The ends, the data's sender first; or the name that the source gives.
    pub connection: String,
    /// `tcp`, `quic` or `udp`.
    pub transport: &'static str,
    /// The congestion control, where the source names it.
    pub algorithm: Option<String>,
    /// When the first data left.
    pub start_s: f64,
    /// When the last packet was seen, or the last sample taken.
    pub end_s: f64,
    /// Bytes of IP packets with data over the active time.
    pub sent_mbps: Option<f64>,
    /// Payload delivered in order over the active time.
    pub goodput_mbps: Option<f64>,
    /// Payload delivered in order, bytes.
    pub delivered_bytes: Option<u64>,
    /// From the start to the acknowledgement of FIN.
    pub completion_s: Option<f64>,
    /// Data segments sent.
    pub segments_sent: Option<u64>,
    /// Data segments retransmitted.
    pub segments_retransmitted: Option<u64>,
    /// Those after duplicate or selective acknowledgements.
    pub retransmitted_fast: Option<u64>,
    /// Those of the retransmission timer.
    pub timeouts: Option<u64>,
    /// Those after a timeout, until what was outstanding is acknowledged.
    pub retransmitted_after_timeout: Option<u64>,
    /// Tail-loss probes.
    pub retransmitted_probe: Option<u64>,
    /// Those that the receiver had already acknowledged.
    pub retransmitted_spurious: Option<u64>,
    /// Those of segments that were lost before they came to the capture.
    pub retransmitted_lost_before: Option<u64>,
    /// Segments that the receiver reported to have twice.
    pub reported_twice: Option<u64>,
    /// Segments that came behind later ones without having been retransmitted.
    pub reordered: Option<u64>,
    /// Acknowledgements of nothing new.
    pub duplicate_acks: Option<u64>,
    /// Payload that was acknowledged and is not in the capture, bytes.
    pub missing_bytes: Option<u64>,
    /// The sender's answers to marks.
    pub ecn_reductions: Option<u64>,
    /// Segments that came marked to the capture.
    pub marks: Option<u64>,
    /// Acknowledgements with the echo of a mark.
    pub marked_acks: Option<u64>,
    /// RTT samples, mean.
    pub mean_rtt_ms: Option<f64>,
    /// RTT samples, least.
    pub base_rtt_ms: Option<f64>,
    /// RTT samples, median.
    pub p50_rtt_ms: Option<f64>,
    /// RTT samples, 95th percentile.
    pub p95_rtt_ms: Option<f64>,
    /// The part of the RTT on the sender's side of the capture, least.
    pub upstream_rtt_ms: Option<f64>,
    /// `sender`, `middle` or `receiver`.
    pub capture_point: Option<&'static str>,
    /// The most bytes in flight.
    pub max_in_flight_bytes: Option<u64>,
    /// Bytes that left before the first acknowledgement of any.
    pub first_flight_bytes: Option<u64>,
    /// The payload of a full segment.
    pub mss_bytes: Option<u32>,
    /// The receiver's first window.
    pub first_window_bytes: Option<u64>,
    /// The receiver's largest window.
    pub max_window_bytes: Option<u64>,
    /// Segments that left while the window had no room for another.
    pub window_limited: Option<u64>,
    /// Windows of 0.
    pub zero_windows: Option<u64>,
    /// Whether the hosts agreed on SACK.
    pub sack: Option<bool>,
    /// Whether the hosts agreed on time stamps.
    pub timestamps: Option<bool>,
    /// What the hosts agreed on about ECN: `off`, `classic` or `accurate`.
    pub ecn: Option<&'static str>,
    /// The window at the end.
    pub final_cwnd_segments: Option<f64>,
    /// The window, mean of the samples.
    pub mean_cwnd_segments: Option<f64>,
}

/// A flow at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowSample {
    /// The end of the step.
    pub time_s: f64,
    /// The flow's number.
    pub flow: u32,
    /// Congestion window.
    pub cwnd_segments: Option<f64>,
    /// Slow-start threshold.
    pub ssthresh_segments: Option<f64>,
    /// Sent and not yet acknowledged.
    pub in_flight_segments: Option<u32>,
    /// Sent and not yet acknowledged, bytes.
    pub in_flight_bytes: Option<u64>,
    /// Newest round-trip sample.
    pub rtt_ms: Option<f64>,
    /// The least round-trip time so far.
    pub base_rtt_ms: Option<f64>,
    /// Payload acknowledged since the start.
    pub acked_bytes: Option<u64>,
    /// Segments retransmitted since the start.
    pub retransmits: Option<u64>,
    /// Retransmission timeouts since the start.
    pub timeouts: Option<u64>,
    /// Bytes of IP packets with data over the step.
    pub sent_mbps: Option<f64>,
    /// Payload newly acknowledged over the step.
    pub delivered_mbps: Option<f64>,
    /// The receiver's window.
    pub window_bytes: Option<u64>,
    /// The sender's estimate of the rate at which segments arrive.
    pub delivery_rate_mbps: Option<f64>,
    /// The sender's pace.
    pub pacing_rate_mbps: Option<f64>,
    /// Marked segments, or echoes of marks, since the start.
    pub marks: Option<u64>,
}

/// A round-trip sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RttSample {
    /// When the acknowledgement came.
    pub time_s: f64,
    /// The flow's number.
    pub flow: u32,
    /// The sample.
    pub rtt_ms: f64,
    /// The halves of the round trip that it covers: `whole`, `downstream` or `upstream` of the capture.
    pub half: Half,
    /// The first payload byte of the segment that was timed.
    pub sequence: u64,
}

/// The part of a round trip that a sample covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Half {
    /// All of it.
    #[default]
    Whole,
    /// From the capture to the receiver and back.
    Downstream,
    /// From the capture to the sender and back.
    Upstream,
}

impl Half {
    /// All values, in the order of their numbers.
    pub const ALL: [Half; 3] = [Half::Whole, Half::Downstream, Half::Upstream];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Half::Whole => "whole",
            Half::Downstream => "downstream",
            Half::Upstream => "upstream",
        }
    }
}

/// A single occurrence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Incident {
    /// When it was seen.
    pub time_s: f64,
    /// What happened.
    pub kind: IncidentKind,
    /// The flow's number; none if it concerns no flow.
    pub flow: Option<u32>,
    /// The link, of a link's log.
    pub link: Option<u32>,
    /// The first payload byte concerned.
    pub sequence: u64,
    /// What made the sender retransmit a segment: a number of [`RETRANSMISSIONS`].
    pub retransmission: Option<u32>,
}

/// The names of the kinds of retransmissions.
pub const RETRANSMISSIONS: [&str; 6] = ["fast", "timeout", "after-timeout", "probe", "spurious", "lost-before-capture"];

/// The kinds of incidents; those that a run has too have its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentKind {
    /// A segment was retransmitted.
    Retransmit,
    /// The retransmission timer ran out.
    Timeout,
    /// A segment came marked, or an acknowledgement with the echo of a mark.
    Mark,
    /// A segment came behind later ones.
    Reordered,
    /// The receiver's window became 0.
    ZeroWindow,
    /// The capture lacks packets.
    Missing,
    /// The capture's clock was set.
    ClockStep,
    /// A packet found a queue full.
    QueueDrop,
    /// A packet was lost.
    Loss,
}

impl IncidentKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [IncidentKind; 9] = [
        IncidentKind::Retransmit,
        IncidentKind::Timeout,
        IncidentKind::Mark,
        IncidentKind::Reordered,
        IncidentKind::ZeroWindow,
        IncidentKind::Missing,
        IncidentKind::ClockStep,
        IncidentKind::QueueDrop,
        IncidentKind::Loss,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            IncidentKind::Retransmit => "retransmit",
            IncidentKind::Timeout => "timeout",
            IncidentKind::Mark => "mark",
            IncidentKind::Reordered => "reordered",
            IncidentKind::ZeroWindow => "zero-window",
            IncidentKind::Missing => "missing",
            IncidentKind::ClockStep => "clock-step",
            IncidentKind::QueueDrop => "queue-drop",
            IncidentKind::Loss => "loss",
        }
    }
}

/// A link at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkSample {
    /// The end of the step.
    pub time_s: f64,
    /// Packets waiting.
    pub queue_packets: u32,
    /// Bytes waiting.
    pub queue_bytes: u64,
    /// Most packets waiting during the step.
    pub max_queue_packets: u32,
    /// Packets lost since the start.
    pub drops: u64,
    /// Bytes that left over the step.
    pub throughput_mbps: f64,
    /// Bytes that the link could have sent over the step.
    pub capacity_mbps: Option<f64>,
    /// The part of the capacity that was used.
    pub utilisation: Option<f64>,
    /// How long the packets that left during the step had waited, most.
    pub max_delay_ms: Option<f64>,
}

/// A link's totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The link's name.
    pub id: String,
    /// Most packets waiting.
    pub max_queue_packets: u64,
    /// Packets waiting, mean.
    pub mean_queue_packets: f64,
    /// Packets lost.
    pub drops: u64,
    /// The part of the capacity that was used.
    pub utilisation: Option<f64>,
    /// How long packets waited, mean.
    pub mean_queueing_ms: Option<f64>,
    /// How long packets waited, median.
    pub p50_queueing_ms: Option<f64>,
    /// How long packets waited, 95th percentile.
    pub p95_queueing_ms: Option<f64>,
    /// How long packets waited, 99th percentile.
    pub p99_queueing_ms: Option<f64>,
    /// How long packets waited, longest.
    pub max_queueing_ms: Option<f64>,
}

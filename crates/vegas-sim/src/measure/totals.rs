//! The totals of a flow.

use vegas_core::Status;
use vegas_core::units::{Segments, Span, Time, Window};

/// The counters and measurements of a flow, from which the columns of the results are made.
#[derive(Clone, Debug)]
pub struct FlowTotals {
    /// The state of the sender's congestion control.
    pub status: Status,
    /// Whether the flow has begun and is not complete.
    pub active: bool,
    /// Whether the sender is in loss recovery.
    pub in_recovery: bool,
    /// Segments sent and neither acknowledged nor lost.
    pub in_flight: Segments,
    /// The counters.
    pub counts: FlowCounts,
    /// The round-trip samples.
    pub rtt: RttTotals,
    /// The first exit from slow start, and the window before the exit.
    pub slow_start_exit: Option<(Time, Window)>,
    /// When the flow was complete, or the connection was lost.
    pub over: Option<Time>,
    /// Whether the connection was lost before the flow was complete.
    pub lost: bool,
    /// When the last byte of a transfer with a size was acknowledged; `None` for a transfer that was cut short or lost.
    pub transferred: Option<Time>,
    /// The mean of the window since the start, segments.
    pub mean_window_segments: f64,
}

/// The bytes, packets and occurrences of a flow since its start.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowCounts {
    /// Bytes on the wire that reached the receiver.
    pub wire_bytes: u64,
    /// Payload delivered in order, bytes.
    pub delivered_bytes: u64,
    /// Payload acknowledged, bytes; for QUIC, all bytes of the acknowledged packets.
    pub acked_bytes: u64,
    /// Data packets sent.
    pub segments_sent: u64,
    /// Data packets retransmitted; for QUIC, packets declared lost, as their frames go into new packets.
    pub segments_retransmitted: u64,
    /// Retransmission timeouts; for QUIC, occurrences of persistent congestion.
    pub timeouts: u64,
    /// Window reductions in answer to marks.
    pub ecn_reductions: u64,
}

/// The round-trip samples of a flow.
#[derive(Clone, Debug, Default)]
pub struct RttTotals {
    /// The newest sample.
    pub newest: Option<Span>,
    /// The least sample.
    pub least: Option<Span>,
    /// The sum of the samples, ns.
    pub sum_ns: u128,
    /// The number of samples.
    pub samples: u64,
}

/// A window in segments with its fraction, for tables.
pub(crate) fn segments_f64(window: Window) -> f64 {
    window.as_raw() as f64 / Window::ONE.as_raw() as f64
}

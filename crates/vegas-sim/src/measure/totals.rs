//! What is counted of a flow.

use vegas_core::Status;
use vegas_core::units::{Segments, Span, Time, Window};

/// What a flow has counted and measured: what the columns of the results are made from.
#[derive(Clone, Debug)]
pub struct FlowTotals {
    /// The sender's congestion control.
    pub status: Status,
    /// It has begun and has something left to do.
    pub active: bool,
    /// Losses are being repaired.
    pub in_recovery: bool,
    /// Sent and neither acknowledged nor lost.
    pub in_flight: Segments,
    /// Bytes and packets.
    pub counts: FlowCounts,
    /// Round-trip samples.
    pub rtt: RttTotals,
    /// First exit from slow start, and the window before it.
    pub slow_start_exit: Option<(Time, Window)>,
    /// When nothing was left to do, or the connection was lost.
    pub over: Option<Time>,
    /// The connection was lost before everything was done.
    pub lost: bool,
    /// When the last byte of a transfer with a size was acknowledged; none for one cut short or lost.
    pub transferred: Option<Time>,
    /// Window, mean since the start, segments.
    pub mean_window_segments: f64,
}

/// Bytes and packets of a flow, and what happened to it, from its start on.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowCounts {
    /// Bytes on the wire that reached the receiver.
    pub wire_bytes: u64,
    /// Payload delivered in order.
    pub delivered_bytes: u64,
    /// Payload acknowledged; of QUIC all bytes of packets acknowledged.
    pub acked_bytes: u64,
    /// Data packets sent.
    pub segments_sent: u64,
    /// Data packets sent again; of QUIC packets declared lost: their frames go into new packets.
    pub segments_retransmitted: u64,
    /// Retransmission timeouts; of QUIC persistent congestion.
    pub timeouts: u64,
    /// Windows reduced by marks.
    pub ecn_reductions: u64,
}

/// Round-trip samples.
#[derive(Clone, Debug, Default)]
pub struct RttTotals {
    /// The newest.
    pub newest: Option<Span>,
    /// The least.
    pub least: Option<Span>,
    /// Their sum, ns.
    pub sum_ns: u128,
    /// How many.
    pub samples: u64,
}

/// A window in segments with its fraction, for tables.
pub(crate) fn segments_f64(window: Window) -> f64 {
    window.as_raw() as f64 / Window::ONE.as_raw() as f64
}

//! The calls of quinn, as an observer receives them.

use vegas_core::LossKind;
use vegas_core::units::Span;

/// A call from quinn to a controller. A later version may report more of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The controller begins, with a connection or on a new path.
    Started,
    /// Packets left.
    Sent {
        /// Their number.
        packets: u64,
    },
    /// An acknowledgement came.
    Acked {
        /// The bytes of the packets that it covers.
        bytes: u64,
        /// The round-trip time of the newest of them, host noise included; none if a later packet was acknowledged
        /// before.
        rtt: Option<Span>,
    },
    /// Packets were lost or marked.
    Congested {
        /// Duplicate acknowledgements stand for QUIC's loss detection, a timeout for persistent congestion.
        kind: LossKind,
        /// The bytes of the lost packets; 0 for marks.
        bytes: u64,
        /// Whether the controller reduced the window.
        cut: bool,
    },
}

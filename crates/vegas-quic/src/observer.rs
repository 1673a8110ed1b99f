//! Looking on: what a controller is told, and what it makes of it.

use std::fmt;
use std::time::Instant;

use vegas_core::LossKind;
use vegas_core::units::Span;

use crate::VegasController;

/// Is told of each call of quinn's, after the controller has dealt with it: for logs, pictures and tests.
///
/// It is called within the connection's own work, so it should be quick.
pub trait Observer: fmt::Debug + Send + Sync {
    /// `event` was at `now`; the controller's state is that after it.
    fn on_event(&self, now: Instant, event: Event, controller: &VegasController);
}

/// What quinn tells a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The controller begins, with a connection or on a new path.
    Started,
    /// Packets left.
    Sent {
        /// How many.
        packets: u64,
    },
    /// An acknowledgement came.
    Acked {
        /// Of the packets that it covers.
        bytes: u64,
        /// The round-trip time of the newest of them, host noise included; none if a later packet was acknowledged before.
        rtt: Option<Span>,
    },
    /// Packets were lost or marked.
    Congested {
        /// Lost: by duplicate acknowledgements, that is by QUIC's own detection; persistent congestion: a timeout.
        kind: LossKind,
        /// Lost; 0 for marks.
        bytes: u64,
        /// Whether it made the window smaller.
        cut: bool,
    },
}

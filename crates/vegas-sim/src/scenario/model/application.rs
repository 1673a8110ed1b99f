//! What an application gives a flow to send, over time.

use vegas_core::units::{Bytes, Rate, Span};

/// What the application does until the next phase; whole segments throughout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationPhase {
    /// What it does.
    pub activity: Activity,
    /// How long; none: until the flow ends. What has not left by then is withdrawn.
    pub length: Option<Span>,
}

/// A pattern of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Always more than the window takes.
    Bulk,
    /// Nothing.
    Idle,
    /// Segments at a constant rate of payload.
    Rate(Rate),
    /// Segments at a rate of payload for a period `on`, nothing for a period `off`, over and over.
    OnOff {
        /// While it is on.
        rate: Rate,
        /// Above zero.
        on: Span,
        /// Above zero.
        off: Span,
    },
    /// A response of `size`; the next one `think` after all of it has been acknowledged.
    Requests {
        /// Payload, at least 1 byte.
        size: Bytes,
        /// Holds the next request's way to the sender, too.
        think: Span,
    },
    /// Video over HTTP, see [`Video`].
    Video(Video),
}

/// Segments of video, each requested when the one before it has come and the player's buffer has room for it, at the
/// highest rate of the ladder that is at most four fifths of the throughput of the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Video {
    /// Rates of payload, ascending, at least one.
    pub ladder: Vec<Rate>,
    /// How much playing time a segment of video holds.
    pub segment: Span,
    /// How much playing time the player keeps at most; at least `segment`.
    pub buffer: Span,
}

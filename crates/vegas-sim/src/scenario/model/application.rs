//! The data that an application gives a flow to send, over time.

use vegas_core::units::{Bytes, Rate, Span};

use super::MediaLayer;

/// The application's activity until the next phase; it gives whole segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationPhase {
    /// What the application does in the phase.
    pub activity: Activity,
    /// The length of the phase; `None` until the flow ends. Segments that have not left by the end are withdrawn.
    pub length: Option<Span>,
}

/// A pattern of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Bulk data: always more than the window takes.
    Bulk,
    /// No data.
    Idle,
    /// Segments at a constant rate of payload.
    Rate(Rate),
    /// Segments at a rate of payload for a period `on`, then no segments for a period `off`, repeatedly.
    OnOff {
        /// The rate of payload in a period `on`.
        rate: Rate,
        /// The length of a sending period, above zero.
        on: Span,
        /// The length of a silent period, above zero.
        off: Span,
    },
    /// A response of `size`; the next one follows `think` after the whole response is acknowledged.
    Requests {
        /// The payload of a response, at least 1 byte.
        size: Bytes,
        /// The time until the next response, which includes the next request's way to the sender.
        think: Span,
    },
    /// Video over HTTP, as [`Video`] describes it.
    Video(Video),
    /// Real-time media in layers, the most important first. It is the only phase of its application, and has no end.
    Media(Vec<MediaLayer>),
}

impl Activity {
    /// The kind as scenario files write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Activity::Bulk => "bulk",
            Activity::Idle => "idle",
            Activity::Rate(_) => "rate",
            Activity::OnOff { .. } => "on-off",
            Activity::Requests { .. } => "requests",
            Activity::Video(_) => "video",
            Activity::Media(_) => "media",
        }
    }
}

/// Segments of video. The player requests each when the previous one has arrived and its buffer has room, at the
/// highest rate of the ladder that is at most four fifths of the previous one's throughput.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Video {
    /// The rates of payload, ascending; at least one.
    pub ladder: Vec<Rate>,
    /// The playing time of a segment of video.
    pub segment: Span,
    /// The most playing time that the player keeps; at least `segment`.
    pub buffer: Span,
}

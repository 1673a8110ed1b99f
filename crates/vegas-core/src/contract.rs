//! What a host tells an algorithm: one [`Ack`] per acknowledgement, one [`Loss`] per congestion event.

use crate::units::{Segments, SendIndex, Span, Time};

/// An acknowledgement of new data. Duplicate acknowledgements are the host's business and never come here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Round-trip sample of the newest segment acknowledged; none if that segment was ever retransmitted
    /// (Karn's rule, RFC 6298 section 3).
    pub rtt: Option<Span>,
    /// Segments newly acknowledged, at least one.
    pub acked: Segments,
    /// Segments in flight before this acknowledgement was counted: `next` less the oldest segment that was not
    /// acknowledged (SND.NXT - SND.UNA), whatever selective acknowledgements say. An estimate of what is still in the
    /// network would make the backlog negative ("Revisited", inequality 5).
    pub in_flight: Segments,
    /// Newest send index that is acknowledged.
    pub newest: SendIndex,
    /// The send index that the next new segment would have had before this acknowledgement was counted. After a
    /// timeout it restarts at the oldest segment that is not acknowledged, and so may be at or below `newest`.
    pub next: SendIndex,
    /// Whether the congestion window was what held the sender back; means nothing to an algorithm that does not ask
    /// ([`Avoidance::asks_what_limits`](crate::Avoidance::asks_what_limits)).
    pub window_limited: bool,
    /// Segments newly reported to have carried a congestion mark (ECN-CE); above 0 the window does not grow (RFC 3168,
    /// section 6.1.2). A receiver that only echoes (RFC 3168) does not say which were marked: then all of an
    /// acknowledgement with an echo.
    pub ce_marked: u32,
    /// What the routers measured, where they stamp (RoVegas).
    pub feedback: Option<RouterFeedback>,
}

/// Queueing times that the routers of a path have stamped (RoVegas, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterFeedback {
    /// Sum of queueing times on the way to the receiver.
    pub forward: Span,
    /// Sum of queueing times on the way back.
    pub backward: Span,
}

/// A congestion event: the host found a loss or a mark, and retransmits by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When the host found it.
    pub now: Time,
    /// How the host found it.
    pub kind: LossKind,
    /// When what was lost, or marked, had last been sent.
    pub sent: Time,
    /// Whether what was lost is itself a retransmission.
    pub retransmission: bool,
    /// Segments in flight when the loss was found.
    pub in_flight: Segments,
    /// The send index of the next segment: after a timeout the oldest one that is not acknowledged,
    /// where the host sends everything again from there.
    pub next: SendIndex,
}

/// How a loss was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// By duplicate acknowledgements, selective acknowledgements, or Vegas's fine-grained timer.
    DuplicateAcks,
    /// By the retransmission timer.
    Timeout,
    /// An explicit mark; nothing was lost. The host reports one per window of data (RFC 3168, section 6.1.2), as it
    /// does for losses: an algorithm without mechanism E answers each.
    Ecn,
}

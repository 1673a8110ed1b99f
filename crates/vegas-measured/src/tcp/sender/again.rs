//! What made a sender send a segment that is not new.

/// What made the sender send a segment that is not new; in the order of `tables::rows::RETRANSMISSIONS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Again {
    /// After duplicate or selective acknowledgements.
    Fast,
    /// The retransmission timer ran out.
    Timeout,
    /// After a timeout, until what was outstanding then is acknowledged.
    AfterTimeout,
    /// A tail-loss probe: the last segment, after a silence shorter than a timeout.
    Probe,
    /// The receiver had already acknowledged all of it.
    Spurious,
    /// The first one was lost before it came to the capture.
    LostBefore,
}

//! F-RTO (RFC 5682, section 3, with SACK): the test whether a timeout was spurious. The sender answers the first
//! acknowledgement after the timeout that advances with new data instead of retransmissions. If then a segment that was
//! sent only once is reported, only the acknowledgements had been late, and the sender undoes the timeout.

use crate::tcp::control::Control;

/// The state of the test after a timeout.
#[derive(Clone, Debug)]
pub(crate) struct FRto {
    /// The congestion control before the timeout.
    pub(crate) saved: Control,
}

/// The conclusion from an acknowledgement after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The timeout was spurious: nothing was lost.
    Spurious,
    /// Step 2b: the sender sends new data, and the next acknowledgement decides.
    SendNew,
    /// The timeout was due to a loss.
    Lost,
    /// The acknowledgement does not decide.
    Open,
}

/// What an acknowledgement did, as far as F-RTO depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// It reports a segment that was sent before the timeout, and only once.
    pub(crate) original: bool,
    /// It advances, but not past the segments sent before the timeout.
    pub(crate) partial: bool,
    /// New data were sent since the timeout.
    pub(crate) new_sent: bool,
    /// The sender may send new data.
    pub(crate) new_ready: bool,
    /// It is a duplicate, or its blocks report segments for the first time.
    pub(crate) duplicate: bool,
}

/// Decides by section 3.1, steps 2 and 3.
pub(crate) fn judge(answer: Answer) -> Verdict {
    match answer {
        Answer { original: true, .. } => Verdict::Spurious,
        Answer { new_sent: true, duplicate: true, .. } => Verdict::Lost,
        Answer { new_sent: true, .. } => Verdict::Open,
        Answer { partial: true, new_ready: true, .. } => Verdict::SendNew,
        Answer { partial: true, .. } => Verdict::Lost,
        _ => Verdict::Open,
    }
}

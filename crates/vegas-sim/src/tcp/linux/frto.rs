//! F-RTO (RFC 5682, section 3, with SACK): whether a timeout was spurious. The first acknowledgement after it that
//! moves on is answered with new data instead of retransmissions; if then something arrives that was never sent again,
//! only the acknowledgements had been late, and the timeout is undone.

use crate::tcp::control::Control;

/// What is to be found out after a timeout.
#[derive(Clone, Debug)]
pub(crate) struct FRto {
    /// The congestion control before the timeout.
    pub(crate) saved: Control,
}

/// What an acknowledgement after a timeout tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing was lost.
    Spurious,
    /// Step 2b: new data goes out, and the next acknowledgement decides.
    SendNew,
    /// The loss was real.
    Lost,
    /// Not known yet.
    Open,
}

/// What an acknowledgement did, as far as F-RTO asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// It reports a segment from before the timeout that was sent only once.
    pub(crate) original: bool,
    /// It moves on, but not past what was sent before the timeout.
    pub(crate) partial: bool,
    /// New data was sent since the timeout.
    pub(crate) new_sent: bool,
    /// New data may be sent.
    pub(crate) new_ready: bool,
    /// It is a duplicate, or has news in its blocks.
    pub(crate) duplicate: bool,
}

/// Section 3.1, steps 2 and 3.
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

//! F-RTO (RFC 5682, section 3, with SACK): the test whether a timeout was spurious. The sender answers the first
//! acknowledgement after the timeout that advances with new data instead of retransmissions. If then a segment that was
//! sent only once is reported, only the acknowledgements had been late, and the sender undoes the timeout.

/// The conclusion from an acknowledgement after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
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
pub(super) struct Answer {
    /// It reports a segment that was sent before the timeout, and only once.
    pub(super) original: bool,
    /// It advances, but not past the segments sent before the timeout.
    pub(super) partial: bool,
    /// New data were sent since the timeout.
    pub(super) new_sent: bool,
    /// The sender may send new data.
    pub(super) new_ready: bool,
    /// It is a duplicate, or its blocks report segments for the first time.
    pub(super) duplicate: bool,
}

/// Decides by section 3.1, steps 2 and 3.
pub(super) fn judge(answer: Answer) -> Verdict {
    match answer {
        Answer { original: true, .. } => Verdict::Spurious,
        Answer { new_sent: true, duplicate: true, .. } => Verdict::Lost,
        Answer { new_sent: true, .. } => Verdict::Open,
        Answer { partial: true, new_ready: true, .. } => Verdict::SendNew,
        Answer { partial: true, .. } => Verdict::Lost,
        _ => Verdict::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first acknowledgement after a timeout advances; the second reports an original, or is a duplicate. Without
    /// new data to send the first one ends the test.
    #[test]
    fn the_second_acknowledgement_decides() {
        let first = Answer { original: false, partial: true, new_sent: false, new_ready: true, duplicate: false };
        assert_eq!(judge(first), Verdict::SendNew);
        assert_eq!(judge(Answer { new_ready: false, ..first }), Verdict::Lost);
        assert_eq!(judge(Answer { partial: false, duplicate: true, ..first }), Verdict::Open);
        let second = Answer { new_sent: true, ..first };
        assert_eq!(judge(Answer { original: true, ..second }), Verdict::Spurious);
        assert_eq!(judge(Answer { duplicate: true, ..second }), Verdict::Lost);
        assert_eq!(judge(second), Verdict::Open);
    }
}

//! The tail loss probe (RFC 8985, section 7): when acknowledgements stop coming, one segment is sent to provoke one,
//! long before the retransmission timeout.

use vegas_core::units::{Span, Time};

/// The probe's timer, and the probe under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    pub(crate) due: Option<Time>,
    pub(crate) pending: Option<Pending>,
}

/// A probe that is not accounted for yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// One past the newest segment when it was sent (TLP.end_seq).
    pub(crate) end: u64,
    /// When the segment that it repeats had been sent; none for a probe with new data.
    pub(crate) repeats: Option<Time>,
}

/// The delayed acknowledgement that a lone segment may meet: Linux takes its least timeout (RFC: TLP.max_ack_delay).
const MAX_ACK_DELAY: Span = Span::from_millis(200);

/// Section 7.2: PTO = 2 SRTT, more if a lone segment may wait for its acknowledgement.
pub(crate) fn timeout(srtt: Span, alone: bool) -> Span {
    srtt.times(2) + if alone { MAX_ACK_DELAY } else { Span::ZERO }
}

impl Probe {
    pub(crate) fn cancel(&mut self) {
        *self = Probe::default();
    }

    /// Section 7.4.2: whether the acknowledgement tells that the probe has repaired a loss; the time at which what was
    /// lost had been sent. `plain` for a duplicate acknowledgement without news: original and probe have arrived.
    pub(crate) fn on_ack(&mut self, una: u64, plain: bool) -> Option<Time> {
        let Pending { end, repeats } = self.pending.filter(|pending| una >= pending.end)?;
        if repeats.is_none() || plain {
            self.pending = None;
            return None;
        }
        if una > end {
            self.pending = None;
            return repeats;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(repeats: Option<Time>) -> Probe {
        Probe { due: None, pending: Some(Pending { end: 10, repeats }) }
    }

    #[test]
    fn a_loss_shows_when_the_data_after_the_probe_is_acknowledged() {
        let sent = Time::from_nanos(7);
        let mut repeated = probe(Some(sent));
        assert_eq!(repeated.on_ack(9, false), None);
        assert_eq!(repeated.on_ack(10, false), None);
        assert_eq!(repeated.on_ack(11, false), Some(sent));
        assert_eq!(repeated.on_ack(12, false), None);
    }

    #[test]
    fn a_duplicate_acknowledgement_means_that_both_arrived() {
        let mut repeated = probe(Some(Time::ZERO));
        assert_eq!((repeated.on_ack(10, true), repeated.on_ack(11, false)), (None, None));
    }

    #[test]
    fn new_data_repairs_nothing() {
        assert_eq!(probe(None).on_ack(11, false), None);
    }
}

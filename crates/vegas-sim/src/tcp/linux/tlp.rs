//! The tail loss probe (RFC 8985, section 7): when acknowledgements stop, the sender sends one segment to provoke an
//! acknowledgement, long before the retransmission timeout.

use vegas_core::units::{Span, Time};

/// The probe's timer, and the outstanding probe.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    pub(crate) due: Option<Time>,
    pub(crate) pending: Option<Pending>,
}

/// A probe of which it is not known yet whether it repaired a loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// One past the newest segment when the probe was sent (TLP.end_seq).
    pub(crate) end: u64,
    /// When the segment that the probe repeats had been sent; `None` for a probe with new data.
    pub(crate) repeats: Option<Time>,
}

/// The greatest delay of the acknowledgement of a lone segment: Linux uses its least timeout (RFC: TLP.max_ack_delay).
const MAX_ACK_DELAY: Span = Span::from_millis(200);

/// Section 7.2: PTO = 2 SRTT, and more if the acknowledgement of a lone segment may be delayed.
pub(crate) fn timeout(srtt: Span, alone: bool) -> Span {
    srtt.times(2) + if alone { MAX_ACK_DELAY } else { Span::ZERO }
}

impl Probe {
    pub(crate) fn cancel(&mut self) {
        *self = Probe::default();
    }

    /// Section 7.4.2: if the acknowledgement reveals that the probe has repaired a loss, returns when the lost segment
    /// had been sent. `plain` is a duplicate acknowledgement that reports nothing new: original and probe have arrived.
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

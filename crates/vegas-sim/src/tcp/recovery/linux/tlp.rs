//! The tail loss probe (RFC 8985, section 7): when acknowledgements stop, the sender sends one segment to provoke an
//! acknowledgement, long before the retransmission timeout.

use vegas_core::units::{Span, Time};

use super::TIMER_MARGIN;
use crate::tcp::recovery::scoreboard::{Entry, Scoreboard};

/// The probe's timer, and the outstanding probe.
#[derive(Clone, Debug, Default)]
pub(super) struct Probe {
    due: Option<Time>,
    pending: Option<Pending>,
}

/// A probe of which it is not known yet whether it repaired a loss.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// One past the newest segment when the probe was sent (TLP.end_seq).
    end: u64,
    /// When the segment that the probe repeats had been sent; `None` for a probe with new data.
    repeats: Option<Time>,
}

/// The greatest delay of the acknowledgement of a lone segment: Linux uses its least timeout (RFC: TLP.max_ack_delay).
const MAX_ACK_DELAY: Span = Span::from_millis(200);

/// Section 7.2: PTO = 2 SRTT, and more if the acknowledgement of a lone segment may be delayed.
pub(super) fn timeout(srtt: Span, alone: bool) -> Span {
    srtt.times(2) + if alone { MAX_ACK_DELAY } else { TIMER_MARGIN }
}

impl Probe {
    /// When the timer expires.
    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    /// Forgets the probe, and stops the timer.
    pub(super) fn cancel(&mut self) {
        *self = Probe::default();
    }

    /// Sets the timer, or stops it, as long as no probe is outstanding.
    pub(super) fn arm(&mut self, due: Option<Time>) {
        self.due = due.filter(|_| self.pending.is_none());
    }

    /// Section 7.3: if the timer has expired, returns the probe to send: the `new` segment if there is one, else the
    /// newest one again.
    pub(super) fn take(&mut self, board: &Scoreboard, now: Time, new: Option<u64>) -> Option<u64> {
        self.due.take_if(|due| *due <= now)?;
        if board.outstanding() == 0 || self.pending.is_some() {
            return None;
        }
        let newest = board.max() - 1;
        self.pending = Some(match new {
            Some(new) => Pending { end: new + 1, repeats: None },
            None => Pending { end: board.max(), repeats: board.entry(newest).map(Entry::sent) },
        });
        Some(new.unwrap_or(newest))
    }

    /// Returns whether a probe is outstanding that repeats a segment.
    pub(super) fn is_repeating(&self) -> bool {
        self.pending.is_some_and(|probe| probe.repeats.is_some())
    }

    /// Returns whether the outstanding probe repeats the segment with which this range of duplicates ends.
    pub(super) fn is_repeated_by(&self, (_, to): (u64, u64)) -> bool {
        self.pending.is_some_and(|probe| probe.repeats.is_some() && probe.end == to)
    }

    /// Section 7.4.2: if the acknowledgement reveals that the probe has repaired a loss, returns when the lost segment
    /// had been sent. `plain` is a duplicate acknowledgement that reports nothing new: original and probe have arrived.
    pub(super) fn on_ack(&mut self, una: u64, plain: bool) -> Option<Time> {
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

    /// Three segments are outstanding. The probe is a new segment if there is one, else the newest once more; while it
    /// is outstanding no other is sent.
    #[test]
    fn one_probe_is_sent_when_the_timer_expires() {
        let (before, due) = (Time::from_nanos(6), Time::from_nanos(7));
        let mut board = Scoreboard::new(3);
        (0..3).for_each(|_| board.on_first_transmission(Time::ZERO));
        for (new, sent, repeats) in [(Some(3), 3, false), (None, 2, true)] {
            let mut probe = Probe::default();
            probe.arm(Some(due));
            assert_eq!(probe.take(&board, before, new), None);
            assert_eq!(probe.take(&board, due, new), Some(sent));
            assert_eq!(probe.is_repeated_by((2, 3)), repeats);
            probe.arm(Some(due));
            assert_eq!(probe.due(), None);
        }
    }
}

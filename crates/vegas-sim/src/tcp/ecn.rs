//! Explicit congestion notification at the ends of a connection (RFC 3168, section 6.1): the receiver echoes a mark
//! until the sender says that it has reduced its window; the sender answers once for each window of data.

use vegas_core::units::Time;

use crate::packet::Ecn;

/// A sender's ECN state; empty if its end does not use ECN.
#[derive(Clone, Debug, Default)]
pub(super) struct EcnSender(Option<Box<Memory>>);

#[derive(Clone, Debug, Default)]
struct Memory {
    /// Whether the current acknowledgement echoes a mark.
    echoed: bool,
    /// The segments before this one had been sent when the window was last reduced. Until this segment or a later one
    /// is acknowledged, an echo reports no new congestion (section 6.1.2).
    reduced_at: Option<u64>,
    /// As `reduced_at`, but of reductions that answered a mark.
    answered_at: Option<u64>,
    /// Whether the next new segment has to tell the receiver of the reduction.
    tells: bool,
    /// When the newest acknowledged segment was sent.
    newest_sent: Time,
}

impl EcnSender {
    pub(super) fn new(on: bool) -> Self {
        EcnSender(on.then(Box::default))
    }

    /// Takes in the ECN bits of an acknowledgement, before it is counted; `newest_sent` is when the newest segment that
    /// it acknowledges was sent, if it acknowledges any.
    pub(super) fn on_ack(&mut self, ecn: Ecn, newest_sent: impl FnOnce() -> Option<Time>) {
        let Some(memory) = &mut self.0 else { return };
        memory.echoed = ecn.has(Ecn::ECHO);
        memory.newest_sent = newest_sent().unwrap_or(memory.newest_sent);
    }

    /// Returns whether an acknowledgement of everything before `una` reports a mark that the window has not answered
    /// yet.
    pub(super) fn hears_mark(&self, una: u64) -> bool {
        let hears = |memory: &Memory| memory.echoed && memory.reduced_at.is_none_or(|max| una > max);
        self.0.as_deref().is_some_and(hears)
    }

    /// When the newest segment that was acknowledged had been sent.
    pub(super) fn newest_sent(&self) -> Time {
        self.0.as_ref().map_or(Time::ZERO, |memory| memory.newest_sent)
    }

    /// Returns whether the current acknowledgement echoes a mark.
    pub(super) fn echoed(&self) -> bool {
        self.0.as_ref().is_some_and(|memory| memory.echoed)
    }

    /// Records that the window was reduced, for any reason (section 6.1.2), when everything before segment `max` was
    /// sent.
    pub(super) fn on_reduction(&mut self, max: u64) {
        if let Some(memory) = &mut self.0 {
            memory.reduced_at = Some(max);
            memory.tells = true;
        }
    }

    /// Records that the algorithm has answered a mark when everything before segment `max` was sent. The receiver is to
    /// know of that even if the window was already at its least.
    pub(super) fn on_answer(&mut self, max: u64) {
        self.on_reduction(max);
        if let Some(memory) = &mut self.0 {
            memory.answered_at = Some(max);
        }
    }

    /// Returns whether the window was cut for a mark after this segment had first been sent. The loss of the segment
    /// then belongs to the same window of data and does not cut again (section 6.1.2).
    pub(super) fn covers(&self, segment: u64) -> bool {
        let answered_at = self.0.as_ref().and_then(|memory| memory.answered_at);
        answered_at.is_some_and(|max| segment < max)
    }

    /// Returns the ECN bits of a data packet. A retransmission is not ECN-capable (section 6.1.5).
    pub(super) fn of_data(&mut self, first_time: bool) -> Ecn {
        match &mut self.0 {
            Some(memory) if first_time => Ecn::ECT0.and(Ecn::REDUCED.when(std::mem::take(&mut memory.tells))),
            _ => Ecn::NONE,
        }
    }

    /// Returns the ECN bits of the SYN: both flags together ask for ECN (section 6.1.1).
    pub(super) fn of_syn(&self) -> Ecn {
        Ecn::ECHO.and(Ecn::REDUCED).when(self.0.is_some())
    }
}

/// The receiver's ECN state (section 6.1.3).
#[derive(Clone, Debug, Default)]
pub(super) struct EcnReceiver {
    echoes: bool,
}

impl EcnReceiver {
    /// Takes in the ECN bits of a data packet. A packet that reports a reduction ends the echo, unless it is marked
    /// itself.
    pub(super) fn on_data(&mut self, ecn: Ecn) {
        self.echoes = ecn.has(Ecn::MARKED) || self.echoes && !ecn.has(Ecn::REDUCED);
    }

    /// Returns the ECN bits of an acknowledgement, which is not ECN-capable itself (section 6.1.4).
    pub(super) fn of_ack(&self) -> Ecn {
        Ecn::ECHO.when(self.echoes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty segments are sent when a mark is answered: echoes until the acknowledgement of all of them are of that
    /// mark, and losses among them do not cut again. A loss cuts later, which the next new segment reports, not a
    /// retransmission.
    #[test]
    fn a_window_of_data_is_answered_once() {
        let mut sender = EcnSender::new(true);
        let sent = Time::from_nanos(7);
        sender.on_ack(Ecn::ECHO, || Some(sent));
        assert!(sender.hears_mark(5) && !sender.covers(5));
        sender.on_answer(20);
        assert!(!sender.hears_mark(20) && sender.hears_mark(21));
        assert!(sender.covers(19) && !sender.covers(20));
        assert_eq!(sender.of_data(false), Ecn::NONE);
        assert_eq!(sender.of_data(true), Ecn::ECT0.and(Ecn::REDUCED));
        assert_eq!(sender.of_data(true), Ecn::ECT0);
        sender.on_ack(Ecn::NONE, || None);
        assert!(!sender.hears_mark(21));
        assert_eq!(sender.newest_sent(), sent);
        sender.on_reduction(40);
        sender.on_ack(Ecn::ECHO, || None);
        assert!(!sender.hears_mark(40) && !sender.covers(30));
    }

    #[test]
    fn the_echo_lasts_until_the_sender_has_heard_it() {
        let mut receiver = EcnReceiver::default();
        let capable = Ecn::ECT0;
        let marked = capable.and(Ecn::MARKED);
        let story = [
            (capable, false),
            (marked, true),
            (capable, true),
            (Ecn::NONE, true),
            (capable.and(Ecn::REDUCED), false),
            (capable, false),
            (marked.and(Ecn::REDUCED), true),
            (Ecn::REDUCED, false),
        ];
        for (ecn, echoes) in story {
            receiver.on_data(ecn);
            assert_eq!(receiver.of_ack() == Ecn::ECHO, echoes, "after {ecn:?}");
        }
    }
}

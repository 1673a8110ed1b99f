//! Explicit congestion notification at the ends of a connection (RFC 3168, section 6.1): the receiver echoes a mark
//! until the sender says that it has reduced its window; the sender answers once for each window of data.

use vegas_core::units::{Segments, SendIndex, Time};
use vegas_core::{Loss, LossKind};

use super::Outbox;
use super::sender::Sender;
use crate::packet::Ecn;

/// A sender's ECN state; empty if its end does not use ECN.
#[derive(Clone, Debug, Default)]
pub(super) struct EcnSender(Option<Box<Memory>>);

#[derive(Clone, Debug, Default)]
struct Memory {
    /// Whether the current acknowledgement echoes a mark.
    echoed: bool,
    /// The segments before this one had been sent when the window was last reduced. Until this segment or a later one is
    /// acknowledged, an echo reports no new congestion (section 6.1.2).
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

    /// Returns the ECN bits of a data packet. A retransmission is not ECN-capable (section 6.1.5).
    pub(super) fn of_data(&mut self, first_time: bool) -> Ecn {
        match &mut self.0 {
            Some(memory) if first_time => Ecn::CAPABLE.and(Ecn::REDUCED.when(std::mem::take(&mut memory.tells))),
            _ => Ecn::NONE,
        }
    }

    /// Returns the ECN bits of the SYN: both flags together ask for ECN (section 6.1.1).
    pub(super) fn of_syn(&self) -> Ecn {
        Ecn::ECHO.and(Ecn::REDUCED).when(self.0.is_some())
    }
}

impl Sender {
    /// Records, before an acknowledgement of everything before `una` is counted, whether it echoes a mark.
    pub(super) fn note_echo(&mut self, una: u64, ecn: Ecn) {
        let Some(memory) = &mut self.ecn.0 else { return };
        memory.echoed = ecn.has(Ecn::ECHO);
        if let Some(newest) = una.checked_sub(1).and_then(|newest| self.board.entry(newest)) {
            memory.newest_sent = newest.sent();
        }
    }

    /// Returns whether an acknowledgement of everything before `una` reports a mark that the window has not answered
    /// yet.
    pub(super) fn hears_mark(&self, una: u64) -> bool {
        let hears = |memory: &Memory| memory.echoed && memory.reduced_at.is_none_or(|max| una > max);
        self.ecn.0.as_deref().is_some_and(hears)
    }

    /// Returns whether the window was cut for a mark after this segment had first been sent. The loss of the segment
    /// then belongs to the same window of data and does not cut again (section 6.1.2).
    pub(super) fn mark_covers(&self, segment: u64) -> bool {
        let answered_at = self.ecn.0.as_ref().and_then(|memory| memory.answered_at);
        answered_at.is_some_and(|max| segment < max)
    }

    /// Reports a mark to the algorithm. The receiver learns of the reduction even if the window was already at its
    /// least.
    pub(super) fn answer_mark(&mut self, now: Time, out: &mut Outbox) {
        let (in_flight, next) = (self.unacknowledged(), SendIndex(self.next));
        let sent = self.ecn.0.as_ref().map_or(Time::ZERO, |memory| memory.newest_sent);
        let kind = LossKind::Ecn;
        self.tell(&Loss { now, kind, sent, retransmission: false, in_flight, next, lost: Segments(0) }, out);
        self.ecn.on_reduction(self.board.max());
        if let Some(memory) = &mut self.ecn.0 {
            memory.answered_at = Some(self.board.max());
        }
        self.stats.ecn_reductions += 1;
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

    #[test]
    fn the_echo_lasts_until_the_sender_has_heard_it() {
        let mut receiver = EcnReceiver::default();
        let capable = Ecn::CAPABLE;
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

//! Explicit congestion notification at the ends of a connection (RFC 3168, section 6.1): the receiver echoes a mark
//! until the sender says that it has reduced its window; the sender answers once for each window of data.

use vegas_core::units::{Segments, SendIndex, Time};
use vegas_core::{Loss, LossKind};

use super::Outbox;
use super::sender::Sender;
use crate::packet::Ecn;

/// What a sender remembers of ECN; nothing where its end does not take part.
#[derive(Clone, Debug, Default)]
pub(super) struct EcnSender(Option<Box<Memory>>);

#[derive(Clone, Debug, Default)]
struct Memory {
    /// The acknowledgement at hand echoes a mark.
    echoed: bool,
    /// The window was reduced when segments before this one had been sent: until one of those after it is
    /// acknowledged, an echo is no news (section 6.1.2).
    reduced_at: Option<u64>,
    /// As `reduced_at`, of reductions that answered a mark only.
    answered_at: Option<u64>,
    /// The next new segment tells the receiver of the reduction.
    tells: bool,
    /// When the newest segment acknowledged was sent.
    newest_sent: Time,
}

impl EcnSender {
    pub(super) fn new(on: bool) -> Self {
        EcnSender(on.then(Box::default))
    }

    /// Whether the acknowledgement at hand echoes a mark.
    pub(super) fn echoed(&self) -> bool {
        self.0.as_ref().is_some_and(|memory| memory.echoed)
    }

    /// The window was reduced, for whatever reason (section 6.1.2), with everything before segment `max` sent.
    pub(super) fn on_reduction(&mut self, max: u64) {
        if let Some(memory) = &mut self.0 {
            memory.reduced_at = Some(max);
            memory.tells = true;
        }
    }

    /// Bits of a data packet: what is sent again is not capable (section 6.1.5).
    pub(super) fn of_data(&mut self, first_time: bool) -> Ecn {
        match &mut self.0 {
            Some(memory) if first_time => Ecn::CAPABLE.and(Ecn::REDUCED.when(std::mem::take(&mut memory.tells))),
            _ => Ecn::NONE,
        }
    }

    /// Bits of the SYN: both flags ask for ECN (section 6.1.1).
    pub(super) fn of_syn(&self) -> Ecn {
        Ecn::ECHO.and(Ecn::REDUCED).when(self.0.is_some())
    }
}

impl Sender {
    /// Takes in whether an acknowledgement of everything before `una` echoes a mark, before it is counted.
    pub(super) fn note_echo(&mut self, una: u64, ecn: Ecn) {
        let Some(memory) = &mut self.ecn.0 else { return };
        memory.echoed = ecn.has(Ecn::ECHO);
        if let Some(newest) = una.checked_sub(1).and_then(|newest| self.board.entry(newest)) {
            memory.newest_sent = newest.sent();
        }
    }

    /// Whether an acknowledgement of everything before `una` tells of a mark that was not answered yet.
    pub(super) fn hears_mark(&self, una: u64) -> bool {
        let hears = |memory: &Memory| memory.echoed && memory.reduced_at.is_none_or(|max| una > max);
        self.ecn.0.as_deref().is_some_and(hears)
    }

    /// Whether the window was cut for a mark after this segment had first been sent: its loss then falls into the same
    /// window of data and does not cut again (section 6.1.2).
    pub(super) fn mark_covers(&self, segment: u64) -> bool {
        let answered_at = self.ecn.0.as_ref().and_then(|memory| memory.answered_at);
        answered_at.is_some_and(|max| segment < max)
    }

    /// The algorithm answers a mark; even if its window can be no smaller the receiver hears that it did.
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

/// The receiver's part (section 6.1.3).
#[derive(Clone, Debug, Default)]
pub(super) struct EcnReceiver {
    echoes: bool,
}

impl EcnReceiver {
    /// A data packet came: one that tells of a reduction ends the echo, unless it is marked itself.
    pub(super) fn on_data(&mut self, ecn: Ecn) {
        self.echoes = ecn.has(Ecn::MARKED) || self.echoes && !ecn.has(Ecn::REDUCED);
    }

    /// Bits of an acknowledgement: it is not capable itself (section 6.1.4).
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

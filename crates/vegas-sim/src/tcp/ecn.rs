//! Explicit congestion notification at the ends of a connection (RFC 3168, section 6.1): the receiver echoes a mark
//! until the sender says that it has reduced its window; the sender answers once for each window of data. With Accurate
//! ECN (RFC 9768) the receiver counts marked packets instead, and each acknowledgement has the count's lower three
//! bits.

use vegas_core::units::Time;
use vegas_core::{LossKind, Needs};

use super::accurate::REPEATS_WITH_FLAGS;
use super::accurate::counters::{COUNTS, FIRST_COUNT, most_marked};
use crate::packet::{Ecn, Packet};
use crate::scenario::{EcnVersion, FlowSpec, Handshake};

/// The marks that an acknowledgement reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marks {
    None,
    /// A mark is echoed, which does not say how many packets were marked.
    Echoed,
    /// The count has grown by this, modulo 8.
    Counted(u8),
}

impl Marks {
    /// Returns the number of marked packets of an acknowledgement that reports `delivered` as received and acknowledges
    /// `acked`. Where the count may have wrapped it has, as the sender errs on the safe side (RFC 9768, appendix
    /// A.2.1).
    pub(super) fn count(self, acked: u32, delivered: u32) -> u32 {
        match self {
            Marks::None => 0,
            Marks::Echoed => acked,
            Marks::Counted(more) if delivered < COUNTS => delivered.min(more.into()),
            Marks::Counted(more) => most_marked(more.into(), delivered),
        }
    }
}

/// How the receiver reports marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feedback {
    /// Echoes (RFC 3168).
    Classic,
    /// Counts (RFC 9768); `count` is that of the newest acknowledgement, of which `more` are its own, modulo 8.
    Accurate { count: u8, more: u8 },
}

/// A sender's ECN state; empty if its end does not use ECN.
#[derive(Clone, Debug, Default)]
pub(super) struct EcnSender(Option<Box<Memory>>);

#[derive(Clone, Debug)]
struct Memory {
    feedback: Feedback,
    /// Whether the control answers marks by their number.
    counts: bool,
    /// The codepoint of data.
    codepoint: Ecn,
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
    /// Returns the state for a congestion control that asks for `needs`. Without a handshake the ends have agreed
    /// before.
    pub(super) fn new(spec: &FlowSpec, needs: &Needs) -> Self {
        let mut sender = EcnSender::asking(spec.ecn, needs);
        if spec.host.handshake == Handshake::None {
            sender.agree_on(spec.agreed_ecn());
        }
        sender
    }

    fn asking(on: bool, needs: &Needs) -> Self {
        let accurate = Feedback::Accurate { count: FIRST_COUNT, more: 0 };
        let memory = || Memory {
            feedback: if needs.accurate_ecn { accurate } else { Feedback::Classic },
            counts: needs.accurate_ecn,
            codepoint: if needs.ect1 { Ecn::ECT1 } else { Ecn::ECT0 },
            echoed: false,
            reduced_at: None,
            answered_at: None,
            tells: false,
            newest_sent: Time::ZERO,
        };
        EcnSender(on.then(|| Box::new(memory())))
    }

    /// Takes in the ECN bits of the answer to a SYN that was sent `repeats` times before (RFC 9768, table 2). If the
    /// last had no flags, nothing leaves ECN-capable, whatever the answer to an earlier one says (section 3.1.5).
    pub(super) fn on_syn_ack(&mut self, ecn: Ecn, repeats: u32) {
        let answer = match self.0.as_deref() {
            Some(memory) if memory.gives_up(repeats) => EcnVersion::None,
            Some(Memory { feedback: Feedback::Accurate { .. }, .. }) if ecn.has(Ecn::REDUCED) => EcnVersion::Accurate,
            _ if ecn.has(Ecn::ECHO) => EcnVersion::Classic,
            _ => EcnVersion::None,
        };
        self.agree_on(answer);
    }

    /// Takes in what the ends have agreed on. Without counts nothing has ECT(1), which says that both ends count (RFC
    /// 9331, section 4.2).
    fn agree_on(&mut self, version: EcnVersion) {
        match (version, self.0.as_deref_mut()) {
            (EcnVersion::None, _) => self.0 = None,
            (EcnVersion::Classic, Some(memory)) => {
                (memory.feedback, memory.codepoint) = (Feedback::Classic, Ecn::ECT0);
            }
            (EcnVersion::Classic | EcnVersion::Accurate, _) => {}
        }
    }

    /// What the control hears of a mark. Where an echo does not say how many packets were marked, the answer is that to
    /// a loss (RFC 3168, section 5).
    pub(super) fn kind_of_mark(&self) -> LossKind {
        match self.0.as_deref() {
            Some(Memory { feedback: Feedback::Classic, counts: true, .. }) => LossKind::DuplicateAcks,
            _ => LossKind::Ecn,
        }
    }

    /// Takes in the ECN bits of an acknowledgement, before it is counted; `is_old` if one of more data has come before.
    /// `newest_sent` is when the newest segment that it acknowledges was sent, if it acknowledges any.
    pub(super) fn on_ack(&mut self, ack: &Packet, is_old: bool, newest_sent: impl FnOnce() -> Option<Time>) {
        let Some(memory) = &mut self.0 else { return };
        memory.echoed = match &mut memory.feedback {
            Feedback::Classic => ack.ecn().has(Ecn::ECHO),
            Feedback::Accurate { .. } if is_old => false,
            Feedback::Accurate { count, more } => {
                *more = ack.ace().wrapping_sub(*count) % COUNTS as u8;
                *count = ack.ace();
                *more > 0
            }
        };
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

    /// Returns the marks that the current acknowledgement reports.
    pub(super) fn marks(&self) -> Marks {
        match self.0.as_deref() {
            Some(Memory { feedback: Feedback::Accurate { more, .. }, echoed: true, .. }) => Marks::Counted(*more),
            Some(Memory { feedback: Feedback::Classic, echoed: true, .. }) => Marks::Echoed,
            _ => Marks::None,
        }
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

    /// Returns the ECN bits of a data packet. A retransmission is not ECN-capable (section 6.1.5); with Accurate ECN it
    /// is, as on Linux (`tcp_ecn_send`), and no flag says that the window was reduced.
    pub(super) fn of_data(&mut self, first_time: bool) -> Ecn {
        match self.0.as_deref_mut() {
            Some(Memory { feedback: Feedback::Accurate { .. }, codepoint, .. }) => *codepoint,
            Some(memory) if first_time => memory.codepoint.and(Ecn::REDUCED.when(std::mem::take(&mut memory.tells))),
            _ => Ecn::NONE,
        }
    }

    /// Returns the ECN bits of a SYN that was sent `repeats` times before: both flags together ask for ECN (section
    /// 6.1.1); the flag AE of Accurate ECN is implied.
    pub(super) fn of_syn(&self, repeats: u32) -> Ecn {
        let asks = self.0.as_deref().is_some_and(|memory| !memory.gives_up(repeats));
        Ecn::ECHO.and(Ecn::REDUCED).when(asks)
    }
}

impl Memory {
    /// Returns whether a SYN that was sent `repeats` times before no longer asks for Accurate ECN, as the path may be
    /// one that drops such SYNs (RFC 9768, section 3.1.4.1).
    fn gives_up(&self, repeats: u32) -> bool {
        self.counts && repeats > REPEATS_WITH_FLAGS
    }
}

/// The receiver's ECN state (section 6.1.3; RFC 9768, section 3.2.2): in the lower three bits the count of marked
/// packets, above them whether a mark is echoed. A receiver has a byte of room.
#[derive(Clone, Copy, Debug)]
pub(super) struct EcnReceiver(u8);

impl EcnReceiver {
    pub(super) const NEW: EcnReceiver = EcnReceiver(FIRST_COUNT);
    const COUNT: u8 = COUNTS as u8 - 1;
    const ECHOES: u8 = 1 << 7;

    /// Counts `packets` with these bits, if they are marked.
    pub(super) fn count(&mut self, ecn: Ecn, packets: u64) {
        let marked = if ecn.has(Ecn::MARKED) { packets as u8 } else { 0 };
        self.0 = self.0 & !Self::COUNT | self.counted().wrapping_add(marked) & Self::COUNT;
    }

    /// The count of marked packets, modulo 8.
    pub(super) fn counted(self) -> u8 {
        self.0 & Self::COUNT
    }

    /// Takes in the ECN bits of a data packet. A packet that reports a reduction ends the echo, unless it is marked
    /// itself.
    pub(super) fn on_data(&mut self, ecn: Ecn) {
        if ecn.has(Ecn::MARKED) {
            self.0 |= Self::ECHOES;
        } else if ecn.has(Ecn::REDUCED) {
            self.0 &= !Self::ECHOES;
        }
    }

    /// Returns the ECN bits of an acknowledgement, which is not ECN-capable itself (section 6.1.4).
    pub(super) fn of_ack(self) -> Ecn {
        Ecn::ECHO.when(self.0 & Self::ECHOES != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{PacketKind, WireSize};

    const ACCURATE: Needs = Needs { accurate_ecn: true, ect1: true, ..Needs::NONE };

    /// The receiver begins at 5 and counts each marked packet; the sender learns how many from three bits. Old
    /// acknowledgements say nothing.
    #[test]
    fn marks_are_counted_in_three_bits() {
        let (mut sender, mut receiver) = (EcnSender::asking(true, &ACCURATE), EcnReceiver::NEW);
        for (marks, is_old, expected) in [
            (0, false, Marks::None),
            (2, false, Marks::Counted(2)),
            (3, false, Marks::Counted(3)),
            (1, true, Marks::None),
            (6, false, Marks::Counted(7)),
            (0, false, Marks::None),
        ] {
            receiver.count(Ecn::MARKED, marks);
            receiver.count(Ecn::ECT1, 1);
            let ack = Packet::new(PacketKind::Ack, 0, 0, WireSize::new(40)).with_ace(receiver.counted());
            sender.on_ack(&ack, is_old, || None);
            assert_eq!(sender.marks(), expected);
        }
        assert_eq!((sender.of_data(true), sender.of_data(false)), (Ecn::ECT1, Ecn::ECT1));
    }

    /// RFC 9768, appendix A.2.1: of 20 packets with a count that has grown by 3 modulo 8, 19 may have been marked; of
    /// 16 with none more, all; of 7 never more than the count says.
    #[test]
    fn a_count_that_may_have_wrapped_has() {
        for (more, delivered, marked) in [(3, 20, 19), (0, 16, 16), (7, 8, 7), (3, 7, 3), (3, 2, 2), (1, 0, 0)] {
            assert_eq!(Marks::Counted(more).count(1, delivered), marked, "{more} of {delivered}");
        }
        assert_eq!((Marks::Echoed.count(2, 5), Marks::None.count(2, 5)), (2, 0));
    }

    /// Twenty segments are sent when a mark is answered: echoes until the acknowledgement of all of them are of that
    /// mark, and losses among them do not cut again. A loss cuts later, which the next new segment reports, not a
    /// retransmission.
    #[test]
    fn a_window_of_data_is_answered_once() {
        let mut sender = EcnSender::asking(true, &Needs::NONE);
        let ack = |ecn| Packet::new(PacketKind::Ack, 0, 0, WireSize::new(40)).with_ecn(ecn);
        let sent = Time::from_nanos(7);
        sender.on_ack(&ack(Ecn::ECHO), false, || Some(sent));
        assert!(sender.hears_mark(5) && !sender.covers(5));
        sender.on_answer(20);
        assert!(!sender.hears_mark(20) && sender.hears_mark(21));
        assert!(sender.covers(19) && !sender.covers(20));
        assert_eq!(sender.of_data(false), Ecn::NONE);
        assert_eq!(sender.of_data(true), Ecn::ECT0.and(Ecn::REDUCED));
        assert_eq!(sender.of_data(true), Ecn::ECT0);
        sender.on_ack(&ack(Ecn::NONE), false, || None);
        assert!(!sender.hears_mark(21));
        assert_eq!(sender.newest_sent(), sent);
        sender.on_reduction(40);
        sender.on_ack(&ack(Ecn::ECHO), false, || None);
        assert!(!sender.hears_mark(40) && !sender.covers(30));
    }

    /// RFC 9768, table 2 and section 3.1.4.1: the answer to a SYN decides; a control that counts marks hears of an echo
    /// as of a loss, and its data have ECT(0); the third SYN asks for nothing, and none of its answers counts.
    #[test]
    fn the_answer_to_a_syn_decides() {
        let (none, classic, accurate) = (Ecn::NONE, Ecn::ECHO, Ecn::REDUCED);
        for (needs, answer, repeats, kind, data) in [
            (ACCURATE, accurate, 0, LossKind::Ecn, Ecn::ECT1),
            (ACCURATE, accurate, 1, LossKind::Ecn, Ecn::ECT1),
            (ACCURATE, accurate, 2, LossKind::Ecn, none),
            (ACCURATE, classic, 0, LossKind::DuplicateAcks, Ecn::ECT0),
            (ACCURATE, none, 0, LossKind::Ecn, none),
            (Needs::NONE, classic, 2, LossKind::Ecn, Ecn::ECT0),
            (Needs::NONE, none, 0, LossKind::Ecn, none),
        ] {
            let mut sender = EcnSender::asking(true, &needs);
            let asks = repeats < 2 || !needs.accurate_ecn;
            assert_eq!(sender.of_syn(repeats), Ecn::ECHO.and(Ecn::REDUCED).when(asks));
            sender.on_syn_ack(answer, repeats);
            assert_eq!((sender.kind_of_mark(), sender.of_data(true)), (kind, data), "{answer:?} after {repeats}");
        }
    }

    #[test]
    fn the_echo_lasts_until_the_sender_has_heard_it() {
        let mut receiver = EcnReceiver::NEW;
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

//! What a sender reports to its congestion control, and what it records of the answers.

use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{Controller, Loss, LossKind};

use super::Sender;
use crate::measure::outcome::IncidentKind;
use crate::tcp::Outbox;
use crate::tcp::control::{AckReport, Before};
use crate::tcp::ecn::Marks;
use crate::tcp::recovery::Threshold;
use crate::tcp::recovery::scoreboard::Entry;

impl Sender {
    /// The state before an acknowledgement is counted.
    #[inline(always)]
    pub(super) fn before_ack<const USUAL: bool>(&self) -> Before {
        Before {
            in_flight: self.board.unacknowledged(),
            next: SendIndex(self.board.next()),
            window_limited: !USUAL && self.rules.asks_what_limits && self.is_window_limited(),
        }
    }

    /// Reports an acknowledgement, which is counted, if the control asks for it.
    #[inline(always)]
    pub(super) fn report_ack<const USUAL: bool>(
        &mut self,
        now: Time,
        acked: Segments,
        rtt: Option<Span>,
        (before, in_recovery): (Before, bool),
        out: &mut Outbox,
    ) {
        let marks = if USUAL { Marks::None } else { self.ecn.marks() };
        let report = AckReport { now, acked, rtt, marks, in_recovery, before };
        if self.congestion.on_ack::<USUAL>(&mut self.board, report) {
            self.note_exit(out);
        }
    }

    /// Reports a duplicate acknowledgement, if the control asks for it.
    pub(super) fn report_duplicate(&mut self, now: Time, out: &mut Outbox) {
        if self.congestion.hears_all() {
            let context = (self.before_ack::<false>(), self.in_recovery());
            self.report_ack::<false>(now, Segments(0), None, context, out);
        }
    }

    /// Reports the loss of `segment`; returns whether the algorithm cut the window.
    pub(super) fn report_loss(&mut self, now: Time, segment: u64, out: &mut Outbox) -> bool {
        let loss = self.loss_of(now, LossKind::DuplicateAcks, segment);
        self.report(&loss, out)
    }

    /// Reports a retransmission timeout.
    pub(super) fn report_timeout(&mut self, now: Time, threshold: Threshold, out: &mut Outbox) {
        let loss = self.loss_of(now, LossKind::Timeout, self.board.una());
        self.report(&Loss { threshold_holds: threshold == Threshold::Holds, ..loss }, out);
    }

    fn loss_of(&mut self, now: Time, kind: LossKind, segment: u64) -> Loss {
        let entry = self.board.entry(segment);
        let lost = self.congestion.newly_lost(&mut self.board);
        let sent = entry.map_or(Time::ZERO, Entry::sent);
        Loss { retransmission: entry.is_some_and(Entry::is_repeated), ..self.loss(now, kind, sent, lost) }
    }

    /// Reports the loss of a segment that was sent at `sent`, and that a probe has repaired.
    pub(super) fn report_repaired(&mut self, now: Time, sent: Time, out: &mut Outbox) {
        let lost = self.congestion.newly_lost(&mut self.board);
        self.report(&self.loss(now, LossKind::DuplicateAcks, sent, lost), out);
    }

    /// Reports a mark. Where it is reported as a loss, nothing is to be repaired.
    pub(super) fn report_mark(&mut self, now: Time, out: &mut Outbox) {
        let kind = self.ecn.kind_of_mark();
        let loss = self.loss(now, kind, self.ecn.newest_sent(), Segments(0));
        self.report(&loss, out);
        if kind == LossKind::DuplicateAcks {
            self.report_recovered(now, out);
        }
        self.ecn.on_answer(self.board.max());
        self.stats.ecn_reductions += 1;
    }

    fn loss(&self, now: Time, kind: LossKind, sent: Time, lost: Segments) -> Loss {
        let (in_flight, next) = (self.board.unacknowledged(), SendIndex(self.board.next()));
        Loss { now, kind, sent, retransmission: false, in_flight, next, lost, threshold_holds: false }
    }

    /// Reports a loss or a mark; returns whether the algorithm cut the window.
    fn report(&mut self, loss: &Loss, out: &mut Outbox) -> bool {
        let effect = self.congestion.on_loss(loss);
        if effect.left_slow_start {
            self.note_exit(out);
        }
        if effect.changed {
            self.ecn.on_reduction(self.board.max());
        }
        effect.changed
    }

    /// Reports the end of recovery, if the control asks for it.
    pub(super) fn report_recovered(&mut self, now: Time, out: &mut Outbox) {
        if self.congestion.on_recovered(now) {
            self.note_exit(out);
        }
    }

    /// Undoes the newest reaction to a loss, because nothing was lost; `saved` is the control before the reaction.
    pub(super) fn restore(&mut self, now: Time, saved: &Controller, out: &mut Outbox) {
        if self.congestion.restore(now, saved) {
            self.note_exit(out);
        }
    }

    /// Records that the algorithm has left slow start.
    #[inline(never)]
    fn note_exit(&self, out: &mut Outbox) {
        self.note(IncidentKind::SlowStartExit, self.board.una(), out);
    }
}

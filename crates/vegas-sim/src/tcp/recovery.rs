//! Loss recovery: Reno's, NewReno's and SACK's, each with or without Vegas's fine-grained retransmissions (C, D).

use vegas_core::units::{Segments, Time};
use vegas_core::{LossKind, Recovery};

use super::Outbox;
use super::scoreboard::Entry;
use super::sender::Sender;
use super::sending::UNLIMITED;

/// The state of a sender's loss recovery.
#[derive(Clone, Debug, Default)]
pub(super) struct Repair {
    dupacks: u32,
    /// One past the newest segment sent when the last recovery or timeout began: duplicate acknowledgements of
    /// older segments do not begin another (RFC 6582, section 3.2, "careful").
    recover: Option<u64>,
    /// Whether the sender is in fast recovery.
    active: bool,
    /// Whether a partial acknowledgement of this recovery has restarted the retransmission timer.
    saw_partial_ack: bool,
    /// The segments by which duplicate acknowledgements widen the window, less those that partial acknowledgements take
    /// back.
    inflation: i64,
    /// Whether the retransmission timer found the last loss.
    timed_out: bool,
    /// RescueRxt of RFC 6675: a rescue retransmission may leave once an acknowledgement passes this segment.
    rescue: u64,
    /// The number of new acknowledgements that still check the next segment (mechanism D).
    rechecks: u8,
}

impl Repair {
    pub(super) fn in_recovery(&self) -> bool {
        self.active
    }

    /// Returns whether no segment is repaired or checked, and no duplicate acknowledgement was received since the newest
    /// new one.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        !self.active && self.dupacks == 0 && self.rechecks == 0
    }

    pub(super) fn inflation(&self) -> i64 {
        self.inflation
    }

    /// Resets recovery after a timeout, before which everything up to `max` was sent.
    pub(super) fn on_timeout(&mut self, max: u64) {
        *self = Repair { recover: Some(max), timed_out: true, rechecks: self.rechecks, ..Repair::default() };
    }

    /// One past the newest segment sent when the last recovery or timeout began.
    pub(super) fn recover(&self) -> Option<u64> {
        self.recover
    }

    pub(super) fn set_recover(&mut self, recover: u64) {
        self.recover = Some(recover);
    }

    /// Begins recovery, which lasts until everything before `max` is acknowledged.
    pub(super) fn begin(&mut self, max: u64) {
        *self = Repair { recover: Some(max), active: true, ..Repair::default() };
    }

    /// RFC 6675, section 4, NextSeg rule 4: returns whether the one rescue retransmission of this recovery may leave;
    /// `una` is the oldest unacknowledged segment.
    pub(super) fn takes_rescue(&mut self, una: u64) -> bool {
        let takes = self.active && una > self.rescue + 1;
        if takes {
            self.rescue = self.recover.unwrap_or(u64::MAX - 1);
        }
        takes
    }

    pub(super) fn finish(&mut self) {
        self.active = false;
        self.saw_partial_ack = false;
        self.inflation = 0;
        self.dupacks = 0;
    }
}

impl Sender {
    /// Handles a duplicate acknowledgement; `news` if it reported segments as received for the first time.
    pub(super) fn on_duplicate_ack(&mut self, now: Time, news: bool, out: &mut Outbox) {
        match self.rules.detection.recovery {
            Recovery::Sack => self.on_sack(now, news, out),
            Recovery::Reno | Recovery::NewReno => self.on_plain_duplicate(now, out),
        }
    }

    fn on_plain_duplicate(&mut self, now: Time, out: &mut Outbox) {
        let threshold = self.rules.host.dupack_threshold;
        self.repair.dupacks += 1;
        if self.oldest_expired(now) || self.repair.dupacks == threshold {
            self.fast_retransmit(now, out);
        } else if self.repair.dupacks > threshold {
            self.repair.inflation += i64::from(self.repair.active);
        } else if self.rules.host.limited_transmit {
            self.send_limited(now, self.repair.dupacks, out);
        }
        if self.repair.dupacks >= threshold {
            let burst = self.duplicate_burst();
            self.send(now, burst, out);
        }
    }

    fn on_sack(&mut self, now: Time, news: bool, out: &mut Outbox) {
        self.repair.dupacks += u32::from(news);
        let lost =
            self.board.judge() || self.repair.dupacks >= self.rules.host.dupack_threshold || self.oldest_expired(now);
        if lost && !self.repair.active {
            self.begin_sack_recovery(now, out);
        }
        let burst = self.duplicate_burst();
        self.send(now, burst, out);
    }

    /// Returns whether mechanism C or D uses the fine-grained timeout.
    #[inline]
    pub(super) fn uses_fine_timeout(&self) -> bool {
        self.rules.detection.fine_retransmit || self.rules.detection.recheck_after_retransmit
    }

    /// Mechanism C: returns whether the oldest segment is older than the fine-grained timeout.
    fn oldest_expired(&self, now: Time) -> bool {
        self.rules.detection.fine_retransmit && self.expired(self.board.una(), now)
    }

    fn expired(&self, segment: u64, now: Time) -> bool {
        self.board.entry(segment).is_some_and(|entry| self.timers.fine.expired(entry.sent(), now))
    }

    /// Returns whether a loss may begin a recovery. Duplicate acknowledgements of segments sent before the last
    /// recovery or timeout began reveal no new loss; mechanism C ignores them only after a timeout.
    fn may_retransmit(&self) -> bool {
        let is_new = self.repair.recover.is_none_or(|recover| self.board.una() > recover);
        is_new || (self.rules.detection.fine_retransmit && !self.repair.timed_out)
    }

    fn fast_retransmit(&mut self, now: Time, out: &mut Outbox) {
        if !self.may_retransmit() {
            return;
        }
        let una = self.board.una();
        let repeated = self.board.entry(una).is_some_and(Entry::is_repeated);
        let is_answered = self.mark_covers(una) && !repeated;
        if is_answered || self.tell_loss(now, LossKind::DuplicateAcks, una, out) {
            self.repair.inflation = i64::from(self.repair.dupacks);
        }
        self.note_retransmission(repeated);
        self.retransmit(now, una, out);
        if self.rules.detection.fine_retransmit && !repeated {
            self.repair.dupacks = self.rules.host.dupack_threshold;
        }
    }

    fn begin_sack_recovery(&mut self, now: Time, out: &mut Outbox) {
        if !self.may_retransmit() {
            return;
        }
        let una = self.board.una();
        let repeated = self.board.entry(una).is_some_and(Entry::is_repeated);
        if repeated || !self.mark_covers(una) {
            self.tell_loss(now, LossKind::DuplicateAcks, una, out);
        }
        self.note_retransmission(repeated);
        // RFC 6675, section 5, step 4.3: the oldest segment leaves whatever the pipe holds
        self.board.mark_lost(una);
        self.retransmit(now, una, out);
    }

    fn note_retransmission(&mut self, repeated: bool) {
        self.repair.active = true;
        self.repair.timed_out = false;
        self.repair.recover = Some(self.board.max());
        // RFC 6675, section 5, step 4.3
        self.repair.rescue = self.board.una();
        if self.uses_fine_timeout() {
            self.timers.fine.back_off(repeated);
        }
        if self.rules.detection.recheck_after_retransmit {
            self.repair.rechecks = self.outstanding().min(2) as u8;
        }
    }

    fn retransmit(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        self.timers.rto.stop_timing();
        if self.rules.detection.retransmit_backs_off {
            self.timers.rto.back_off();
        }
        self.transmit(now, segment, out);
        self.restart_timer(now);
    }

    /// A new acknowledgement ends the recovery, or is a partial one.
    pub(super) fn repair_on_new_ack(&mut self, now: Time, acked: Segments, out: &mut Outbox) {
        if !self.repair.active && self.repair.dupacks == 0 {
            // no recovery and no duplicate acknowledgements
            self.restart_timer(now);
            return;
        }
        let una = self.board.una();
        let partial = self.repair.active && self.repair.recover.is_some_and(|recover| una < recover);
        match self.rules.detection.recovery {
            Recovery::NewReno if partial => self.on_partial_ack(now, acked, out),
            Recovery::Sack if partial => {
                self.board.judge();
                self.restart_timer(now);
            }
            _ => {
                self.repair.finish();
                self.restart_timer(now);
            }
        }
    }

    /// RFC 6582, section 3.2, step 3: sends the next hole again and deflates the window by the segments that left the
    /// network. Only the first partial acknowledgement restarts the timer ("impatient").
    fn on_partial_ack(&mut self, now: Time, acked: Segments, out: &mut Outbox) {
        self.repair.inflation -= i64::from(acked.0) - 1;
        if !self.repair.saw_partial_ack {
            self.repair.saw_partial_ack = true;
            self.restart_timer(now);
        }
        self.transmit(now, self.board.una(), out);
    }

    /// Mechanism D: checks the next segment at the first two new acknowledgements after a retransmission.
    #[inline]
    pub(super) fn recheck(&mut self, now: Time, out: &mut Outbox) {
        if self.repair.rechecks > 0 {
            self.recheck_next(now, out);
        }
    }

    #[inline(never)]
    fn recheck_next(&mut self, now: Time, out: &mut Outbox) {
        self.repair.rechecks -= 1;
        let una = self.board.una();
        if self.expired(una, now) {
            self.repair.dupacks = self.rules.host.dupack_threshold;
            self.transmit(now, una, out);
        } else {
            self.repair.rechecks = 0;
        }
    }

    fn duplicate_burst(&self) -> Segments {
        match self.rules.burst {
            UNLIMITED => self.rules.host.recovery_burst.filter(|_| self.repair.active).unwrap_or(UNLIMITED),
            burst => burst,
        }
    }
}

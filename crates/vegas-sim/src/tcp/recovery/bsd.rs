//! Loss recovery as in BSD and the papers: Reno's, NewReno's (RFC 6582) and by SACK (RFC 6675), each with or without
//! Vegas's fine-grained retransmissions (mechanisms C and D). [`BsdRecovery`] decides; the sender carries out.

use vegas_core::units::Segments;
use vegas_core::{Detection, Recovery};

use super::scoreboard::Scoreboard;
use crate::scenario::HostSpec;

/// The rules and the state of a sender's loss recovery.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct BsdRecovery {
    rules: Rules,
    dupacks: u32,
    /// One past the newest segment sent when the newest duplicate acknowledgement came: segments below it may wait at
    /// the receiver behind a hole.
    waiting_end: u64,
    /// One past the newest segment sent when the last recovery or timeout began: duplicate acknowledgements of
    /// older segments do not begin another (RFC 6582, section 3.2, "careful"). 0 before the first.
    recover: u64,
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

#[derive(Clone, Copy, Debug)]
struct Rules {
    kind: Recovery,
    /// Mechanism C: a duplicate acknowledgement retransmits a segment that is overdue.
    fine_retransmit: bool,
    /// Mechanism D.
    rechecks: bool,
    /// RFC 3042.
    limited_transmit: bool,
    dupack_threshold: u32,
}

/// What the sender does at a duplicate acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum OnDuplicate {
    /// Nothing beside what window and pipe allow.
    Nothing,
    /// It begins a recovery, or retransmits the oldest segment in one.
    Retransmit,
    /// RFC 3042: it may send a new segment, beyond the window by this number of segments.
    SendNew(u32),
}

/// What the sender does at an acknowledgement of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum OnNewAck {
    /// It restarts the retransmission timer. No recovery is active, or none any more.
    Open,
    /// In recovery by SACK, it looks for further losses, and restarts the timer.
    FindLosses,
    /// RFC 6582, section 3.2, step 3: it retransmits the next hole. Only the first of these acknowledgements restarts
    /// the timer ("impatient").
    Retransmit {
        /// Whether this is the first one.
        restarts_timer: bool,
    },
}

/// The loss with which a recovery begins.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Beginning {
    /// Whether the oldest segment, the lost one, had been retransmitted before.
    pub(in crate::tcp) repeated: bool,
    /// Whether the window was cut for this loss, or before for a mark of the same window of data.
    pub(in crate::tcp) cut: bool,
}

impl BsdRecovery {
    pub(super) fn new(host: &HostSpec, detection: &Detection) -> Self {
        let rules = Rules {
            kind: detection.recovery,
            fine_retransmit: detection.fine_retransmit,
            rechecks: detection.recheck_after_retransmit,
            limited_transmit: host.limited_transmit,
            dupack_threshold: host.dupack_threshold,
        };
        BsdRecovery::open(rules)
    }

    /// The state without a loss.
    fn open(rules: Rules) -> Self {
        BsdRecovery {
            rules,
            dupacks: 0,
            waiting_end: 0,
            recover: 0,
            active: false,
            saw_partial_ack: false,
            inflation: 0,
            timed_out: false,
            rescue: 0,
            rechecks: 0,
        }
    }

    /// Returns whether acknowledgements are selective.
    pub(super) fn is_selective(&self) -> bool {
        self.rules.kind == Recovery::Sack
    }

    pub(super) fn is_active(&self) -> bool {
        self.active
    }

    /// Returns whether the loss that is being repaired was found by a timeout.
    pub(super) fn repairs_timeout(&self, una: u64) -> bool {
        self.timed_out && una < self.recover
    }

    /// Returns whether no segment is repaired or checked, and no duplicate acknowledgement was received since the
    /// newest new one.
    pub(in crate::tcp) fn is_idle(&self) -> bool {
        !self.active && self.dupacks == 0 && self.rechecks == 0
    }

    /// Returns whether segments after the oldest one, `una`, may have waited for it at the receiver, where no report
    /// tells which have.
    pub(in crate::tcp) fn may_wait(&self, una: u64) -> bool {
        !self.is_selective() && una < self.waiting_end
    }

    /// The segments by which recovery widens the window.
    pub(super) fn inflation(&self) -> i64 {
        self.inflation
    }

    /// Takes in a duplicate acknowledgement; `news` if it reports segments as received for the first time, `is_lost` if
    /// the oldest segment is lost by SACK, `is_overdue` if it is by mechanism C.
    pub(in crate::tcp) fn on_duplicate(
        &mut self,
        board: &Scoreboard,
        news: bool,
        is_lost: bool,
        is_overdue: impl FnOnce() -> bool,
    ) -> OnDuplicate {
        self.waiting_end = board.max();
        let threshold = self.rules.dupack_threshold;
        let lost = is_lost || self.rules.fine_retransmit && is_overdue();
        let retransmits = match self.rules.kind {
            Recovery::Sack => {
                self.dupacks += u32::from(news);
                !self.active && (lost || self.dupacks >= threshold)
            }
            Recovery::Reno | Recovery::NewReno => {
                self.dupacks += 1;
                lost || self.dupacks == threshold
            }
        };
        if retransmits {
            return if self.may_retransmit(board) { OnDuplicate::Retransmit } else { OnDuplicate::Nothing };
        }
        if self.is_selective() {
            return OnDuplicate::Nothing;
        }
        if self.dupacks > threshold {
            self.inflation += i64::from(self.active);
        } else if self.rules.limited_transmit {
            return OnDuplicate::SendNew(self.dupacks);
        }
        OnDuplicate::Nothing
    }

    /// Returns whether a duplicate acknowledgement releases what window and pipe allow.
    pub(in crate::tcp) fn releases(&self) -> bool {
        self.is_selective() || self.dupacks >= self.rules.dupack_threshold
    }

    /// Returns whether a loss may begin a recovery. Duplicate acknowledgements of segments sent before the last
    /// recovery or timeout began reveal no new loss; mechanism C ignores them only after a timeout.
    fn may_retransmit(&self, board: &Scoreboard) -> bool {
        let is_new = self.recover == 0 || board.una() > self.recover;
        is_new || (self.rules.fine_retransmit && !self.timed_out)
    }

    /// Begins a recovery, or goes on with one: the oldest segment is about to be retransmitted. By SACK it leaves
    /// whatever the pipe holds (RFC 6675, section 5, step 4.3).
    pub(in crate::tcp) fn begin(&mut self, board: &mut Scoreboard, Beginning { repeated, cut }: Beginning) {
        if cut && !self.is_selective() {
            self.inflation = i64::from(self.dupacks);
        }
        self.active = true;
        self.timed_out = false;
        self.recover = board.max();
        self.rescue = board.una();
        if self.rules.rechecks {
            self.rechecks = board.outstanding().min(2) as u8;
        }
        if self.is_selective() {
            board.mark_lost(board.una());
        } else if self.rules.fine_retransmit && !repeated {
            self.dupacks = self.rules.dupack_threshold;
        }
    }

    /// Takes in an acknowledgement of `acked` segments, which ends the recovery or is a partial one.
    pub(in crate::tcp) fn on_new_ack(&mut self, board: &Scoreboard, acked: Segments) -> OnNewAck {
        let is_partial = self.active && board.una() < self.recover;
        match self.rules.kind {
            Recovery::Sack if is_partial => OnNewAck::FindLosses,
            Recovery::NewReno if is_partial => {
                // deflates the window by the segments that left the network
                self.inflation -= i64::from(acked.0) - 1;
                let restarts_timer = !self.saw_partial_ack;
                self.saw_partial_ack = true;
                OnNewAck::Retransmit { restarts_timer }
            }
            _ => {
                self.active = false;
                self.saw_partial_ack = false;
                self.inflation = 0;
                self.dupacks = 0;
                OnNewAck::Open
            }
        }
    }

    /// Mechanism D: returns whether this new acknowledgement, one of the first two after a retransmission, checks the
    /// oldest segment.
    pub(in crate::tcp) fn rechecks(&self) -> bool {
        self.rechecks > 0
    }

    /// Takes in whether that segment is overdue: then it is retransmitted.
    pub(in crate::tcp) fn on_recheck(&mut self, overdue: bool) {
        self.rechecks = if overdue { self.rechecks - 1 } else { 0 };
        if overdue {
            self.dupacks = self.rules.dupack_threshold;
        }
    }

    /// Resets recovery, and the scoreboard, after a timeout. Without SACK everything is retransmitted.
    pub(super) fn on_timeout(&mut self, board: &mut Scoreboard) {
        let BsdRecovery { rules, rechecks, waiting_end, .. } = *self;
        *self =
            BsdRecovery { recover: board.max(), timed_out: true, rechecks, waiting_end, ..BsdRecovery::open(rules) };
        match self.rules.kind {
            Recovery::Sack => board.on_timeout(),
            Recovery::Reno | Recovery::NewReno => board.clear(),
        }
    }

    /// RFC 6675, section 4, NextSeg: the segment to send by the pipe, while it has room: a lost one, the `new` one if
    /// there is any, a hole that may be lost, or the newest segment that has not arrived.
    pub(super) fn next_by_pipe(&mut self, board: &mut Scoreboard, new: Option<u64>) -> Option<u64> {
        let lost = board.next_retransmission();
        if lost.is_some() || new.is_some() {
            return lost.or(new);
        }
        board.next_hole().filter(|_| self.active).or_else(|| self.rescue(board))
    }

    /// Rule 4: one rescue retransmission for each recovery.
    fn rescue(&mut self, board: &Scoreboard) -> Option<u64> {
        let newest = board.rescuable()?;
        if !self.active || board.una() <= self.rescue + 1 {
            return None;
        }
        self.rescue = self.recover;
        Some(newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::HostKind;
    use crate::tcp::host;
    use vegas_core::units::Time;

    fn recovery(kind: Recovery) -> BsdRecovery {
        let reno = vegas_core::registry::preset("reno").expect("a preset").composition.detection;
        BsdRecovery::new(&host(HostKind::Bsd), &Detection { recovery: kind, ..reno })
    }

    fn sent(segments: u64) -> Scoreboard {
        let mut board = Scoreboard::new(3);
        (0..segments).for_each(|_| board.on_first_transmission(Time::ZERO));
        board.advance(segments);
        board
    }

    /// Duplicates without SACK, of which none finds the oldest segment overdue.
    fn duplicates(bsd: &mut BsdRecovery, board: &Scoreboard, count: usize) -> Vec<OnDuplicate> {
        (0..count).map(|_| bsd.on_duplicate(board, false, false, || false)).collect()
    }

    fn acknowledge(bsd: &mut BsdRecovery, board: &mut Scoreboard, una: u64) -> OnNewAck {
        let acked = Segments((una - board.una()) as u32);
        board.on_ack(una, |_, _| {});
        bsd.on_new_ack(board, acked)
    }

    const BEGINNING: Beginning = Beginning { repeated: false, cut: true };

    /// RFC 5681, section 3.2: the third duplicate retransmits, each widens the window, and the first new
    /// acknowledgement ends recovery. Duplicates of what had been sent by then begin no other (RFC 6582, "careful").
    #[test]
    fn reno_recovers_once_a_window() {
        let (mut bsd, mut board) = (recovery(Recovery::Reno), sent(10));
        let [send_1, send_2] = [1, 2].map(OnDuplicate::SendNew);
        assert_eq!(duplicates(&mut bsd, &board, 3), [send_1, send_2, OnDuplicate::Retransmit]);
        bsd.begin(&mut board, BEGINNING);
        assert_eq!((bsd.is_active(), bsd.inflation(), bsd.releases()), (true, 3, true));
        assert_eq!(duplicates(&mut bsd, &board, 2), [OnDuplicate::Nothing; 2]);
        assert_eq!(bsd.inflation(), 5);
        assert_eq!(acknowledge(&mut bsd, &mut board, 5), OnNewAck::Open);
        assert_eq!((bsd.is_idle(), bsd.inflation()), (true, 0));
        assert_eq!(duplicates(&mut bsd, &board, 3), [send_1, send_2, OnDuplicate::Nothing]);
        assert!(!bsd.is_active());
    }

    /// RFC 6582, section 3.2: ten segments are outstanding, of which 0 and 4 are lost. The acknowledgement of the first
    /// four is a partial one: it deflates the window by three of them and retransmits segment 4. Only the first one
    /// restarts the timer, and the acknowledgement of all ten ends recovery.
    #[test]
    fn newreno_sends_each_hole_again() {
        let (mut bsd, mut board) = (recovery(Recovery::NewReno), sent(10));
        duplicates(&mut bsd, &board, 3);
        bsd.begin(&mut board, BEGINNING);
        duplicates(&mut bsd, &board, 5);
        assert_eq!(acknowledge(&mut bsd, &mut board, 4), OnNewAck::Retransmit { restarts_timer: true });
        assert_eq!((bsd.is_active(), bsd.inflation()), (true, 8 - 3));
        assert_eq!(acknowledge(&mut bsd, &mut board, 9), OnNewAck::Retransmit { restarts_timer: false });
        assert_eq!(acknowledge(&mut bsd, &mut board, 10), OnNewAck::Open);
        assert!(bsd.is_idle());
    }

    /// RFC 6675: of ten segments 0, 1 and 6 are lost. The report of 2 to 5 shows the loss of 0 and 1, which is sent
    /// first; then come new data, then the hole below what was reported. The newest segment is rescued once, after an
    /// acknowledgement has passed the first one lost.
    #[test]
    fn sack_sends_what_is_lost_then_new_data_then_holes_then_the_newest() {
        let (mut bsd, mut board) = (recovery(Recovery::Sack), sent(10));
        board.on_sack([(2, 6), (7, 9), (0, 0)], &mut |_, _| {});
        assert!(board.judge());
        assert_eq!(bsd.on_duplicate(&board, true, true, || false), OnDuplicate::Retransmit);
        bsd.begin(&mut board, BEGINNING);
        assert_eq!((bsd.is_active(), bsd.inflation()), (true, 0));
        board.on_retransmission(0, Time::ZERO);
        assert_eq!(bsd.next_by_pipe(&mut board, Some(10)), Some(1));
        board.on_retransmission(1, Time::ZERO);
        assert_eq!(bsd.next_by_pipe(&mut board, Some(10)), Some(10));
        assert_eq!(bsd.next_by_pipe(&mut board, None), Some(6));
        board.on_retransmission(6, Time::ZERO);
        assert_eq!(bsd.next_by_pipe(&mut board, None), None);
        assert_eq!(acknowledge(&mut bsd, &mut board, 6), OnNewAck::FindLosses);
        assert_eq!(bsd.next_by_pipe(&mut board, None), Some(9));
        assert_eq!(bsd.next_by_pipe(&mut board, None), None);
    }

    /// Mechanism C: the first duplicate retransmits an overdue segment. Mechanism D: so does the first new
    /// acknowledgement after it; the second finds the next segment in time, and no more are checked.
    #[test]
    fn vegas_checks_the_age_of_the_oldest_segment() {
        let mut bsd = recovery(Recovery::Reno);
        (bsd.rules.fine_retransmit, bsd.rules.rechecks) = (true, true);
        let mut board = sent(10);
        assert_eq!(bsd.on_duplicate(&board, false, false, || true), OnDuplicate::Retransmit);
        bsd.begin(&mut board, BEGINNING);
        assert!(bsd.releases(), "as after three duplicates");
        acknowledge(&mut bsd, &mut board, 1);
        assert!(bsd.rechecks());
        bsd.on_recheck(true);
        acknowledge(&mut bsd, &mut board, 2);
        assert!(bsd.rechecks());
        bsd.on_recheck(false);
        assert!(!bsd.rechecks());
    }
}

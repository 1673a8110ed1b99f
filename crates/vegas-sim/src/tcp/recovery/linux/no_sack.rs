//! Without selective acknowledgements (`tcp_sack=0`) each duplicate acknowledgement stands for a segment that has
//! arrived (`tcp_input.c`: `tcp_add_reno_sack`, `tcp_remove_reno_sacks`).

use super::REORDERING_MAX;
use crate::tcp::recovery::scoreboard::Scoreboard;

/// The number of outstanding segments assumed received, by the number of duplicates.
#[derive(Clone, Debug)]
pub(super) struct Assumed {
    count: u64,
    /// The number that shows a loss.
    threshold: u64,
}

/// What an acknowledgement says of arrivals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrivals {
    /// The segments that it stands for.
    pub(super) count: u64,
    /// The segments that duplicates had stood for, and that count as in flight again.
    pub(super) returned: u64,
}

/// What becomes of the assumption, by the state of recovery in which an acknowledgement arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// A duplicate stands for an arrival.
    pub(super) adds: bool,
    /// The assumption outlasts an acknowledgement of new data.
    pub(super) lasts: bool,
}

impl Assumed {
    pub(super) fn new(dupack_threshold: u64) -> Self {
        Assumed { count: 0, threshold: dupack_threshold }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The number of duplicates that shows a loss.
    pub(super) fn threshold(&self) -> u64 {
        self.threshold
    }

    /// Returns whether the duplicates show a loss.
    pub(super) fn shows_loss(&self) -> bool {
        self.count >= self.threshold
    }

    /// Ends the assumption, but for the scoreboard.
    pub(super) fn forget(&mut self) {
        self.count = 0;
    }

    /// Makes the assumption again, for a scoreboard without it.
    pub(super) fn make_again(&mut self, board: &mut Scoreboard) {
        self.count = board.assume_received(self.count);
    }

    /// Calls `take_in`, which takes an acknowledgement of `acked` segments into the scoreboard, and makes the
    /// assumption again; `acked` is 0 for a duplicate. Returns what `take_in` returns, and the arrivals.
    pub(super) fn on_ack<T>(
        &mut self,
        board: &mut Scoreboard,
        acked: u64,
        rule: Rule,
        take_in: impl FnOnce(&mut Scoreboard) -> T,
    ) -> (T, Arrivals) {
        let before = self.count;
        board.forget_assumed(before);
        let taken = take_in(board);
        let arrivals = match acked {
            0 => {
                self.count = before + u64::from(rule.adds);
                self.leave_holes(board, 0);
                Arrivals { count: self.count.saturating_sub(before), returned: 0 }
            }
            // one acknowledged segment filled the hole; duplicates had stood for the others
            _ => {
                self.count = before.saturating_sub(acked - 1);
                self.leave_holes(board, acked);
                let left = self.count;
                self.count = if rule.lasts { left } else { 0 };
                Arrivals { count: acked.saturating_sub(before).max(1), returned: left - self.count }
            }
        };
        self.make_again(board);
        (taken, arrivals)
    }

    /// What was found lost has not arrived, or one segment at least. Duplicates beyond that come of reordering: as many
    /// as are outstanding are needed from now on, with those `acked` now (`tcp_check_reno_reordering`). Linux's timeout
    /// would lower this, but has forgotten the duplicates by then (`tcp_timeout_mark_lost`).
    fn leave_holes(&mut self, board: &Scoreboard, acked: u64) {
        if self.count == 0 {
            return;
        }
        let outstanding = board.outstanding();
        let holes = board.lost_and_retransmitted().0.max(1).min(outstanding);
        if self.count + holes > outstanding {
            self.count = outstanding - holes;
            self.threshold = (outstanding + acked).min(REORDERING_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vegas_core::units::Time;

    const RECOVERY: Rule = Rule { adds: true, lasts: true };
    const OPEN: Rule = Rule { adds: true, lasts: false };

    fn ten_outstanding() -> (Scoreboard, Assumed) {
        let mut board = Scoreboard::new(3);
        (0..10).for_each(|_| board.on_first_transmission(Time::ZERO));
        (board, Assumed::new(3))
    }

    fn duplicate(board: &mut Scoreboard, assumed: &mut Assumed, rule: Rule) -> u64 {
        assumed.on_ack(board, 0, rule, |_| {}).1.count
    }

    /// Ten segments are outstanding. Three duplicates take three out of the pipe, and show a loss; the acknowledgement
    /// of four stands for the one that filled the hole, as duplicates had stood for the other three.
    #[test]
    fn duplicates_stand_for_arrivals() {
        let (mut board, mut assumed) = ten_outstanding();
        for arrived in 1..=3 {
            assert_eq!(duplicate(&mut board, &mut assumed, RECOVERY), 1);
            assert_eq!((assumed.count(), assumed.shows_loss(), board.pipe()), (arrived, arrived == 3, 10 - arrived));
        }
        let (_, arrivals) = assumed.on_ack(&mut board, 4, RECOVERY, |board| board.on_ack(4, |_, _| {}));
        assert_eq!((arrivals, assumed.count(), board.pipe()), (Arrivals { count: 1, returned: 0 }, 0, 6));
    }

    /// Of ten outstanding segments two were found lost, so that the ninth duplicate stands for no arrival. Ten
    /// duplicates are needed for a loss then; after an acknowledgement of five in recovery, with four duplicates left,
    /// none of the other five is beyond what may have arrived.
    #[test]
    fn duplicates_beyond_what_may_have_arrived_raise_the_threshold() {
        let (mut board, mut assumed) = ten_outstanding();
        [0, 1].into_iter().for_each(|segment| board.mark_lost(segment));
        let arrivals: u64 = (0..9).map(|_| duplicate(&mut board, &mut assumed, RECOVERY)).sum();
        assert_eq!((arrivals, assumed.count(), board.pipe(), assumed.threshold), (8, 8, 0, 10));
        assumed.on_ack(&mut board, 5, RECOVERY, |board| board.on_ack(5, |_, _| {}));
        assert_eq!((assumed.count(), board.pipe(), assumed.threshold), (4, 1, 10));
    }

    /// An acknowledgement of new data outside of a recovery ends the assumption.
    #[test]
    fn outside_of_recovery_new_data_ends_the_assumption() {
        let (mut board, mut assumed) = ten_outstanding();
        (0..2).for_each(|_| assert_eq!(duplicate(&mut board, &mut assumed, OPEN), 1));
        let (_, arrivals) = assumed.on_ack(&mut board, 1, OPEN, |board| board.on_ack(1, |_, _| {}));
        assert_eq!((arrivals, assumed.count(), board.pipe()), (Arrivals { count: 1, returned: 2 }, 0, 9));
    }
}

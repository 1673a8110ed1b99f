//! Duplicates that the receiver reports (DSACK, RFC 2883), and the undo that follows on Linux: a recovery was needless
//! if all its retransmissions arrived as duplicates, and the sender restores the window (`tcp_try_undo_dsack`). A
//! duplicate that the network made proves nothing (RFC 3708, section 3).

use crate::tcp::recovery::scoreboard::{Blocks, Entry, Scoreboard};

/// The duplicates reported so far, beside what may have caused them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    /// The number of retransmissions.
    again: u64,
    /// The number of segments reported as duplicates.
    duplicates: u64,
}

impl Account {
    pub(super) fn on_retransmission(&mut self) {
        self.again += 1;
    }

    /// Takes in a report; returns whether it may be of retransmissions. Once there are more duplicates than those, the
    /// network makes duplicates (`tcp_dsack_seen`).
    pub(super) fn admits(&mut self, (from, to): (u64, u64)) -> bool {
        self.duplicates += to - from;
        self.duplicates <= self.again
    }
}

/// Returns the segments `[from, to)` that had arrived before, if the first block reports any: they lie below `una`,
/// before which everything is acknowledged, or within the second block (RFC 2883, section 4).
pub(super) fn duplicate(una: u64, [(from, to), (outer_from, outer_to), _]: Blocks) -> Option<(u64, u64)> {
    let is_within = outer_from <= from && to <= outer_to;
    (from < to && (to <= una || is_within)).then_some((from, to))
}

/// The state that an undo restores, and the evidence for it.
#[derive(Clone, Debug)]
pub(super) struct Undo<S> {
    /// The congestion control before the recovery.
    saved: S,
    /// The oldest segment when the recovery began: duplicates of older ones do not count.
    una: u64,
    /// The number of retransmissions that were not reported as duplicates; `None` while nothing was retransmitted.
    missing: Option<u64>,
}

impl<S> Undo<S> {
    /// Begins with the retransmissions `in_flight`, as of an earlier recovery or of a probe (`tcp_init_undo`).
    pub(super) fn new(saved: S, una: u64, in_flight: u64) -> Self {
        Undo { saved, una, missing: Some(in_flight).filter(|count| *count > 0) }
    }

    /// The congestion control before the recovery.
    pub(super) fn into_saved(self) -> S {
        self.saved
    }

    pub(super) fn on_retransmission(&mut self) {
        self.missing = Some(self.missing.unwrap_or(0) + 1);
    }

    /// Takes in the duplicates `[from, to)`. Segments that are no longer outstanding are only counted; one that is
    /// counts if it was retransmitted (`tcp_check_dsack`, `tcp_sacktag_one`).
    pub(super) fn on_duplicate(&mut self, board: &Scoreboard, (from, to): (u64, u64)) {
        let repeated = |segment: &u64| board.entry(*segment).is_some_and(Entry::is_repeated);
        let counted = match to {
            _ if to <= self.una => 0,
            _ if to <= board.una() => to - from,
            _ => (from.max(self.una)..to.min(board.max())).filter(repeated).count() as u64,
        };
        self.missing = self.missing.map(|missing| missing.saturating_sub(counted));
    }

    /// Returns whether as many duplicates were reported as there were retransmissions: then no retransmitted segment
    /// had been lost.
    pub(super) fn is_due(&self) -> bool {
        self.missing == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vegas_core::units::Time;

    /// RFC 2883, section 4: a duplicate lies below what is acknowledged, or within the block that follows; other first
    /// blocks are new data, and one that ends before it begins is none.
    #[test]
    fn the_first_block_may_report_a_duplicate() {
        let none = (0, 0);
        assert_eq!(duplicate(10, [(8, 9), none, none]), Some((8, 9)));
        assert_eq!(duplicate(10, [(12, 13), (11, 15), none]), Some((12, 13)));
        assert_eq!(duplicate(10, [(12, 13), (20, 22), none]), None);
        assert_eq!(duplicate(10, [(12, 13), none, none]), None);
        assert_eq!(duplicate(10, [(9, 8), none, none]), None);
    }

    /// Ten segments were sent and before segment 5 acknowledged, the oldest when the recovery began. Two are
    /// retransmitted, 6 and 7: neither a duplicate of an older one counts, nor one of 8, which was sent once.
    #[test]
    fn an_undo_waits_for_the_duplicates_of_all_that_was_sent_again() {
        let mut board = Scoreboard::new(3);
        (0..10).for_each(|_| board.on_first_transmission(Time::ZERO));
        board.on_ack(5, |_, _| {});
        let mut undo = Undo::new("before", 5, 0);
        undo.on_duplicate(&board, (8, 9));
        assert!(!undo.is_due(), "nothing was retransmitted");
        for segment in [6, 7] {
            board.on_retransmission(segment, Time::ZERO);
            undo.on_retransmission();
        }
        for range in [(3, 5), (6, 7), (8, 9)] {
            undo.on_duplicate(&board, range);
            assert!(!undo.is_due(), "{range:?}");
        }
        board.on_ack(8, |_, _| {});
        undo.on_duplicate(&board, (7, 8));
        assert!(undo.is_due());
        assert_eq!(undo.into_saved(), "before");
    }

    /// Two retransmissions were in flight: reports of two duplicates may be of them, a third is not.
    #[test]
    fn more_duplicates_than_retransmissions_are_the_networks() {
        let mut account = Account::default();
        account.on_retransmission();
        account.on_retransmission();
        assert_eq!([(3, 4), (5, 6), (7, 8)].map(|range| account.admits(range)), [true, true, false]);
        assert!(Undo::new((), 0, 0).missing.is_none());
        assert_eq!(Undo::new((), 0, 2).missing, Some(2));
    }
}

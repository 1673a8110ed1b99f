//! Duplicates that the receiver reports (DSACK, RFC 2883), and the undo that follows on Linux: a recovery was needless
//! if all its retransmissions arrived as duplicates, and the sender restores the window (`tcp_try_undo_dsack`).

use crate::tcp::recovery::scoreboard::Blocks;

/// Returns the segments `[from, to)` that had arrived before, if the first block reports any: they lie below `una`,
/// before which everything is acknowledged, or within the second block (RFC 2883, section 4).
pub(super) fn duplicate(una: u64, [(from, to), (outer_from, outer_to), _]: Blocks) -> Option<(u64, u64)> {
    let is_within = outer_from <= from && to <= outer_to;
    (to <= una || is_within).then_some((from, to))
}

/// The state that an undo restores, and the evidence for it.
#[derive(Clone, Debug)]
pub(super) struct Undo<S> {
    /// The congestion control before the recovery.
    saved: S,
    /// The oldest segment when the recovery began: duplicates of older ones do not count.
    una: u64,
    /// The number of retransmissions since the recovery began.
    again: u32,
    /// The number of segments reported as duplicates since the recovery began.
    duplicates: u32,
}

impl<S> Undo<S> {
    pub(super) fn new(saved: S, una: u64) -> Self {
        Undo { saved, una, again: 0, duplicates: 0 }
    }

    /// The congestion control before the recovery.
    pub(super) fn into_saved(self) -> S {
        self.saved
    }

    pub(super) fn on_retransmission(&mut self) {
        self.again += 1;
    }

    pub(super) fn on_duplicate(&mut self, (from, to): (u64, u64)) {
        let counted = to.saturating_sub(from.max(self.una));
        self.duplicates = self.duplicates.saturating_add(u32::try_from(counted).unwrap_or(u32::MAX));
    }

    /// Returns whether as many duplicates were reported as there were retransmissions: then no retransmitted segment
    /// had been lost.
    pub(super) fn is_due(&self) -> bool {
        self.again > 0 && self.duplicates >= self.again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 2883, section 4: a duplicate lies below what is acknowledged, or within the block that follows; other first
    /// blocks are new data.
    #[test]
    fn the_first_block_may_report_a_duplicate() {
        let none = (0, 0);
        assert_eq!(duplicate(10, [(8, 9), none, none]), Some((8, 9)));
        assert_eq!(duplicate(10, [(12, 13), (11, 15), none]), Some((12, 13)));
        assert_eq!(duplicate(10, [(12, 13), (20, 22), none]), None);
        assert_eq!(duplicate(10, [(12, 13), none, none]), None);
    }

    /// Two segments were retransmitted since segment 5 was the oldest: the duplicates of segments 3 to 5 are one, and
    /// that of segment 6 is the other.
    #[test]
    fn an_undo_waits_for_the_duplicates_of_all_that_was_sent_again() {
        let mut undo = Undo::new("before", 5);
        undo.on_duplicate((3, 6));
        assert!(!undo.is_due(), "nothing was retransmitted");
        undo.on_retransmission();
        undo.on_retransmission();
        assert!(!undo.is_due());
        undo.on_duplicate((6, 7));
        assert!(undo.is_due());
        assert_eq!(undo.into_saved(), "before");
    }
}

//! Duplicates that the receiver reports (DSACK, RFC 2883), and the undo that follows on Linux: a recovery was needless
//! if all its retransmissions arrived as duplicates, and the sender restores the window (`tcp_try_undo_dsack`).

use crate::packet::SackBlocks;
use crate::tcp::control::Control;
use crate::tcp::layout::Layout;

/// Returns the segments `[from, to)` that had arrived before, if the first block reports any: they lie below `una`,
/// before which everything is acknowledged, or within the second block (RFC 2883, section 4).
pub(crate) fn duplicate(layout: &Layout, una: u64, sack: &SackBlocks) -> Option<(u64, u64)> {
    let mut blocks = sack.iter().map(|(from, to)| (layout.segment_at(from), layout.segment_at(to)));
    let (from, to) = blocks.next()?;
    let within = |(outer_from, outer_to): (u64, u64)| outer_from <= from && to <= outer_to;
    (to <= una || blocks.next().is_some_and(within)).then_some((from, to))
}

/// The state that an undo restores, and the evidence for it.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    /// The congestion control before the recovery.
    pub(crate) saved: Control,
    /// The oldest segment when the recovery began: duplicates of older ones do not count.
    una: u64,
    /// The number of retransmissions since the recovery began.
    again: u32,
    /// The number of segments reported as duplicates since the recovery began.
    duplicates: u32,
}

impl Undo {
    pub(crate) fn new(saved: Control, una: u64) -> Self {
        Undo { saved, una, again: 0, duplicates: 0 }
    }

    pub(crate) fn on_retransmission(&mut self) {
        self.again += 1;
    }

    pub(crate) fn on_duplicate(&mut self, (from, to): (u64, u64)) {
        let counted = to.saturating_sub(from.max(self.una));
        self.duplicates = self.duplicates.saturating_add(u32::try_from(counted).unwrap_or(u32::MAX));
    }

    /// Returns whether as many duplicates were reported as there were retransmissions: then no retransmitted segment
    /// had been lost.
    pub(crate) fn is_due(&self) -> bool {
        self.again > 0 && self.duplicates >= self.again
    }
}

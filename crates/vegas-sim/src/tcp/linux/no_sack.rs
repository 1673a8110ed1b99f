//! A Linux sender without selective acknowledgements (`tcp_sack=0`). Each duplicate acknowledgement stands for a
//! segment that has arrived, three of them show that the oldest segment is lost, and in recovery every acknowledgement
//! that advances finds the next segment lost (`tcp_input.c`: `tcp_add_reno_sack`, `tcp_remove_reno_sacks`,
//! `tcp_newreno_mark_lost`).

use vegas_core::units::Time;

use super::Delivered;
use super::rack::Found;
use crate::packet::SackBlocks;
use crate::tcp::sender::Sender;

impl Sender {
    /// Takes in an acknowledgement of `acked` segments before `una`; `acked` is 0 for a duplicate.
    pub(super) fn deliver_without_sack(&mut self, now: Time, una: u64, acked: u64) -> Delivered {
        let assumed = self.linux().forget_assumed();
        self.board.forget_assumed(assumed);
        let delivered = self.deliver(now, una, &SackBlocks::NONE);
        let is_after_timeout = self.linux().is_after_timeout();
        let new_is_out = self.repair.recover().is_none_or(|recover| self.board.max() > recover);
        // one acknowledged segment filled the hole; duplicates had stood for the others
        let assumed_now = match (is_after_timeout, acked) {
            (false, 0) => assumed + 1,
            (false, _) => assumed.saturating_sub(acked - 1),
            (true, 0) => assumed + u64::from(new_is_out),
            (true, _) => 0,
        };
        self.linux().assumed = self.board.assume_received(assumed_now);
        let count = if acked == 0 { 1 } else { acked.saturating_sub(assumed).max(1) };
        Delivered { count, original: delivered.original && !delivered.repeated, ..delivered }
    }

    /// Finds the oldest segment lost: by the threshold of duplicates, or in recovery by a partial acknowledgement.
    pub(super) fn find_loss_without_sack(&mut self, advanced: bool) -> Found {
        let una = self.board.una();
        let is_lost = match self.repair.in_recovery() {
            true => advanced && self.repair.recover().is_some_and(|recover| una < recover),
            false => {
                let threshold = u64::from(self.rules.host.dupack_threshold);
                !self.linux().is_after_timeout() && self.linux().assumed >= threshold
            }
        };
        let any = is_lost && una < self.board.max() && self.board.oldest_lost() != Some(una);
        if any {
            self.board.mark_lost(una);
        }
        Found { any, retransmission: false }
    }

    /// Returns whether recovery has reached its end but not passed it. Until then duplicates may come from segments
    /// that were sent twice, and they begin no new recovery (RFC 6582, section 3.2).
    pub(super) fn holds_recovery(&mut self, una: u64) -> bool {
        let holds = !self.rules.host.sack && self.repair.recover() == Some(una);
        if holds {
            let assumed = self.linux().forget_assumed();
            self.board.forget_assumed(assumed);
        }
        holds
    }
}

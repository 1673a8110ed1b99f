//! Without selective acknowledgements (`tcp_sack=0`) each duplicate acknowledgement stands for a segment that has
//! arrived (`tcp_input.c`: `tcp_add_reno_sack`, `tcp_remove_reno_sacks`).

use crate::tcp::recovery::scoreboard::Scoreboard;

/// The number of outstanding segments assumed received, by the number of duplicates.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumed(u64);

impl Assumed {
    pub(super) fn count(&self) -> u64 {
        self.0
    }

    /// Ends the assumption, but for the scoreboard.
    pub(super) fn forget(&mut self) {
        self.0 = 0;
    }

    /// Ends the assumption.
    pub(super) fn give_back(&mut self, board: &mut Scoreboard) {
        board.forget_assumed(self.0);
        self.0 = 0;
    }

    /// Calls `take_in`, which takes an acknowledgement of `acked` segments into the scoreboard, and makes the
    /// assumption again; `acked` is 0 for a duplicate. While what was sent before a timeout is repaired, `repairs`
    /// tells whether new segments are outstanding, too. Returns what `take_in` returns, and for how many arrivals the
    /// acknowledgement stands.
    pub(super) fn on_ack<T>(
        &mut self,
        board: &mut Scoreboard,
        acked: u64,
        repairs: Option<bool>,
        take_in: impl FnOnce(&mut Scoreboard) -> T,
    ) -> (T, u64) {
        let before = self.0;
        board.forget_assumed(before);
        let taken = take_in(board);
        // one acknowledged segment filled the hole; duplicates had stood for the others
        let assumed = match (repairs, acked) {
            (None, 0) => before + 1,
            (None, _) => before.saturating_sub(acked - 1),
            (Some(new_is_out), 0) => before + u64::from(new_is_out),
            (Some(_), _) => 0,
        };
        self.0 = board.assume_received(assumed);
        (taken, if acked == 0 { 1 } else { acked.saturating_sub(before).max(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vegas_core::units::Time;

    /// Ten segments are outstanding. Three duplicates take three out of the pipe; the acknowledgement of four stands
    /// for the one that filled the hole, as duplicates had stood for the other three. Another one never takes the last
    /// segment.
    #[test]
    fn duplicates_stand_for_arrivals() {
        let mut board = Scoreboard::new(3);
        (0..10).for_each(|_| board.on_first_transmission(Time::ZERO));
        let mut assumed = Assumed::default();
        for arrived in 1..=3 {
            let ((), count) = assumed.on_ack(&mut board, 0, None, |_| {});
            assert_eq!((count, assumed.count(), board.pipe()), (1, arrived, 10 - arrived));
        }
        let (_, count) = assumed.on_ack(&mut board, 4, None, |board| board.on_ack(4, |_, _| {}));
        assert_eq!((count, assumed.count(), board.pipe()), (1, 0, 6));
        for _ in 0..10 {
            assumed.on_ack(&mut board, 0, None, |_| {});
        }
        assert_eq!((assumed.count(), board.pipe()), (5, 1));
        assumed.give_back(&mut board);
        assert_eq!((assumed.count(), board.pipe()), (0, 6));
    }
}

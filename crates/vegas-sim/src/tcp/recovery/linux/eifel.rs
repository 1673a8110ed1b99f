//! What time stamps tell of a retransmission (Eifel detection, RFC 3522): an echo from before it is an answer to the
//! original, which was late and not lost.

use vegas_core::units::Time;

use crate::packet::Tick;
use crate::tcp::recovery::scoreboard::{Entry, Scoreboard};

/// The echo of the acknowledgement that is being handled, and what it is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Eifel {
    /// None without time stamps.
    echo: Tick,
    /// When the first retransmission of the newest recovery or timeout left (`retrans_stamp`).
    first: Tick,
}

impl Eifel {
    pub(super) fn on_ack(&mut self, echo: Tick) {
        self.echo = echo;
    }

    /// Handles the beginning of a recovery or a timeout: of earlier retransmissions that are outstanding the first one
    /// still counts (`tcp_retrans_stamp_cleanup`).
    pub(super) fn begin(&mut self, board: &Scoreboard) {
        let head_is_repeated = board.entry(board.una()).is_some_and(Entry::is_repeated);
        if !head_is_repeated && board.lost_and_retransmitted().1 == 0 {
            self.first = Tick::NONE;
        }
    }

    pub(super) fn on_retransmission(&mut self, now: Time) {
        if self.first == Tick::NONE {
            self.first = Tick::at(now);
        }
    }

    /// Returns whether the acknowledgement answers an original that left before the first retransmission
    /// (`tcp_packet_delayed`).
    pub(super) fn is_delayed(&self) -> bool {
        self.echo.is_before(self.first)
    }

    /// Returns whether the original of a segment has arrived, and not what was sent last of it
    /// (`tcp_skb_spurious_retrans`).
    pub(super) fn is_original(&self, entry: Entry) -> bool {
        entry.is_repeated() && self.echo.is_before(Tick::at(entry.sent()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(1_000_000 * ms)
    }

    /// Segment 0 was sent at 0 ms and again at 100 ms.
    #[test]
    fn echoes_from_before_the_retransmission_are_of_the_original() {
        let mut board = Scoreboard::new(3);
        board.on_first_transmission(ms(0));
        let mut eifel = Eifel::default();
        eifel.begin(&board);
        board.on_retransmission(0, ms(100));
        eifel.on_retransmission(ms(100));
        eifel.on_retransmission(ms(150));
        let entry = board.entry(0).expect("it is outstanding");
        for (echo, of_original) in [(Tick::NONE, false), (Tick::at(ms(0)), true), (Tick::at(ms(100)), false)] {
            eifel.on_ack(echo);
            assert_eq!((eifel.is_delayed(), eifel.is_original(entry)), (of_original, of_original), "{echo:?}");
        }
        // what began while it was outstanding is of the same retransmission
        eifel.begin(&board);
        eifel.on_ack(Tick::at(ms(50)));
        assert!(eifel.is_delayed());
        board.on_ack(1, |_, _| {});
        eifel.begin(&board);
        assert!(!eifel.is_delayed());
    }
}

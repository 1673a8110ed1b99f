//! How far a Linux host's sender uses its window (`tcp_cwnd_validate`): a window that does not limit the sender does
//! not grow (RFC 9438, section 5.8), and one that has not been used for a retransmission timeout shrinks (RFC 2861).

use vegas_core::units::{Segments, Span, Time};

/// The use of the window.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct WindowUsage {
    /// The window has limited the sender in the current round, which ends when all that had left at its beginning is
    /// acknowledged.
    limited: bool,
    /// Else the most segments that were outstanding in it.
    most: u32,
    round_end: u64,
    /// The window was last in use then, or was last set for not being in use (`snd_cwnd_stamp`).
    in_use: Time,
    /// The most segments outstanding since then (`snd_cwnd_used`).
    most_since: u32,
}

/// The state after something has left, or was held back by the window.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Use {
    /// Whether the window holds back what the application has written, or is full.
    pub(in crate::tcp) limited: bool,
    /// The segments outstanding.
    pub(in crate::tcp) outstanding: Segments,
    pub(in crate::tcp) una: u64,
    pub(in crate::tcp) next: u64,
}

impl WindowUsage {
    pub(in crate::tcp) fn note(&mut self, now: Use) {
        let more = !self.limited && now.outstanding.0 > self.most;
        if now.una >= self.round_end || now.limited || more {
            (self.limited, self.most, self.round_end) = (now.limited, now.outstanding.0, now.next);
        }
    }

    /// The window is in use, or is another one from now on.
    pub(in crate::tcp) fn begin(&mut self, now: Time) {
        (self.in_use, self.most_since) = (now, 0);
    }

    /// Takes in that `outstanding` segments do not use the window. After a `timeout` of that it becomes the mean of
    /// itself and of what was outstanding at most, or the `initial` one (`tcp_cwnd_application_limited`); `None` where
    /// that is no less.
    pub(in crate::tcp) fn unused(
        &mut self,
        (now, timeout): (Time, Span),
        outstanding: Segments,
        (window, initial): (Segments, Segments),
    ) -> Option<Segments> {
        self.most_since = self.most_since.max(outstanding.0);
        if now.since(self.in_use) < timeout {
            return None;
        }
        let used = self.most_since.max(initial.0);
        self.begin(now);
        (used < window.0).then(|| Segments((window.0 + used) / 2))
    }

    /// Whether the window may grow: it limits the sender, or slow start takes it to no more than twice what was
    /// outstanding (`tcp_is_cwnd_limited`). `opens` is the window in slow start.
    pub(in crate::tcp) fn lets_grow(&self, opens: Option<Segments>) -> bool {
        self.limited || opens.is_some_and(|window| window.as_u64() < 2 * u64::from(self.most))
    }
}

/// The window after silence: half for each `timeout` of it beyond the first, but no less than the `initial` one
/// (`tcp_cwnd_restart`).
pub(in crate::tcp) fn after_idleness(window: Segments, initial: Segments, idle: Span, timeout: Span) -> Segments {
    let halvings = idle.as_nanos().saturating_sub(1) / timeout.as_nanos().max(1);
    let halved = window.0.checked_shr(halvings.min(32) as u32).unwrap_or(0);
    Segments(halved.max(initial.0.min(window.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INITIAL: Segments = Segments(10);

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// By hand: 9 outstanding of 10 let slow start grow below 18; a round later 4 of them below 8, and a full window
    /// lets each window grow until the round after it is over.
    #[test]
    fn a_window_grows_to_twice_what_was_outstanding() {
        let mut usage = WindowUsage::default();
        let mut note = |outstanding, una, next, limited| {
            usage.note(Use { limited, outstanding: Segments(outstanding), una, next });
            [7, 8, 17, 18].map(|window| usage.lets_grow(Some(Segments(window)))) == [true; 4] || usage.lets_grow(None)
        };
        assert!(!note(9, 0, 9, false));
        assert!(!note(4, 9, 13, false));
        assert!(note(10, 13, 23, true));
        assert!(note(3, 20, 23, false), "the round lasts");
        assert!(!note(3, 23, 26, false));
        let grows = |window| usage.lets_grow(Some(Segments(window)));
        assert_eq!((grows(5), grows(6), usage.lets_grow(None)), (true, false, false));
    }

    /// By hand: of a window of 40 no more than 20 are outstanding for 300 ms, a timeout: 30, then 25; 12 of 11 is none.
    #[test]
    fn an_unused_window_shrinks_after_a_timeout() {
        let mut usage = WindowUsage::default();
        usage.begin(ms(100));
        let mut unused = |at, outstanding, window| {
            usage.unused((ms(at), Span::from_millis(300)), Segments(outstanding), (Segments(window), INITIAL))
        };
        assert_eq!(unused(200, 20, 40), None);
        assert_eq!(unused(400, 5, 40), Some(Segments(30)));
        assert_eq!(unused(500, 5, 30), None);
        assert_eq!(unused(700, 20, 30), Some(Segments(25)));
        assert_eq!(unused(1000, 12, 11), None);
    }

    /// By hand, with a timeout of 300 ms: one halving after more than one timeout, another after more than two.
    #[test]
    fn silence_halves_the_window_once_a_timeout() {
        let after =
            |ms, window| after_idleness(Segments(window), INITIAL, Span::from_millis(ms), Span::from_millis(300)).0;
        assert_eq!([300, 301, 600, 601, 60_000].map(|ms| after(ms, 80)), [80, 40, 40, 20, 10]);
        assert_eq!(after(60_000, 4), 4, "a window below the initial one stays");
    }
}

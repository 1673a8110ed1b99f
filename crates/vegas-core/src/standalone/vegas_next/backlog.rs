//! The backlog of `vegas-next`: the segments that it keeps in the queue.

use super::arithmetic::root;
use crate::units::{Segments, Span, Window};

/// The backlog is 0.6 times the root of the rate in segments a second, and 137500 segments over the rate above 4400: 22 segments at
/// 6250. Within 2.5 and 31 segments, and above 12 at high rates; in sixteenths of a segment.
const LEAST: u64 = 40;
const MOST: u64 = 500;
const LEAST_FAST: u64 = 192;
/// Losses do not limit it below; less would be lost in the delay variation of most paths.
const LIMIT_LEAST: Window = Window::whole(Segments(6));
/// (16 x 0.6)^2.
const SQUARE: u64 = 92;
const PRODUCT: u64 = 16 * 137_500;

/// The backlog, as losses limit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backlog {
    limit: Window,
}

impl Backlog {
    pub(super) const UNLIMITED: Backlog = Backlog { limit: Window::MAX };

    /// The backlog of a flow with this window and RTT.
    pub(super) fn of(&self, window: Window, rtt: Span) -> Window {
        Self::of_rate(window, rtt).min(self.limit)
    }

    /// The backlog without a limit.
    pub(super) fn of_rate(window: Window, rtt: Span) -> Window {
        const BITS: u32 = 8;
        let parts = window.as_raw() >> (Window::FRACTION_BITS - BITS);
        let rate = (parts * 1_000_000 / (rtt.as_nanos() / 1_000).max(1)) >> BITS;
        let square = (rate.min(MOST * MOST) * SQUARE).min(MOST * MOST);
        let fast = (PRODUCT / rate.max(1)).max(LEAST_FAST);
        sixteenths(root(square).max(LEAST).min(fast))
    }

    /// The queue takes no more than this.
    pub(super) fn limit_to(&mut self, most: Window) {
        self.limit = most.max(LIMIT_LEAST);
    }

    /// Half more, after a drain that found the queue empty.
    pub(super) fn raise(&mut self) {
        let limit = self.limit.min(sixteenths(MOST));
        self.limit = limit.plus(limit.half());
    }
}

fn sixteenths(number: u64) -> Window {
    Window::from_raw(number << (Window::FRACTION_BITS - 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, in sixteenths of a segment: 9.6 times the root of 10 is 30, less than 40; of 1000, 303; of 2500, 480. 16 x 137500 / 6250
    /// is 352, and at 12500 it would be less than 192.
    #[test]
    fn the_backlog_follows_the_rate() {
        let backlog = |window| {
            let backlog = Backlog::of_rate(Window::whole(Segments(window)), Span::from_millis(100));
            backlog.as_raw() >> (Window::FRACTION_BITS - 4)
        };
        assert_eq!([1, 100, 250, 625, 1250].map(backlog), [40, 303, 479, 352, 192]);
    }

    /// By hand: 18 segments in 100 ms have a backlog of 8; limited to 7, and after a drain to 10.5.
    #[test]
    fn losses_limit_the_backlog_until_drains_find_no_queue() {
        let mut backlog = Backlog::UNLIMITED;
        let (window, rtt) = (Window::whole(Segments(18)), Span::from_millis(100));
        let of_rate = backlog.of(window, rtt);
        backlog.limit_to(Window::whole(Segments(7)));
        assert_eq!(backlog.of(window, rtt), Window::whole(Segments(7)));
        backlog.raise();
        assert_eq!(backlog.of(window, rtt), of_rate);
        backlog.limit_to(Window::ONE);
        assert_eq!(backlog.of(window, rtt), Window::whole(Segments(6)));
    }
}

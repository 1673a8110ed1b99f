//! The limit that losses set to the backlog of `vegas-next`: the segments that it keeps in the queue.

use crate::composition::parts::avoidance::by_rate::{BACKLOG_MOST, backlog};
use crate::units::{Segments, Span, Window};

/// Losses do not limit it below; less would be lost in the delay variation of most paths.
const LIMIT_LEAST: Window = Window::whole(Segments(6));

/// The backlog, as losses limit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backlog {
    limit: Window,
}

impl Backlog {
    pub(super) const UNLIMITED: Backlog = Backlog { limit: Window::MAX };

    /// The backlog of a flow with this window and RTT.
    pub(super) fn of(&self, window: Window, rtt: Span) -> Window {
        backlog(window, rtt).min(self.limit)
    }

    /// The queue takes no more than this.
    pub(super) fn limit_to(&mut self, most: Window) {
        self.limit = most.max(LIMIT_LEAST);
    }

    /// Half more, after a drain that found the queue empty.
    pub(super) fn raise(&mut self) {
        let limit = self.limit.min(BACKLOG_MOST);
        self.limit = limit.plus(limit.half());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

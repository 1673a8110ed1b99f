//! The equilibrium of `vegas-next`: a step towards a backlog by the rate once a round
//! ([`crate::composition::parts::avoidance::by_rate`]), with a limit where losses say that the queue is too short for
//! the backlog.

use super::parts::Parts;
use super::{EMPTY_MIN, Stage, VegasNext};
use crate::composition::parts::avoidance::by_rate;
use crate::units::{Span, Window};

/// Rounds with less than a fourth of the backlog before the window opens again.
const ROUNDS_TO_OPEN: u8 = 5;

impl<P: Parts> VegasNext<P> {
    /// A queue that loses segments while the flow has less than its backlog in it is too short for the backlog.
    pub(super) fn fit_backlog(&mut self, rtt: Span) {
        if self.queueing(rtt) > EMPTY_MIN && self.lacks_backlog(rtt) {
            self.backlog.limit_to(self.queued(rtt).half());
        }
    }

    /// The window that leaves this backlog in the queue.
    pub(super) fn target(&self, rtt: Span, backlog: Window) -> Window {
        by_rate::target(self.window, self.base.get(), rtt, backlog)
    }

    /// Half of the way to the target; up by half of the window at most, and only if the window is in use.
    pub(super) fn steer(&mut self, rtt: Span, backlog: Window, is_used: bool) {
        self.window = by_rate::towards(self.window, self.target(rtt, backlog), is_used, self.max_window);
    }

    /// While nearly nothing is queued the limit of the backlog does not slow the growth, but the window does not open
    /// either: the queue is short.
    pub(super) fn decide(&mut self, is_used: bool) {
        let rtt = self.rounds.that_lasts(self.rounds.standing, self.base.get());
        let (backlog, of_rate) = (self.backlog(rtt), by_rate::backlog(self.window, rtt));
        let queued = self.queued(rtt);
        let has_little = is_used && queued < backlog.half().half();
        let may_open = has_little && backlog == of_rate;
        self.steer(rtt, if has_little { of_rate } else { backlog }, is_used);
        self.rounds_without_backlog = if may_open { self.rounds_without_backlog.saturating_add(1) } else { 0 };
        if self.rounds_without_backlog >= ROUNDS_TO_OPEN {
            self.rounds_without_backlog = 0;
            self.threshold = Window::MAX;
            self.stage = Stage::Opening;
        }
    }
}

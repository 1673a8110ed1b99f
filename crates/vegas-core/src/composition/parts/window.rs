//! The window of a composition and what steers it, as slow start and congestion avoidance receive it.

use crate::composition::parts::signal::Measured;
use crate::contract::Ack;
use crate::contract::parameters::Parameters;
use crate::units::{Pace, Segments, Window};

/// No slow-start threshold yet.
pub(crate) const UNBOUNDED: Segments = Segments(u32::MAX);
/// The threshold of a sender that left slow start for good, and the least there is (RFC 5681, equation 4).
pub(crate) const LEFT: Segments = Segments(2);

/// The window and what steers it: all that slow start and congestion avoidance may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowControl {
    pub(crate) window: Window,
    /// Slow start lasts while the window is below this.
    pub(crate) ssthresh: Segments,
    /// The growth for an acknowledgement, decided once a round or once an acknowledgement; raw fixed point, one segment
    /// at most.
    pub(crate) growth: u32,
    /// Which decision the growth comes from.
    pub(crate) growth_of: GrowthOf,
    /// The first round in congestion avoidance changes nothing.
    pub(crate) skips_round: bool,
    /// Slow start is over: its own test has ended it, or a cut was made that waits for the next acknowledgement.
    pub(crate) slow_start_ends: bool,
    /// The pace of slow start.
    pub(crate) pace: Option<Pace>,
}

/// The decision that set the growth for an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrowthOf {
    /// Slow start set it; it ends with slow start.
    SlowStart,
    /// Congestion avoidance set it for a round.
    Avoidance,
    /// Congestion avoidance set it for one acknowledgement.
    OneAck,
    /// Congestion avoidance set it, and each acknowledgement shrinks the window.
    Shrinking,
}

/// The end of a round, as slow start receives it.
pub(crate) struct RoundEnd<'a> {
    /// The acknowledgement that ended it.
    pub(crate) ack: &'a Ack,
    /// What the round measured; none if it measured nothing.
    pub(crate) measured: Option<Measured>,
    /// Mechanism I does not forbid growth now.
    pub(crate) may_grow: bool,
}

impl RoundEnd<'_> {
    /// The backlog; zero before the first sample.
    pub(crate) fn backlog(&self) -> i32 {
        self.measured.map_or(0, |measured| measured.diff)
    }
}

impl WindowControl {
    pub(crate) fn in_slow_start(&self) -> bool {
        self.window < Window::whole(self.ssthresh)
    }

    /// Ends slow start; only a timeout begins another.
    pub(crate) fn leave_slow_start(&mut self) {
        self.ssthresh = LEFT;
        self.growth_of = GrowthOf::Avoidance;
        self.pace = None;
    }

    pub(crate) fn growth(&self) -> Window {
        Window::from_raw(self.growth.into())
    }

    /// Sets the growth per acknowledgement: one segment at most.
    pub(crate) fn grow_by(&mut self, growth: Window) {
        self.growth = growth.min(Window::ONE).as_raw() as u32;
    }

    /// The slow-start threshold, or the largest window if that is less.
    pub(crate) fn threshold(&self, parameters: &Parameters) -> Segments {
        self.ssthresh.min(parameters.max_window)
    }

    /// Clears the growth of a slow start that reached its threshold within the round, and the growth that was set for
    /// one acknowledgement.
    pub(crate) fn end_old_growth(&mut self) {
        if matches!(self.growth_of, GrowthOf::SlowStart | GrowthOf::OneAck) {
            self.growth = 0;
            self.growth_of = GrowthOf::Avoidance;
        }
    }

    /// Sets the growth for the current acknowledgement only; one segment at most.
    pub(crate) fn grow_once_by(&mut self, growth: Window) {
        self.grow_by(growth);
        self.growth_of = GrowthOf::OneAck;
    }

    /// Linux's `tcp_vegas_ssthresh`: a window that was lowered is not below the threshold.
    pub(crate) fn lower_threshold_below_window(&mut self) {
        let below = Segments(self.window.floor().0.saturating_sub(1));
        self.ssthresh = self.ssthresh.min(below).max(LEFT);
    }

    /// Raises the threshold to this, if it is lower.
    pub(crate) fn raise_threshold(&mut self, least: Segments) {
        self.ssthresh = self.ssthresh.max(least);
    }

    /// Lowers the window in recovery, and the threshold that the cut has left with it.
    pub(crate) fn drain_to(&mut self, window: Window) {
        self.window = window.min(self.window);
        if !self.slow_start_ends {
            self.ssthresh = self.ssthresh.min(self.window.floor().max(LEFT));
        }
    }

    /// Lowers the window, to two segments at least; a window of one stays (docs/design.md, section 3.1).
    pub(crate) fn shrink_to(&mut self, window: Window) {
        self.window = window.max(Window::whole(LEFT)).min(self.window);
    }
}

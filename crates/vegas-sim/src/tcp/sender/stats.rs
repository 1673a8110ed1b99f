//! The counters and measurements of a sender, for tables and summaries.

use vegas_core::units::{Time, Window};
use vegas_core::{CongestionControl, Phase};

use super::Sender;
use crate::measure::outcome::IncidentKind;
use crate::measure::totals::segments_f64;
use crate::tcp::Outbox;
use crate::tcp::control::WindowChange;

/// The counters and measurements of a sender.
#[derive(Clone, Debug)]
pub(crate) struct SenderStats {
    pub(crate) segments_sent: u64,
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    /// The number of window reductions that answered marks.
    pub(crate) ecn_reductions: u64,
    /// The time of the first exit from slow start, and the window before the cut.
    pub(crate) slow_start_exit: Option<(Time, Window)>,
    /// When the flow was complete; [`Time::NEVER`] until then.
    pub(super) completed: Time,
    pub(super) window: WindowHistory,
}

impl SenderStats {
    pub(super) fn new() -> Self {
        SenderStats {
            segments_sent: 0,
            retransmitted: 0,
            timeouts: 0,
            ecn_reductions: 0,
            slow_start_exit: None,
            completed: Time::NEVER,
            window: WindowHistory { integral: 0, since: Time::ZERO },
        }
    }

    /// When the flow was complete.
    pub(crate) fn completed(&self) -> Option<Time> {
        (self.completed != Time::NEVER).then_some(self.completed)
    }
}

/// The window over time. The attribute saves the gap before 128 bits.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(8))]
pub(super) struct WindowHistory {
    /// The integral of the window over time, in raw window units x ns, up to `since`.
    integral: u128,
    since: Time,
}

impl WindowHistory {
    /// Begins the measurement.
    pub(super) fn begin(&mut self, now: Time) {
        self.since = now;
    }

    /// Records that the window changes from `before`.
    fn on_change(&mut self, now: Time, before: Window) {
        let held = u128::from(now.since(self.since).as_nanos());
        self.integral += held * u128::from(before.as_raw());
        self.since = now;
    }

    /// The mean from `start`, at which the measurement began, to `end`, segments; `window` is the newest.
    fn mean(&self, start: Time, end: Time, window: Window) -> f64 {
        let span = end.since(start).as_nanos();
        if span == 0 {
            return segments_f64(window);
        }
        let open = u128::from(end.since(self.since).as_nanos()) * u128::from(window.as_raw());
        (self.integral + open) as f64 / span as f64 / Window::ONE.as_raw() as f64
    }
}

impl Sender {
    /// The mean of the window since the start, segments.
    pub(crate) fn mean_window(&self, start: Time, end: Time) -> f64 {
        self.stats.window.mean(start, end, self.control.output().window)
    }

    /// Records the change of the window and the phase from their values before an event.
    pub(in crate::tcp) fn note_change(&mut self, now: Time, before: (Window, Phase), out: &mut Outbox) {
        self.note_window(now, WindowChange::since(before, &self.control), out);
    }

    #[inline(always)]
    pub(in crate::tcp) fn note_window(&mut self, now: Time, change: WindowChange, out: &mut Outbox) {
        if change.after != change.before {
            self.stats.window.on_change(now, change.before);
        }
        if change.left_slow_start {
            self.note_exit(now, change.before, out);
        }
    }

    #[inline(never)]
    fn note_exit(&mut self, now: Time, window: Window, out: &mut Outbox) {
        self.stats.slow_start_exit.get_or_insert((now, window));
        out.incidents.push((IncidentKind::SlowStartExit, self.rules.layout.first_byte(self.board.una())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vegas_core::units::Segments;

    /// From 100 ms on the window is 2 for 30 ms, 10 for 60 ms and 4 for 10 ms: the mean is 7. At the start it is the
    /// window itself.
    #[test]
    fn the_mean_weighs_windows_by_their_time() {
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let segments = |count| Window::whole(Segments(count));
        let mut history = SenderStats::new().window;
        history.begin(ms(100));
        assert_eq!(history.mean(ms(100), ms(100), segments(2)), 2.0);
        history.on_change(ms(130), segments(2));
        history.on_change(ms(190), segments(10));
        assert_eq!(history.mean(ms(100), ms(200), segments(4)), 7.0);
    }
}

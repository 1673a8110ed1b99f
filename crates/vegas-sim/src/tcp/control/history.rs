//! The window of a connection over time, for tables.

use vegas_core::units::{Time, Window};
use vegas_core::{CongestionControl, Phase, Status};

use crate::measure::totals::segments_f64;

/// The window over time, and when slow start ended. The attribute saves the gap before 128 bits.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(8))]
pub(super) struct WindowHistory {
    /// The integral of the window over time, in raw window units x ns, up to `since`.
    integral: u128,
    since: Time,
    slow_start_exit: Option<(Time, Window)>,
}

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) struct Effect {
    /// Whether the window changed.
    pub(in crate::tcp) changed: bool,
    pub(in crate::tcp) left_slow_start: bool,
}

impl WindowHistory {
    pub(super) fn new() -> Self {
        WindowHistory { integral: 0, since: Time::ZERO, slow_start_exit: None }
    }

    /// Begins the measurement.
    pub(super) fn begin(&mut self, now: Time) {
        self.since = now;
    }

    /// Records the effect of an event at `now` on a control, which had this status `before`.
    #[inline(always)]
    pub(super) fn note(&mut self, now: Time, before: &Status, control: &(impl CongestionControl + ?Sized)) -> Effect {
        let changed = control.output().window != before.window;
        if changed {
            let held = u128::from(now.since(self.since).as_nanos());
            self.integral += held * u128::from(before.window.as_raw());
            self.since = now;
        }
        let left_slow_start = before.phase == Phase::SlowStart && control.status().phase == Phase::Avoidance;
        if left_slow_start {
            self.note_exit(now, before.window);
        }
        Effect { changed, left_slow_start }
    }

    #[cold]
    fn note_exit(&mut self, now: Time, window: Window) {
        self.slow_start_exit = self.slow_start_exit.or(Some((now, window)));
    }

    /// The time of the first exit from slow start, and the window before the cut.
    pub(super) fn slow_start_exit(&self) -> Option<(Time, Window)> {
        self.slow_start_exit
    }

    /// The mean from `start`, at which the measurement began, to `end`, segments; `window` is the newest.
    pub(super) fn mean(&self, start: Time, end: Time, window: Window) -> f64 {
        let span = end.since(start).as_nanos();
        if span == 0 {
            return segments_f64(window);
        }
        let open = u128::from(end.since(self.since).as_nanos()) * u128::from(window.as_raw());
        (self.integral + open) as f64 / span as f64 / Window::ONE.as_raw() as f64
    }
}

//! Vegas's slow start: one segment per acknowledgement in every second round, so that the round between measures
//! a window that did not change (Brakmo and Peterson 1995, section IV.C; docs/design.md, section 3.1).

use super::SlowStartPart;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::Window;

/// Begun again by a timeout at once ("Revisited", section VII.A).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vegas(EverySecond);

impl SlowStartPart for Vegas {
    const PAGE: &'static str = "vegas.md";
    const THRESHOLDS: Thresholds = Thresholds::GAMMA;

    fn start(_window: Window) -> Self {
        Vegas(EverySecond::default())
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        self.0.on_round(control, end.backlog(), parameters);
    }
}

/// Whether the round under way grows. The default rests in the first round: the first acknowledgement closes a round
/// without data and begins one that does not grow: 2, 2, 4, 4, 8, ...
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EverySecond {
    rested: bool,
    /// Until the first growth: the window is one segment.
    delayed: bool,
}

impl EverySecond {
    /// The initial window counts from the first growth on.
    pub(crate) fn delayed() -> Self {
        EverySecond { rested: false, delayed: true }
    }

    /// The test is made only when about to grow: a backlog above gamma ends slow start and takes 1/8 off the window.
    pub(crate) fn on_round(&mut self, control: &mut WindowControl, diff: i32, parameters: &Parameters) {
        let grows = self.rested;
        self.rested = !grows;
        if !grows {
            control.grow_by(Window::default());
        } else if i64::from(diff) > parameters.gamma.as_i64() {
            control.leave_slow_start();
            control.shrink_to(control.window.minus(control.window.eighth()));
            control.grow_by(Window::default());
        } else {
            if core::mem::take(&mut self.delayed) {
                let initial = Window::whole(parameters.initial_window.min(control.threshold(parameters)));
                control.window = control.window.max(initial);
            }
            control.grow_by(Window::ONE);
        }
    }
}

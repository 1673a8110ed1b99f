//! The congestion avoidance of ns-3's Vegas: Linux's, in whole segments and with a threshold in bytes (`tcp-vegas.cc`).

use super::AvoidancePart;
use super::vegas_linux::grow_as_reno;
use crate::composition::parts::part::AvoidancePromise;
use crate::composition::parts::window::WindowControl;
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::{Segments, Window};

/// It has no state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VegasNs3;

impl AvoidancePart for VegasNs3 {
    const PAGE: &'static str = "vegas-linux.md";
    const THRESHOLDS: Thresholds = Thresholds::ALPHA_BETA;
    const PROMISE: AvoidancePromise =
        AvoidancePromise { whole_segments: true, moves_threshold: true, ..AvoidancePromise::RENO };

    /// As Linux's, but Reno's growth is that of one segment, however many are acknowledged, and a step sets the window
    /// to whole segments: what Reno's growth added to a segment is lost.
    fn on_round(&mut self, control: &mut WindowControl, diff: Option<i32>, parameters: &Parameters) {
        let Some(diff) = diff.map(i64::from) else {
            grow_as_reno(control, Segments(1));
            return;
        };
        let whole = Window::whole(control.window.floor());
        if diff > parameters.beta.as_i64() {
            control.shrink_to(whole.minus(Window::ONE));
            control.lower_threshold_below_window();
        } else if diff < parameters.alpha.as_i64() {
            control.grow_once_by(whole.plus(Window::ONE).minus(control.window));
        }
        control.raise_threshold(three_quarters(control.window.plus(control.growth())));
    }
}

/// Three quarters of a window in bytes; the threshold here is in segments, and so is less by up to one.
pub(crate) fn three_quarters(window: Window) -> Segments {
    // 2^52 at most, times 3
    Window::from_raw(window.as_raw() * 3 / 4).floor()
}

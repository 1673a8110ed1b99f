//! The congestion avoidance of ns-3's Vegas: Linux's, in whole segments and with a threshold in bytes (`tcp-vegas.cc`).

use super::linux;
use crate::algorithm::Control;
use crate::composition::Parameters;
use crate::units::{Segments, Window};

/// As Linux's, but a step sets the window to whole segments: what Reno's growth added to a segment is lost.
pub(crate) fn on_round(control: &mut Control, diff: Option<i32>, parameters: &Parameters) {
    let Some(diff) = diff.map(i64::from) else {
        linux::grow_as_reno(control);
        return;
    };
    let whole = Window::whole(control.window.floor());
    if diff > parameters.beta.as_i64() {
        control.shrink_to(whole.minus(Window::ONE));
        control.lower_threshold_below_window();
    } else if diff < parameters.alpha.as_i64() {
        control.grow_by(whole.plus(Window::ONE).minus(control.window));
    }
    control.raise_threshold(three_quarters(control.window.plus(control.growth())));
}

/// Three quarters of a window in bytes; the threshold here is in segments, and so is less by up to one.
pub(crate) fn three_quarters(window: Window) -> Segments {
    // 2^52 at most, times 3
    Window::from_raw(window.as_raw() * 3 / 4).floor()
}

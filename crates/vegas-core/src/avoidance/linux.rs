//! The congestion avoidance of Linux's Vegas: one segment up or down at once, once a round (`tcp_vegas.c`; design
//! section 4.1).

use crate::algorithm::Control;
use crate::composition::Parameters;
use crate::units::{Segments, Window};

/// The growth is that of one acknowledgement only: [`forget`] takes it back before the next. A round that measured
/// nothing, for it had two samples or less, is one of Reno's.
pub(crate) fn on_round(control: &mut Control, diff: Option<i32>, parameters: &Parameters) {
    let Some(diff) = diff.map(i64::from) else {
        grow_as_reno(control);
        return;
    };
    if diff > parameters.beta.as_i64() {
        control.shrink_to(control.window.minus(Window::ONE));
        control.lower_threshold_below_window();
    } else if diff < parameters.alpha.as_i64() {
        control.grow_by(Window::ONE);
    }
    control.raise_threshold(three_quarters(control.window.plus(control.growth())));
}

pub(super) fn grow_as_reno(control: &mut Control) {
    control.grow_by(control.window.one_spread());
}

/// `tcp_current_ssthresh`: each quarter in whole segments.
pub(crate) fn three_quarters(window: Window) -> Segments {
    let window = window.floor().0;
    Segments(window / 2 + window / 4)
}

pub(crate) fn forget(control: &mut Control) {
    control.grow_by(Window::default());
}

//! Vegas's slow start: one segment per acknowledgement in every second round, so that the round between measures
//! a window that did not change (Brakmo and Peterson 1995, section IV.C; design section 4.1).

use crate::algorithm::Control;
use crate::units::{Segments, Window};

/// The test is made only when about to grow: a backlog above gamma ends slow start and takes 1/8 off the window.
pub(crate) fn on_round(control: &mut Control, diff: i32, gamma: Segments) {
    control.grows_this_round = !control.grows_this_round;
    if !control.grows_this_round {
        control.growth = Window::default();
    } else if i64::from(diff) > i64::from(gamma.0) {
        control.leave_slow_start();
        control.shrink_to(control.window.minus(control.window.eighth()));
        control.growth = Window::default();
    } else {
        control.growth = Window::ONE;
    }
}

/// The first acknowledgement closes a round without data and begins one that does not grow: 2, 2, 4, 4, 8, ...
pub(crate) fn restart(control: &mut Control) {
    control.grows_this_round = true;
    control.growth = Window::default();
}

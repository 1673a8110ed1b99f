//! Vegas's congestion avoidance: the backlog is kept between alpha and beta (Brakmo and Peterson 1995, section
//! IV.B; design section 4.1).

use crate::algorithm::Control;
use crate::composition::Parameters;
use crate::units::Window;

/// Above beta one segment less at once; below alpha one more, spread over the round.
pub(crate) fn on_round(control: &mut Control, diff: i32, parameters: &Parameters) {
    let diff = i64::from(diff);
    if diff > i64::from(parameters.beta.0) {
        control.shrink_to(control.window.minus(Window::ONE));
        control.grow_by(Window::default());
    } else if diff < i64::from(parameters.alpha.0) {
        control.grow_by(control.window.one_spread());
    } else {
        control.grow_by(Window::default());
    }
}

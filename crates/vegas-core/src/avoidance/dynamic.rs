//! Dynamic Vegas's congestion avoidance: the window moves in proportion to how far the backlog is outside alpha and
//! beta (Zhou, Yu, Zhu and Liu, "Dynamic Vegas", section 3.2, equation 5; design section 4.4).

use crate::algorithm::Control;
use crate::composition::Parameters;
use crate::units::Window;

/// Above beta (diff - beta)/beta segments less at once; below alpha (alpha - diff)/alpha more, spread over the round.
pub(crate) fn on_round(control: &mut Control, diff: i32, parameters: &Parameters) {
    let (diff, alpha, beta) = (i64::from(diff), parameters.alpha.as_i64(), parameters.beta.as_i64());
    control.grow_by(Window::default());
    if diff > beta {
        control.shrink_to(control.window.minus(Window::ratio(diff - beta, beta)));
    } else if diff < alpha {
        control.grow_by(control.window.spread(Window::ratio(alpha - diff, alpha)));
    }
}

//! Vegas's congestion avoidance: the backlog is kept between alpha and beta (Brakmo and Peterson 1995, section
//! IV.B; docs/design.md, section 3.1).

use super::AvoidancePart;
use crate::composition::parts::window::WindowControl;
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::Window;

/// It has no state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vegas;

impl AvoidancePart for Vegas {
    const PAGE: &'static str = "vegas.md";
    const THRESHOLDS: Thresholds = Thresholds::ALPHA_BETA;
    const SHRINKS_BY_ITSELF: bool = true;

    /// Above beta one segment less at once; below alpha one more, spread over the round.
    fn on_round(&mut self, control: &mut WindowControl, diff: Option<i32>, parameters: &Parameters) {
        // before the first sample nothing can be backlog
        let diff = i64::from(diff.unwrap_or(0));
        if diff > i64::from(parameters.beta.0) {
            control.shrink_to(control.window.minus(Window::ONE));
            control.grow_by(Window::default());
        } else if diff < i64::from(parameters.alpha.0) {
            control.grow_by(control.window.one_spread());
        } else {
            control.grow_by(Window::default());
        }
    }
}

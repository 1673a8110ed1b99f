//! Reno's slow start: one segment for each acknowledgement (RFC 5681, section 3.1); alone, and under the test of
//! Vegas's congestion avoidance.

use super::SlowStartPart;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::Window;

/// It has no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reno;

impl SlowStartPart for Reno {
    const PAGE: &'static str = "reno.md";
    fn start(_window: Window) -> Self {
        Reno
    }

    fn on_round(&mut self, control: &mut WindowControl, _end: &RoundEnd<'_>, _parameters: &Parameters) {
        control.grow_by(Window::ONE);
    }
}

/// Until the backlog exceeds beta: congestion avoidance's test is made in slow start, too, and answers as there with a
/// segment less. "TCP Vegas Revisited" (section VI) does not say whether mechanism B without A does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RenoBeta;

impl SlowStartPart for RenoBeta {
    const PAGE: &'static str = "vegas.md#mechanism-b-alone";
    const THRESHOLDS: Thresholds = Thresholds::BETA;
    // the kernel's copy has no room for a part that only a table of the paper needs
    const IN_KERNEL: bool = false;

    fn start(_window: Window) -> Self {
        RenoBeta
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        if i64::from(end.backlog()) > parameters.beta.as_i64() {
            control.leave_slow_start();
            control.shrink_to(control.window.minus(Window::ONE));
            control.grow_by(Window::default());
        } else {
            control.grow_by(Window::ONE);
        }
    }
}

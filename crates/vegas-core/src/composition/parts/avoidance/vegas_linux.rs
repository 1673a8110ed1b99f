//! The congestion avoidance of Linux's Vegas: one segment up or down at once, once a round (`tcp_vegas.c`;
//! docs/design.md, section 3.1).

use super::AvoidancePart;
use crate::composition::parts::part::AvoidancePromise;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::Needs;
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::{Segments, Window};

/// It has no state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VegasLinux;

impl AvoidancePart for VegasLinux {
    const PAGE: &'static str = "vegas-linux.md";
    const THRESHOLDS: Thresholds = Thresholds::ALPHA_BETA;
    const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };
    const PROMISE: AvoidancePromise = AvoidancePromise { moves_threshold: true, ..AvoidancePromise::RENO };
    const SCALES: bool = false;

    /// A round that measured nothing, for it had two samples or less, is one of Reno's, which does not grow a window
    /// that does not limit the sender; Vegas's own steps do not ask.
    fn on_round_end(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        let Some(diff) = end.measured.map(|measured| i64::from(measured.diff)) else {
            if end.ack.window_limited {
                grow_as_reno(control, end.ack.acked);
            }
            return;
        };
        if diff > parameters.beta.as_i64() {
            control.shrink_to(control.window.minus(Window::ONE));
            control.lower_threshold_below_window();
        } else if diff < parameters.alpha.as_i64() {
            control.grow_once_by(Window::ONE);
        }
        control.raise_threshold(three_quarters(control.window.plus(control.growth())));
    }
}

/// Grows the window by 1/window for each of these segments (`tcp_cong_avoid_ai`).
pub(super) fn grow_as_reno(control: &mut WindowControl, acked: Segments) {
    control.grow_once_by(control.window.spread(Window::whole(acked)));
}

/// `tcp_current_ssthresh`: each quarter in whole segments.
pub(crate) fn three_quarters(window: Window) -> Segments {
    let window = window.floor().0;
    Segments(window / 2 + window / 4)
}

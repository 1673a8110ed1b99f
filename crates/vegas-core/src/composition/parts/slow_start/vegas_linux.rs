//! The slow start of Linux's Vegas: as Reno, one segment for each one acknowledged, until the backlog of a round
//! exceeds gamma; then down to what the path holds without a queue, plus one (`tcp_vegas.c`; docs/design.md, section
//! 3.1).

use super::{SlowStartPart, as_acknowledged};
use crate::composition::parts::avoidance::vegas_linux::three_quarters;
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::signal::Measured;
use crate::composition::parts::window::{GrowthOf, RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::contract::{Ack, Needs};
use crate::units::{Segments, Span, Window};

/// Whether the current acknowledgement, which ended a round without a measurement, leaves the window as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VegasLinux {
    rests: bool,
}

impl SlowStartPart for VegasLinux {
    const PAGE: &'static str = "vegas-linux.md";
    const THRESHOLDS: Thresholds = Thresholds::GAMMA;
    const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };
    const PROMISE: SlowStartPromise = SlowStartPromise {
        most_added: Segments(u32::MAX),
        steps_down: true,
        moves_threshold: true,
        ..SlowStartPromise::RENO
    };
    const COUNTS_SEGMENTS: bool = true;
    const SCALES: bool = false;

    fn start(_window: Window) -> Self {
        VegasLinux { rests: false }
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        close_round(control, end.measured, parameters, three_quarters);
        self.rests = end.measured.is_none() && !end.ack.window_limited;
    }

    /// `tcp_vegas_cong_avoid` asks what limits the sender only where it calls Reno's growth, after a round that
    /// measured nothing.
    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, _base_rtt: Option<Span>) -> Window {
        match core::mem::take(&mut self.rests) {
            true => Window::default(),
            false => as_acknowledged(control, ack),
        }
    }
}

/// A round that measured nothing, for it had two samples or less, is one of Reno's.
/// `three_quarters` is the least threshold for a window.
pub(super) fn close_round(
    control: &mut WindowControl,
    measured: Option<Measured>,
    parameters: &Parameters,
    three_quarters: fn(Window) -> Segments,
) {
    let Some(Measured { diff, target, .. }) = measured else { return };
    if i64::from(diff) > parameters.gamma.as_i64() {
        control.grow_by(Window::default());
        control.shrink_to(Window::whole(Segments(target.0.saturating_add(1))));
        control.lower_threshold_below_window();
        control.growth_of = GrowthOf::Avoidance;
    }
    control.raise_threshold(three_quarters(control.window));
}

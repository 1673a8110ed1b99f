//! The slow start of ns-3's Vegas: Linux's, with one segment for each acknowledgement (`tcp-vegas.cc`).

use super::vegas_linux::close_round;
use super::{SlowStartPart, capped};
use crate::composition::parts::avoidance::vegas_ns3::three_quarters;
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::Ack;
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::{Span, Window};

/// It has no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VegasNs3;

impl SlowStartPart for VegasNs3 {
    const PAGE: &'static str = "vegas-linux.md";
    const THRESHOLDS: Thresholds = Thresholds::GAMMA;
    const PROMISE: SlowStartPromise =
        SlowStartPromise { steps_down: true, moves_threshold: true, ..SlowStartPromise::RENO };

    fn start(_window: Window) -> Self {
        VegasNs3
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        close_round(control, end.measured, parameters, three_quarters);
    }

    fn on_ack(&mut self, control: &mut WindowControl, _ack: &Ack, _base_rtt: Option<Span>) -> Window {
        capped(control, Window::ONE)
    }
}

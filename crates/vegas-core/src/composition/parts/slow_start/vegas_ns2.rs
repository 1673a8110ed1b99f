//! Vegas's slow start as the released version and ns-2 have it: after a timeout it goes on where it was ("Revisited",
//! section VII.A), and with ns-2's `delay_growth_` its first two rounds have one segment.

use super::SlowStartPart;
use super::vegas::EverySecond;
use crate::composition::parts::part::{Leap, SlowStartPromise};
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::{Segments, Window};

/// Vegas's, not begun again by a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VegasNs2(EverySecond);

impl SlowStartPart for VegasNs2 {
    const PAGE: &'static str = "vegas.md#the-dialect-of-ns-2-vegas-ns2";
    const THRESHOLDS: Thresholds = Thresholds::GAMMA;
    const RESTARTS_AFTER_TIMEOUT: bool = false;

    fn start(_window: Window) -> Self {
        VegasNs2(EverySecond::default())
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        self.0.on_round(control, end.backlog(), parameters);
    }
}

/// [`VegasNs2`] with ns-2's default `delay_growth_`: the first growth begins at the initial window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VegasNs2Delayed(EverySecond);

impl SlowStartPart for VegasNs2Delayed {
    const PAGE: &'static str = "vegas.md#the-dialect-of-ns-2-vegas-ns2";
    const THRESHOLDS: Thresholds = Thresholds::GAMMA;
    const PROMISE: SlowStartPromise = SlowStartPromise { leap: Leap::InitialWindow, ..SlowStartPromise::RENO };
    const FIRST_WINDOW: Option<Segments> = Some(Segments(1));
    const RESTARTS_AFTER_TIMEOUT: bool = false;

    fn start(_window: Window) -> Self {
        VegasNs2Delayed(EverySecond::delayed())
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        self.0.on_round(control, end.backlog(), parameters);
    }
}

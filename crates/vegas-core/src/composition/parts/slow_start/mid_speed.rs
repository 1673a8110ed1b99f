//! Dynamic Vegas's slow start: the first backlog picks the start (Zhou, Yu, Zhu and Liu, "Dynamic Vegas", section
//! 3.1; docs/design.md, section 3.4).

use super::SlowStartPart;
use super::vegas::EverySecond;
use crate::composition::parts::part::{Leap, SlowStartPromise};
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::{Segments, Window};

/// Which start runs, and how far it is. A connection, and a slow start after a timeout, begin with the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MidSpeed {
    /// No backlog was measured yet.
    #[default]
    Undecided,
    /// Below alpha: from half the threshold, with increments that halve.
    FromTheMiddle,
    /// Between alpha and beta: Reno's.
    Reno,
    /// Above beta: Vegas's.
    Vegas(EverySecond),
}

impl SlowStartPart for MidSpeed {
    const PAGE: &'static str = "dynamic.md";
    const THRESHOLDS: Thresholds = Thresholds { gamma: true, ..Thresholds::ALPHA_BETA };
    const PROMISE: SlowStartPromise = SlowStartPromise { leap: Leap::HalfThreshold, ..SlowStartPromise::RENO };
    /// It jumps to half of it, and its paper gives none: 64 kB in segments of 1000 bytes, which is 4.4BSD's (65,535
    /// bytes).
    const FIRST_THRESHOLD: Option<Segments> = Some(Segments(64));

    fn start(_window: Window) -> Self {
        MidSpeed::Undecided
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        let Some(diff) = end.measured.map(|measured| measured.diff) else {
            control.grow_by(Window::default());
            return;
        };
        match self {
            MidSpeed::Undecided => self.decide(control, diff, parameters),
            MidSpeed::FromTheMiddle => approach(control, parameters),
            MidSpeed::Reno => control.grow_by(Window::ONE),
            MidSpeed::Vegas(every_second) => every_second.on_round(control, diff, parameters),
        }
    }
}

impl MidSpeed {
    fn decide(&mut self, control: &mut WindowControl, diff: i32, parameters: &Parameters) {
        let diff_segments = i64::from(diff);
        if diff_segments < parameters.alpha.as_i64() {
            *self = MidSpeed::FromTheMiddle;
            let middle = Window::whole(control.threshold(parameters)).half();
            control.window = control.window.max(middle);
            approach(control, parameters);
        } else if diff_segments <= parameters.beta.as_i64() {
            *self = MidSpeed::Reno;
            control.grow_by(Window::ONE);
        } else {
            let mut every_second = EverySecond::default();
            every_second.on_round(control, diff, parameters);
            *self = MidSpeed::Vegas(every_second);
        }
    }
}

/// Adds, over the round, half of what is missing to the threshold, and one segment at least: the increments, a quarter
/// of the threshold at first, halve from round to round.
fn approach(control: &mut WindowControl, parameters: &Parameters) {
    let missing = Window::whole(control.threshold(parameters)).minus(control.window);
    control.grow_by(control.window.one_spread().max(control.window.spread(missing.half())));
}

/// [`MidSpeed`] as the paper's pseudocode has it: `incr=cwnd/2`, read as a round's increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MidSpeedByWindow(MidSpeed);

impl SlowStartPart for MidSpeedByWindow {
    const PAGE: &'static str = MidSpeed::PAGE;
    const THRESHOLDS: Thresholds = MidSpeed::THRESHOLDS;
    const PROMISE: SlowStartPromise = MidSpeed::PROMISE;
    const IN_KERNEL: bool = false;
    const FIRST_THRESHOLD: Option<Segments> = MidSpeed::FIRST_THRESHOLD;

    fn start(window: Window) -> Self {
        MidSpeedByWindow(MidSpeed::start(window))
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        self.0.on_round(control, end, parameters);
        if self.0 == MidSpeed::FromTheMiddle && end.measured.is_some() {
            let missing = Window::whole(control.threshold(parameters)).minus(control.window);
            let more = control.window.half().max(Window::ONE).min(missing);
            control.grow_by(control.window.spread(more));
        }
    }
}

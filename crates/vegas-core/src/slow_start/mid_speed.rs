//! Dynamic Vegas's slow start: the first backlog picks the start (Zhou, Yu, Zhu and Liu, "Dynamic Vegas", section
//! 3.1; design section 4.4).

use super::vegas::EverySecond;
use crate::algorithm::Control;
use crate::composition::Parameters;
use crate::units::Window;

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

impl MidSpeed {
    /// At the end of each round; `diff` is none while nothing was measured.
    pub(crate) fn on_round(&mut self, control: &mut Control, diff: Option<i32>, parameters: &Parameters) {
        let Some(diff) = diff else {
            control.grow_by(Window::default());
            return;
        };
        match self {
            MidSpeed::Undecided => self.decide(control, diff, parameters),
            MidSpeed::FromTheMiddle => approach(control, parameters),
            MidSpeed::Reno => control.grow_by(Window::ONE),
            MidSpeed::Vegas(every_second) => every_second.on_round(control, diff, parameters.gamma),
        }
    }

    fn decide(&mut self, control: &mut Control, diff: i32, parameters: &Parameters) {
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
            every_second.on_round(control, diff, parameters.gamma);
            *self = MidSpeed::Vegas(every_second);
        }
    }
}

/// Adds, over the round, half of what is missing to the threshold, and one segment at least: the increments, a quarter
/// of the threshold at first, halve from round to round.
fn approach(control: &mut Control, parameters: &Parameters) {
    let missing = Window::whole(control.threshold(parameters)).minus(control.window);
    control.grow_by(control.window.one_spread().max(control.window.spread(missing.half())));
}

//! Slow start: how the window opens until the path is full.

mod reno;
mod vegas;

use crate::algorithm::Control;
use crate::units::Segments;

/// How the window opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStart {
    /// One segment per acknowledgement, until the threshold (RFC 5681, section 3.1).
    Reno,
    /// One segment per acknowledgement in every second round; ends when the backlog exceeds gamma.
    Vegas {
        /// A timeout starts the opening anew at once ("Revisited", section VII.A); without it the growth that was
        /// decided before the timeout lasts until the next round ends.
        restarts_after_timeout: bool,
    },
}

impl SlowStart {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, SlowStart)] = &[
        ("reno", SlowStart::Reno),
        ("vegas", SlowStart::Vegas { restarts_after_timeout: true }),
        ("vegas-ns2", SlowStart::Vegas { restarts_after_timeout: false }),
    ];

    pub(crate) fn needs_signal(self) -> bool {
        matches!(self, SlowStart::Vegas { .. })
    }

    /// Decides, at the end of a round in slow start, how to grow in the next one.
    pub(crate) fn on_round(self, control: &mut Control, diff: i32, gamma: Segments) {
        match self {
            SlowStart::Reno => reno::on_round(control),
            SlowStart::Vegas { .. } => vegas::on_round(control, diff, gamma),
        }
    }

    /// After a timeout the window opens again.
    pub(crate) fn on_timeout(self, control: &mut Control) {
        match self {
            SlowStart::Reno => reno::on_timeout(control),
            SlowStart::Vegas { restarts_after_timeout: true } => vegas::restart(control),
            SlowStart::Vegas { restarts_after_timeout: false } => {}
        }
    }

    /// The state a connection begins with.
    pub(crate) fn start(self, control: &mut Control) {
        match self {
            SlowStart::Reno => reno::on_timeout(control),
            SlowStart::Vegas { .. } => vegas::restart(control),
        }
    }
}

//! Congestion avoidance: how the window is held once slow start is over.

mod dynamic;
mod reno;
mod vegas;

use crate::algorithm::Control;
use crate::composition::Parameters;

/// How the window is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Avoidance {
    /// One segment a round, until a loss (RFC 5681, section 3.1).
    Reno,
    /// The backlog is kept between alpha and beta.
    Vegas,
    /// The same with steps in proportion to what the backlog is off (Dynamic Vegas).
    Dynamic,
}

impl Avoidance {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, Avoidance)] =
        &[("reno", Avoidance::Reno), ("vegas", Avoidance::Vegas), ("dynamic", Avoidance::Dynamic)];

    pub(crate) fn needs_signal(self) -> bool {
        self != Avoidance::Reno
    }

    /// Whether the window moves without losses, so that the slow-start threshold must not follow it: a window that
    /// shrinks by one below the threshold would be taken for a new slow start.
    pub(crate) fn shrinks_by_itself(self) -> bool {
        self != Avoidance::Reno
    }

    /// Decides, at the end of a round in congestion avoidance, how to move in the next one.
    pub(crate) fn on_round(self, control: &mut Control, diff: i32, parameters: &Parameters) {
        match self {
            Avoidance::Reno => {}
            Avoidance::Vegas => vegas::on_round(control, diff, parameters),
            Avoidance::Dynamic => dynamic::on_round(control, diff, parameters),
        }
    }

    /// Sets the growth of one acknowledgement where it follows the window rather than the round.
    pub(crate) fn on_ack(self, control: &mut Control) {
        match self {
            Avoidance::Reno => reno::on_ack(control),
            Avoidance::Vegas | Avoidance::Dynamic => {}
        }
    }
}

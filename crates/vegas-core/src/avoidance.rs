//! Congestion avoidance: how the window is held once slow start is over.

mod cubic;
mod dynamic;
pub(crate) mod linux;
pub(crate) mod ns3;
mod reno;
mod vegas;

pub(crate) use cubic::Cubic;

use crate::algorithm::Control;
use crate::composition::Parameters;
use crate::contract::Ack;
use crate::signal::Round;
use crate::units::Window;

/// How the window is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Avoidance {
    /// One segment a round, until a loss (RFC 5681, section 3.1).
    Reno,
    /// The backlog is kept between alpha and beta.
    Vegas,
    /// The same with steps in proportion to what the backlog is off (Dynamic Vegas).
    Dynamic,
    /// The same with a whole segment at once, up or down, once a round (Linux's Vegas).
    VegasLinux,
    /// Linux's in whole segments (ns-3's Vegas).
    VegasNs3,
    /// A cubic function of the time since the last cut (RFC 9438, section 4).
    Cubic,
}

impl Avoidance {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, Avoidance)] = &[
        ("reno", Avoidance::Reno),
        ("vegas", Avoidance::Vegas),
        ("dynamic", Avoidance::Dynamic),
        ("vegas-linux", Avoidance::VegasLinux),
        ("vegas-ns3", Avoidance::VegasNs3),
        ("cubic", Avoidance::Cubic),
    ];

    /// Whether it looks at [`Ack::window_limited`]: a host need not find that out for others.
    pub fn asks_what_limits(self) -> bool {
        self == Avoidance::Cubic
    }

    pub(crate) fn needs_signal(self) -> bool {
        !matches!(self, Avoidance::Reno | Avoidance::Cubic)
    }

    /// Whether the window moves without losses, so that the slow-start threshold must not follow it: a window that
    /// shrinks by one below the threshold would be taken for a new slow start. Linux's lowers the threshold itself.
    pub(crate) fn shrinks_by_itself(self) -> bool {
        matches!(self, Avoidance::Vegas | Avoidance::Dynamic)
    }

    /// Decides, at the end of a round in congestion avoidance, how to move in the next one.
    pub(crate) fn on_round(self, control: &mut Control, diff: Option<i32>, parameters: &Parameters) {
        // before the first sample nothing can be backlog
        let known = diff.unwrap_or(0);
        match self {
            Avoidance::Reno | Avoidance::Cubic => {}
            Avoidance::Vegas => vegas::on_round(control, known, parameters),
            Avoidance::Dynamic => dynamic::on_round(control, known, parameters),
            Avoidance::VegasLinux => linux::on_round(control, diff, parameters),
            Avoidance::VegasNs3 => ns3::on_round(control, diff, parameters),
        }
    }

    /// Takes back what was meant for the acknowledgement before only.
    #[inline]
    pub(crate) fn before_ack(self, control: &mut Control) {
        if matches!(self, Avoidance::VegasLinux | Avoidance::VegasNs3) {
            linux::forget(control);
        }
    }

    /// Sets the growth of one acknowledgement where it follows the window rather than the round.
    #[inline(always)]
    pub(crate) fn on_ack(self, control: &mut Control, ack: &Ack, round: &Round) {
        match self {
            Avoidance::Reno => reno::on_ack(control),
            Avoidance::Cubic if ack.window_limited => {
                cubic::on_ack(control, ack.now, ack.acked, round.base_rtt().unwrap_or_default())
            }
            Avoidance::Cubic => cubic::pause(control),
            Avoidance::Vegas | Avoidance::Dynamic | Avoidance::VegasLinux | Avoidance::VegasNs3 => {}
        }
    }

    /// A loss cut the window from `before`.
    pub(crate) fn on_cut(self, control: &mut Control, before: Window) {
        if self == Avoidance::Cubic {
            cubic::on_cut(control, before);
        }
    }

    /// The retransmission timer ran out at this window.
    pub(crate) fn on_timeout(self, control: &mut Control, before: Window) {
        if self == Avoidance::Cubic {
            cubic::on_timeout(control, before);
        }
    }
}

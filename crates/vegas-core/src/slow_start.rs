//! Slow start: how the window opens until the path is full.

mod gallop;
mod hystart;
mod hystart_plus_plus;
mod linux;
mod micros;
mod mid_speed;
mod streak;
mod vegas;

use crate::algorithm::{Control, RoundEnd};
use crate::avoidance;
use crate::composition::Parameters;
use crate::contract::Ack;
use crate::units::{Span, Window};

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
    /// An increment that grows by one a round; ends when the backlog reaches beta, or when it has halved the increment
    /// to one (Gallop-Vegas).
    Gallop,
    /// Gallop's, begun with the increment that belongs to the first window: Gallop's own, from two segments on, would have
    /// it at that window (RFC 9002, section 7.2, and RFC 6928 begin with ten).
    GallopJoining,
    /// The first backlog picks the start: from half the threshold on, Reno's or Vegas's (Dynamic Vegas).
    MidSpeed,
    /// Doubled at once in every second round, paced by the bottleneck's service rate; ends when the backlog exceeds
    /// gamma, or when the pace no longer lets a window out in a round (Streak Doubling).
    Streak,
    /// As Reno, one segment for each one acknowledged, until the backlog exceeds gamma; then to what the path holds
    /// without a queue, plus one (Linux's Vegas).
    VegasLinux,
    /// The same with one segment for each acknowledgement (ns-3's Vegas).
    VegasNs3,
    /// As Reno, one segment for each one acknowledged, at most eight at once, until round trips become longer; then a
    /// quarter of that for five rounds (HyStart++, RFC 9406). After a timeout it is Reno's.
    HyStartPlusPlus,
    /// As Reno, one segment for each one acknowledged, until acknowledgements come close together for half a round trip
    /// or round trips become longer (HyStart of Linux's CUBIC).
    HyStart,
}

/// What a slow start remembers from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    Reno,
    Vegas(vegas::EverySecond),
    Gallop(gallop::Gallop),
    MidSpeed(mid_speed::MidSpeed),
    Streak(streak::Streak),
    VegasLinux,
    VegasNs3,
    HyStartPlusPlus(hystart_plus_plus::HyStartPlusPlus),
    HyStart(hystart::HyStart),
}

impl SlowStart {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, SlowStart)] = &[
        ("reno", SlowStart::Reno),
        ("vegas", SlowStart::Vegas { restarts_after_timeout: true }),
        ("vegas-ns2", SlowStart::Vegas { restarts_after_timeout: false }),
        ("gallop", SlowStart::Gallop),
        ("gallop-joining", SlowStart::GallopJoining),
        ("mid-speed", SlowStart::MidSpeed),
        ("streak", SlowStart::Streak),
        ("vegas-linux", SlowStart::VegasLinux),
        ("vegas-ns3", SlowStart::VegasNs3),
        ("hystart++", SlowStart::HyStartPlusPlus),
        ("hystart", SlowStart::HyStart),
    ];

    pub(crate) fn needs_signal(self) -> bool {
        !matches!(self, SlowStart::Reno | SlowStart::HyStartPlusPlus | SlowStart::HyStart)
    }

    /// The state a connection begins with, or begins anew with, at a window.
    pub(crate) fn opening(self, window: Window) -> Opening {
        match self {
            SlowStart::Reno => Opening::Reno,
            SlowStart::Vegas { .. } => Opening::Vegas(Default::default()),
            SlowStart::Gallop => Opening::Gallop(Default::default()),
            SlowStart::GallopJoining => Opening::Gallop(gallop::Gallop::joining(window.floor())),
            SlowStart::MidSpeed => Opening::MidSpeed(Default::default()),
            SlowStart::Streak => Opening::Streak(Default::default()),
            SlowStart::VegasLinux => Opening::VegasLinux,
            SlowStart::VegasNs3 => Opening::VegasNs3,
            SlowStart::HyStartPlusPlus => Opening::HyStartPlusPlus(Default::default()),
            SlowStart::HyStart => Opening::HyStart(Default::default()),
        }
    }

    /// The state of a slow start after a timeout; its threshold is known, and HyStart++ is for the first one only (RFC
    /// 9406, section 4.3).
    pub(crate) fn reopening(self, window: Window) -> Opening {
        if self == SlowStart::HyStartPlusPlus { Opening::Reno } else { self.opening(window) }
    }

    /// The growth until the first round ends.
    pub(crate) fn first_growth(self) -> Window {
        if self.needs_signal() { Window::default() } else { Window::ONE }
    }

    /// Whether a timeout opens the window anew at once.
    pub(crate) fn restarts_after_timeout(self) -> bool {
        self != SlowStart::Vegas { restarts_after_timeout: false }
    }
}

impl Opening {
    /// Decides, at the end of a round in slow start, how to grow in the next one; `may_grow` unless mechanism I forbids
    /// it now.
    pub(crate) fn on_round(
        &mut self,
        control: &mut Control,
        end: &RoundEnd<'_>,
        may_grow: bool,
        parameters: &Parameters,
    ) {
        let measured = end.measured;
        let diff = measured.map(|measured| measured.diff);
        // before the first sample nothing can be backlog
        let known = diff.unwrap_or(0);
        match self {
            Opening::Reno => control.grow_by(Window::ONE),
            Opening::Vegas(every_second) => every_second.on_round(control, known, parameters.gamma),
            Opening::Gallop(gallop) => gallop.on_round(control, known, parameters),
            Opening::MidSpeed(mid_speed) => mid_speed.on_round(control, diff, parameters),
            Opening::Streak(streak) => streak.on_round(control, known, end, may_grow, parameters),
            Opening::VegasLinux => linux::on_round(control, measured, parameters, avoidance::linux::three_quarters),
            Opening::VegasNs3 => linux::on_round(control, measured, parameters, avoidance::ns3::three_quarters),
            Opening::HyStartPlusPlus(hystart) => hystart.on_round(control),
            Opening::HyStart(hystart) => hystart.on_round(),
        }
    }

    /// The growth of one acknowledgement in slow start: what was decided for the round, or what follows from it alone.
    /// `base_rtt` is the least RTT so far.
    pub(crate) fn on_ack(&mut self, control: &mut Control, ack: Ack, base_rtt: Option<Span>) -> Window {
        match self {
            Opening::VegasLinux => return linux::growth(control, &ack),
            Opening::VegasNs3 => return capped(control, Window::ONE),
            Opening::HyStartPlusPlus(hystart) => return hystart.on_ack(control, &ack),
            Opening::HyStart(hystart) => return hystart.on_ack(control, &ack, base_rtt),
            Opening::Streak(streak) => streak.on_ack(control.pace, &ack, base_rtt),
            Opening::Reno | Opening::Vegas(_) | Opening::Gallop(_) | Opening::MidSpeed(_) => {}
        }
        control.growth()
    }
}

/// Growth that does not pass the threshold.
fn capped(control: &Control, more: Window) -> Window {
    more.min(Window::whole(control.ssthresh).minus(control.window))
}

//! Streak Doubling: every second round the window doubles at once, and packets leave at the bottleneck's service rate,
//! so that nothing piles up there (Lee, Kim and Choi, "TCP-Vegas slow start performance in large bandwidth delay
//! network", section 3; docs/design.md, section 3.3).

use super::SlowStartPart;
use crate::composition::parts::part::{Leap, SlowStartPromise};
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::contract::{Ack, Needs};
use crate::units::{Pace, Segments, Span, Time, Window};

/// The state from round to round, besides the pace. A connection, and a slow start after a timeout, begin with the
/// default, in which the first round does not grow, as in Vegas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(Rust, packed)]
pub(crate) struct Streak {
    /// When the round's first acknowledgement came, in ns; wraps after 18 minutes.
    began: Wrapped,
    /// From the round's first acknowledgement to the newest one, in ns; [`BROKEN`] where they did not follow back to
    /// back, or were more than can be counted.
    train_ns: u32,
    /// Segments acknowledged in that time.
    train_segments: u16,
    rested: bool,
}

/// The lowest 40 bits of a time in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(Rust, packed)]
struct Wrapped {
    low: u32,
    high: u8,
}

/// The largest window that may double before the service rate is known: with the two packets of the start all
/// acknowledged at once (delayed acknowledgements) there is no spacing yet, and four give one.
const BLIND_MAX: Segments = Segments(2);
/// An acknowledgement later than this many of the pace's spacings did not follow back to back.
const GAP: u64 = 4;
/// A round with acknowledgements that measure nothing.
const BROKEN: u32 = u32::MAX;

impl SlowStartPart for Streak {
    const PAGE: &'static str = "streak.md";
    const THRESHOLDS: Thresholds = Thresholds::GAMMA;
    const NEEDS: Needs = Needs { pacing: true, ..Needs::NONE };
    const PROMISE: SlowStartPromise =
        SlowStartPromise { leap: Leap::Twice, steps_down: true, ..SlowStartPromise::RENO };
    const SCALES: bool = false;

    fn start(_window: Window) -> Self {
        Streak::default()
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        let (doubled, used) = (!self.rested, is_used(control, end.ack));
        let length = self.length(end.ack.now);
        self.learn(control);
        self.began = Wrapped::at(end.ack.now);
        self.train_ns = if used { 0 } else { BROKEN };
        control.grow_by(Window::default());
        if doubled {
            self.rested = true;
            if held_back(control, end.ack, length) {
                control.leave_slow_start();
                control.shrink_to(Window::whole(end.ack.in_flight));
            }
        } else if i64::from(end.backlog()) > parameters.gamma.as_i64() {
            control.leave_slow_start();
            control.shrink_to(control.window.minus(control.window.eighth()));
        } else if end.may_grow && used {
            self.rested = false;
            double(control, parameters);
        }
    }

    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, base_rtt: Option<Span>) -> Window {
        self.measure(control.pace, ack, base_rtt);
        control.growth()
    }
}

impl Streak {
    /// Measures the train of acknowledgements of a round. It acknowledges all segments of the previous round, which
    /// were paced or sent in answer to such a train. Without a pace only a queue shows that the bottleneck, and not the
    /// sender, spaced them.
    fn measure(&mut self, pace: Option<Pace>, ack: &Ack, base_rtt: Option<Span>) {
        let length = self.length(ack.now);
        if length == Span::ZERO || self.train_ns == BROKEN {
            return;
        }
        let more = length.less(Span::from_nanos(self.train_ns.into()));
        let queued = ack.rtt > base_rtt && base_rtt.is_some();
        let follows = match known(pace) {
            Some(pace) => ack.rtt.is_some() && more <= pace.spacing().times(GAP.saturating_mul(ack.acked.as_u64())),
            None => queued,
        };
        let segments = u64::from(self.train_segments).saturating_add(ack.acked.as_u64());
        match (u32::try_from(length.as_nanos()), u16::try_from(segments)) {
            (Ok(train_ns), Ok(train_segments)) if follows => *self = Streak { train_ns, train_segments, ..*self },
            _ => self.train_ns = BROKEN,
        }
    }

    /// How long the round has lasted.
    fn length(&self, now: Time) -> Span {
        Span::from_nanos(Wrapped::at(now).nanos().wrapping_sub(self.began.nanos()) & ((1 << 40) - 1))
    }

    /// Takes the mean spacing of the round's train for the service rate.
    fn learn(&mut self, control: &mut WindowControl) {
        if self.train_segments > 0 && self.train_ns != BROKEN {
            control.pace = Some(Pace::of(self.train_segments.into(), Span::from_nanos(self.train_ns.into())));
        }
        *self = Streak { rested: self.rested, ..Streak::default() };
    }
}

/// The pipe is full: the pace was at work to the round's end and did not let the window out.
fn held_back(control: &WindowControl, ack: &Ack, length: Span) -> bool {
    let Some(pace) = known(control.pace) else { return false };
    let in_flight = ack.in_flight;
    let to_the_end = pace.spacing().times(in_flight.as_u64().saturating_add(1)) >= length;
    Window::whole(in_flight) < control.window && to_the_end
}

/// Whether the sender fills its window. A window that is not filled measures neither the service rate nor the capacity
/// of the path, so it does not double.
fn is_used(control: &WindowControl, ack: &Ack) -> bool {
    Window::whole(ack.in_flight).plus(Window::whole(Segments(2))) >= control.window
}

/// Doubles at once, what is in excess paced; or as Vegas does, a segment for each acknowledgement, where the service
/// rate is still unknown.
fn double(control: &mut WindowControl, parameters: &Parameters) {
    if known(control.pace).is_none() {
        if control.window > Window::whole(BLIND_MAX) {
            control.pace = None;
            control.grow_by(Window::ONE);
            return;
        }
        control.pace = Some(Pace::FASTEST);
    }
    let most = Window::whole(parameters.max_window.min(control.ssthresh));
    control.window = control.window.max(control.window.plus(control.window).min(most));
}

impl Wrapped {
    fn at(now: Time) -> Self {
        Wrapped { low: now.as_nanos() as u32, high: (now.as_nanos() >> 32) as u8 }
    }

    fn nanos(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }
}

/// The pace, if it was measured.
fn known(pace: Option<Pace>) -> Option<Pace> {
    pace.filter(|pace| *pace != Pace::FASTEST)
}

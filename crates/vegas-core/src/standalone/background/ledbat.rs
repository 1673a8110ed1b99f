//! LEDBAT (RFC 6817): a background transfer that keeps the queueing delay at a target, and so leaves the path to flows
//! that fill the queue. Delays are one-way, so that queues on the way back do not count.
//!
//! Section 2.4.2: each acknowledged segment moves the window by (target - queueing delay) / target, spread over the
//! window, so that it grows by one segment a round trip at most and shrinks in proportion to the excess. The queueing
//! delay is the least of the newest four delays less the least of ten minutes, kept minute by minute.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::Preset;
use crate::standalone::least::Least;
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "ledbat",
    summary: "background transfer that keeps 25 ms of one-way queueing delay, and yields to flows that fill the queue",
    source: "RFC 6817",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// At most 100 ms (section 2.5); the drafts before the RFC had 25.
const TARGET: Span = Span::from_millis(25);
/// The window is at most what is in flight and this (`ALLOWED_INCREASE`).
const ALLOWED_INCREASE: u32 = 1;
/// `MIN_CWND`.
pub(crate) const WINDOW_MIN: Window = Window::whole(Segments(2));
/// `BASE_HISTORY`, minutes.
const BASE_MINUTES: usize = 10;
/// `CURRENT_FILTER`.
const CURRENT_SAMPLES: usize = 4;
/// A queueing delay of more targets than this counts as this many.
const EXCESS_MAX: u64 = 64;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ledbat {
    window: Window,
    max_window: Window,
    restart_window: Window,
    delays: Delays,
}

/// Section 2.4.2, `current_delays` and `base_delays`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delays {
    /// The newest delays, newest first.
    current: [Span; CURRENT_SAMPLES],
    base: Least<BASE_MINUTES>,
}

impl Delays {
    pub(crate) const NONE: Delays = Delays { current: [Span::MAX; CURRENT_SAMPLES], base: Least::new() };

    pub(crate) fn sample(&mut self, now: Time, delay: Span) {
        let [first, second, third, _] = self.current;
        self.current = [delay, first, second, third];
        self.base.sample(now, delay, Span::from_secs(60 * BASE_MINUTES as u64));
    }

    pub(crate) fn base(&self) -> Option<Span> {
        Some(self.base.get()).filter(|base| *base != Span::MAX)
    }

    /// None before the first sample.
    pub(crate) fn queueing(&self) -> Option<Span> {
        let current = self.current.into_iter().min()?;
        self.base().map(|base| current.less(base))
    }
}

/// How far from the target, as a part of it in fixed point; at most [`EXCESS_MAX`].
pub(crate) fn part_of_target(distance: Span, target: Span) -> Window {
    let distance = distance.min(target.times(EXCESS_MAX));
    // a target of 27 bits leaves room for 64 times it and the fraction
    Window::from_raw(((distance.as_nanos() / 1_000) << Window::FRACTION_BITS) / (target.as_nanos() / 1_000))
}

/// What the acknowledged segments add where a round trip adds `more`; a segment each at most.
pub(crate) fn spread_up(window: Window, more: Window, acked: Segments) -> Window {
    Window::from_raw(window.spread(more).as_raw() * acked.as_u64())
}

/// The downward step, rounded so that a window of acknowledgements does not take off more than the rule says.
pub(crate) fn spread_down(window: Window, less: Window, acked: Segments) -> Window {
    spread_up(window, less, acked).minus(Window::from_raw(acked.as_u64()))
}

impl Ledbat {
    pub(crate) const NEEDS: Needs = Needs { one_way_delay: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Ledbat {
            window: Window::whole(parameters.initial_window),
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            delays: Delays::NONE,
        }
    }

    fn steer(&mut self, queueing: Span, ack: &Ack) {
        if queueing > TARGET {
            let less = spread_down(self.window, part_of_target(queueing.less(TARGET), TARGET), ack.acked);
            self.window = self.window.minus(less).max(WINDOW_MIN.min(self.window));
            return;
        }
        if ack.ce_marked > 0 {
            return;
        }
        let more = spread_up(self.window, part_of_target(TARGET.less(queueing), TARGET), ack.acked);
        let allowed = Window::whole(Segments(ack.in_flight.0.saturating_add(ALLOWED_INCREASE)));
        self.window = self.window.plus(more).min(allowed).max(WINDOW_MIN).min(self.max_window);
    }
}

impl CongestionControl for Ledbat {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(delay) = ack.one_way_delay {
            self.delays.sample(ack.now, delay);
        }
        if let Some(queueing) = self.delays.queueing().filter(|_| ack.acked > Segments(0) && !ack.in_recovery) {
            self.steer(queueing, ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window = match loss.kind {
            LossKind::DuplicateAcks | LossKind::Ecn => self.window.half().max(WINDOW_MIN).min(self.window),
            LossKind::Timeout => self.window.min(self.restart_window),
        };
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
    }

    fn on_unused(&mut self, most: Window) {
        self.window = self.window.min(most);
    }

    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        self.delays = Delays::NONE;
    }

    fn output(&self) -> Output {
        Output { window: self.window, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status { window: self.window, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        let micros = |span: Option<Span>| span.map_or(-1, |span| (span.as_nanos() / 1_000) as i64);
        out("base_delay_us", micros(self.delays.base()));
        out("queueing_us", micros(self.delays.queueing()));
    }
}

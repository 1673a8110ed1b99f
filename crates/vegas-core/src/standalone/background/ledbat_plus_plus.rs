//! LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus-01): [`super::ledbat`] with what its use showed to be wrong mended.
//! Delays are round-trip times, the target is 60 ms.
//!
//! - Section 4.1: slow start grows by the gain for each segment; the first one ends above three quarters of the target.
//! - Section 4.2: the window grows by the gain a round trip, 1 / min(16, ceil(2 target / base)): on short paths slower
//!   than Reno's.
//! - Section 4.3: above the target it also loses window x (delay / target - 1), half of the window at most.
//! - Section 4.4: two round trips after the first slow start, and then after nine times as long as the last slowdown
//!   took, the window is two segments for two round trips, so that all flows see the path without a queue; then it
//!   doubles up to where it was.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::Preset;
use crate::standalone::background::ledbat::{Delays, WINDOW_MIN, part_of_target, spread_down, spread_up};
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "ledbat++",
    summary: "background transfer that keeps 60 ms of queueing delay, slows down now and then to find the path's own delay",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

const TARGET: Span = Span::from_millis(60);
/// The first slow start ends above this.
const EXIT: Span = Span::from_millis(45);
const INVERSE_GAIN_MAX: u64 = 16;
/// Round trips from the first slow start to the first slowdown, and of the slowdown itself.
const ROUNDS_BEFORE: u64 = 2;
const ROUNDS_SLOW: u64 = 2;
/// Slowdowns take a tenth of the time.
const BETWEEN_SLOWDOWNS: u64 = 9;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LedbatPlusPlus {
    window: Window,
    ssthresh: Window,
    max_window: Window,
    restart_window: Window,
    delays: Delays,
    /// RFC 6298, section 2; zero before the first sample.
    smoothed: Span,
    stage: Stage,
    /// When the newest slowdown began.
    slowed: Time,
}

/// Where it stands between slowdowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The first slow start.
    Opening,
    /// A slowdown begins at this time.
    Cruising(Time),
    /// The window stays at two segments until this time.
    Slow(Time),
    /// Back to where the window was.
    Returning,
}

impl LedbatPlusPlus {
    pub(crate) const NEEDS: Needs = Needs::NONE;

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        LedbatPlusPlus {
            window: Window::whole(parameters.initial_window),
            ssthresh: parameters.ssthresh.map_or(Window::MAX, Window::whole),
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            delays: Delays::NONE,
            smoothed: Span::ZERO,
            stage: Stage::Opening,
            slowed: Time::ZERO,
        }
    }

    fn sample(&mut self, now: Time, rtt: Span) {
        self.delays.sample(now, rtt);
        self.smoothed = match self.smoothed {
            Span::ZERO => rtt,
            smoothed => Span::from_nanos(smoothed.as_nanos() - smoothed.as_nanos() / 8 + rtt.as_nanos() / 8),
        };
    }

    fn is_opening(&self) -> bool {
        self.window < self.ssthresh
    }

    fn gain(&self) -> Window {
        let base = self.delays.base().map_or(1, Span::as_nanos).max(1);
        let inverse = (2 * TARGET.as_nanos()).div_ceil(base).clamp(1, INVERSE_GAIN_MAX);
        Window::from_raw(Window::ONE.as_raw() / inverse)
    }

    /// The stage that this instant belongs to.
    fn advance(&mut self, now: Time, queueing: Span) {
        match self.stage {
            Stage::Opening if !self.is_opening() || queueing > EXIT => {
                self.ssthresh = self.ssthresh.min(self.window.max(WINDOW_MIN));
                self.stage = Stage::Cruising(now + self.smoothed.times(ROUNDS_BEFORE));
            }
            Stage::Cruising(until) if now >= until => {
                self.slowed = now;
                // the slow start after a timeout has a threshold, which the window would come back to in any case
                if !self.is_opening() {
                    self.ssthresh = self.window.max(WINDOW_MIN);
                }
                self.window = self.window.min(WINDOW_MIN);
                self.stage = Stage::Slow(now + self.smoothed.times(ROUNDS_SLOW));
            }
            Stage::Slow(until) if now >= until => self.stage = Stage::Returning,
            Stage::Returning if !self.is_opening() => {
                self.stage = Stage::Cruising(now + now.since(self.slowed).times(BETWEEN_SLOWDOWNS));
            }
            _ => {}
        }
    }

    fn steer(&mut self, queueing: Span, ack: &Ack) {
        if matches!(self.stage, Stage::Slow(_)) {
            return;
        }
        // less than half of the window is in use: the application has no more
        let may_grow = ack.may_grow() && 2 * ack.in_flight.as_u64() >= self.window.floor().as_u64();
        let gain = self.gain();
        if self.is_opening() {
            if may_grow {
                let more = Window::from_raw(gain.as_raw().saturating_mul(ack.acked.as_u64()));
                self.window = self.window.plus(more).min(self.ssthresh).min(self.max_window);
            }
            return;
        }
        let excess = part_of_target(queueing.less(TARGET), TARGET);
        // section 4.3, of a round trip: half of the window at most
        let less = Window::from_raw(self.window.floor().as_u64() * excess.as_raw()).min(self.window.half());
        if less > gain {
            let less = spread_down(self.window, less.minus(gain), ack.acked);
            self.window = self.window.minus(less).max(WINDOW_MIN.min(self.window));
            self.ssthresh = self.ssthresh.min(self.window.max(WINDOW_MIN));
        } else if may_grow {
            let more = spread_up(self.window, gain.minus(less), ack.acked);
            self.window = self.window.plus(more).min(self.max_window);
        }
    }
}

impl CongestionControl for LedbatPlusPlus {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.sample(ack.now, rtt);
        }
        let Some(queueing) = self.delays.queueing() else { return };
        if ack.acked > Segments(0) && !ack.in_recovery {
            self.advance(ack.now, queueing);
            self.steer(queueing, ack);
        }
    }

    /// RFC 5681's halving.
    fn on_loss(&mut self, loss: &Loss) {
        let half = self.window.half().max(WINDOW_MIN);
        match (loss.kind, self.stage) {
            (LossKind::Timeout, _) => {
                // RFC 5681, section 3.1: held if the segment was retransmitted before
                if !loss.retransmission || self.ssthresh == Window::MAX {
                    self.ssthresh = half;
                }
                self.window = self.window.min(self.restart_window);
            }
            // the window is two segments already, and comes back to half of what it was
            (_, Stage::Slow(_)) => self.ssthresh = self.ssthresh.half().max(WINDOW_MIN),
            _ => {
                self.ssthresh = half;
                self.window = self.window.min(half);
            }
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    fn on_unused(&mut self, most: Window) {
        self.ssthresh = self.ssthresh.max(self.window.three_quarters());
        self.window = self.window.min(most);
    }

    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        self.delays = Delays::NONE;
        self.smoothed = Span::ZERO;
    }

    fn output(&self) -> Output {
        Output { window: self.window, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        let threshold = self.ssthresh.floor();
        Status {
            window: self.window,
            ssthresh: (self.ssthresh < Window::MAX).then_some(threshold),
            base_rtt: self.delays.base(),
            diff: None,
            phase: if self.window < Window::whole(threshold) { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        let micros = |span: Option<Span>| span.map_or(-1, |span| (span.as_nanos() / 1_000) as i64);
        out("queueing_us", micros(self.delays.queueing()));
        out("gain_per_1024", (self.gain().as_raw() >> (Window::FRACTION_BITS - 10)) as i64);
        out("is_slow", matches!(self.stage, Stage::Slow(_)).into());
    }
}

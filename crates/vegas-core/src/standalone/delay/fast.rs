//! FAST TCP (Wei, Jin, Low and Hegde, IEEE/ACM ToN 14(6), 2006): Vegas's equilibrium, alpha packets of each flow in the
//! queue, approached in proportion to the distance from it.
//!
//! Once a round trip (equation 7) the window becomes the least of twice itself and (1 - gamma) window + gamma (base RTT
//! / RTT x window + alpha), with gamma a half. The RTT is an average in which the newest sample weighs min(3 / window,
//! 1/4) (section IV.A).

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::Preset;
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "fast",
    summary: "Vegas in proportion: towards alpha packets of the flow in the queue, half of the way each round trip",
    source: "Wei, Jin, Low and Hegde: FAST TCP, 2006",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), restart_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// Segments of the flow in the queue (alpha). The paper chooses it by the path's rate; this suits 10 to 100 Mb/s.
const ALPHA: Window = Window::whole(Segments(20));
/// The newest sample weighs 3 / window, a quarter at most.
const WEIGHT: u64 = 3;
const WEIGHT_PARTS_MIN: u64 = 4;
const WINDOW_MIN: Window = Window::whole(Segments(2));

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fast {
    window: Window,
    ssthresh: Window,
    max_window: Window,
    restart_window: Window,
    base_rtt: Span,
    /// Zero before the first sample.
    mean_rtt: Span,
    round_end: SendIndex,
}

impl Fast {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Fast {
            window: Window::whole(parameters.initial_window),
            ssthresh: parameters.ssthresh.map_or(Window::MAX, Window::whole),
            max_window: Window::whole(parameters.max_window),
            restart_window: Window::whole(parameters.restart_window),
            base_rtt: Span::MAX,
            mean_rtt: Span::ZERO,
            round_end: SendIndex(0),
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window = window;
        self.ssthresh = threshold.map_or(Window::MAX, Window::whole);
    }

    fn sample(&mut self, rtt: Span) {
        let rtt = rtt.max(Span::from_nanos(1));
        self.base_rtt = self.base_rtt.min(rtt);
        let parts = (self.window.floor().as_u64() / WEIGHT).max(WEIGHT_PARTS_MIN);
        let (mean, newest) = (self.mean_rtt.as_nanos(), rtt.as_nanos());
        self.mean_rtt = match mean {
            0 => rtt,
            _ if newest > mean => Span::from_nanos(mean + (newest - mean) / parts),
            _ => Span::from_nanos(mean - (mean - newest) / parts),
        };
    }

    /// Base RTT / RTT of the window: what the path holds of it.
    fn without_queue(&self) -> Window {
        // the ratio of spans in 24 bits after the point, below 1
        const BITS: u32 = 24;
        let (base, mean) = (self.base_rtt.as_nanos(), self.mean_rtt.as_nanos().max(1));
        let shift = base.leading_zeros().min(BITS);
        let ratio = (base << shift) / (mean >> (BITS - shift)).max(1);
        let parts = self.window.as_raw() >> (Window::FRACTION_BITS - 8);
        Window::from_raw((parts * ratio.min(1 << BITS)) >> (BITS + 8 - Window::FRACTION_BITS))
    }

    fn queued(&self) -> Window {
        self.window.minus(self.without_queue())
    }

    fn is_opening(&self) -> bool {
        self.window < self.ssthresh
    }

    /// Equation 7; upwards only where the window is what limits the sender (RFC 9002, section 7.8).
    fn steer(&mut self, window_limited: bool) {
        let target = self.without_queue().plus(ALPHA);
        let towards = self.window.half().plus(target.half());
        let twice = self.window.plus(self.window);
        let most = if window_limited { twice } else { self.window };
        self.window = towards.min(most).min(self.max_window).max(WINDOW_MIN.min(self.window));
    }

    fn end_round(&mut self, ack: &Ack) {
        self.round_end = ack.next;
        if self.is_opening() && self.queued() >= ALPHA {
            self.ssthresh = self.window.max(WINDOW_MIN);
        }
        if !self.is_opening() && ack.ce_marked == 0 {
            self.steer(ack.window_limited);
            self.ssthresh = self.ssthresh.min(self.window.max(WINDOW_MIN));
        }
    }
}

impl CongestionControl for Fast {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.sample(rtt);
        }
        if ack.acked == Segments(0) || ack.in_recovery || self.mean_rtt == Span::ZERO {
            return;
        }
        if ack.newest >= self.round_end {
            self.end_round(ack);
        }
        if self.is_opening() && ack.may_grow() && ack.window_limited {
            self.window = self.window.plus(Window::whole(ack.acked)).min(self.ssthresh).min(self.max_window);
        }
    }

    /// Half, as Reno's: the paper leaves losses to TCP.
    fn on_loss(&mut self, loss: &Loss) {
        let half = self.window.half().max(WINDOW_MIN);
        let is_repeated = loss.kind == LossKind::Timeout && loss.retransmission;
        // RFC 5681, section 3.1: held if the segment was retransmitted before
        if !is_repeated || self.ssthresh == Window::MAX {
            self.ssthresh = half;
        }
        self.round_end = loss.next;
        self.window = self.window.min(if loss.kind == LossKind::Timeout { self.restart_window } else { half });
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    fn on_unused(&mut self, most: Window) {
        self.ssthresh = self.ssthresh.max(self.window.three_quarters());
        self.window = self.window.min(most);
    }

    fn on_path_change(&mut self, next: SendIndex, _now: Time) {
        self.base_rtt = Span::MAX;
        self.mean_rtt = Span::ZERO;
        self.round_end = next;
    }

    fn output(&self) -> Output {
        Output { window: self.window, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        let threshold = self.ssthresh.floor();
        let known = self.mean_rtt > Span::ZERO;
        Status {
            window: self.window,
            ssthresh: (self.ssthresh < Window::MAX).then_some(threshold),
            base_rtt: known.then_some(self.base_rtt),
            diff: known.then(|| self.queued().floor().0 as i32),
            phase: if self.window < Window::whole(threshold) { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("mean_rtt_us", (self.mean_rtt.as_nanos() / 1_000) as i64);
        out("queued_256ths", (self.queued().as_raw() >> (Window::FRACTION_BITS - 8)) as i64);
    }
}

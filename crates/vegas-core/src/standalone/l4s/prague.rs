//! TCP Prague (draft-briscoe-iccrg-prague-congestion-control; Linux, `net/ipv4/tcp_prague.c` of the L4S team): DCTCP
//! for the Internet.
//!
//! - The window has fractions of a segment, and is rounded up for what may be in flight. It grows also while packets
//!   are marked, by those that were not, and is reduced by half of alpha once a round trip with marks.
//! - Round trips below 25 ms count as 25 ms once slow start has been over for 500 of them: the window then grows by a
//!   segment in 25 ms times the ratio of rates, alpha is averaged, and the window reduced, once in 25 ms at most.
//! - Segments are paced at the window over the smoothed RTT, twice as fast at the beginning of slow start.
//! - A loss halves the window.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::composition::parts::cut::alpha::Alpha;
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::Preset;
use crate::units::{Pace, Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "prague",
    summary: "DCTCP for the Internet: paced, a fractional window, and no advantage of a short round trip below 25 ms",
    source: "draft-briscoe-iccrg-prague-congestion-control; Linux, net/ipv4/tcp_prague.c of L4STeam",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Shorter round trips count as long as this one (`prague_rtt_target`).
const REFERENCE_RTT: Span = Span::from_millis(25);
/// Round trips after slow start before that begins (`prague_rtt_transition`).
const ROUNDS_BEFORE: u32 = 500;
/// The least window (`MIN_CWND`).
const LEAST: Window = Window::whole(Segments(2));

/// The pacing rate counts the headers of a segment (`tcp_mss_to_mtu`), the gap after it does not
/// (`tcp_update_skb_after_send`): on Ethernet, with time stamps, 1500 bytes and 1448.
const COUNTED_BYTES: u64 = 1500;
const PACED_BYTES: u64 = 1448;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prague {
    window: Window,
    max_window: Window,
    restart_window: Window,
    /// The threshold; none while it is unbounded.
    ssthresh: Option<Segments>,
    alpha: Alpha,
    /// When alpha was averaged last, and when a mark reduced the window last.
    averaged: Time,
    reduced: Time,
    smoothed_rtt: Span,
    /// Round trips since slow start.
    rounds: u32,
    has_marks: bool,
    is_lossy: bool,
    /// Segments in flight at a timeout that are not acknowledged: a host that has no recovery from one does not report
    /// its end.
    unrepaired: Segments,
}

impl Prague {
    pub(crate) const NEEDS: Needs = Needs {
        window_limited: true,
        every_ack: true,
        pacing: true,
        own_recovery: true,
        accurate_ecn: true,
        ect1: true,
        ..Needs::NONE
    };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Prague {
            window: Window::whole(parameters.initial_window),
            max_window: Window::whole(parameters.max_window).min(Window::MAX),
            restart_window: Window::whole(parameters.restart_window),
            ssthresh: parameters.ssthresh,
            alpha: Alpha::ONE,
            averaged: Time::ZERO,
            reduced: Time::ZERO,
            smoothed_rtt: Span::ZERO,
            rounds: 0,
            has_marks: false,
            is_lossy: false,
            unrepaired: Segments(0),
        }
    }

    /// Takes over the whole segments of another's window, so that none is added by rounding up.
    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window = Window::whole(window.floor()).max(Window::ONE).min(self.max_window);
        self.ssthresh = threshold;
    }

    fn in_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|threshold| self.window.ceil() < Window::whole(threshold))
    }

    fn set(&mut self, window: Window) {
        self.window = window.max(LEAST).min(self.max_window).max(Window::ONE);
    }

    /// A window of one segment, as after a timeout, stays.
    fn reduce_to(&mut self, window: Window) {
        let window = window.max(LEAST);
        self.ssthresh = Some(window.ceil().floor());
        self.window = self.window.min(window);
    }

    /// Whether round trips count as [`REFERENCE_RTT`].
    fn is_independent(&self) -> bool {
        self.rounds >= ROUNDS_BEFORE && self.smoothed_rtt < REFERENCE_RTT
    }

    /// Whether a reference RTT has passed since `time`, where that counts.
    fn may_act_after(&self, time: Time, now: Time) -> bool {
        !self.is_independent() || now.since(time) >= REFERENCE_RTT
    }

    fn sample(&mut self, rtt: Span) {
        self.smoothed_rtt = match self.smoothed_rtt {
            Span::ZERO => rtt,
            smoothed => Span::from_nanos(smoothed.as_nanos() - smoothed.as_nanos() / 8 + rtt.as_nanos() / 8),
        };
    }

    /// Lets the window grow by segments that arrived without a mark.
    fn grow(&mut self, unmarked: Segments) {
        let left = if self.in_slow_start() { self.slow_start(unmarked) } else { unmarked };
        let step = self.window.ceil().spread(self.increase());
        self.set(self.window.plus(Window::from_raw(step.as_raw().saturating_mul(left.as_u64()))));
    }

    /// Returns the segments that are left at the threshold.
    fn slow_start(&mut self, unmarked: Segments) -> Segments {
        let room = self.ssthresh.map_or(Window::MAX, |threshold| Window::whole(threshold).minus(self.window));
        let used = Window::whole(unmarked).min(room);
        self.set(self.window.plus(used));
        Window::whole(unmarked).minus(used).floor()
    }

    /// What the window grows by in a round trip: a segment; where the RTT is below the reference, the square of the
    /// ratio, so that the rate grows as that of a flow with the reference RTT.
    fn increase(&self) -> Window {
        if !self.is_independent() {
            return Window::ONE;
        }
        let micros = |span: Span| span.as_nanos() / 1_000;
        let (rtt, reference) = (micros(self.smoothed_rtt), micros(REFERENCE_RTT));
        Window::from_raw(((rtt * rtt) << Window::FRACTION_BITS) / (reference * reference))
    }

    fn end_round(&mut self, now: Time, next: SendIndex) {
        if !self.may_act_after(self.averaged, now) {
            return;
        }
        self.alpha.begin(next, self.has_marks);
        self.averaged = now;
        if !self.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
    }

    /// Counts acknowledged segments after a timeout.
    fn repair(&mut self, acked: Segments) {
        if self.unrepaired > Segments(0) {
            self.unrepaired = Segments(self.unrepaired.0.saturating_sub(acked.0));
            self.is_lossy = self.unrepaired > Segments(0);
        }
    }

    fn answer_mark(&mut self, now: Time) {
        if !self.may_act_after(self.reduced, now) {
            return;
        }
        self.reduced = now;
        self.has_marks = true;
        self.reduce_to(self.alpha.reduce(self.window));
    }
}

impl CongestionControl for Prague {
    fn on_handshake(&mut self, _now: Time, rtt: Span) {
        self.sample(rtt);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.sample(rtt);
        }
        self.has_marks |= ack.ce_marked > 0;
        let unmarked = Segments(ack.delivered.0.saturating_sub(ack.ce_marked));
        if unmarked > Segments(0) && !self.is_lossy && ack.window_limited {
            self.grow(unmarked);
        }
        if self.alpha.count(ack) {
            self.end_round(ack.now, ack.next);
        }
        self.repair(ack.acked);
    }

    fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::Ecn => self.answer_mark(loss.now),
            LossKind::DuplicateAcks => {
                self.is_lossy = true;
                self.unrepaired = Segments(0);
                self.reduce_to(self.window.half());
            }
            LossKind::Timeout => {
                self.is_lossy = true;
                self.unrepaired = loss.in_flight.max(Segments(1));
                if !loss.threshold_holds {
                    self.ssthresh = Some(self.window.half().max(LEAST).ceil().floor());
                }
                self.window = self.window.min(self.restart_window);
            }
        }
    }

    fn on_recovered(&mut self, _now: Time) {
        self.is_lossy = false;
        self.unrepaired = Segments(0);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window = self.window.max(before.window);
        self.ssthresh = before.ssthresh;
        self.is_lossy = before.is_lossy;
        self.unrepaired = before.unrepaired;
    }

    fn output(&self) -> Output {
        // 2^7 parts of a segment are exact enough for a pace, and their number fits
        const PARTS: u32 = 7;
        let is_early = self.ssthresh.is_none_or(|threshold| self.window < Window::whole(threshold).half());
        let parts = (self.window.as_raw() >> (Window::FRACTION_BITS - PARTS)) << u32::from(is_early);
        let parts = parts * COUNTED_BYTES / PACED_BYTES;
        let pace = (self.smoothed_rtt > Span::ZERO).then(|| Pace::of(parts, self.smoothed_rtt.times(1 << PARTS)));
        Output { window: self.window.ceil(), pace, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status {
            window: self.window.ceil(),
            ssthresh: self.ssthresh,
            base_rtt: None,
            diff: None,
            phase: if self.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("alpha_ppm", self.alpha.ppm());
        out("window_thousandths", ((self.window.as_raw() * 1_000) >> Window::FRACTION_BITS) as i64);
        out("smoothed_rtt_us", (self.smoothed_rtt.as_nanos() / 1_000) as i64);
    }
}

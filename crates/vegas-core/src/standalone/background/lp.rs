//! TCP-LP (Kuzmanovic and Knightly, INFOCOM 2003; Linux, `net/ipv4/tcp_lp.c`): a low priority transfer that takes a
//! one-way delay above 15 % of the range seen so far for early congestion.
//!
//! The first such sign halves the window and begins three round trips of inference, in which the window does not grow;
//! one more sign within them makes it one segment. Otherwise it is Reno. Delays are smoothed by an eighth (section
//! III).

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Status};
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "lp",
    summary: "low priority Reno: a one-way delay above 15 % of its range halves the window, twice in three RTTs makes it 1",
    source: "Kuzmanovic and Knightly 2003; Linux, net/ipv4/tcp_lp.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Of the range of delays (delta in section III).
const THRESHOLD_PERCENT: u64 = 15;
/// How long a sign of congestion counts (itt in section III).
const INFERENCE_ROUNDS: u64 = 3;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lp {
    window: RenoWindow,
    /// Eight times the smoothed one-way delay, us; 0 before the first sample.
    smoothed_eighths: u64,
    least_us: u32,
    /// The greatest but one, so that a single outlier does not stretch the range.
    most_us: u32,
    outlier_us: u32,
    /// The newest RTT times [`INFERENCE_ROUNDS`].
    inference: Span,
    /// When the window was last reduced early; never before the first time.
    reduced: Time,
    /// Inference goes on.
    infers: bool,
    /// A sign counts once a segment from here on is acknowledged: those before tell of the queue before the reduction.
    counts_from: SendIndex,
}

impl Lp {
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, one_way_delay: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Lp {
            window: RenoWindow::new(parameters),
            smoothed_eighths: 0,
            least_us: UNKNOWN_US,
            most_us: 0,
            outlier_us: 0,
            inference: Span::ZERO,
            reduced: Time::NEVER,
            infers: false,
            counts_from: SendIndex(0),
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn sample(&mut self, delay_us: u32) {
        self.least_us = self.least_us.min(delay_us);
        if delay_us > self.outlier_us {
            self.most_us = if self.outlier_us == 0 { delay_us } else { self.outlier_us };
            self.outlier_us = delay_us;
        } else {
            self.most_us = self.most_us.max(delay_us);
        }
        self.smoothed_eighths = match self.smoothed_eighths {
            0 => 8 * u64::from(delay_us),
            before => before - before / 8 + u64::from(delay_us),
        };
    }

    fn is_congested(&self) -> bool {
        let range = u64::from(self.most_us.saturating_sub(self.least_us));
        self.smoothed_eighths / 8 > u64::from(self.least_us) + range * THRESHOLD_PERCENT / 100
    }

    /// Early congestion: half, or one segment where it goes on.
    fn reduce(&mut self, ack: &Ack) {
        let window = if self.infers { 1 } else { self.window.get() / 2 };
        self.window.steer(window, window);
        self.reduced = ack.now;
        self.infers = true;
        self.counts_from = ack.next;
    }
}

impl CongestionControl for Lp {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.inference = rtt.times(INFERENCE_ROUNDS);
        }
        if let Some(delay) = ack.one_way_delay {
            self.sample(micros(delay));
        }
        if ack.acked == Segments(0) || ack.in_recovery {
            return;
        }
        self.infers = self.reduced != Time::NEVER && ack.now.since(self.reduced) < self.inference;
        if ack.may_grow() && ack.window_limited && !self.infers {
            self.window.reno(ack.acked);
        }
        let counts = ack.one_way_delay.is_some() && ack.newest >= self.counts_from;
        // the first slow start fills the queue, and so shows the range of delays
        if counts && self.window.ssthresh().is_some() && self.is_congested() {
            self.reduce(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.answer(loss, self.window.get() / 2);
    }

    fn on_path_change(&mut self, next: SendIndex, _now: Time) {
        self.counts_from = next;
        self.smoothed_eighths = 0;
        (self.least_us, self.most_us, self.outlier_us) = (UNKNOWN_US, 0, 0);
    }

    fn status(&self) -> Status {
        self.window.status(UNKNOWN_US)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("smoothed_delay_us", (self.smoothed_eighths / 8) as i64);
        out("least_delay_us", if self.least_us == UNKNOWN_US { -1 } else { self.least_us.into() });
        out("most_delay_us", self.most_us.into());
        out("infers", self.infers.into());
    }
}

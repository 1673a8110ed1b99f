//! H-TCP (Leith and Shorten, PFLDnet 2004; Linux, `net/ipv4/tcp_htcp.c` with its defaults): one second after a loss the
//! increase begins to grow with the square of the time since, scaled by the RTT; the decrease is the least RTT over the
//! greatest, which just empties the queue, where the throughput before two losses was about equal.
//!
//! Times are whole milliseconds, as those of a kernel that counts 1000 ticks a second.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Output, Status};
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "htcp",
    summary: "Reno whose increase quickens with the time since the last loss, and whose cut just empties the queue",
    source: "Leith and Shorten 2004; Linux, net/ipv4/tcp_htcp.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Alpha and beta are in 128ths.
const ONE: u32 = 1 << 7;
const BETA_MIN: u32 = 1 << 6;
const BETA_MAX: u32 = 102;
const SECOND_MS: u64 = 1_000;
/// A greatest RTT grows by this at most at once.
const RTT_STEP_MS: u64 = 20;
/// At a shorter RTT the decrease does not follow it.
const RTT_MIN_MS: u64 = 10;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Htcp {
    window: RenoWindow,
    alpha: u32,
    beta: u32,
    /// The decrease may follow the RTT: it was steady at the loss before.
    follows_rtt: bool,
    /// Segments that the newest acknowledgement delivered, until they are counted.
    delivered: u32,
    /// 0 before the first sample.
    least_rtt_ms: u32,
    greatest_rtt_ms: u32,
    /// When the newest loss was found.
    loss_ms: u64,
    /// Throughput, segments a second, smoothed; the greatest since the loss, and before it.
    rate: u32,
    greatest_rate: u32,
    earlier_rate: u32,
    /// The throughput measurement: the segments counted, and its beginning.
    counted: u32,
    since_ms: u64,
    is_open: bool,
    started: bool,
}

impl Htcp {
    /// Whole milliseconds.
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld { rounds_by: Span::from_millis(1), max: Span::MAX };
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Htcp {
            window: RenoWindow::new(parameters),
            alpha: ONE,
            beta: BETA_MIN,
            follows_rtt: false,
            delivered: 1,
            least_rtt_ms: 0,
            greatest_rtt_ms: 0,
            loss_ms: 0,
            rate: 0,
            greatest_rate: 0,
            earlier_rate: 0,
            counted: 0,
            since_ms: 0,
            is_open: true,
            started: false,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn sample(&mut self, ack: &Ack) {
        let now_ms = millis(ack.now);
        if !self.started {
            self.started = true;
            self.loss_ms = now_ms;
        }
        // after the newest loss the growth's clock begins where recovery ends
        if !self.is_open && !ack.in_recovery {
            self.loss_ms = now_ms;
        }
        self.is_open = !ack.in_recovery;
        if self.is_open {
            self.delivered = ack.delivered.0.min(u16::MAX.into());
        }
        if let Some(rtt) = ack.rtt {
            self.sample_rtt(rtt.as_nanos().div_ceil(1_000_000).min(u32::MAX.into()) as u32);
        }
        self.measure_rate(now_ms, ack.delivered.0);
    }

    fn sample_rtt(&mut self, rtt_ms: u32) {
        let rtt_ms = rtt_ms.max(1);
        if self.least_rtt_ms == 0 || rtt_ms < self.least_rtt_ms {
            self.least_rtt_ms = rtt_ms;
        }
        if !self.is_open {
            return;
        }
        self.greatest_rtt_ms = self.greatest_rtt_ms.max(self.least_rtt_ms);
        let most = u64::from(self.greatest_rtt_ms) + RTT_STEP_MS;
        if rtt_ms > self.greatest_rtt_ms && u64::from(rtt_ms) <= most {
            self.greatest_rtt_ms = rtt_ms;
        }
    }

    /// The growth of the window in a round trip.
    fn measure_rate(&mut self, now_ms: u64, delivered: u32) {
        if !self.is_open {
            self.counted = 0;
            self.since_ms = now_ms;
            return;
        }
        self.counted = self.counted.saturating_add(delivered);
        let over_ms = now_ms.saturating_sub(self.since_ms);
        let enough = self.window.get().saturating_sub((self.alpha / ONE).max(1));
        if self.counted < enough || self.least_rtt_ms == 0 || over_ms < u64::from(self.least_rtt_ms) {
            return;
        }
        let rate = (u64::from(self.counted) * SECOND_MS / over_ms).min(u32::MAX.into()) as u32;
        if self.since_loss_ms(now_ms) / u64::from(self.least_rtt_ms) <= 3 {
            // just after a loss
            (self.rate, self.greatest_rate) = (rate, rate);
        } else {
            self.rate = ((3 * u64::from(self.rate) + u64::from(rate)) / 4) as u32;
            self.greatest_rate = self.greatest_rate.max(self.rate);
        }
        self.counted = 0;
        self.since_ms = now_ms;
    }

    fn since_loss_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.loss_ms)
    }

    fn grow(&mut self, ack: &Ack) {
        if self.window.in_slow_start() {
            self.window.slow_start(ack.acked);
            return;
        }
        let grown = u64::from(self.window.counted()) * u64::from(self.alpha) / u64::from(ONE);
        if grown >= u64::from(self.window.get()) {
            self.window.add(1);
            self.update_alpha(millis(ack.now));
        } else {
            self.window.count(self.delivered);
        }
        self.delivered = 1;
    }

    /// The paper's equations 3 to 5: 1 + 10 (t - 1) + ((t - 1)/2)^2 segments a round, t in seconds, over a hundred ms
    /// of RTT each, times 2 (1 - beta), so that the mean is that of Reno.
    fn update_alpha(&mut self, now_ms: u64) {
        let since_ms = self.since_loss_ms(now_ms).min(1 << 24);
        let mut factor = 1;
        if since_ms > SECOND_MS {
            let over_ms = since_ms - SECOND_MS;
            factor = 1 + (10 * over_ms + (over_ms / 2) * (over_ms / 2) / SECOND_MS) / SECOND_MS;
        }
        if self.least_rtt_ms > 0 {
            // between 0.5 and 10, in eighths
            let scale = (8 * SECOND_MS / (10 * u64::from(self.least_rtt_ms))).clamp(4, 80);
            factor = (8 * factor / scale).max(1);
        }
        let alpha = 2 * factor * u64::from(ONE - self.beta);
        self.alpha = alpha.min(u32::MAX.into()) as u32;
    }

    /// The paper's section 3.2: by the RTTs where the throughput is within a fifth of that before the loss before.
    fn update_beta(&mut self) {
        let (now, before) = (u64::from(self.greatest_rate), u64::from(self.earlier_rate));
        self.earlier_rate = self.greatest_rate;
        if 5 * now < 4 * before || 5 * now > 6 * before {
            self.beta = BETA_MIN;
            self.follows_rtt = false;
            return;
        }
        if !self.follows_rtt || u64::from(self.least_rtt_ms) <= RTT_MIN_MS || self.greatest_rtt_ms == 0 {
            self.beta = BETA_MIN;
            self.follows_rtt = true;
            return;
        }
        let beta = u64::from(ONE) * u64::from(self.least_rtt_ms) / u64::from(self.greatest_rtt_ms);
        self.beta = (beta as u32).clamp(BETA_MIN, BETA_MAX);
    }

    fn after_loss(&mut self, now: Time) -> u32 {
        let now_ms = millis(now);
        self.update_beta();
        self.update_alpha(now_ms);
        if self.least_rtt_ms > 0 && self.greatest_rtt_ms > self.least_rtt_ms {
            // the greatest RTT fades, so that another path is noticed
            let above = u64::from(self.greatest_rtt_ms - self.least_rtt_ms) * 95 / 100;
            self.greatest_rtt_ms = self.least_rtt_ms + above as u32;
        }
        self.is_open = false;
        self.loss_ms = now_ms;
        (u64::from(self.window.get()) * u64::from(self.beta) / u64::from(ONE)) as u32
    }
}

fn millis(time: Time) -> u64 {
    time.as_nanos() / 1_000_000
}

impl CongestionControl for Htcp {
    fn on_ack(&mut self, ack: &Ack) {
        self.sample(ack);
        if ack.may_grow() && ack.window_limited {
            self.grow(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = if loss.threshold_holds { self.window.get() } else { self.after_loss(loss.now) };
        self.window.answer(loss, window);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window.undo(&before.window);
        self.loss_ms = before.loss_ms;
        self.greatest_rtt_ms = before.greatest_rtt_ms;
        self.earlier_rate = before.earlier_rate;
    }

    fn on_unused(&mut self, most: Window) {
        self.window.unused(most);
    }

    fn on_path_change(&mut self, _next: SendIndex, now: Time) {
        self.least_rtt_ms = 0;
        self.greatest_rtt_ms = 0;
        self.counted = 0;
        self.since_ms = millis(now);
    }

    fn output(&self) -> Output {
        self.window.output()
    }

    fn status(&self) -> Status {
        let base_rtt = (self.least_rtt_ms > 0).then(|| Span::from_millis(self.least_rtt_ms.into()));
        Status { base_rtt, ..self.window.status(UNKNOWN_US) }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("alpha_per_128", self.alpha.into());
        out("beta_per_128", self.beta.into());
        out("rate_segments_per_second", self.rate.into());
        out("greatest_rtt_ms", self.greatest_rtt_ms.into());
    }
}

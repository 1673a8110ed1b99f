//! H-TCP (Leith and Shorten, PFLDnet 2004; Linux, `net/ipv4/tcp_htcp.c` with its defaults): one second after a loss the
//! increase begins to grow with the square of the time since, scaled by the RTT; the decrease is the least RTT over the
//! greatest, which just empties the queue, where the throughput before two losses was about equal.
//!
//! Times are in the kernel's ticks.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::ticks::{Clock, Ticks};
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
/// A greatest RTT grows by this at most at once.
const RTT_STEP: Span = Span::from_millis(20);
/// At a shorter RTT the decrease does not follow it.
const RTT_MIN: Span = Span::from_millis(10);

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Htcp {
    window: RenoWindow,
    clock: Clock,
    alpha: u32,
    beta: u32,
    /// The decrease may follow the RTT: it was steady at the loss before.
    follows_rtt: bool,
    /// Segments that the newest acknowledgement delivered, until they are counted.
    delivered: u32,
    /// In ticks, 0 before the first sample.
    least_rtt: Ticks,
    greatest_rtt: Ticks,
    /// When the newest loss was found, in ticks.
    loss: Ticks,
    throughput: Throughput,
    is_open: bool,
    started: bool,
}

/// The throughput, segments a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Throughput {
    smoothed: u32,
    /// The greatest since the newest loss, and before it.
    greatest: u32,
    earlier: u32,
    /// The segments counted, and since when.
    counted: u32,
    since: Ticks,
}

impl Htcp {
    /// Whole ticks.
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld { rounds_by: Clock::LONGEST, max: Span::MAX };
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Htcp {
            window: RenoWindow::new(parameters),
            clock: Clock::new(parameters.ticks_per_second),
            alpha: ONE,
            beta: BETA_MIN,
            follows_rtt: false,
            delivered: 1,
            least_rtt: 0,
            greatest_rtt: 0,
            loss: 0,
            throughput: Throughput::default(),
            is_open: true,
            started: false,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn sample(&mut self, ack: &Ack) {
        let now = self.clock.at(ack.now);
        if !self.started {
            self.started = true;
            self.loss = self.clock.at_establishment(ack.now, ack.rtt);
        }
        // after the newest loss the growth's clock begins where recovery ends
        if !self.is_open && !ack.in_recovery {
            self.loss = now;
        }
        self.is_open = !ack.in_recovery;
        if self.is_open {
            self.delivered = ack.delivered.0.min(u16::MAX.into());
        }
        if let Some(rtt) = ack.rtt {
            self.sample_rtt(self.clock.covering(rtt));
        }
        self.measure_rate(now, ack.delivered.0);
    }

    fn sample_rtt(&mut self, rtt: Ticks) {
        if self.least_rtt == 0 || rtt < self.least_rtt {
            self.least_rtt = rtt;
        }
        if !self.is_open {
            return;
        }
        self.greatest_rtt = self.greatest_rtt.max(self.least_rtt);
        if rtt > self.greatest_rtt && rtt <= self.greatest_rtt.saturating_add(self.clock.covering(RTT_STEP)) {
            self.greatest_rtt = rtt;
        }
    }

    /// The growth of the window in a round trip.
    fn measure_rate(&mut self, now: Ticks, delivered: u32) {
        if !self.is_open {
            self.throughput.counted = 0;
            self.throughput.since = now;
            return;
        }
        self.throughput.counted = self.throughput.counted.saturating_add(delivered);
        let over = now.wrapping_sub(self.throughput.since);
        let enough = self.window.get().saturating_sub((self.alpha / ONE).max(1));
        if self.throughput.counted < enough || self.least_rtt == 0 || over < self.least_rtt {
            return;
        }
        let rate = (u64::from(self.throughput.counted) * u64::from(self.clock.second()) / u64::from(over))
            .min(u32::MAX.into()) as u32;
        if self.since_loss(now) / self.least_rtt <= 3 {
            // just after a loss
            (self.throughput.smoothed, self.throughput.greatest) = (rate, rate);
        } else {
            self.throughput.smoothed = ((3 * u64::from(self.throughput.smoothed) + u64::from(rate)) / 4) as u32;
            self.throughput.greatest = self.throughput.greatest.max(self.throughput.smoothed);
        }
        self.throughput.counted = 0;
        self.throughput.since = now;
    }

    fn since_loss(&self, now: Ticks) -> Ticks {
        now.wrapping_sub(self.loss)
    }

    fn grow(&mut self, ack: &Ack) {
        if self.window.in_slow_start() {
            self.window.slow_start(ack.acked);
            return;
        }
        let grown = u64::from(self.window.counted()) * u64::from(self.alpha) / u64::from(ONE);
        if grown >= u64::from(self.window.get()) {
            self.window.add(1);
            self.update_alpha(self.clock.at(ack.now));
        } else {
            self.window.count(self.delivered);
        }
        self.delivered = 1;
    }

    /// The paper's equations 3 to 5: 1 + 10 (t - 1) + ((t - 1)/2)^2 segments a round, t in seconds, over a hundred ms
    /// of RTT each, times 2 (1 - beta), so that the mean is that of Reno.
    fn update_alpha(&mut self, now: Ticks) {
        let (since, second) = (u64::from(self.since_loss(now)).min(1 << 24), u64::from(self.clock.second()));
        let mut factor = 1;
        if since > second {
            let over = since - second;
            factor = 1 + (10 * over + (over / 2) * (over / 2) / second) / second;
        }
        if self.least_rtt > 0 {
            // between 0.5 and 10, in eighths
            let scale = (8 * second / (10 * u64::from(self.least_rtt))).clamp(4, 80);
            factor = (8 * factor / scale).max(1);
        }
        let alpha = 2 * factor * u64::from(ONE - self.beta);
        self.alpha = alpha.min(u32::MAX.into()) as u32;
    }

    /// The paper's section 3.2: by the RTTs where the throughput is within a fifth of that before the loss before.
    fn update_beta(&mut self) {
        let (now, before) = (u64::from(self.throughput.greatest), u64::from(self.throughput.earlier));
        self.throughput.earlier = self.throughput.greatest;
        if 5 * now < 4 * before || 5 * now > 6 * before {
            self.beta = BETA_MIN;
            self.follows_rtt = false;
            return;
        }
        if !self.follows_rtt || self.least_rtt <= self.clock.covering(RTT_MIN) || self.greatest_rtt == 0 {
            self.beta = BETA_MIN;
            self.follows_rtt = true;
            return;
        }
        let beta = u64::from(ONE) * u64::from(self.least_rtt) / u64::from(self.greatest_rtt);
        self.beta = (beta as u32).clamp(BETA_MIN, BETA_MAX);
    }

    fn after_loss(&mut self, now: Time) -> u32 {
        let now = self.clock.at(now);
        self.update_beta();
        self.update_alpha(now);
        if self.least_rtt > 0 && self.greatest_rtt > self.least_rtt {
            // the greatest RTT fades, so that another path is noticed
            let above = u64::from(self.greatest_rtt - self.least_rtt) * 95 / 100;
            self.greatest_rtt = self.least_rtt + above as Ticks;
        }
        self.is_open = false;
        self.loss = now;
        (u64::from(self.window.get()) * u64::from(self.beta) / u64::from(ONE)) as u32
    }
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
        self.loss = before.loss;
        self.greatest_rtt = before.greatest_rtt;
        self.throughput.earlier = before.throughput.earlier;
    }

    fn on_unused(&mut self, most: Window) {
        self.window.unused(most);
    }

    fn on_path_change(&mut self, _next: SendIndex, now: Time) {
        self.least_rtt = 0;
        self.greatest_rtt = 0;
        self.throughput.counted = 0;
        self.throughput.since = self.clock.at(now);
    }

    fn output(&self) -> Output {
        self.window.output()
    }

    fn status(&self) -> Status {
        let base_rtt = (self.least_rtt > 0).then(|| self.clock.span(self.least_rtt));
        Status { base_rtt, ..self.window.status(UNKNOWN_US) }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("alpha_per_128", self.alpha.into());
        out("beta_per_128", self.beta.into());
        out("rate_segments_per_second", self.throughput.smoothed.into());
        out("greatest_rtt_ticks", self.greatest_rtt.into());
    }
}

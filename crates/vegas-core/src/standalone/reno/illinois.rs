//! TCP-Illinois (Liu, Basar and Srikant 2008; Linux, `net/ipv4/tcp_illinois.c`): losses say when the window shrinks,
//! the queueing delay how much, and how fast it grows. Increase alpha is 10 on an empty path and 0.3 where the queue is
//! as long as it ever was; decrease beta goes from an eighth to a half.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Status};
use crate::standalone::reno::reno_window::{InOrder, RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "illinois",
    summary: "Reno whose increase falls and whose decrease grows with the queueing delay, from 10 to 0.3 and 1/8 to 1/2",
    source: "Liu, Basar and Srikant 2008; Linux, net/ipv4/tcp_illinois.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Segments a round, in 128ths: 0.3 to 10, and Reno's.
const ALPHA_SHIFT: u32 = 7;
const ALPHA_MIN: u32 = 3 * (1 << ALPHA_SHIFT) / 10;
const ALPHA_MAX: u32 = 10 << ALPHA_SHIFT;
const ALPHA_RENO: u32 = 1 << ALPHA_SHIFT;
/// Of the window, in 64ths: an eighth to a half, which is Reno's.
const BETA_SHIFT: u32 = 6;
const BETA_MIN: u32 = 8;
const BETA_MAX: u32 = 32;
/// Below this window both are Reno's.
const WINDOW_MIN: u32 = 15;
/// Rounds of short delay before the greatest alpha comes back.
const ROUNDS_MIN: u8 = 5;
/// The longest RTT that is distinguished: products with alpha fit 32 bits.
const RTT_MAX_US: u32 = u32::MAX / ALPHA_MAX;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Illinois {
    window: RenoWindow,
    base_rtt_us: u32,
    max_rtt_us: u32,
    /// The samples of the round.
    sum_us: u64,
    samples: u32,
    round_end: SendIndex,
    alpha: u32,
    beta: u32,
    acknowledged: InOrder,
    /// Of the newest acknowledgement, until they are counted.
    in_order: u32,
    /// The delay was above a hundredth of its range.
    was_above: bool,
    rounds_below: u8,
}

impl Illinois {
    /// 2^32 - 1 microseconds over alpha_max in its fixed point, 10 * 2^7: tcp_illinois.c
    pub(crate) const BASE_RTT_HELD: BaseRttHeld =
        BaseRttHeld { max: Span::from_micros(3_355_443), ..BaseRttHeld::MICROS };
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Illinois {
            window: RenoWindow::new(parameters),
            base_rtt_us: UNKNOWN_US,
            max_rtt_us: 0,
            sum_us: 0,
            samples: 0,
            round_end: SendIndex(0),
            alpha: ALPHA_MAX,
            beta: BETA_MAX,
            acknowledged: InOrder::default(),
            in_order: 0,
            was_above: false,
            rounds_below: 0,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn sample(&mut self, ack: &Ack) {
        self.in_order = self.acknowledged.count(ack).min(u16::MAX.into());
        let Some(rtt) = ack.rtt else { return };
        let rtt_us = micros(rtt).min(RTT_MAX_US);
        self.base_rtt_us = self.base_rtt_us.min(rtt_us);
        self.max_rtt_us = self.max_rtt_us.max(rtt_us);
        self.samples = self.samples.saturating_add(1);
        self.sum_us = self.sum_us.saturating_add(rtt_us.into());
    }

    fn end_round(&mut self, next: SendIndex) {
        if self.window.get() < WINDOW_MIN {
            (self.alpha, self.beta) = (ALPHA_RENO, BETA_MAX);
        } else if self.samples > 0 {
            let range = self.max_rtt_us - self.base_rtt_us;
            let delay = (self.sum_us / u64::from(self.samples)) as u32 - self.base_rtt_us;
            self.alpha = self.alpha_at(delay, range);
            self.beta = beta_at(delay, range);
        }
        self.begin_round(next);
    }

    fn begin_round(&mut self, next: SendIndex) {
        self.round_end = next;
        self.samples = 0;
        self.sum_us = 0;
    }

    /// The paper's equation 3: kappa1 / (kappa2 + delay), continuous where it meets the greatest one.
    fn alpha_at(&mut self, delay: u32, range: u32) -> u32 {
        let short = range / 100;
        if delay <= short {
            if !self.was_above {
                return ALPHA_MAX;
            }
            self.rounds_below += 1;
            if self.rounds_below < ROUNDS_MIN {
                return self.alpha;
            }
            self.rounds_below = 0;
            self.was_above = false;
            return ALPHA_MAX;
        }
        self.was_above = true;
        let (delay, range) = (delay - short, range - short);
        range * ALPHA_MAX / (range + delay * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN).max(1)
    }

    fn grow(&mut self, acked: Segments) {
        if self.window.in_slow_start() {
            self.window.slow_start(acked);
            return;
        }
        self.window.count(self.in_order);
        // 1 for the next acknowledgement unless it says otherwise
        self.in_order = 1;
        let more = (u64::from(self.window.counted()) * u64::from(self.alpha)) >> ALPHA_SHIFT;
        let segments = more / u64::from(self.window.get());
        if segments > 0 {
            self.window.add(u32::try_from(segments).unwrap_or(u32::MAX));
        }
    }

    fn after_loss(&self) -> u32 {
        let window = u64::from(self.window.get());
        (window - ((window * u64::from(self.beta)) >> BETA_SHIFT)) as u32
    }
}

/// The paper's equation 4: flat up to a tenth of the range and from eight tenths on, straight in between.
fn beta_at(delay: u32, range: u32) -> u32 {
    let (low, high) = (range / 10, (u64::from(range) * 8 / 10) as u32);
    if delay <= low {
        return BETA_MIN;
    }
    if delay >= high || high <= low {
        return BETA_MAX;
    }
    (BETA_MIN * (high - delay) + BETA_MAX * (delay - low)) / (high - low)
}

impl CongestionControl for Illinois {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        self.sample(ack);
        if !ack.may_grow() {
            return;
        }
        // the kernel compares what comes next
        if ack.newest.0.saturating_add(1) > self.round_end.0 {
            self.end_round(ack.next);
        }
        if ack.window_limited {
            self.grow(ack.acked);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.after_loss();
        self.window.answer(loss, window);
        if loss.kind == LossKind::Timeout {
            (self.alpha, self.beta) = (ALPHA_RENO, BETA_MAX);
            (self.was_above, self.rounds_below) = (false, 0);
            self.begin_round(loss.next);
        }
    }

    fn on_path_change(&mut self, next: SendIndex, _now: Time) {
        self.base_rtt_us = UNKNOWN_US;
        self.max_rtt_us = 0;
        self.begin_round(next);
    }

    fn status(&self) -> Status {
        self.window.status(self.base_rtt_us)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("alpha_per_128", self.alpha.into());
        out("beta_per_64", self.beta.into());
        out("max_rtt_us", self.max_rtt_us.into());
    }
}

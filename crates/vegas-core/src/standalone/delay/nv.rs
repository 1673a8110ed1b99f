//! TCP-NV, "New Vegas" (L. Brakmo, netdev 0.1 and 1.1; Linux, `net/ipv4/tcp_nv.c` with its default numbers).
//!
//! Once a round the greatest rate of the round, delivered since sent / smoothed RTT, times the least RTT gives the
//! window that needs no queue. Above it by more than a pad of ten the window shrinks, below it by two less than the pad
//! it may grow as Reno's does. Either needs enough samples: what a few acknowledgements say, receivers and network
//! cards that gather packets make too uncertain. The least RTT is measured again after some seconds, a random span so
//! that flows do not do it together.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Status};
use crate::standalone::random::Random;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Span, Time, Window, product};

pub(crate) const PRESET: Preset = Preset {
    name: "nv",
    summary: "Vegas for data centres: the window that the measured rate needs, and ten segments; judges many samples at once",
    source: "Brakmo: TCP-NV; Linux, net/ipv4/tcp_nv.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Segments that the window may exceed the one without a queue (`nv_pad`), and how much less lets it grow
/// (`nv_pad_buffer`).
const PAD: u32 = 10;
const PAD_BUFFER: u32 = 2;
/// Part of the excess that is taken off (`nv_cong_dec_mult`): 30 % in 128ths.
const DECREASE_128THS: u32 = 30 * 128 / 100;
/// After a loss the window is 80 % (`nv_loss_dec_factor`), in 1024ths.
const LOSS_1024THS: u64 = 819;
/// The newest sample's weight in the smoothed RTT (`nv_rtt_factor`), in 256ths.
const SMOOTHING_256THS: u64 = 128;
/// Samples before a round decides (`nv_inc_eval_min_calls`, `nv_dec_eval_min_calls`, `nv_ssthresh_eval_min_calls`).
const SAMPLES_TO_GROW: u8 = 20;
const SAMPLES_TO_SHRINK: u8 = 60;
const SAMPLES_TO_LEAVE_SLOW_START: u8 = 30;
/// Rounds before the window may shrink (`nv_rtt_min_cnt`), and after which it stops growing meanwhile
/// (`nv_stop_rtt_cnt`).
const ROUNDS_TO_SHRINK: u8 = 2;
const ROUNDS_TO_STOP: u8 = 10;
/// Rounds without congestion after which slowed growth doubles (`nv_cwnd_growth_rate_neg`), and how slow it becomes.
const ROUNDS_TO_QUICKEN: u8 = 8;
const SLOWEST: i8 = -8;
/// How long the least RTT counts (`nv_reset_period`), the first one for two seconds.
const PERIOD: Span = Span::from_secs(5);
const FIRST_PERIOD: Span = Span::from_secs(2);
/// The least window that answers congestion (`nv_min_cwnd`).
const WINDOW_MIN: u32 = 2;
/// Segments that the hosts may gather into one acknowledgement: at first, more where only one comes a round, and at
/// most (`NV_MIN_CWND`, `NV_MIN_CWND_GROW`, `NV_TSO_CWND_BOUND`).
const GATHERED_MIN: u32 = 4;
const GATHERED_STEP: u32 = 2;
const GATHERED_MAX: u32 = 81;

/// Rates are rounded down to this part of a segment in a microsecond: the kernel's 100 bit/s at segments of 1000 bytes.
const RATE_UNIT: u64 = 80_000 * 1_000;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nv {
    window: RenoWindow,
    random: Random,
    /// When the least RTT is measured again.
    renewed_at: Time,
    /// The round ends when this is acknowledged.
    round_end: SendIndex,
    /// The oldest segment that is not acknowledged.
    oldest: SendIndex,
    /// The smoothed RTT; 0 before the first sample.
    rtt_us: u32,
    least_rtt_us: u32,
    /// The least RTT of the period that counts next.
    next_least_rtt_us: u32,
    /// The greatest rate since the last decision, in [`RATE_UNIT`].
    rate: u64,
    /// Segments that hosts seem to gather.
    gathered: u32,
    samples: u8,
    rounds: u8,
    rounds_without_congestion: u8,
    /// Below 0 the window grows by a segment in 2^-n windows.
    growth: i8,
    may_grow: bool,
    /// A loss has been answered: counts begin again once recovery is over.
    begins_anew: bool,
    started: bool,
}

impl Nv {
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;
    pub(crate) const NEEDS: Needs = Needs { rate: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, seed: u64) -> Self {
        Nv {
            window: RenoWindow::new(parameters),
            random: Random::new(seed),
            renewed_at: Time::ZERO,
            round_end: SendIndex(0),
            oldest: SendIndex(0),
            rtt_us: 0,
            least_rtt_us: UNKNOWN_US,
            next_least_rtt_us: UNKNOWN_US,
            rate: 0,
            gathered: GATHERED_MIN,
            samples: 0,
            rounds: 0,
            rounds_without_congestion: 0,
            growth: 0,
            may_grow: true,
            begins_anew: false,
            started: false,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn begin_anew(&mut self) {
        self.begins_anew = false;
        self.rounds_without_congestion = 0;
        self.rounds = 0;
        self.rtt_us = 0;
        self.rate = 0;
        self.samples = 0;
        self.round_end = self.oldest;
    }

    /// Measures with each acknowledgement, and decides once a round.
    fn measure(&mut self, ack: &Ack) {
        let oldest = SendIndex(ack.newest.0.saturating_add(1));
        let acked = oldest.since(self.oldest);
        self.oldest = oldest;
        if !self.started {
            self.started = true;
            self.renewed_at = ack.now + FIRST_PERIOD;
        }
        if self.begins_anew {
            self.begin_anew();
        }
        let (Some(rtt), Some(rate)) = (ack.rtt, ack.rate) else { return };
        let rtt_us = self.smoothed(micros(rtt));
        self.rate = self.rate.max(rate.delivered.as_u64() * RATE_UNIT / u64::from(rtt_us));
        self.samples = self.samples.saturating_add(1);
        self.least_rtt_us = self.least_rtt_us.min(rtt_us);
        self.next_least_rtt_us = self.next_least_rtt_us.min(rtt_us);
        if ack.now >= self.renewed_at {
            self.renew_least_rtt(ack.now);
        }
        if self.round_end < self.oldest {
            self.end_round(ack, acked);
        }
    }

    /// The first sample after a restart counts whole, and then the least RTT is at most twice that.
    fn smoothed(&mut self, rtt_us: u32) -> u32 {
        self.rtt_us = match self.rtt_us {
            0 => {
                self.least_rtt_us = rtt_us.saturating_mul(2);
                rtt_us
            }
            before => {
                let sum = u64::from(rtt_us) * SMOOTHING_256THS + u64::from(before) * (256 - SMOOTHING_256THS);
                (sum / 256) as u32
            }
        };
        self.rtt_us
    }

    /// Three to five quarters of the period later again.
    fn renew_least_rtt(&mut self, now: Time) {
        self.least_rtt_us = self.next_least_rtt_us;
        self.next_least_rtt_us = UNKNOWN_US;
        let parts = 384 + u64::from(self.random.byte());
        self.renewed_at = now + Span::from_nanos(PERIOD.as_nanos() / 512 * parts);
        self.gathered = (self.gathered / 2).max(GATHERED_MIN);
    }

    fn end_round(&mut self, ack: &Ack, acked: Segments) {
        self.round_end = ack.next;
        self.rounds = self.rounds.saturating_add(1);
        if self.samples == 1 && acked.0 >= self.gathered - 1 && self.gathered < GATHERED_MAX {
            // one acknowledgement a round: the window is too small for what the hosts gather
            self.gathered = (self.gathered + GATHERED_STEP).min(GATHERED_MAX);
            self.round_end = SendIndex(ack.next.0.saturating_add(self.gathered.into()));
            self.samples = 0;
            self.may_grow = true;
            return;
        }
        let without_queue = product(self.rate, self.least_rtt_us.into()) / RATE_UNIT;
        let most = u32::try_from(without_queue).unwrap_or(u32::MAX).saturating_add(PAD);
        let decided = if self.window.get() > most {
            self.answers_congestion(most)
        } else {
            self.window.get() <= most - PAD_BUFFER && self.grows_on()
        };
        if decided {
            self.samples = 0;
            self.rounds = 0;
            self.rate = 0;
        }
    }

    /// Whether there were enough samples to make the window smaller.
    fn answers_congestion(&mut self, most: u32) -> bool {
        if self.rounds < ROUNDS_TO_SHRINK {
            return false;
        }
        let in_first_slow_start = self.window.ssthresh().is_none();
        if in_first_slow_start && self.samples < SAMPLES_TO_LEAVE_SLOW_START {
            return false;
        }
        if !in_first_slow_start && self.samples < SAMPLES_TO_SHRINK {
            self.may_grow &= self.rounds <= ROUNDS_TO_STOP;
            return false;
        }
        self.may_grow = false;
        let window = self.window.get();
        let window = match window - most {
            0..=2 => most,
            above => window - (above * DECREASE_128THS / 128).max(2),
        };
        self.window.steer(window.max(WINDOW_MIN), most);
        self.growth = self.growth.min(0);
        self.rounds_without_congestion = 0;
        true
    }

    /// Whether there were enough samples to let the window grow.
    fn grows_on(&mut self) -> bool {
        if self.samples < SAMPLES_TO_GROW {
            return false;
        }
        self.may_grow = true;
        self.rounds_without_congestion = self.rounds_without_congestion.saturating_add(1);
        if self.growth < 0 && self.rounds_without_congestion > ROUNDS_TO_QUICKEN {
            self.growth += 1;
            self.rounds_without_congestion = 0;
        }
        true
    }

    fn grow(&mut self, ack: &Ack) {
        if !ack.window_limited || !self.may_grow || !ack.may_grow() {
            return;
        }
        let left = if self.window.in_slow_start() { self.window.slow_start(ack.acked) } else { ack.acked };
        if left > Segments(0) {
            let per = self.window.get().saturating_mul(1 << self.growth.unsigned_abs());
            self.window.add_one_per(per.max(4), left);
        }
    }
}

impl CongestionControl for Nv {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        if ack.in_recovery || ack.acked == Segments(0) {
            return;
        }
        self.measure(ack);
        self.grow(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = (u64::from(self.window.get()) * LOSS_1024THS / 1024) as u32;
        self.begins_anew = true;
        self.may_grow = false;
        self.window.answer(loss, window);
        if loss.kind == LossKind::Timeout {
            self.growth = (self.growth.min(0) - 1).max(SLOWEST);
        }
    }

    fn on_path_change(&mut self, next: SendIndex, _now: Time) {
        self.oldest = next;
        self.begin_anew();
        self.next_least_rtt_us = UNKNOWN_US;
    }

    fn status(&self) -> Status {
        self.window.status(self.least_rtt_us)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("smoothed_rtt_us", self.rtt_us.into());
        out("least_rtt_us", if self.least_rtt_us == UNKNOWN_US { -1 } else { self.least_rtt_us.into() });
        out("samples", self.samples.into());
        out("rounds", self.rounds.into());
        out("may_grow", self.may_grow.into());
        out("growth", self.growth.into());
        out("gathered_segments", self.gathered.into());
    }
}

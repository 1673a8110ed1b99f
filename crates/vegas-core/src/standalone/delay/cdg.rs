//! CDG, CAIA delay-gradient TCP (Hayes and Armitage, IFIP Networking 2011; Linux, `net/ipv4/tcp_cdg.c` with its default
//! numbers): Reno that backs off where the RTT rises, whatever it is.
//!
//! Once a round the growth of the round's least and greatest RTT is added up over eight rounds. Where the sum g is
//! above 0, the window backs off to 0.707 with probability 1 - e^(-0.042 g), g in ms, so that flows do not do it
//! together (section 3.1); after five that did not help, it does not until one helps (3.3). A loss halves the window,
//! but not below half of a shadow window, which did not back off (3.2). Slow start ends by Hybrid Slow Start's two
//! signs.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Restart, Status};
use crate::standalone::random::Random;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Span, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "cdg",
    summary: "Reno that backs off by chance where RTTs rise from round to round, and tells chance losses by a shadow window",
    source: "Hayes and Armitage 2011; Linux, net/ipv4/tcp_cdg.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Rounds of gradients that are added up (`window`).
const ROUNDS: usize = 8;
/// What the window becomes (`backoff_beta`, the root of a half), in 1024ths.
const BACKOFF_1024THS: u64 = 724;
/// Millionths of the exponent for each us (`backoff_factor`).
const EXPONENT_PER_US: u32 = 42;
/// Back-offs without effect before they stop (`use_ineff`).
const INEFFECTUAL_MAX: u8 = 5;
/// A sum that falls by this shows an effect.
const EFFECT_US: i32 = 32;
/// Hybrid slow start: acknowledgements closer together are a train; samples before the least RTT of a round counts; the
/// least that either needs.
const TRAIN_GAP: Span = Span::from_micros(3_000);
const SAMPLES_MIN: u8 = 8;
const HYSTART_MIN_US: u32 = 125;
/// Acknowledgements of several segments that are remembered, so that as many of one are taken for delayed ones.
const DELAYED_MAX: u8 = 5;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cdg {
    window: RenoWindow,
    random: Random,
    hystart: HyStart,
    gradients: Gradients,
    /// The RTTs of this round and of the previous one; zero if there are none.
    round: Range,
    round_before: Range,
    round_end: SendIndex,
    /// After a back-off the window does not change until this is acknowledged; after a recovery until the next one.
    settles_at: Option<SendIndex>,
    /// The window as it would be without back-offs.
    shadow: u32,
    ineffectual: u8,
    delayed: u8,
}

/// A least and a greatest time, us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Range {
    least: i32,
    greatest: i32,
}

/// The growth of RTTs from round to round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gradients {
    rounds: [Range; ROUNDS],
    sum: Range,
    next: u8,
    is_full: bool,
}

/// Hybrid slow start: the two tests that end slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HyStart {
    least_us: u32,
    /// When the train began, and its newest acknowledgement; none between trains.
    train: Option<(Time, Time)>,
    samples: u8,
}

impl Gradients {
    /// Adds a round; the growth in us over the rounds, extrapolated while there are fewer, and whether the sum fell.
    fn add(&mut self, growth: Range) -> (i32, bool) {
        let at = usize::from(self.next) % ROUNDS;
        let oldest = self.rounds[at];
        self.sum.least = self.sum.least.saturating_add(growth.least).saturating_sub(oldest.least);
        self.sum.greatest = self.sum.greatest.saturating_add(growth.greatest).saturating_sub(oldest.greatest);
        self.rounds[at] = growth;
        self.next = (self.next + 1) % ROUNDS as u8;
        let sum = if self.sum.least > 0 { self.sum.least } else { self.sum.greatest };
        self.is_full |= self.next == 0;
        let growth = if self.is_full { sum } else { sum.saturating_mul(ROUNDS as i32) / i32::from(self.next).max(1) };
        (growth, self.sum.least <= -EFFECT_US || self.sum.greatest <= -EFFECT_US)
    }
}

impl HyStart {
    const NONE: HyStart = HyStart { least_us: UNKNOWN_US, train: None, samples: 0 };

    /// Whether slow start ends; `least_us` is the round's.
    fn ends(&mut self, now: Time, least_us: u32, window_limited: bool) -> bool {
        self.least_us = self.least_us.min(least_us);
        match self.train {
            Some((began, newest)) if window_limited => {
                if now.since(newest) < TRAIN_GAP {
                    self.train = Some((began, now));
                    let half = Span::from_micros((self.least_us / 2).max(HYSTART_MIN_US).into());
                    if now.since(began) > half {
                        return true;
                    }
                }
            }
            _ => self.train = Some((now, now)),
        }
        if self.samples < SAMPLES_MIN {
            self.samples += 1;
            return false;
        }
        least_us > self.least_us.saturating_add(self.least_us / 8).max(HYSTART_MIN_US)
    }
}

/// 2^32 e^(-x / 10^6), less at most a few units: the product of the factors of the binary digits of x.
fn exponential(millionths: u32) -> u32 {
    /// 2^32 e^(-2^n / 10^6).
    const FACTORS: [u32; 24] = [
        4294963001, 4294958706, 4294950116, 4294932936, 4294898577, 4294829859, 4294692427, 4294417575, 4293867925,
        4292768836, 4290571501, 4286180204, 4277411090, 4259926646, 4225171877, 4156510670, 4022517462, 3767350393,
        3304548791, 2542520574, 1505112944, 527446385, 64773413, 976863,
    ];
    if millionths >> FACTORS.len() > 0 {
        return 0;
    }
    let digits = (0..FACTORS.len()).filter(|digit| (millionths >> digit) & 1 == 1);
    digits.fold(u64::from(u32::MAX), |product, digit| (product * u64::from(FACTORS[digit])) >> 32) as u32
}

impl Cdg {
    /// A signed 32 bits of microseconds: tcp_cdg.c
    pub(crate) const BASE_RTT_HELD: BaseRttHeld =
        BaseRttHeld { max: Span::from_micros(i32::MAX as u64), ..BaseRttHeld::MICROS };
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, seed: u64) -> Self {
        Cdg {
            window: RenoWindow::new(parameters),
            random: Random::new(seed),
            hystart: HyStart::NONE,
            gradients: Gradients::default(),
            round: Range::default(),
            round_before: Range::default(),
            round_end: SendIndex(0),
            settles_at: None,
            shadow: parameters.initial_window.0,
            ineffectual: 0,
            delayed: 0,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
        self.shadow = self.window.get();
    }

    /// A single segment's acknowledgement that may have been delayed counts only where it is lower (`delack`).
    fn sample(&mut self, rtt: Span, acked: Segments, has_holes: bool) {
        let rtt_us = micros(rtt).min(i32::MAX as u32) as i32;
        if !has_holes {
            if acked == Segments(1) && self.delayed > 0 {
                self.delayed -= 1;
                self.round.least = self.round.least.min(rtt_us);
                return;
            }
            if acked > Segments(1) {
                self.delayed = (self.delayed + 1).min(DELAYED_MAX);
            }
        }
        self.round.least = if self.round.least == 0 { rtt_us } else { self.round.least.min(rtt_us) };
        self.round.greatest = self.round.greatest.max(rtt_us);
    }

    /// What has been measured of the round is that of the one before.
    fn begin_round(&mut self, next: SendIndex) {
        self.round_end = next;
        self.round_before = self.round;
        self.round = Range::default();
    }

    /// Whether the window backs off.
    fn end_round(&mut self, next: SendIndex) -> bool {
        let growth = Range {
            least: self.round.least.saturating_sub(self.round_before.least),
            greatest: self.round.greatest.saturating_sub(self.round_before.greatest),
        };
        let has_before = self.round_before != Range::default();
        self.begin_round(next);
        self.hystart = HyStart { least_us: self.hystart.least_us, ..HyStart::NONE };
        if !has_before {
            return false;
        }
        let (growth, helped) = self.gradients.add(growth);
        if helped {
            self.ineffectual = 0;
        }
        let exponent = u32::try_from(growth).unwrap_or(0).saturating_mul(EXPONENT_PER_US);
        if exponent == 0 || self.random.word() <= exponential(exponent) {
            return false;
        }
        self.ineffectual = self.ineffectual.saturating_add(1);
        self.ineffectual <= INEFFECTUAL_MAX
    }

    fn back_off(&mut self, next: SendIndex) {
        let window = self.window.get();
        self.shadow = self.shadow.max(window);
        self.window.cut_to((u64::from(window) * BACKOFF_1024THS / 1024) as u32);
        self.settles_at = Some(next);
    }

    fn grow(&mut self, ack: &Ack) {
        if !ack.window_limited {
            self.shadow = self.shadow.min(self.window.get());
            return;
        }
        let before = self.window.get();
        self.window.reno(ack.acked);
        self.shadow = self.shadow.saturating_add(self.window.get() - before);
    }

    /// Rounds begin again: RTTs of before do not count beside those after.
    fn settle(&mut self, next: SendIndex) {
        self.settles_at = None;
        self.begin_round(next);
    }

    fn after_loss(&mut self) -> u32 {
        let window = self.window.get();
        self.shadow = (self.shadow / 2).min(window);
        self.shadow.max(window / 2)
    }
}

impl CongestionControl for Cdg {
    handed_to_window!();

    /// The round-trip time of the SYN is handed to `pkts_acked` before the control is initialised, which leaves it: it
    /// is the first range, and the first round trip of data has a growth.
    fn on_handshake(&mut self, _now: Time, rtt: Span) {
        self.sample(rtt, Segments(1), false);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if self.settles_at.is_some_and(|index| ack.newest >= index) {
            self.settle(ack.next);
        }
        if let Some(rtt) = ack.rtt {
            let has_holes = ack.in_recovery || ack.delivered != ack.acked;
            self.sample(rtt, ack.acked, has_holes);
        }
        if !ack.may_grow() || self.settles_at.is_some() {
            return;
        }
        if self.window.in_slow_start() {
            let least_us = u32::try_from(self.round.least).unwrap_or(0);
            if least_us > 0 && self.hystart.ends(ack.now, least_us, ack.window_limited) {
                self.window.steer(self.window.get(), self.window.get());
            }
        }
        // the kernel compares what comes next
        let is_over = ack.newest.0.saturating_add(1) > self.round_end.0 && self.round != Range::default();
        if is_over && self.end_round(ack.next) {
            self.back_off(ack.next);
        } else {
            self.grow(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = if loss.threshold_holds { self.window.get() } else { self.after_loss() };
        self.settles_at = None;
        self.window.answer(loss, window);
        if loss.kind == LossKind::Timeout {
            self.round_end = loss.next;
        }
    }

    fn on_recovered(&mut self, _now: Time) {
        self.settles_at = Some(SendIndex(0));
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.hystart = HyStart::NONE;
        self.gradients = Gradients::default();
        (self.round, self.round_before) = (Range::default(), Range::default());
        self.round_end = restart.next;
        self.shadow = self.window.get();
        (self.ineffectual, self.delayed) = (0, 0);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.on_restart(&Restart { now, next, idle: Span::ZERO });
    }

    fn status(&self) -> Status {
        self.window.status(self.hystart.least_us)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("gradient_least_us", self.gradients.sum.least.into());
        out("gradient_greatest_us", self.gradients.sum.greatest.into());
        out("shadow_segments", self.shadow.into());
        out("ineffectual", self.ineffectual.into());
    }
}

#[cfg(test)]
mod tests {
    use super::exponential;

    /// e^-0.042 = 0.958870, e^-1 = 0.367879, e^-5 = 0.006738 of 2^32.
    #[test]
    fn the_exponential_falls_as_it_should() {
        assert_eq!(exponential(0), u32::MAX);
        for (millionths, expected) in [(42_000, 4_118_314_000_u32), (1_000_000, 1_580_030_000), (5_000_000, 28_939_000)]
        {
            assert!(exponential(millionths).abs_diff(expected) < 2_000, "{millionths}: {}", exponential(millionths));
        }
        assert_eq!(exponential(1 << 24), 0);
    }
}

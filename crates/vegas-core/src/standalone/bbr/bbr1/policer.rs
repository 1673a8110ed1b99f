//! BBRv1's sampling for policers (`bbr_lt_bw_sampling`): a token bucket lets a burst through, and then loses what
//! exceeds its rate. Two stretches of 4 to 16 rounds, each from loss to loss with a fifth lost, and at rates within an
//! eighth of each other: then their mean is the rate for 48 rounds.

use crate::standalone::bbr::shared::{Bandwidth, ONE, Rounds};
use crate::units::Time;

/// `bbr_lt_intvl_min_rtts`, and four times that.
const ROUNDS_MIN: u32 = 4;
const ROUNDS_MAX: u32 = 4 * ROUNDS_MIN;
/// A fifth (`bbr_lt_loss_thresh`).
const LOSS_256THS: u64 = 50;
/// An eighth, or 4 kb/s, here of 1500 B: a third of a segment a second (`bbr_lt_bw_ratio`, `bbr_lt_bw_diff`).
const NEAR: u32 = ONE / 8;
const NEAR_PER_THREE_SECONDS: u32 = 1;
/// `bbr_lt_bw_max_rtts`.
const ROUNDS_OF_USE: u32 = 48;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Policer {
    /// Segments lost and delivered since the connection began, modulo 2^32.
    lost: u32,
    delivered: u32,
    /// At the beginning of the stretch.
    first: Stretch,
    rounds: u32,
    /// Of the stretch before; 0 before the first.
    rate: Bandwidth,
    samples: bool,
    is_used: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    lost: u32,
    delivered: u32,
    at: Time,
}

impl Policer {
    pub(super) const NONE: Policer = Policer {
        lost: 0,
        delivered: 0,
        first: Stretch { lost: 0, delivered: 0, at: Time::ZERO },
        rounds: 0,
        rate: Bandwidth::NONE,
        samples: false,
        is_used: false,
    };

    /// The rate to keep to.
    pub(super) fn rate(&self) -> Option<Bandwidth> {
        self.is_used.then_some(self.rate)
    }

    pub(super) fn count(&mut self, lost: u32, delivered: u32) {
        self.lost = self.lost.wrapping_add(lost);
        self.delivered = self.delivered.wrapping_add(delivered);
    }

    fn begin_stretch(&mut self, rounds: &Rounds) {
        self.first = Stretch { lost: self.lost, delivered: self.delivered, at: rounds.delivered_at };
        self.rounds = 0;
    }

    pub(super) fn forget(&mut self, rounds: &Rounds) {
        self.rate = Bandwidth::NONE;
        self.is_used = false;
        self.samples = false;
        self.begin_stretch(rounds);
    }

    /// Whether the rate has been kept to for long enough, and probing begins again. `probes`: in PROBE_BW.
    pub(super) fn on_ack(&mut self, rounds: &Rounds, lost: u32, held_back: bool, probes: bool) -> bool {
        if self.is_used {
            self.rounds += u32::from(probes && rounds.starts);
            let over = self.rounds >= ROUNDS_OF_USE && probes && rounds.starts;
            if over {
                self.forget(rounds);
            }
            return over;
        }
        if !self.samples {
            if lost == 0 {
                return false;
            }
            self.begin_stretch(rounds);
            self.samples = true;
        }
        if held_back {
            self.forget(rounds);
            return false;
        }
        self.rounds += u32::from(rounds.starts);
        if self.rounds > ROUNDS_MAX {
            self.forget(rounds);
        } else if self.rounds >= ROUNDS_MIN && lost > 0 {
            self.end_stretch(rounds);
        }
        false
    }

    fn end_stretch(&mut self, rounds: &Rounds) {
        let lost = self.lost.wrapping_sub(self.first.lost);
        let delivered = self.delivered.wrapping_sub(self.first.delivered);
        if delivered == 0 || u64::from(lost) * u64::from(ONE) < LOSS_256THS * u64::from(delivered) {
            return;
        }
        let millis = rounds.delivered_at.since(self.first.at).as_nanos() / 1_000_000;
        if millis == 0 {
            return;
        }
        self.take(Bandwidth::of(delivered, millis * 1_000), rounds);
    }

    /// `bbr_lt_bw_interval_done`.
    fn take(&mut self, rate: Bandwidth, rounds: &Rounds) {
        let before = self.rate;
        if before > Bandwidth::NONE {
            let difference = Bandwidth(rate.0.abs_diff(before.0));
            let is_near =
                difference <= before.part(NEAR) || difference <= Bandwidth::of(NEAR_PER_THREE_SECONDS, 3_000_000);
            if is_near {
                self.rate = Bandwidth(((u64::from(rate.0) + u64::from(before.0)) >> 1) as u32);
                self.is_used = true;
                self.rounds = 0;
                return;
            }
        }
        self.rate = rate;
        self.begin_stretch(rounds);
    }
}

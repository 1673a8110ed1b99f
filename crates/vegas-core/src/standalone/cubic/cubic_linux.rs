//! CUBIC as the Linux kernel has it (`net/ipv4/tcp_cubic.c` with its defaults; RFC 9438): the curve, Reno's window and
//! the cut in whole segments, times in ticks and in 2^-10 s. Before the first loss the window grows by 5 % a round at
//! least. Slow start is the composition's, which is HyStart in the preset.
//!
//! The kernel takes the cube root from a table and one step of Newton's method, 0.2 % off on average; here it is exact.

use crate::composition::Composition;
use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::composition::parts::avoidance::cubic::cube_root;
use crate::composition::parts::slow_start::SlowStart;
use crate::contract::parameters::Parameters;
use crate::contract::ticks::{Clock, Ticks};
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Restart, Status};
use crate::standalone::cubic::growth::{Computed, ONE, UNLOST_PER_MAX, greatest_after_loss, share};
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, Span, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "cubic-linux",
    summary: "CUBIC as Linux has it: whole segments, HyStart by dense acknowledgements, 5 % a round before a loss",
    source: "Linux, net/ipv4/tcp_cubic.c; RFC 9438",
    host: Host::Linux,
    composition: Composition { slow_start: SlowStart::HyStart, ..SACK },
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// C = 410/1024 segment/s^3 (`bic_scale` of 41, in 2^-10 and ten times as fine).
const SCALE: u64 = 410;
/// Of the cube of a time in 2^-10 s, with C.
const CUBE_BITS: u32 = 40;
/// Times on the curve are in 2^-10 s (`BICTCP_HZ`).
const TIME_BITS: u32 = 10;
/// Times from the plateau are cut to 2^18 x 2^-10 s, 256 s, where the curve is 6.7 million segments away and its cube
/// times C fits 63 bits.
const OFFSET_MAX: u64 = (1 << 18) - 1;
/// Of a window a loss leaves 717/1024 (`beta`).
const BETA: u32 = 717;
/// Reno's window gains a segment for 15/8 of the window (`beta_scale`): 8 (1 + beta) / 3 / (1 - beta) in whole numbers.
const RENO_EIGHTHS: u64 = 15;
/// Acknowledged segments for one more, at least.
const PER_MIN: u32 = 2;
/// The curve is below the window: acknowledged windows for one more segment.
const WINDOWS_ON_PLATEAU: u32 = 100;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CubicLinux {
    window: RenoWindow,
    clock: Clock,
    /// `delay_min`, [`UNKNOWN_US`] before the first sample.
    least_rtt_us: u32,
    /// `last_max_cwnd`: the window of the last loss, or less if that was below the one before; 0 before the first and
    /// after a timeout.
    last_max: u32,
    /// Of the congestion avoidance under way; none between a cut and the next growth.
    epoch: Option<Epoch>,
    /// `cnt`: acknowledged segments for one more.
    per: u32,
    computed: Computed,
}

/// A congestion avoidance, from its first acknowledgement on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Epoch {
    began: Ticks,
    /// `bic_origin_point`: the window at the curve's plateau.
    plateau: u32,
    /// `bic_K`: when the curve is there, 2^-10 s after the beginning.
    until_plateau: u32,
    /// `tcp_cwnd`: the window that Reno would have.
    reno: u32,
    /// `ack_cnt`: acknowledged segments that have not yet raised it.
    reno_counted: u64,
}

impl CubicLinux {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        CubicLinux {
            window: RenoWindow::new(parameters),
            clock: Clock::new(parameters.ticks_per_second),
            least_rtt_us: UNKNOWN_US,
            last_max: 0,
            epoch: None,
            per: 0,
            computed: Computed::default(),
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    /// `cubictcp_acked`: samples right after a recovery are left out.
    fn sample(&mut self, now: Ticks, rtt: Span) {
        let is_young = |epoch: Epoch| now.wrapping_sub(epoch.began) < self.clock.second();
        if !self.epoch.is_some_and(is_young) {
            self.least_rtt_us = self.least_rtt_us.min(micros(rtt));
        }
    }

    /// `cubictcp_cong_avoid`.
    fn grow(&mut self, acked: Segments, now: Ticks) {
        let left = if self.window.in_slow_start() { self.window.slow_start(acked) } else { acked };
        if left > Segments(0) {
            self.update(left, now);
            self.window.add_one_per(self.per, left);
        }
    }

    /// `bictcp_update`.
    fn update(&mut self, acked: Segments, now: Ticks) {
        let window = self.window.get();
        if let Some(epoch) = &mut self.epoch {
            epoch.reno_counted += u64::from(acked.0);
        }
        if !self.computed.is_old(window, now, self.clock) {
            return;
        }
        if self.epoch.is_none() || !self.computed.is_at(now) {
            self.computed = Computed::of(window, now);
            let epoch = *self.epoch.get_or_insert_with(|| Epoch::begin(window, self.last_max, acked, now));
            self.per = per(window, epoch.target(now, self.clock, self.least_rtt_us));
            if self.last_max == 0 {
                self.per = self.per.min(UNLOST_PER_MAX);
            }
        }
        if let Some(epoch) = &mut self.epoch {
            self.per = self.per.min(epoch.per_as_reno(window)).max(PER_MIN);
        }
    }

    /// `cubictcp_recalc_ssthresh`.
    fn after_loss(&mut self) -> u32 {
        let window = self.window.get();
        self.epoch = None;
        self.last_max = greatest_after_loss(window, self.last_max, BETA);
        share(window, BETA, ONE)
    }
}

impl Epoch {
    fn begin(window: u32, last_max: u32, acked: Segments, now: Ticks) -> Self {
        let missing = u64::from(last_max.saturating_sub(window));
        Epoch {
            began: now,
            plateau: last_max.max(window),
            until_plateau: cube_root(missing * ((1 << CUBE_BITS) / SCALE)) as u32,
            reno: window,
            reno_counted: acked.0.into(),
        }
    }

    /// The curve a least round trip ahead.
    fn target(&self, now: Ticks, clock: Clock, least_rtt_us: u32) -> u32 {
        let ahead = if least_rtt_us == UNKNOWN_US { 0 } else { clock.covering(Span::from_micros(least_rtt_us.into())) };
        let ticks = u64::from(now.wrapping_sub(self.began)) + u64::from(ahead);
        let time = (ticks << TIME_BITS) / u64::from(clock.second());
        let until = u64::from(self.until_plateau);
        let offset = time.abs_diff(until).min(OFFSET_MAX);
        let apart = (SCALE * offset * offset * offset) >> CUBE_BITS;
        let apart = u32::try_from(apart).unwrap_or(u32::MAX);
        if time < until { self.plateau.saturating_sub(apart) } else { self.plateau.saturating_add(apart) }
    }

    /// Acknowledged segments for one more, so that the window is soon where Reno's is.
    fn per_as_reno(&mut self, window: u32) -> u32 {
        let of_segment = u64::from(window) * RENO_EIGHTHS / 8;
        // the kernel takes it off while there is more than that, and keeps what is exactly that
        let gained = self.reno_counted.saturating_sub(1) / of_segment.max(1);
        self.reno_counted -= gained * of_segment;
        self.reno = u32::try_from(u64::from(self.reno) + gained).unwrap_or(u32::MAX);
        window.checked_div(self.reno.saturating_sub(window)).unwrap_or(u32::MAX)
    }
}

fn per(window: u32, target: u32) -> u32 {
    let missing = target.saturating_sub(window);
    window.checked_div(missing).unwrap_or(window.saturating_mul(WINDOWS_ON_PLATEAU))
}

impl CongestionControl for CubicLinux {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        let now = self.clock.at(ack.now);
        if let Some(rtt) = ack.rtt {
            self.sample(now, rtt);
        }
        if ack.may_grow() && ack.window_limited {
            self.grow(ack.acked, now);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.after_loss();
        self.window.answer(loss, window);
        if loss.kind == LossKind::Timeout {
            *self = CubicLinux { window: self.window, clock: self.clock, ..CubicLinux::start(&PRESET.parameters, 0) };
        }
    }

    /// Silence does not count (`cubictcp_cwnd_event`).
    fn on_restart(&mut self, restart: &Restart) {
        let now = self.clock.at(restart.now);
        if let Some(epoch) = &mut self.epoch {
            let elapsed = now.wrapping_sub(epoch.began);
            epoch.began = epoch.began.wrapping_add(self.clock.covering(restart.idle).min(elapsed));
        }
    }

    fn status(&self) -> Status {
        self.window.status(self.least_rtt_us)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("last_max_segments", self.last_max.into());
        out("segments_per_increase", self.per.into());
        out("reno_segments", self.epoch.map_or(0, |epoch| epoch.reno).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, window 100 cut to 70: K = cbrt(30 x 1024 / 410) s = 4.2158 s, or 4316 x 2^-10 s. The curve is 410 x
    /// 4316^3 / 2^40 = 29.98 below 100 at first, of which 29 count.
    #[test]
    fn the_curve_of_a_cut_from_100_is_in_whole_segments() {
        let clock = Clock::new(PRESET.parameters.ticks_per_second);
        let epoch = Epoch::begin(70, 100, Segments(1), 0);
        assert_eq!((epoch.until_plateau, epoch.plateau), (4316, 100));
        let second = clock.second();
        let targets = [0, 4 * second, 5 * second, 7 * second].map(|now| epoch.target(now, clock, UNKNOWN_US));
        // 0.216 s and 0.784 s from K are less than a segment, 2.784 s are 8.6 of them
        assert_eq!(targets, [71, 100, 100, 108]);
    }

    /// The RTT of a segment that leaves within a second of the beginning of a congestion avoidance does not count.
    #[test]
    fn the_least_rtt_takes_no_sample_right_after_a_loss() {
        let mut cubic = CubicLinux::start(&PRESET.parameters, 0);
        let second = cubic.clock.second();
        cubic.sample(0, Span::from_millis(20));
        cubic.epoch = Some(Epoch::begin(7, 10, Segments(1), 0));
        let least = [second - 1, second].map(|now| {
            cubic.sample(now, Span::from_millis(10));
            cubic.least_rtt_us
        });
        assert_eq!(least, [20_000, 10_000]);
    }

    /// By hand: 15/8 of 8 segments are 15, and of 31 the kernel takes off two times 15, of 30 one time.
    #[test]
    fn renos_window_gains_a_segment_for_fifteen_eighths() {
        let reno = |counted| {
            let mut epoch = Epoch { reno_counted: counted, ..Epoch::begin(8, 8, Segments(0), 0) };
            (epoch.per_as_reno(8), epoch.reno, epoch.reno_counted)
        };
        assert_eq!(reno(31), (4, 10, 1));
        assert_eq!(reno(30), (8, 9, 15));
        assert_eq!(reno(15), (u32::MAX, 8, 15));
    }

    #[test]
    fn extremes_saturate() {
        let clock = Clock::new(PRESET.parameters.ticks_per_second);
        let mut epoch = Epoch::begin(1, u32::MAX, Segments(u32::MAX), 0);
        assert!(epoch.target(u32::MAX, clock, UNKNOWN_US - 1) >= 1);
        assert_eq!(epoch.per_as_reno(u32::MAX), u32::MAX);
        let late = Epoch { until_plateau: 0, ..epoch };
        assert_eq!(late.target(u32::MAX, clock, 1), u32::MAX);
    }
}

//! Pace and window: section "Updating Control Parameters".

use super::signals::Sample;
use super::{Bbr, Mode, STARTUP_GAIN, UP_GAIN, UP_WINDOW_GAIN, WINDOW_GAIN};
use crate::contract::parameters::Parameters;
use crate::standalone::bbr::shared::{Bandwidth, ONE, Repair, UNKNOWN_US, WINDOW_MIN};
use crate::units::Time;

/// C.send_quantum is a millisecond's worth, two segments at least and 64 KB at most, here of 1448 B; three may wait in
/// the hosts.
const BURST_PART_OF_SECOND: u64 = 1024;
const BURST_MAX: u32 = 45;
const BURSTS: u32 = 3;
/// The code lets more leave at once on short paths: 64 KB, halved for each 512 us of the least RTT.
const BURST_RTT_SHIFT: u32 = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Windows {
    pub(super) now: u32,
    /// Before a recovery or PROBE_RTT (BBR.prior_cwnd).
    pub(super) prior: u32,
    most: u32,
    initial: u32,
}

impl Windows {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let initial = parameters.initial_window.0;
        Windows { now: initial, prior: 0, most: parameters.max_window.0, initial }
    }

    pub(super) fn begun_anew(self) -> Self {
        Windows { now: self.now.min(self.initial), prior: 0, ..self }
    }

    /// RestoreCwnd.
    pub(super) fn restore(&mut self) {
        self.now = self.now.max(self.prior).min(self.most);
    }
}

impl<const LINUX: bool> Bbr<LINUX> {
    /// The table of section "Summary of Control Behavior in the State Machine".
    pub(super) fn pacing_gain(&self) -> u32 {
        match self.mode {
            Mode::Startup => STARTUP_GAIN,
            Mode::Drain => Self::DRAIN_GAIN,
            Mode::Down => Self::DOWN_GAIN,
            Mode::Cruise | Mode::Refill | Mode::ProbeRtt => ONE,
            Mode::Up => UP_GAIN,
        }
    }

    pub(super) fn window_gain(&self) -> u32 {
        match self.mode {
            Mode::Startup | Mode::Drain | Mode::Down | Mode::Cruise | Mode::Refill => WINDOW_GAIN,
            Mode::Up => UP_WINDOW_GAIN,
            // the code's gain is 1, under the window of PROBE_RTT
            Mode::ProbeRtt => {
                if LINUX {
                    ONE
                } else {
                    ONE / 2
                }
            }
        }
    }

    /// BoundBWForModel.
    pub(super) fn bandwidth(&self) -> Bandwidth {
        self.bounds.rate_long().min(self.bounds.rate_short)
    }

    /// BDPMultiple.
    pub(super) fn product(&self, bandwidth: Bandwidth, gain: u32) -> u32 {
        if self.least.us == UNKNOWN_US { self.window.initial } else { bandwidth.product(self.least.us, gain) }
    }

    /// SetSendQuantum.
    fn burst(&self) -> u32 {
        let halvings = self.least.us >> BURST_RTT_SHIFT;
        let more = if LINUX { BURST_MAX.checked_shr(halvings).unwrap_or(0) } else { 0 };
        (self.pacing.segments_in_second_part(BURST_PART_OF_SECOND) + more).clamp(2, BURST_MAX)
    }

    /// QuantizationBudget.
    pub(super) fn with_budget(&self, segments: u32) -> u32 {
        let least = segments.max(BURSTS * self.burst()).max(WINDOW_MIN);
        least.saturating_add(if self.mode == Mode::Up { 2 } else { 0 })
    }

    /// Inflight(BBR.max_bw, 1.0).
    pub(super) fn path_holds(&self) -> u32 {
        self.with_budget(self.product(self.bounds.rate_long(), ONE))
    }

    /// C.inflight; the code takes what will be in the network when the next segment leaves.
    pub(super) fn in_flight_to_judge(&self, in_flight: u32, now: Time) -> u32 {
        if !LINUX {
            return self.flight.now;
        }
        let more = if self.pacing_gain() > ONE { self.burst() } else { 0 };
        self.flight.at_departure(in_flight, now, self.bandwidth(), more)
    }

    /// SetPacingRate.
    pub(super) fn set_pace(&mut self, sample: &Sample) {
        if sample.rtt_us != UNKNOWN_US {
            self.pacing.begin(self.window.now, sample.rtt_us, STARTUP_GAIN);
        }
        self.pacing.set(self.bandwidth(), self.pacing_gain(), self.full.reached);
    }

    /// SetCwnd.
    pub(super) fn set_window(&mut self, sample: &Sample) {
        if sample.acked > 0 {
            let inflight = self.product(self.bandwidth(), self.window_gain());
            let more = self.aggregation.allowance(self.bandwidth());
            let most = self.with_budget(inflight.saturating_add(more));
            let is_early = match LINUX {
                true => self.window.now < 2 * self.window.initial,
                false => self.rounds.delivered < self.window.initial,
            };
            let grown = self.window.now.saturating_add(sample.acked);
            if self.full.reached {
                self.window.now = grown.min(most);
            } else if self.window.now < most || is_early {
                self.window.now = grown;
            }
            self.window.now = self.window.now.max(WINDOW_MIN);
        }
        if self.mode == Mode::ProbeRtt {
            self.window.now = self.window.now.min(self.probe_rtt_window());
        }
        self.bound_window();
        self.window.now = self.window.now.clamp(1, self.window.most);
    }

    /// BoundCwndForModel.
    fn bound_window(&mut self) {
        let long = match self.mode {
            Mode::Down | Mode::Refill | Mode::Up => self.bounds.in_flight_long,
            Mode::Cruise | Mode::ProbeRtt => self.bounds.with_headroom(),
            Mode::Startup | Mode::Drain => u32::MAX,
        };
        let most = long.min(self.bounds.in_flight_short).max(WINDOW_MIN);
        self.window.now = self.window.now.min(most);
    }

    /// ProbeRTTCwnd: half of the path's product.
    pub(super) fn probe_rtt_window(&self) -> u32 {
        self.product(self.bandwidth(), ONE / 2).max(WINDOW_MIN)
    }

    /// SaveCwnd.
    pub(super) fn save_window(&mut self) {
        let is_good = self.episode.before == Repair::Open && self.mode != Mode::ProbeRtt;
        self.window.prior = if is_good { self.window.now } else { self.window.prior.max(self.window.now) };
    }

    /// OnEnterRTO. The code also keeps the window for the short-term bound.
    pub(super) fn enter_timeout(&mut self) {
        self.full.forget();
        if LINUX && !self.mode.accelerates() && self.bounds.in_flight_short == u32::MAX {
            self.bounds.in_flight_short = self.window.now.max(self.window.prior);
        }
        self.window.now = 1;
    }

    /// RestoreCwnd once all that a timeout began is acknowledged; fast recovery has not changed the window.
    pub(super) fn restore_after_timeout(&mut self) {
        if self.episode.before == Repair::Loss && self.episode.state != Repair::Loss {
            self.window.restore();
        }
        self.episode.before = self.episode.state;
    }
}

//! PROBE_BW: section "ProbeBW Algorithm Details".

use super::bounds::kept;
use super::signals::Sample;
use super::{Bbr, Mode, ONE};
use crate::standalone::bbr::shared::is_past;
use crate::units::{Span, Time};

/// T_bbr: two to three seconds. T_reno: 62 or 63 round trips, or the segments of the path's product if they are fewer.
const WAIT_US: u32 = 2_000_000;
const WAIT_RANDOM_US: u64 = 1_000_000;
const ROUNDS_MAX: u32 = 63;
/// Doublings of what UP adds a round trip.
const UP_ROUNDS_MAX: u8 = 30;

/// What acknowledgements tell of the probe (BBR.ack_phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    pub(super) ack_phase: AckPhase,
    /// When the cycle began, how long it waits before it probes, and round trips since.
    began: Time,
    pub(super) wait_us: u32,
    pub(super) rounds_since: u8,
    /// Samples are of a probe that was not answered yet (BBR.is_bw_probe_sample).
    pub(super) samples: bool,
    /// The newest probe lost too much; it was ended early for the one before.
    pub(super) was_too_high: bool,
    was_precautionary: bool,
    /// Too much loss ended it, after the newest acknowledgement.
    pub(super) ended_since_ack: bool,
    /// Acknowledged segments for which UP adds one to the bound.
    up_per: u32,
    up_acked: u32,
    up_rounds: u8,
    /// The window limits the sender until this number is delivered (Linux: `is_cwnd_limited`, for a window's worth).
    pub(super) limited_until: u32,
}

impl Probe {
    pub(super) const NONE: Probe = Probe {
        ack_phase: AckPhase::Init,
        began: Time::ZERO,
        wait_us: 0,
        rounds_since: 0,
        samples: false,
        was_too_high: false,
        was_precautionary: false,
        ended_since_ack: false,
        up_per: u32::MAX,
        up_acked: 0,
        up_rounds: 0,
        limited_until: 0,
    };
}

impl<const LINUX: bool> Bbr<LINUX> {
    /// UpdateProbeBWCyclePhase.
    pub(super) fn turn_cycle(&mut self, sample: &Sample) {
        if !self.full.reached || self.adapt_long_term(sample) {
            return;
        }
        let in_flight = self.in_flight_to_judge(self.flight.before, sample.now);
        match self.mode {
            Mode::Down => {
                if !self.refill_if_due(sample.now) && self.is_time_to_cruise(in_flight) {
                    self.begin_cruise();
                }
            }
            Mode::Cruise => {
                self.refill_if_due(sample.now);
            }
            Mode::Refill => {
                if self.rounds.starts {
                    self.probe.samples = true;
                    self.begin_up(sample);
                }
            }
            Mode::Up => {
                if self.is_time_to_go_down(in_flight, sample) {
                    self.probe.was_too_high = false;
                    self.begin_down(sample.now);
                }
            }
            Mode::Startup | Mode::Drain | Mode::ProbeRtt => {}
        }
    }

    /// StartProbeBW_DOWN, with PickProbeWait.
    pub(super) fn begin_down(&mut self, now: Time) {
        self.latest.forget();
        self.probe.up_per = u32::MAX;
        self.probe.rounds_since = (self.random.word() >> 31) as u8;
        let more = (u64::from(self.random.word()) * WAIT_RANDOM_US) >> 32;
        self.probe.wait_us = WAIT_US + more as u32;
        self.probe.began = now;
        self.probe.ack_phase = AckPhase::Stopping;
        self.rounds.restart();
        self.mode = Mode::Down;
    }

    /// StartProbeBW_CRUISE; the code also holds the short-term bound to the long-term one.
    pub(super) fn begin_cruise(&mut self) {
        if LINUX && self.bounds.in_flight_short != u32::MAX {
            self.bounds.in_flight_short = self.bounds.in_flight_short.min(self.bounds.in_flight_long);
        }
        self.mode = Mode::Cruise;
    }

    /// StartProbeBW_REFILL.
    pub(super) fn begin_refill(&mut self) {
        self.bounds.forget_short();
        self.probe.up_rounds = 0;
        self.probe.up_acked = 0;
        self.probe.was_precautionary = false;
        self.probe.ack_phase = AckPhase::Refilling;
        self.rounds.restart();
        self.mode = Mode::Refill;
    }

    /// StartProbeBW_UP.
    fn begin_up(&mut self, sample: &Sample) {
        self.probe.ack_phase = AckPhase::Starting;
        self.rounds.restart();
        self.full.begin_anew(sample.rate);
        self.mode = Mode::Up;
        self.probe.began = sample.now;
        self.raise_slope();
    }

    /// IsTimeToProbeBW: the clock's, or that of a Reno flow of this product.
    fn refill_if_due(&mut self, now: Time) -> bool {
        let waited = now.since(self.probe.began) > Span::from_micros(self.probe.wait_us.into());
        let due = waited || u32::from(self.probe.rounds_since) >= ROUNDS_MAX.min(self.target());
        if due {
            self.begin_refill();
        }
        due
    }

    /// IsTimeToCruise.
    fn is_time_to_cruise(&self, in_flight: u32) -> bool {
        in_flight <= self.bounds.with_headroom() && in_flight <= self.path_holds()
    }

    /// IsTimeToGoDown.
    fn is_time_to_go_down(&mut self, in_flight: u32, sample: &Sample) -> bool {
        if self.probe.was_too_high && in_flight >= self.bounds.in_flight_long {
            self.probe.was_precautionary = true;
            return true;
        }
        if self.is_held_by_long_term() {
            self.full.begin_anew(sample.rate);
            return false;
        }
        self.full.now
    }

    /// The window limits the sender, and the long-term bound the window.
    fn is_held_by_long_term(&self) -> bool {
        let limited = !is_past(self.rounds.delivered, self.probe.limited_until);
        limited && self.window.now >= self.bounds.in_flight_long
    }

    /// RaiseInflightLongtermSlope: a segment in the first round trip, then two, four, ...
    fn raise_slope(&mut self) {
        let growth = 1 << self.probe.up_rounds;
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(UP_ROUNDS_MAX);
        self.probe.up_per = (self.window.now / growth).max(1);
    }

    /// ProbeInflightLongtermUpward.
    fn raise_long_term(&mut self, acked: u32) {
        if !self.is_held_by_long_term() {
            return;
        }
        self.probe.up_acked = self.probe.up_acked.saturating_add(acked);
        let more = self.probe.up_acked / self.probe.up_per;
        self.probe.up_acked %= self.probe.up_per;
        self.bounds.in_flight_long = self.bounds.in_flight_long.saturating_add(more);
        if self.rounds.starts {
            self.raise_slope();
        }
    }

    /// AdaptLongTermModel; whether it has chosen the next state.
    fn adapt_long_term(&mut self, sample: &Sample) -> bool {
        let rate_mode = self.mode.probes_rate();
        if self.probe.ack_phase == AckPhase::Starting && self.rounds.starts {
            self.probe.ack_phase = AckPhase::Feedback;
        }
        if self.probe.ack_phase == AckPhase::Stopping && self.rounds.starts {
            self.probe.samples = false;
            self.probe.ack_phase = AckPhase::Init;
            if rate_mode && !sample.held_back {
                self.bounds.advance_rates();
            }
            if rate_mode && self.probe.was_precautionary && !self.probe.was_too_high {
                self.begin_refill();
                return true;
            }
        }
        if sample.is_too_high() {
            if self.probe.samples {
                self.handle_too_high(sample.in_flight, sample.held_back);
            }
        } else if self.bounds.in_flight_long != u32::MAX {
            self.bounds.in_flight_long = self.bounds.in_flight_long.max(sample.in_flight);
            if self.mode == Mode::Up {
                self.raise_long_term(sample.acked);
            }
        }
        false
    }

    /// HandleInflightTooHigh: once a probe.
    pub(super) fn handle_too_high(&mut self, in_flight: u32, held_back: bool) {
        self.probe.was_too_high = true;
        self.probe.samples = false;
        if !held_back {
            self.bounds.in_flight_long = in_flight.max(kept(self.target()));
        }
        if self.mode == Mode::Up {
            self.ended_by_loss = Some(Mode::Up);
            self.probe.ended_since_ack = true;
            self.begin_down(self.rounds.delivered_at);
        }
    }

    /// TargetInflight.
    fn target(&self) -> u32 {
        self.with_budget(self.product(self.bandwidth(), ONE)).min(self.window.now)
    }
}

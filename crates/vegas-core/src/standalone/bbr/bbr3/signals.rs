//! What acknowledgements and losses tell: sections "Updating the Model Upon Packet Loss" and "BBR.max_bw".

use super::{Bbr, LostSegment};
use crate::contract::Ack;
use crate::standalone::bbr::shared::{Bandwidth, ONE, UNKNOWN_US, is_past};
use crate::standalone::reno::reno_window::micros;
use crate::units::Time;

/// BBR.LossThresh: 2 %.
const LOSS_256THS: u32 = ONE * 2 / 100;

/// What one acknowledgement measured (RS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) now: Time,
    /// None if it tells no rate.
    pub(super) rate: Option<Bandwidth>,
    /// Segments delivered over the sample's interval, and by this acknowledgement.
    pub(super) delivered: u32,
    pub(super) acked: u32,
    /// Found lost with this acknowledgement.
    pub(super) newly_lost: u32,
    /// Found lost since the newest segment acknowledged was sent, and what was in flight then.
    pub(super) lost: u32,
    pub(super) in_flight: u32,
    pub(super) held_back: bool,
    prior_delivered: u32,
    /// [`UNKNOWN_US`] if it tells none.
    pub(super) rtt_us: u32,
}

impl Sample {
    pub(super) const NONE: Sample = Sample {
        now: Time::ZERO,
        rate: None,
        delivered: 0,
        acked: 0,
        newly_lost: 0,
        lost: 0,
        in_flight: 0,
        held_back: false,
        prior_delivered: 0,
        rtt_us: UNKNOWN_US,
    };

    pub(super) fn of(ack: &Ack, newly_lost: u32, held_back: bool) -> Self {
        let sample = ack.rate;
        Sample {
            now: ack.now,
            rate: sample.map(|sample| Bandwidth::of_sample(&sample, true)),
            delivered: sample.map_or(0, |sample| sample.delivered.0),
            acked: ack.delivered.0,
            newly_lost,
            lost: sample.map_or(0, |sample| sample.lost.0),
            in_flight: sample.map_or(0, |sample| sample.in_flight.0),
            held_back,
            prior_delivered: sample.map_or(0, |sample| sample.prior_delivered),
            rtt_us: ack.rtt.map_or(UNKNOWN_US, micros),
        }
    }

    /// The rate, where something was delivered.
    fn valid(&self) -> Option<Bandwidth> {
        self.rate.filter(|_| self.acked > 0)
    }

    /// IsInflightTooHigh.
    pub(super) fn is_too_high(&self) -> bool {
        exceeds(self.lost, self.in_flight)
    }
}

/// Whether more than 2 % of a flight are lost.
fn exceeds(lost: u32, in_flight: u32) -> bool {
    in_flight > 0 && u64::from(lost) > (u64::from(in_flight) * u64::from(LOSS_256THS)) >> 8
}

/// What the newest round trip delivered, and whether it lost (BBR.bw_latest, BBR.inflight_latest).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Latest {
    pub(super) rate: Bandwidth,
    pub(super) in_flight: u32,
    /// The round ends with a segment that was sent when this number was delivered.
    round_end: u32,
    pub(super) round_starts: bool,
    pub(super) loss_in_round: bool,
}

impl Latest {
    pub(super) const NONE: Latest =
        Latest { rate: Bandwidth::NONE, in_flight: 0, round_end: 1, round_starts: false, loss_in_round: false };

    /// ResetCongestionSignals.
    pub(super) fn forget(&mut self) {
        self.loss_in_round = false;
        self.rate = Bandwidth::NONE;
        self.in_flight = 0;
    }
}

impl<const LINUX: bool> Bbr<LINUX> {
    /// UpdateLatestDeliverySignals.
    pub(super) fn take_latest(&mut self, sample: &Sample) {
        self.latest.round_starts = false;
        let Some(rate) = sample.valid() else { return };
        self.latest.rate = self.latest.rate.max(rate);
        self.latest.in_flight = self.latest.in_flight.max(sample.delivered);
        if is_past(sample.prior_delivered, self.latest.round_end) {
            self.latest.round_end = self.rounds.delivered;
            self.latest.round_starts = true;
        }
    }

    /// AdvanceLatestDeliverySignals.
    pub(super) fn advance_latest(&mut self, sample: &Sample) {
        if self.latest.round_starts {
            self.latest.rate = sample.rate.unwrap_or(Bandwidth::NONE);
            self.latest.in_flight = sample.delivered;
        }
    }

    /// UpdateMaxBw, UpdateCongestionSignals.
    pub(super) fn take_signals(&mut self, sample: &Sample) {
        let Some(rate) = sample.valid() else { return };
        if !sample.held_back || rate >= self.bounds.rate_long() {
            self.bounds.take_rate(rate);
        }
        self.latest.loss_in_round |= sample.newly_lost > 0;
        if self.latest.round_starts {
            if self.latest.loss_in_round && !self.mode.accelerates() {
                self.bounds.lower(&self.latest, self.window.now);
            }
            self.latest.loss_in_round = false;
        }
    }

    /// NoteLoss: a round trip begins with its first loss.
    pub(super) fn note_loss(&mut self) {
        if !self.latest.loss_in_round {
            self.latest.round_end = self.rounds.delivered;
        }
        self.latest.loss_in_round = true;
    }

    /// HandleLostPacket: whether the segment was sent with too much in flight.
    pub(super) fn judge_lost(&mut self, lost: &LostSegment) {
        if self.probe.samples && exceeds(lost.lost.0, lost.in_flight.0) {
            self.handle_too_high(in_flight_at_loss(lost), lost.app_limited);
        }
    }
}

/// InflightAtLoss: with which flight the losses reached 2 %.
fn in_flight_at_loss(lost: &LostSegment) -> u32 {
    let before = lost.in_flight.0.saturating_sub(1);
    let lost_before = lost.lost.0.saturating_sub(1);
    let budget = (u64::from(before) * u64::from(LOSS_256THS)).div_ceil(ONE.into()) as u32;
    let prefix = (u64::from(budget.saturating_sub(lost_before)) << 8) / u64::from(ONE - LOSS_256THS);
    before.saturating_add(u32::try_from(prefix).unwrap_or(u32::MAX))
}

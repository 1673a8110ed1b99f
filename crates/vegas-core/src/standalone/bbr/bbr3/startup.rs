//! STARTUP and DRAIN: sections "Startup" and "Drain".

use super::signals::Sample;
use super::{Bbr, Mode};
use crate::standalone::bbr::shared::{Bandwidth, ONE, Repair};

/// A rate that grows by less than a quarter in three round trips is that of a full pipe.
const GROWS: u32 = ONE * 5 / 4;
const FULL_ROUNDS: u8 = 3;
/// BBRStartupFullLossCnt: losses in a round trip, counted by acknowledgements that tell of any.
const FULL_LOSSES: u8 = 6;
/// Round trips that DRAIN lasts at most.
const DRAIN_ROUNDS: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FullPipe {
    rate: Bandwidth,
    pub(super) rounds: u8,
    losses_in_round: u8,
    /// In this search (BBR.full_bw_now), and ever (BBR.full_bw_reached).
    pub(super) now: bool,
    pub(super) reached: bool,
    /// When DRAIN began (BBR.drain_start_round).
    drain_round: u32,
}

impl FullPipe {
    pub(super) const NONE: FullPipe =
        FullPipe { rate: Bandwidth::NONE, rounds: 0, losses_in_round: 0, now: false, reached: false, drain_round: 0 };

    /// ResetFullBW.
    pub(super) fn forget(&mut self) {
        self.begin_anew(None);
    }

    /// From this rate on.
    pub(super) fn begin_anew(&mut self, rate: Option<Bandwidth>) {
        self.rate = rate.unwrap_or(Bandwidth::NONE);
        self.rounds = 0;
        self.now = false;
    }
}

impl<const LINUX: bool> Bbr<LINUX> {
    /// CheckFullBWReached. The code looks for growth with each acknowledgement, the draft once a round trip.
    pub(super) fn look_for_full_pipe(&mut self, sample: &Sample) {
        if self.full.now || sample.held_back || !(LINUX || self.rounds.starts) {
            return;
        }
        let rate = sample.rate.unwrap_or(Bandwidth::NONE);
        if rate >= self.full.rate.part(GROWS) {
            self.full.begin_anew(Some(rate));
        } else if self.rounds.starts {
            self.full.rounds += 1;
            self.full.now = self.full.rounds >= FULL_ROUNDS;
            self.full.reached |= self.full.now;
        }
    }

    /// CheckStartupHighLoss: at the end of a round trip in recovery, with six losses or more, above 2 %. That
    /// full_bw_now is set the draft says in its test cases.
    pub(super) fn leave_startup_on_loss(&mut self, sample: &Sample) {
        if self.full.reached {
            return;
        }
        if sample.newly_lost > 0 {
            self.full.losses_in_round = self.full.losses_in_round.saturating_add(1);
        }
        if !self.latest.round_starts {
            return;
        }
        let many = self.full.losses_in_round >= FULL_LOSSES;
        self.full.losses_in_round = 0;
        if many && self.episode.state == Repair::Recovery && sample.is_too_high() {
            self.full.now = true;
            self.full.reached = true;
            self.ended_by_loss = Some(Mode::Startup);
            self.bounds.in_flight_long = self.path_holds().max(self.latest.in_flight);
        }
    }

    /// CheckStartupDone, CheckDrainDone.
    pub(super) fn drain(&mut self, sample: &Sample) {
        if self.mode == Mode::Startup && self.full.reached {
            self.mode = Mode::Drain;
            self.full.drain_round = self.rounds.count;
            self.latest.forget();
        }
        if self.mode != Mode::Drain {
            return;
        }
        let rounds = self.rounds.count.wrapping_sub(self.full.drain_round);
        let is_long = !LINUX && rounds > DRAIN_ROUNDS;
        if is_long || self.in_flight_to_judge(self.flight.now, sample.now) <= self.path_holds() {
            self.begin_down(sample.now);
        }
    }
}

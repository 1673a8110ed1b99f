//! The bounds of the model: sections "Data Rate Network Path Model Parameters", "Data Volume Network Path Model
//! Parameters", "When not Probing for Bandwidth".

use super::signals::Latest;
use crate::standalone::bbr::shared::{Bandwidth, ONE, WINDOW_MIN};

/// BBR.Beta: 0.7.
const KEPT: u32 = ONE - ONE * 30 / 100;
/// BBR.Headroom: 0.15.
const HEADROOM: u32 = ONE * 15 / 100;
const UNBOUNDED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// The greatest of the last cycle and of this one (BBR.max_bw).
    rates: [Bandwidth; 2],
    /// BBR.bw_shortterm.
    pub(super) rate_short: Bandwidth,
    /// BBR.inflight_longterm.
    pub(super) in_flight_long: u32,
    /// BBR.inflight_shortterm.
    pub(super) in_flight_short: u32,
}

/// A part of a number of segments, in 256ths, rounded down.
pub(super) fn part(segments: u32, of_256: u32) -> u32 {
    ((u64::from(segments) * u64::from(of_256)) >> 8) as u32
}

/// What a probe that lost too much leaves of the target at least (BBR.Beta).
pub(super) fn kept(segments: u32) -> u32 {
    part(segments, KEPT)
}

impl Bounds {
    pub(super) const NONE: Bounds = Bounds {
        rates: [Bandwidth::NONE; 2],
        rate_short: Bandwidth::MAX,
        in_flight_long: UNBOUNDED,
        in_flight_short: UNBOUNDED,
    };

    /// BBR.max_bw.
    pub(super) fn rate_long(&self) -> Bandwidth {
        self.rates[0].max(self.rates[1])
    }

    pub(super) fn take_rate(&mut self, rate: Bandwidth) {
        self.rates[1] = self.rates[1].max(rate);
    }

    /// AdvanceMaxBwFilter; a cycle without samples does not count.
    pub(super) fn advance_rates(&mut self) {
        if self.rates[1] > Bandwidth::NONE {
            self.rates = [self.rates[1], Bandwidth::NONE];
        }
    }

    /// InitLowerBounds, LossLowerBounds: towards what the newest round trip delivered.
    pub(super) fn lower(&mut self, latest: &Latest, window: u32) {
        if self.rate_short == Bandwidth::MAX {
            self.rate_short = self.rate_long();
        }
        if self.in_flight_short == UNBOUNDED {
            self.in_flight_short = window;
        }
        self.rate_short = self.rate_short.part(KEPT).max(latest.rate).max(Bandwidth(1));
        self.in_flight_short = kept(self.in_flight_short).max(latest.in_flight);
    }

    /// ResetShortTermModel.
    pub(super) fn forget_short(&mut self) {
        self.rate_short = Bandwidth::MAX;
        self.in_flight_short = UNBOUNDED;
    }

    /// To those before a loss that was none.
    pub(super) fn raise_to(&mut self, before: &Bounds) {
        self.rate_short = self.rate_short.max(before.rate_short);
        self.in_flight_short = self.in_flight_short.max(before.in_flight_short);
        self.in_flight_long = self.in_flight_long.max(before.in_flight_long);
    }

    /// InflightWithHeadroom.
    pub(super) fn with_headroom(&self) -> u32 {
        if self.in_flight_long == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = part(self.in_flight_long, HEADROOM).max(1);
        self.in_flight_long.saturating_sub(headroom).max(WINDOW_MIN)
    }
}

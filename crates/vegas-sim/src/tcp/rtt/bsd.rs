//! The round-trip estimator of BSD: RFC 6298, section 2, in Jacobson's scaled integers, with gains of 1/8 and 1/4, on a
//! clock of settable grain.

use vegas_core::units::{Span, Time};

/// The state of the estimator. A tick is the clock's grain.
#[derive(Clone, Debug)]
pub(super) struct BsdRtt {
    grain: Span,
    /// 8 x smoothed RTT, ticks; 0 before the first sample.
    srtt_8: u64,
    /// 4 x RTT variation, ticks.
    rttvar_4: u64,
}

impl BsdRtt {
    pub(super) fn new(grain: Span) -> Self {
        BsdRtt { grain, srtt_8: 0, rttvar_4: 0 }
    }

    /// Takes the sample of a segment that was sent at `sent`: the number of ticks of the clock since then, at least
    /// one.
    pub(super) fn sample(&mut self, sent: Time, now: Time) {
        let ticks = self.ticks(now).saturating_sub(self.ticks(sent)).max(1);
        if self.srtt_8 == 0 {
            self.srtt_8 = 8 * ticks;
            self.rttvar_4 = 2 * ticks;
            return;
        }
        let error = ticks.abs_diff(self.srtt_8 / 8);
        self.rttvar_4 = (self.rttvar_4 + error - self.rttvar_4 / 4).max(1);
        self.srtt_8 = (self.srtt_8 + ticks - self.srtt_8 / 8).max(1);
    }

    /// The timeout, before its bounds; `None` before the first sample.
    pub(super) fn timeout(&self) -> Option<Span> {
        (self.srtt_8 > 0).then(|| self.grain.times(self.srtt_8 / 8 + self.rttvar_4.max(1)))
    }

    fn ticks(&self, time: Time) -> u64 {
        time.as_nanos() / self.grain.as_nanos()
    }
}

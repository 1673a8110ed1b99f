//! Vegas's fine-grained timeout, by which mechanisms C and D decide on a retransmission: smoothed RTT plus twice its
//! mean deviation (gains 1/8, 1/4), and 1/16 of that sum (Brakmo and Peterson 1995, section IV.A; docs/design.md,
//! section 3.1).

use vegas_core::units::{Span, Time};

/// The estimator. Before the first sample no segment expires.
#[derive(Clone, Debug, Default)]
pub(super) struct FineTimeout {
    /// 8 x smoothed RTT, ns; 0 before the first sample.
    srtt_8: u64,
    /// 4 x mean deviation, ns.
    deviation_4: u64,
    /// The timeout after backing off since the newest sample; else zero.
    backed_off: Span,
}

impl FineTimeout {
    #[inline]
    pub(super) fn sample(&mut self, rtt: Span) {
        let rtt = rtt.as_nanos();
        if self.srtt_8 == 0 {
            self.begin(rtt);
        }
        let srtt = self.srtt_8 / 8;
        self.srtt_8 = self.srtt_8 - srtt + rtt;
        self.deviation_4 = self.deviation_4 - self.deviation_4 / 4 + rtt.abs_diff(srtt);
        self.backed_off = Span::ZERO;
    }

    /// Begins with the first sample, ns.
    #[cold]
    fn begin(&mut self, rtt: u64) {
        self.srtt_8 = 8 * rtt;
        self.deviation_4 = rtt;
    }

    fn timeout(&self) -> Span {
        if self.backed_off > Span::ZERO {
            return self.backed_off;
        }
        let timeout = (self.srtt_8 / 4 + self.deviation_4) / 2;
        Span::from_nanos(timeout + timeout / 16)
    }

    /// Returns whether a segment sent at `sent` is overdue.
    pub(super) fn expired(&self, sent: Time, now: Time) -> bool {
        self.srtt_8 > 0 && now.since(sent) >= self.timeout()
    }

    /// Backs off after a retransmission: the timeout doubles if the segment had been retransmitted before, else it
    /// grows by an eighth.
    pub(super) fn back_off(&mut self, repeated: bool) {
        let timeout = self.timeout();
        let more = if repeated { timeout } else { Span::from_nanos(timeout.as_nanos() / 8) };
        self.backed_off = timeout + more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: with a first sample of 100 ms the deviation starts at a quarter and decays by a quarter of itself at
    /// once, to 18.75 ms; 100 + 2 x 18.75 = 137.5 ms, plus 1/16 = 146.09375 ms.
    #[test]
    fn first_sample() {
        let mut fine = FineTimeout::default();
        assert!(!fine.expired(Time::ZERO, Time::from_nanos(u64::MAX)));
        fine.sample(Span::from_millis(100));
        assert!(!fine.expired(Time::ZERO, Time::from_nanos(146_093_749)));
        assert!(fine.expired(Time::ZERO, Time::from_nanos(146_093_750)));
        fine.back_off(true);
        assert!(!fine.expired(Time::ZERO, Time::from_nanos(292_187_499)));
        assert!(fine.expired(Time::ZERO, Time::from_nanos(292_187_500)));
    }

    /// By hand: 146.09375 ms plus an eighth, 18.261718 ms, is 164.355468 ms.
    #[test]
    fn a_first_retransmission_adds_an_eighth() {
        let mut fine = FineTimeout::default();
        fine.sample(Span::from_millis(100));
        fine.back_off(false);
        assert!(!fine.expired(Time::ZERO, Time::from_nanos(164_355_467)));
        assert!(fine.expired(Time::ZERO, Time::from_nanos(164_355_468)));
    }
}

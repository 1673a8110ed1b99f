//! Vegas's fine-grained timeout, by which mechanisms C and D decide on a retransmission: smoothed RTT plus twice
//! its mean deviation (gains 1/8, 1/4), plus 1/16 (Brakmo and Peterson 1995, section IV.A; design section 4.1).

use vegas_core::units::{Span, Time};

/// The estimator. Before the first sample nothing expires.
#[derive(Clone, Debug)]
pub(crate) struct FineTimeout {
    /// 8 x smoothed RTT, ns.
    srtt_8: i64,
    /// 4 x mean deviation, ns.
    deviation_4: i64,
    /// [`Span::MAX`] before the first sample.
    timeout: Span,
}

impl Default for FineTimeout {
    fn default() -> Self {
        FineTimeout { srtt_8: 0, deviation_4: 0, timeout: Span::MAX }
    }
}

impl FineTimeout {
    pub(crate) fn sample(&mut self, rtt: Span) {
        let rtt = rtt.as_nanos() as i64;
        if self.srtt_8 == 0 {
            self.srtt_8 = 8 * rtt;
            self.deviation_4 = rtt;
        }
        let error = rtt - self.srtt_8 / 8;
        self.srtt_8 += error;
        self.deviation_4 += error.abs() - self.deviation_4 / 4;
        let timeout = (self.srtt_8 / 4 + self.deviation_4) / 2;
        self.timeout = Span::from_nanos((timeout + timeout / 16) as u64);
    }

    /// Whether a segment sent then is overdue.
    pub(crate) fn expired(&self, sent: Time, now: Time) -> bool {
        self.timeout != Span::MAX && now.since(sent) >= self.timeout
    }

    /// After a retransmission: doubled if the segment had been retransmitted before, else an eighth longer.
    pub(crate) fn back_off(&mut self, repeated: bool) {
        let more = if repeated { self.timeout } else { Span::from_nanos(self.timeout.as_nanos() / 8) };
        self.timeout += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: first sample 100 ms: deviation starts at a quarter and decays by a quarter of itself at once, to
    /// 18.75 ms; 100 + 2 x 18.75 = 137.5 ms, plus 1/16 = 146.09375 ms.
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

    /// By hand: 146.09375 ms and an eighth of it, 18.261718 ms, are 164.355468 ms.
    #[test]
    fn a_first_retransmission_adds_an_eighth() {
        let mut fine = FineTimeout::default();
        fine.sample(Span::from_millis(100));
        fine.back_off(false);
        assert!(!fine.expired(Time::ZERO, Time::from_nanos(164_355_467)));
        assert!(fine.expired(Time::ZERO, Time::from_nanos(164_355_468)));
    }
}

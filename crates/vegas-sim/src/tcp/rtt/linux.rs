//! Linux's round-trip estimator: that of RFC 6298, but with a floor under the variation instead of under the timeout,
//! with the largest deviation of a round instead of each, and with less weight for a deviation downwards
//! (`tcp_rtt_estimator`). So the timeout is at least the smoothed RTT plus 200 ms. Its times are in microseconds.

use vegas_core::units::Span;

/// The state of the estimator.
#[derive(Clone, Debug)]
pub(super) struct LinuxRtt {
    floor_us: i64,
    /// 8 x smoothed RTT; 0 before the first sample.
    srtt_8: i64,
    /// 4 x mean deviation, the largest such value of this round, and the variation that the timeout adds to the
    /// smoothed RTT.
    deviation_4: i64,
    largest_4: i64,
    variation_4: i64,
    /// The round ends when this segment is acknowledged.
    round_end: u64,
}

impl LinuxRtt {
    pub(super) fn new(floor: Span) -> Self {
        let floor_us = (floor.as_nanos() / 1000) as i64;
        LinuxRtt { floor_us, srtt_8: 0, deviation_4: 0, largest_4: 0, variation_4: 0, round_end: 0 }
    }

    /// Takes in a sample; everything before `una` is acknowledged, and `next` is the next segment to send.
    pub(super) fn sample(&mut self, rtt: Span, una: u64, next: u64) {
        let rtt_us = ((rtt.as_nanos() / 1000) as i64).max(1);
        if self.srtt_8 == 0 {
            self.srtt_8 = 8 * rtt_us;
            self.deviation_4 = 2 * rtt_us;
            self.variation_4 = self.deviation_4.max(self.floor_us);
            self.largest_4 = self.variation_4;
            self.round_end = next;
            return;
        }
        let error = rtt_us - self.srtt_8 / 8;
        self.srtt_8 += error;
        let more = error.abs() - self.deviation_4 / 4;
        // a shorter RTT raises the deviation by an eighth only: a timeout must not grow because a queue empties
        self.deviation_4 += if error < 0 && more > 0 { more / 8 } else { more };
        if self.deviation_4 > self.largest_4 {
            self.largest_4 = self.deviation_4;
            self.variation_4 = self.variation_4.max(self.largest_4);
        }
        if una > self.round_end {
            if self.largest_4 < self.variation_4 {
                self.variation_4 -= (self.variation_4 - self.largest_4) / 4;
            }
            self.round_end = next;
            self.largest_4 = self.floor_us;
        }
    }

    /// The smoothed RTT; `None` before the first sample.
    pub(super) fn srtt(&self) -> Option<Span> {
        (self.srtt_8 > 0).then(|| Span::from_micros((self.srtt_8 / 8) as u64))
    }

    /// The timeout; `None` before the first sample.
    pub(super) fn timeout(&self) -> Option<Span> {
        self.srtt().map(|srtt| srtt + Span::from_micros(self.variation_4 as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 100 ms gives a deviation of 50 ms, and 4 x 50 is the floor of 200 ms, so the timeout is 300 ms. A
    /// steady RTT keeps it there. Then 500 ms: srtt is 150 ms, and the deviation, meanwhile decayed to nothing, makes
    /// the variation 400 ms: 550 ms.
    #[test]
    fn the_floor_is_under_the_variation() {
        let mut rtt = LinuxRtt::new(Span::from_millis(200));
        assert_eq!(rtt.timeout(), None);
        for segment in 0..100 {
            rtt.sample(Span::from_millis(100), segment + 1, segment + 2);
            assert_eq!(rtt.timeout(), Some(Span::from_millis(300)));
        }
        rtt.sample(Span::from_millis(500), 101, 102);
        let timeout = rtt.timeout().unwrap().as_nanos() / 1_000_000;
        assert!((550..=551).contains(&timeout), "{timeout} ms");
    }
}

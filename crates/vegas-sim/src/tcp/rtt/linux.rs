//! Linux's round-trip estimator: that of RFC 6298, but with a floor under the variation instead of under the timeout,
//! with the largest deviation of a round instead of each, and with less weight for a deviation downwards
//! (`tcp_rtt_estimator`). So the timeout is at least the smoothed RTT plus 200 ms. Its times are in microseconds. Every
//! acknowledgement gives samples ([`AckedTimes`]).

use vegas_core::units::{Span, Time};

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

/// The round-trip times of the segments that an acknowledgement reports as received for the first time
/// (`tcp_clean_rtx_queue`).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct AckedTimes {
    /// Whether one of the segments acknowledged in order had been sent more than once (Karn's rule).
    repeated: bool,
    /// The round-trip times of the oldest and the newest segment acknowledged in order, and of the newest one in a
    /// block.
    oldest: Option<Span>,
    newest: Option<Span>,
    sacked: Option<Span>,
}

impl AckedTimes {
    /// Takes in the next segment acknowledged in order; `sent` is when it was sent, if only once.
    pub(in crate::tcp) fn on_acked(&mut self, sent: Option<Time>, now: Time) {
        let sample = sent.map(|sent| now.since(sent));
        self.repeated |= sample.is_none();
        self.oldest = self.oldest.or(sample);
        self.newest = sample.or(self.newest);
    }

    /// Takes in the next segment that a block reports.
    pub(in crate::tcp) fn on_sacked(&mut self, sent: Option<Time>, now: Time) {
        self.sacked = sent.map(|sent| now.since(sent)).or(self.sacked);
    }

    /// Returns whether one of the segments acknowledged in order had been sent more than once.
    pub(in crate::tcp) fn is_repeated(&self) -> bool {
        self.repeated
    }

    /// Returns whether a block reports a segment that was sent only once.
    pub(in crate::tcp) fn has_sacked(&self) -> bool {
        self.sacked.is_some()
    }

    /// Returns two samples: of the oldest segment acknowledged, for the estimator, and of the newest, for the
    /// congestion control.
    pub(super) fn samples(&self) -> Option<(Span, Span)> {
        match (self.oldest, self.newest) {
            _ if self.repeated => None,
            (Some(oldest), Some(newest)) => Some((oldest, newest)),
            _ => self.sacked.map(|sample| (sample, sample)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments sent at 0, 10 and 20 ms are acknowledged at 100 ms, and a block reports one sent at 30 ms. Two of them
    /// had been sent twice in turn.
    #[test]
    fn a_segment_sent_twice_takes_the_sample() {
        let now = Time::from_nanos(100_000_000);
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let samples = |acked: &[Option<Time>], sacked: Option<Time>| {
            let mut times = AckedTimes::default();
            acked.iter().for_each(|&sent| times.on_acked(sent, now));
            times.on_sacked(sacked, now);
            times.samples().map(|(oldest, newest)| [oldest, newest].map(|span| span.as_nanos() / 1_000_000))
        };
        let acked = [Some(ms(0)), Some(ms(10)), Some(ms(20))];
        assert_eq!(samples(&acked, Some(ms(30))), Some([100, 80]));
        assert_eq!(samples(&[Some(ms(0)), None, Some(ms(20))], Some(ms(30))), None);
        assert_eq!(samples(&[], Some(ms(30))), Some([70, 70]));
        assert_eq!(samples(&[], None), None);
    }

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

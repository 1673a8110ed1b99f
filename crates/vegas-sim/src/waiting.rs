//! How long packets have waited in a queue: counted in bins of 1/64 of their value, so that percentiles are known
//! within 1 % and memory is bounded, however many packets there are.

use vegas_core::units::Span;

use crate::outcome::QueueingTimes;

/// 64 bins to a doubling; below 64 ns a bin each.
const BINS_LOG2: u32 = 6;
const BINS: u64 = 1 << BINS_LOG2;

/// Waiting times so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingTimes {
    /// Packets that did not wait: most of them on most links.
    none: u64,
    bins: Vec<u64>,
    sum_ns: u128,
    longest: Span,
}

impl WaitingTimes {
    #[inline]
    pub(crate) fn record(&mut self, waited: Span) {
        if waited == Span::ZERO {
            self.none += 1;
            return;
        }
        let bin = bin_of(waited.as_nanos());
        match self.bins.get_mut(bin) {
            Some(count) => *count += 1,
            None => self.first_in(bin),
        }
        self.sum_ns += u128::from(waited.as_nanos());
        self.longest = self.longest.max(waited);
    }

    #[cold]
    fn first_in(&mut self, bin: usize) {
        self.bins.resize(bin + 1, 0);
        self.bins[bin] = 1;
    }

    /// All of them together.
    pub(crate) fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// The figures of the results; none without a packet.
    pub(crate) fn summary(&self) -> Option<QueueingTimes> {
        let count = self.none + self.bins.iter().sum::<u64>();
        (count > 0).then(|| QueueingTimes {
            mean_ms: self.sum_ns as f64 / count as f64 / 1e6,
            p50_ms: self.percentile_ms(count, 50),
            p95_ms: self.percentile_ms(count, 95),
            p99_ms: self.percentile_ms(count, 99),
            max_ms: self.longest.as_nanos() as f64 / 1e6,
        })
    }

    /// The middle of the first bin with which so many percent of `count` are reached; never beyond the longest.
    fn percentile_ms(&self, count: u64, percent: u64) -> f64 {
        let rank = (u128::from(count) * u128::from(percent)).div_ceil(100) as u64;
        let mut seen = self.none;
        let mut bins = self.bins.iter().enumerate();
        let mut nanos = 0;
        while seen < rank {
            let (bin, counted) = bins.next().expect("the bins hold what is not in `none`");
            seen += counted;
            nanos = middle_ns(bin);
        }
        nanos.min(self.longest.as_nanos()) as f64 / 1e6
    }
}

fn bin_of(nanos: u64) -> usize {
    let shift = (nanos | BINS).ilog2() - BINS_LOG2;
    (u64::from(shift) * BINS + (nanos >> shift)) as usize
}

fn middle_ns(bin: usize) -> u64 {
    let bin = bin as u64;
    let shift = (bin / BINS).saturating_sub(1);
    let least = (bin - shift * BINS) << shift;
    least + ((1 << shift) - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 waits of 1 to 100 ms and 100 of nothing: the 100th of 200 is nothing, the 190th is 90 ms, the 198th 98 ms.
    #[test]
    fn percentiles_within_a_percent() {
        let mut waits = WaitingTimes::default();
        assert_eq!(waits.summary(), None);
        for ms in 1..=100 {
            waits.record(Span::from_millis(ms));
            waits.record(Span::ZERO);
        }
        let summary = waits.summary().unwrap();
        let close =
            |value: f64, expected: f64| assert!((value / expected - 1.).abs() < 0.01, "{value}, not {expected}");
        assert_eq!((summary.mean_ms, summary.p50_ms, summary.max_ms), (25.25, 0., 100.));
        close(summary.p95_ms, 90.);
        close(summary.p99_ms, 98.);
    }

    /// Every time falls into a bin whose middle is within a hundredth of it, and later times into no earlier bins.
    #[test]
    fn bins_are_narrow_and_in_order() {
        let times = (0..64).flat_map(|shift| [1u64, 3, 5, 77, 127, 129].map(|odd| odd.wrapping_shl(shift)));
        let mut times: Vec<u64> = times.collect();
        times.sort_unstable();
        for pair in times.windows(2) {
            assert!(bin_of(pair[0]) <= bin_of(pair[1]), "{pair:?}");
        }
        for time in times {
            assert!(middle_ns(bin_of(time)).abs_diff(time) <= time / 100, "{time}");
        }
        assert!(bin_of(u64::MAX) < 64 * 64);
    }
}

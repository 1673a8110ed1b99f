//! A histogram of the waiting times in a queue. A bin is 1/64 of its value wide, so percentiles are known within 1 %,
//! and memory is bounded for any number of packets. Few distinct times occur on most links, and these are a short list;
//! with many, each bin between the first and the last has a counter.

use vegas_core::units::Span;

use crate::measure::outcome::QueueingTimes;

/// The logarithm of the number of bins in a doubling; below 64 ns each nanosecond has a bin.
const BINS_LOG2: u32 = 6;
const BINS: u64 = 1 << BINS_LOG2;
/// The greatest length of the list: it takes the memory of the counters of one doubling.
const LISTED_MAX: usize = 32;

/// The waiting times so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingTimes {
    /// The number of packets that did not wait: most packets on most links.
    none: u64,
    /// The packets that waited; `None` while there are none.
    waited: Option<Box<Waited>>,
}

#[derive(Clone, Debug, Default)]
struct Waited {
    sum_ns: u128,
    longest: Span,
    /// The number of packets in each bin.
    bins: Bins,
}

impl WaitingTimes {
    #[inline]
    pub(crate) fn record(&mut self, waited: Span) {
        if waited == Span::ZERO {
            self.none += 1;
        } else {
            self.record_waiting(waited);
        }
    }

    #[inline]
    fn record_waiting(&mut self, waited: Span) {
        let bin = bin_of(waited.as_nanos());
        if let Some(all) = &mut self.waited
            && all.bins.count(bin)
        {
            all.add(waited);
        } else {
            self.record_unusual(waited, bin);
        }
    }

    #[inline(never)]
    fn record_unusual(&mut self, waited: Span, bin: u16) {
        let all = self.waited.get_or_insert_default();
        all.bins.count_anew(bin);
        all.add(waited);
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.waited.as_ref().map_or(0, |waited| size_of::<Waited>() + waited.bins.memory_bytes())
    }

    /// Completes the times to those of `packets` packets; the packets that were not recorded did not wait.
    pub(crate) fn of_all(self, packets: u64) -> Self {
        let waited: u64 = self.in_order().iter().map(|(_, count)| count).sum();
        WaitingTimes { none: packets - waited, ..self }
    }

    fn in_order(&self) -> Vec<(u16, u64)> {
        self.waited.as_ref().map_or_else(Vec::new, |waited| waited.bins.in_order())
    }

    /// The sum of all waiting times, ns.
    pub(crate) fn sum_ns(&self) -> u128 {
        self.waited.as_ref().map_or(0, |waited| waited.sum_ns)
    }

    /// The figures of the results; `None` without a packet.
    pub(crate) fn summary(&self) -> Option<QueueingTimes> {
        let counted = self.in_order();
        let longest = self.waited.as_ref().map_or(Span::ZERO, |waited| waited.longest);
        let count = self.none + counted.iter().map(|(_, count)| count).sum::<u64>();
        (count > 0).then(|| QueueingTimes {
            mean_ms: self.sum_ns() as f64 / count as f64 / 1e6,
            p50_ms: self.percentile_ms(&counted, count, 50).min(millis(longest)),
            p95_ms: self.percentile_ms(&counted, count, 95).min(millis(longest)),
            p99_ms: self.percentile_ms(&counted, count, 99).min(millis(longest)),
            max_ms: millis(longest),
        })
    }

    /// The middle of the first bin at which at least `percent` % of `count` packets are reached, ms.
    fn percentile_ms(&self, counted: &[(u16, u64)], count: u64, percent: u64) -> f64 {
        let rank = (u128::from(count) * u128::from(percent)).div_ceil(100) as u64;
        let mut seen = self.none;
        let mut bins = counted.iter();
        let mut nanos = 0;
        while seen < rank {
            let (bin, counted) = bins.next().expect("the bins hold what is not in `none`");
            seen += counted;
            nanos = middle_ns(*bin);
        }
        nanos as f64 / 1e6
    }
}

fn millis(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e6
}

impl Waited {
    #[inline]
    fn add(&mut self, waited: Span) {
        self.sum_ns += u128::from(waited.as_nanos());
        self.longest = self.longest.max(waited);
    }
}

/// The number of packets in each bin: first a list, later counters of all bins from `first` on.
#[derive(Clone, Debug, Default)]
struct Bins {
    /// The counters; empty while the list is in use.
    counts: Vec<u32>,
    first: u16,
    /// The bins with counters that were full and began again at zero, once for each time.
    full: Vec<u16>,
    /// The bins of the list with their numbers of packets, in ascending order.
    listed: Vec<(u16, u32)>,
}

impl Bins {
    fn memory_bytes(&self) -> usize {
        size_of_val(&self.counts[..]) + size_of_val(&self.listed[..]) + size_of_val(&self.full[..])
    }

    /// Counts a packet in its bin and returns true, if the bin has a counter that is not full.
    #[inline]
    fn count(&mut self, bin: u16) -> bool {
        match self.counts.get_mut(usize::from(bin.wrapping_sub(self.first))) {
            Some(count) if *count < u32::MAX => {
                *count += 1;
                true
            }
            _ => false,
        }
    }

    /// Counts a packet in a bin that has no counter yet, or a full one.
    fn count_anew(&mut self, bin: u16) {
        if !self.counts.is_empty() {
            self.add(bin, 1);
        } else if !self.count_listed(bin) {
            for (bin, count) in std::mem::take(&mut self.listed) {
                self.add(bin, count.into());
            }
            self.add(bin, 1);
        }
    }

    /// Counts a packet in the list, if the list has its bin or room for it; returns whether it did.
    fn count_listed(&mut self, bin: u16) -> bool {
        let list = &mut self.listed;
        let at = list.partition_point(|(listed, _)| *listed < bin);
        if let Some((listed, count)) = list.get_mut(at)
            && *listed == bin
        {
            let has_room = *count < u32::MAX;
            *count += u32::from(has_room);
            return has_room;
        }
        if list.len() == LISTED_MAX {
            return false;
        }
        if list.len() == list.capacity() {
            list.reserve_exact(list.len().max(4));
        }
        list.insert(at, (bin, 1));
        true
    }

    fn add(&mut self, bin: u16, more: u64) {
        self.reach(bin);
        let count = &mut self.counts[usize::from(bin - self.first)];
        let sum = u64::from(*count) + more;
        let begins_anew = sum / (u64::from(u32::MAX) + 1);
        *count = sum as u32;
        self.full.extend((0..begins_anew).map(|_| bin));
    }

    /// Creates counters for a bin and for all others of its doubling, and for those between it and the existing ones.
    fn reach(&mut self, bin: u16) {
        let doubling = BINS as u16;
        let (begin, end) = (bin / doubling * doubling, (bin / doubling + 1) * doubling);
        if self.counts.is_empty() {
            self.first = begin;
        }
        if begin < self.first {
            self.counts.splice(..0, (begin..self.first).map(|_| 0));
            self.first = begin;
        }
        let length = usize::from(end - self.first);
        if length > self.counts.len() {
            self.counts.reserve_exact(length - self.counts.len());
            self.counts.resize(length, 0);
        }
    }

    /// Returns the bins that are not empty, in ascending order, with their numbers of packets.
    fn in_order(&self) -> Vec<(u16, u64)> {
        let listed = self.listed.iter().map(|(bin, count)| (*bin, u64::from(*count)));
        let times_full = |bin: u16| self.full.iter().filter(|full| **full == bin).count() as u64;
        let counts = (self.first..).zip(&self.counts);
        let all = counts.map(|(bin, count)| (bin, u64::from(*count) + times_full(bin) * (u64::from(u32::MAX) + 1)));
        listed.chain(all.filter(|(_, count)| *count > 0)).collect()
    }
}

fn bin_of(nanos: u64) -> u16 {
    let shift = (nanos | BINS).ilog2() - BINS_LOG2;
    (u64::from(shift) * BINS + (nanos >> shift)) as u16
}

fn middle_ns(bin: u16) -> u64 {
    let bin = u64::from(bin);
    let shift = (bin / BINS).saturating_sub(1);
    let least = (bin - shift * BINS) << shift;
    least + ((1 << shift) - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 waits of 1 to 100 ms and 100 of zero: the 100th of the 200 is zero, the 190th is 90 ms, the 198th 98 ms.
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

    /// Every time falls into a bin with a middle within a hundredth of the time, and no later time falls into an
    /// earlier bin.
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

    /// For any number of bins and packets the counts equal those of a map.
    #[test]
    fn lists_and_counters_agree_with_a_map() {
        for (bins, most) in [(3u64, 200u64), (200, 20), (2_000, 20)] {
            let (mut counted, mut map) = (Bins::default(), std::collections::BTreeMap::<u16, u64>::new());
            let mut random = 1u64;
            for _ in 0..bins * most {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let bin = 1_000 + ((random >> 33) % bins) as u16;
                count(&mut counted, bin);
                *map.entry(bin).or_default() += 1;
            }
            assert_eq!(counted.counts.is_empty(), bins == 3);
            assert_eq!(counted.in_order(), Vec::from_iter(map));
        }
    }

    #[test]
    fn full_counts_go_on() {
        let listed = Bins { listed: vec![(7, u32::MAX - 1)], ..Bins::default() };
        let mut all = Bins::default();
        all.add(7, u64::from(u32::MAX) - 1);
        for mut bins in [listed, all] {
            (0..3).for_each(|_| count(&mut bins, 7));
            assert_eq!(bins.in_order(), [(7, u64::from(u32::MAX) + 2)]);
        }
    }

    fn count(bins: &mut Bins, bin: u16) {
        if !bins.count(bin) {
            bins.count_anew(bin);
        }
    }
}

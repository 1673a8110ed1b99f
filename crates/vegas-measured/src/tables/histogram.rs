//! Times counted in buckets, for percentiles of any number of them in bounded memory.

/// The ratio of a bucket's ends: a percentile is within half of it.
const RATIO: f64 = 1.02;
/// The least time that is distinguished, ms.
const LEAST_MS: f64 = 1e-3;
/// The buckets: up to a quarter of a million seconds.
const BUCKETS: usize = 1312;

/// A histogram of times; it takes memory from the first one on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    buckets: Vec<u32>,
    count: u64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Histogram {
    pub(crate) fn add(&mut self, ms: f64) {
        if self.count == 0 {
            self.buckets = vec![0; BUCKETS];
            (self.least, self.most) = (ms, ms);
        }
        let place = ((ms.max(LEAST_MS) / LEAST_MS).ln() / RATIO.ln()) as usize;
        let bucket = &mut self.buckets[place.min(BUCKETS - 1)];
        *bucket = bucket.saturating_add(1);
        self.count += 1;
        self.sum += ms;
        (self.least, self.most) = (self.least.min(ms), self.most.max(ms));
    }

    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    pub(crate) fn least(&self) -> Option<f64> {
        (self.count > 0).then_some(self.least)
    }

    pub(crate) fn most(&self) -> Option<f64> {
        (self.count > 0).then_some(self.most)
    }

    /// Returns the least time that this part of all do not exceed, within 1 %.
    pub(crate) fn percentile(&self, part: f64) -> Option<f64> {
        let wanted = (part * self.count as f64).ceil().max(1.0) as u64;
        let mut counted = 0;
        let place = self.buckets.iter().position(|bucket| {
            counted += u64::from(*bucket);
            counted >= wanted
        })?;
        if place == BUCKETS - 1 {
            return Some(self.most);
        }
        let middle = LEAST_MS * RATIO.powf(place as f64 + 0.5);
        Some(middle.clamp(self.least, self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_a_hundredth() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.percentile(0.5), histogram.mean()), (None, None));
        (1..=1000).for_each(|ms| histogram.add(f64::from(ms)));
        for (part, expected) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0)] {
            let found = histogram.percentile(part).expect("there are times");
            assert!((found / expected - 1.0).abs() < 0.0101, "{part}: {found}");
        }
        assert_eq!((histogram.least(), histogram.most(), histogram.mean()), (Some(1.0), Some(1000.0), Some(500.5)));
        histogram.add(1e12);
        assert_eq!(histogram.percentile(1.0), Some(1e12));
    }
}

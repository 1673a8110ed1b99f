//! Ascending ranges of sequence numbers that do not touch.

/// A set of sequence numbers, as ranges `[from, to)`.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    ranges: Vec<(i64, i64)>,
    /// How many numbers there are.
    count: i64,
}

/// The most ranges; SACK blocks beyond are forgotten, the oldest first.
const RANGES_MAX: usize = 1 << 14;

impl Ranges {
    /// Adds a range; calls `new` with each part of it that was not there.
    pub(super) fn add(&mut self, from: i64, to: i64, mut new: impl FnMut(i64, i64)) {
        if from >= to {
            return;
        }
        let mut new = |from, to| {
            self.count += to - from;
            new(from, to);
        };
        let first = self.ranges.partition_point(|(_, end)| *end < from);
        let mut at = from;
        let (mut begin, mut end, mut last) = (from, to, first);
        while let Some(&(there, until)) = self.ranges.get(last).filter(|(there, _)| *there <= to) {
            if at < there {
                new(at, there);
            }
            at = at.max(until);
            (begin, end, last) = (begin.min(there), end.max(until), last + 1);
        }
        if at < to {
            new(at, to);
        }
        self.ranges.splice(first..last, [(begin, end)]);
        if self.ranges.len() > RANGES_MAX {
            let (from, to) = self.ranges.remove(0);
            self.count -= to - from;
        }
    }

    /// Removes everything below `edge`; returns how many numbers that were.
    pub(super) fn drop_below(&mut self, edge: i64) -> i64 {
        let whole = self.ranges.partition_point(|(_, end)| *end <= edge);
        let mut dropped: i64 = self.ranges.drain(..whole).map(|(from, to)| to - from).sum();
        if let Some((from, _)) = self.ranges.first_mut().filter(|(from, _)| *from < edge) {
            dropped += edge - *from;
            *from = edge;
        }
        self.count -= dropped;
        dropped
    }

    /// How many numbers there are.
    pub(super) fn count(&self) -> i64 {
        self.count
    }

    /// Whether all numbers of a range are there.
    pub(super) fn has(&self, from: i64, to: i64) -> bool {
        let place = self.ranges.partition_point(|(_, end)| *end <= from);
        self.ranges.get(place).is_some_and(|(begin, end)| *begin <= from && to <= *end)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_new() {
        let mut ranges = Ranges::default();
        let mut add = |from, to| {
            let mut parts = Vec::new();
            ranges.add(from, to, |from, to| parts.push((from, to)));
            (parts, ranges.ranges.clone())
        };
        assert_eq!(add(10, 20), (vec![(10, 20)], vec![(10, 20)]));
        assert_eq!(add(30, 40), (vec![(30, 40)], vec![(10, 20), (30, 40)]));
        assert_eq!(add(12, 18), (vec![], vec![(10, 20), (30, 40)]));
        assert_eq!(add(5, 35), (vec![(5, 10), (20, 30)], vec![(5, 40)]));
        assert_eq!(add(40, 41), (vec![(40, 41)], vec![(5, 41)]));
        assert_eq!(add(50, 50), (vec![], vec![(5, 41)]));
        assert_eq!(
            [ranges.has(5, 41), ranges.has(5, 42), ranges.has(4, 6), ranges.has(41, 42)],
            [true, false, false, false]
        );
        assert_eq!((ranges.drop_below(10), ranges.count(), ranges.ranges), (5, 31, vec![(10, 41)]));
    }
}

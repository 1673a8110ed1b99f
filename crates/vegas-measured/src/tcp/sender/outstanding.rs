//! The segments of a direction that were sent and are not yet acknowledged, in the order of their sequence numbers.

use std::collections::VecDeque;

/// A segment, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) from: i64,
    pub(super) to: i64,
    /// When it was first seen, ns.
    pub(super) first_at: i64,
    /// When it was last seen, ns.
    pub(super) last_at: i64,
    /// How often it was seen.
    pub(super) times: u32,
    pub(super) sacked: bool,
    /// The number of its newest departure.
    pub(super) departure: u64,
}

/// The most segments of a direction: more than the largest window has.
const SEGMENTS_MAX: usize = 1 << 20;

#[derive(Clone, Debug, Default)]
pub(super) struct Outstanding {
    segments: VecDeque<Sent>,
}

impl Outstanding {
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// The first segment that is not acknowledged.
    pub(super) fn head(&self) -> Option<&Sent> {
        self.segments.front()
    }

    /// Adds a segment behind all others. Of too many the oldest is forgotten.
    pub(super) fn push(&mut self, sent: Sent) {
        if self.segments.len() == SEGMENTS_MAX {
            self.segments.pop_front();
        }
        self.segments.push_back(sent);
    }

    /// Forgets the oldest segment.
    pub(super) fn forget_one(&mut self) {
        self.segments.pop_front();
    }

    /// Adds a segment among the others; nothing of it is there.
    pub(super) fn insert(&mut self, sent: Sent) {
        let place = self.place(sent.from);
        self.segments.insert(place, sent);
    }

    /// The segments of a range, divided at its ends.
    pub(super) fn range_mut(&mut self, from: i64, to: i64) -> impl Iterator<Item = &mut Sent> {
        self.split_at(from);
        self.split_at(to);
        let (first, last) = (self.place(from), self.place(to));
        self.segments.range_mut(first..last.max(first))
    }

    /// Removes the next segment that ends at `edge` or below it; one that reaches beyond is divided.
    pub(super) fn pop_below(&mut self, edge: i64) -> Option<Sent> {
        let first = self.segments.front().filter(|first| first.from < edge)?;
        if first.to > edge {
            self.split_at(edge);
        }
        self.segments.pop_front()
    }

    /// The place of the first segment that ends behind `sequence`.
    fn place(&self, sequence: i64) -> usize {
        self.segments.partition_point(|sent| sent.to <= sequence)
    }

    fn split_at(&mut self, sequence: i64) {
        let place = self.place(sequence);
        let Some(sent) = self.segments.get_mut(place).filter(|sent| sent.from < sequence) else { return };
        let rest = Sent { from: sequence, ..*sent };
        sent.to = sequence;
        self.segments.insert(place + 1, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(from: i64, to: i64) -> Sent {
        Sent { from, to, first_at: 0, last_at: 0, times: 1, sacked: false, departure: 0 }
    }

    fn ranges(outstanding: &Outstanding) -> Vec<(i64, i64)> {
        outstanding.segments.iter().map(|sent| (sent.from, sent.to)).collect()
    }

    #[test]
    fn ranges_divide_segments() {
        let mut outstanding = Outstanding::default();
        [(0, 10), (10, 20), (30, 40)].into_iter().for_each(|(from, to)| outstanding.push(sent(from, to)));
        let within = |outstanding: &mut Outstanding, from, to| {
            outstanding.range_mut(from, to).map(|sent| (sent.from, sent.to)).collect::<Vec<_>>()
        };
        assert_eq!(within(&mut outstanding, 5, 35), [(5, 10), (10, 20), (30, 35)]);
        assert_eq!(ranges(&outstanding), [(0, 5), (5, 10), (10, 20), (30, 35), (35, 40)]);
        assert_eq!(within(&mut outstanding, 20, 30), []);
        outstanding.insert(sent(20, 30));
        assert_eq!(within(&mut outstanding, 20, 30), [(20, 30)]);
        assert_eq!(outstanding.pop_below(3).map(|sent| (sent.from, sent.to)), Some((0, 3)));
        assert_eq!(outstanding.pop_below(3), None);
        assert_eq!(ranges(&outstanding)[0], (3, 5));
    }
}

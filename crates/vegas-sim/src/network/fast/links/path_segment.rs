//! A path segment: uncongested links one behind the other, passed as one.
//!
//! A packet of the usual size comes out of a path segment a fixed time after it has entered. What each of the links has
//! sent follows from the number of these packets, unless a sample is taken meanwhile. So a path segment has a
//! [`LinkRecord`], which counts packets. The record has the last instant at which a packet may enter and still leave
//! all links by their next sampling instant. Only packets that enter later, and those of other sizes, pass the links
//! one by one. The totals of a link are the sum over the path segments that it is part of.

use vegas_core::units::{Span, Time};

use crate::network::fast::links::uncongested::{SegmentLink, UncongestedLink};
use crate::network::fast::record::LinkRecord;
use crate::packet::WireSize;

/// A path segment, without the values that are in its record.
#[derive(Clone, Debug)]
pub(crate) struct PathSegment {
    links: Box<[SegmentLink]>,
}

impl PathSegment {
    /// Returns the memory that the path segment takes beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.links.iter().map(SegmentLink::memory_bytes).sum()
    }

    /// Returns a path segment of one link at least.
    pub(crate) fn new(links: Box<[SegmentLink]>) -> Self {
        PathSegment { links }
    }

    /// Passes a packet that the record does not count, and that enters at `at`, through each link. Returns when it
    /// comes out; if that is not by `end`, some time after `end`.
    #[inline(never)]
    pub(crate) fn pass_each(
        &mut self,
        record: &mut LinkRecord,
        links: &[UncongestedLink],
        mut at: Time,
        wire: WireSize,
        end: Time,
    ) -> Time {
        let behind = |link: &SegmentLink| &links[link.uncongested as usize];
        for link in &mut self.links {
            if at > end {
                break;
            }
            at = link.pass(behind(link), at, wire, record);
        }
        if record.packets == 0 {
            let links = self.links.iter_mut();
            let through = links.fold(Span::ZERO, |before, link| link.expect(behind(link), wire, before));
            record.expect(wire, through);
        }
        record.count_until(self.links.iter().map(SegmentLink::unsampled_until).min().flatten());
        at
    }

    /// Adds what has passed each link at the next sampling instant.
    pub(crate) fn look(&mut self, record: &LinkRecord, links: &mut [UncongestedLink]) {
        for link in &mut self.links {
            links[link.uncongested as usize].passed.add(link.look(record));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::sampling::SamplingInstants;
    use crate::network::fast::links::uncongested::Passed;
    use crate::network::fast::record::Exit;
    use proptest::prelude::*;
    use vegas_core::units::Rate;

    /// How long each link sends a byte, and its delay, ns.
    const BYTE_NS: [u64; 2] = [1, 2];
    const DELAY_NS: [u64; 2] = [7, 5];
    const LOOKS_NS: [u64; 3] = [100, 200, 250];

    /// A path segment of both links, with its record.
    struct One {
        record: LinkRecord,
        segment: PathSegment,
        links: [UncongestedLink; 2],
    }

    impl One {
        fn new() -> Self {
            let instants = SamplingInstants::new(Some(Span::from_nanos(LOOKS_NS[0])), Time::from_nanos(LOOKS_NS[2]));
            let uncongested = |link: usize| {
                let rate = Rate::from_bits_per_second(8_000_000_000 / BYTE_NS[link]);
                UncongestedLink::new(rate, Span::from_nanos(DELAY_NS[link]))
            };
            let segment = PathSegment::new([0, 1].map(|link| SegmentLink::new(link, instants)).into());
            One {
                record: LinkRecord::segment(Exit { link: 1, delay_line: 0 }),
                segment,
                links: [0, 1].map(uncongested),
            }
        }

        /// Returns when a packet that enters at `at` comes out.
        fn pass(&mut self, at: u64, wire: u16) -> u64 {
            let (at, wire, record) = (Time::from_nanos(at), WireSize::new(wire), &mut self.record);
            let out = match record.usual_wait(at, wire) {
                Some(waits) => record.accept(at, waits),
                None => self.segment.pass_each(record, &self.links, at, wire, Time::from_nanos(LOOKS_NS[2])),
            };
            out.as_nanos()
        }

        /// Returns bytes and busy time of both links at the next sampling instant.
        fn look(&mut self) -> [(u64, u64); 2] {
            self.links.iter_mut().for_each(|link| link.passed = Passed::default());
            self.segment.look(&self.record, &mut self.links);
            self.links.each_ref().map(|link| {
                let totals = link.passed.totals();
                (totals.departed_bytes, totals.busy.as_nanos())
            })
        }
    }

    /// Returns bytes and busy time at a sampling instant, of packets that are in the transmitter from one instant to
    /// another.
    fn expected(sent: &[(u64, u64, u16)], look: u64) -> (u64, u64) {
        let gone = sent.iter().filter(|(_, to, _)| *to <= look);
        let busy = sent.iter().map(|(from, to, _)| look.min(*to).saturating_sub(*from));
        (gone.map(|(.., wire)| u64::from(*wire)).sum(), busy.sum())
    }

    proptest! {
        /// A sample shows what has left by then, whether packets are counted or pass one by one.
        #[test]
        fn looks_see_what_has_left(packets in prop::collection::vec((0u64..7, prop::sample::select(vec![4u16, 4, 4, 9])), 1..40)) {
            let mut segment = One::new();
            let mut sent = [Vec::new(), Vec::new()];
            let mut at = 0;
            for (gap, wire) in packets {
                let mut through = at;
                for link in 0..2 {
                    let departure = through + BYTE_NS[link] * u64::from(wire);
                    sent[link].push((through, departure, wire));
                    through = departure + DELAY_NS[link];
                }
                let out = segment.pass(at, wire);
                prop_assert!(out == through || out > LOOKS_NS[2] && through > LOOKS_NS[2]);
                // no packet waits for the packet before it
                at += 3 * u64::from(wire) + gap;
            }
            for time in LOOKS_NS {
                prop_assert_eq!(segment.look(), [0, 1].map(|link| expected(&sent[link], time)));
            }
        }
    }

    #[test]
    fn packets_of_one_size_are_counted() {
        let mut segment = One::new();
        for at in [0, 20, 40, 60] {
            assert_eq!(segment.pass(at, 4), at + 24);
        }
        assert_eq!(segment.record.packets, 3);
    }
}

//! What a receiver's interface does before TCP sees segments: it merges those that follow each other into one (GRO;
//! Linux: `dev_gro_receive`, `tcp_gro_receive`, `skb_gro_receive`).

use vegas_core::units::{Span, Time};

use crate::packet::Packet;

/// An interface that merges the segments of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Merging {
    /// The longest time for which it holds segments (`gro_flush_timeout`).
    hold: Span,
    held: Option<Merged>,
}

/// Segments in sequence that TCP takes for one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merged {
    /// The first segment, and its payload.
    pub(crate) first: Packet,
    pub(crate) segment: u64,
    /// One past the last byte of the last segment.
    pub(crate) to: u64,
    /// When the interface passes it on at the latest.
    due: Time,
}

/// The bytes of a merged segment, headers included, stay below this (`GRO_LEGACY_MAX_SIZE`).
const BYTES_LIMIT: u64 = 65_536;

impl Merging {
    pub(crate) fn new(hold: Span) -> Self {
        Merging { hold, held: None }
    }

    /// When the interface passes on what it holds at the latest.
    pub(crate) fn due(&self) -> Option<Time> {
        self.held.map(|held| held.due)
    }

    /// Takes what is held, because the segment that arrives with `payload` bytes does not continue it.
    pub(crate) fn take_before(&mut self, segment: &Packet, payload: u64) -> Option<Merged> {
        self.held.take_if(|held| !held.is_continued_by(segment, payload))
    }

    /// Adds a segment with `payload` bytes to what is held; returns all of it if nothing may follow: behind a shorter
    /// segment, and behind PSH.
    pub(crate) fn add(&mut self, now: Time, segment: &Packet, payload: u64) -> Option<Merged> {
        let first = Merged { first: *segment, segment: payload, to: segment.number(), due: now + self.hold };
        let held = self.held.get_or_insert(first);
        held.to += payload;
        if segment.is_pushed() {
            held.first = held.first.pushed();
        }
        self.held.take_if(|held| payload < held.segment || segment.is_pushed())
    }

    /// Takes what has been held for as long as it may be.
    pub(crate) fn take_due(&mut self, now: Time) -> Option<Merged> {
        self.held.take_if(|held| held.due <= now)
    }
}

impl Merged {
    /// Returns whether a segment with `payload` bytes follows at once, is no longer than those before, and has the same
    /// marks and time stamps.
    fn is_continued_by(&self, next: &Packet, payload: u64) -> bool {
        let bytes = u64::from(self.first.wire()) - self.segment + (self.to - self.first.number()) + payload;
        next.number() == self.to
            && payload <= self.segment
            && bytes < BYTES_LIMIT
            && next.ecn() == self.first.ecn()
            && next.has_time_stamps_of(&self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, PacketKind, Tick, TimeStamps, WireSize};

    fn ns(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// A segment from this byte on, with 40 bytes of headers.
    fn segment(from: u64, payload: u64) -> (Packet, u64) {
        (Packet::new(PacketKind::Data, 0, from, WireSize::new((payload + 40) as u16)), payload)
    }

    /// Feeds in segments that arrive at 0; returns the bytes `[from, to)` of those that are passed on, and at last what
    /// is held.
    fn passed_on(segments: &[(Packet, u64)]) -> Vec<(u64, u64)> {
        let mut merging = Merging::new(Span::from_nanos(5));
        let mut passed = Vec::new();
        for (packet, payload) in segments {
            passed.extend(merging.take_before(packet, *payload));
            passed.extend(merging.add(ns(0), packet, *payload));
        }
        assert!(merging.take_due(ns(4)).is_none(), "not before its time");
        passed.extend(merging.take_due(ns(5)));
        assert!(merging.due().is_none());
        passed.iter().map(|merged| (merged.first.number(), merged.to)).collect()
    }

    /// A gap, a repeat and a longer segment begin another one; a shorter one is the last.
    #[test]
    fn what_follows_is_merged() {
        let segments = [(0, 100), (100, 100), (300, 100), (400, 100), (400, 100), (500, 60), (560, 60), (620, 100)];
        let merged = passed_on(&segments.map(|(from, payload)| segment(from, payload)));
        assert_eq!(merged, [(0, 200), (300, 500), (400, 560), (560, 620), (620, 720)]);
    }

    /// Behind PSH nothing is merged, and the whole has the flag.
    #[test]
    fn a_pushed_segment_is_the_last() {
        let mut merging = Merging::new(Span::from_nanos(5));
        assert!(merging.add(ns(0), &segment(0, 100).0, 100).is_none());
        let merged = merging.add(ns(0), &segment(100, 100).0.pushed(), 100).expect("what is held");
        assert_eq!((merged.to, merged.first.is_pushed()), (200, true));
    }

    /// Headers included, 65,535 bytes are merged at most: 40 and 45 times 1448 are 65,200.
    #[test]
    fn below_65536_bytes_are_merged() {
        let segments: Vec<_> = (0..46).map(|number| segment(1448 * number, 1448)).collect();
        assert_eq!(passed_on(&segments), [(0, 45 * 1448), (45 * 1448, 46 * 1448)]);
    }

    #[test]
    fn other_marks_and_other_time_stamps_are_not_merged() {
        let (marked, plain) = (|(packet, payload): (Packet, u64)| (packet.with_ecn(Ecn::MARKED), payload), segment);
        let stamp = |value| TimeStamps { value: Tick::of_header(value), echo: Tick::of_header(1) };
        let stamped = |(packet, payload): (Packet, u64), value| (packet.with_time_stamps(stamp(value)), payload);
        let ways = [
            [marked(plain(0, 9)), marked(plain(9, 9)), plain(18, 9)],
            [stamped(plain(0, 9), 4), stamped(plain(9, 9), 4), stamped(plain(18, 9), 5)],
        ];
        for segments in ways {
            assert_eq!(passed_on(&segments), [(0, 18), (18, 27)]);
        }
    }
}

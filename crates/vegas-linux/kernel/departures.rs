//! What had been delivered and lost, and what was in flight, when a segment left.
//!
//! With each segment the kernel keeps how many had been delivered before it (`tx.delivered` of its buffer,
//! `prior_delivered` of a rate sample), and no more; BBR version 3 also asks for its `lost` and `tx_in_flight`, which
//! its authors' patches to Linux add. Nothing is delivered between two acknowledgements. So an entry for each
//! acknowledgement, found by that number, tells the rest: of losses at once, and of the flight by the place of the
//! segment among those that left after the entry.
//!
//! This file is compiled twice, as `abi.rs` is.

/// The entries that are kept: those of two flights.
pub(crate) const ENTRIES: usize = 512;
/// Entries of a flight at most: of a longer one not every acknowledgement has an entry.
const PER_FLIGHT: u32 = 256;
/// Steps of a search by halves.
const SEARCH_STEPS: u32 = ENTRIES.ilog2();
const MASK: u32 = ENTRIES as u32 - 1;
const _: () = assert!(ENTRIES.is_power_of_two());

/// The counts after an acknowledgement, before anything leaves. They and sequence numbers are modulo 2^32.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Departure {
    /// Segments delivered so far.
    pub(crate) delivered: u32,
    /// Segments found lost so far.
    pub(crate) lost: u32,
    /// Segments in flight.
    pub(crate) in_flight: u32,
    /// The sequence number of the next new byte (SND.NXT).
    pub(crate) next: u32,
}

/// The entries of one connection, in the order of time.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Departures {
    /// Entries written so far.
    pub(crate) count: u32,
    pub(crate) entries: [Departure; ENTRIES],
}

impl Departures {
    /// Notes the counts.
    pub(crate) fn note(&mut self, now: Departure) {
        let newest = self.entries[place(self.count.wrapping_sub(1))];
        let since = now.delivered.wrapping_sub(newest.delivered);
        if self.count > 0 && since == 0 {
            // a timeout has found losses, or the acknowledgement delivered nothing: the place of what has left stays
            if now.lost != newest.lost {
                self.entries[place(self.count.wrapping_sub(1))] = now;
            }
            return;
        }
        if self.count > 0 && since <= now.in_flight / PER_FLIGHT {
            return;
        }
        self.entries[place(self.count)] = now;
        self.count = self.count.wrapping_add(1);
    }

    /// What there was when a segment left: `delivered` had been delivered before it, and it ends before the sequence
    /// number `end`. The flight includes it.
    pub(crate) fn of(&self, delivered: u32, end: u32, segment_bytes: u32) -> Departure {
        let entry = self.newest(|entry| is_past(delivered, entry.delivered));
        // what was retransmitted has an earlier sequence number: it counts as the first that left
        let is_new = end != entry.next && is_past(end, entry.next);
        let place = if is_new { end.wrapping_sub(entry.next).div_ceil(segment_bytes.max(1)) } else { 1 };
        let arrived = if is_past(delivered, entry.delivered) { delivered.wrapping_sub(entry.delivered) } else { 0 };
        let in_flight = entry.in_flight.saturating_add(place).saturating_sub(arrived).max(1);
        Departure { delivered, lost: entry.lost, in_flight, next: end }
    }

    /// What there was when the segment that begins with the sequence number `begin` left for the first time.
    pub(crate) fn of_first(&self, begin: u32, segment_bytes: u32) -> Departure {
        let entry = self.newest(|entry| is_past(begin, entry.next));
        let before = if is_past(begin, entry.next) { begin.wrapping_sub(entry.next) / segment_bytes.max(1) } else { 0 };
        Departure { in_flight: entry.in_flight.saturating_add(before).saturating_add(1), next: begin, ..entry }
    }

    /// The newest entry that is early enough; the oldest, if none is.
    fn newest(&self, is_early: impl Fn(&Departure) -> bool) -> Departure {
        let kept = self.count.min(ENTRIES as u32);
        let oldest = self.count.wrapping_sub(kept);
        let mut found = 0;
        for step in 1..=SEARCH_STEPS {
            let further = found + (ENTRIES as u32 >> step);
            if further < kept && is_early(&self.entries[place(oldest.wrapping_add(further))]) {
                found = further;
            }
        }
        self.entries[place(oldest.wrapping_add(found))]
    }
}

/// Whether a number, modulo 2^32, has reached another.
fn is_past(number: u32, other: u32) -> bool {
    number.wrapping_sub(other) >> 31 == 0
}

/// Where the entry of this number is.
fn place(number: u32) -> usize {
    (number & MASK) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1000;

    fn empty() -> Departures {
        Departures { count: 0, entries: [Departure::default(); ENTRIES] }
    }

    fn noted(counts: &[(u32, u32, u32, u32)]) -> Departures {
        let mut departures = empty();
        for (delivered, lost, in_flight, next) in counts.iter().copied() {
            departures.note(Departure { delivered, lost, in_flight, next });
        }
        departures
    }

    fn told(departures: &Departures, delivered: u32, end: u32) -> (u32, u32) {
        let told = departures.of(delivered, end, MSS);
        (told.lost, told.in_flight)
    }

    /// Ten segments leave, the first two are acknowledged one by one, and two more leave after each: the twelfth is the
    /// second of its pair, with nine left in flight after the first acknowledgement, so the eleventh in flight.
    #[test]
    fn a_segment_is_counted_among_those_that_left_with_it() {
        let departures = noted(&[(0, 0, 0, 5_000), (1, 0, 9, 15_000), (2, 3, 10, 17_000)]);
        assert_eq!(told(&departures, 0, 6_000), (0, 1));
        assert_eq!(told(&departures, 0, 15_000), (0, 10));
        assert_eq!(told(&departures, 1, 17_000), (0, 11));
        assert_eq!(told(&departures, 2, 18_000), (3, 11));
        // a short last one is one, too
        assert_eq!(told(&departures, 2, 18_001), (3, 12));
        // retransmitted: the first after its entry
        assert_eq!(told(&departures, 2, 7_000), (3, 11));
        // by where they begin, when they left for the first time
        let first = |begin| (departures.of_first(begin, MSS).lost, departures.of_first(begin, MSS).in_flight);
        assert_eq!([first(5_000), first(14_000), first(16_000), first(17_000)], [(0, 1), (0, 10), (0, 11), (3, 11)]);
    }

    /// An acknowledgement that delivers nothing moves no place; a timeout's losses count for what leaves after it.
    #[test]
    fn what_delivers_nothing_is_told_by_its_losses() {
        let departures = noted(&[(4, 0, 6, 9_000), (4, 0, 8, 11_000)]);
        assert_eq!(told(&departures, 4, 11_000), (0, 8));
        let departures = noted(&[(4, 0, 6, 9_000), (4, 8, 0, 11_000)]);
        assert_eq!(told(&departures, 4, 7_000), (8, 1));
    }

    /// Every number of a long connection is found again, across the end of 32 bits.
    #[test]
    fn entries_are_found_while_they_are_kept() {
        let mut departures = empty();
        let first = u32::MAX - 700;
        for number in 0..2_000_u32 {
            let (delivered, next) = (first.wrapping_add(number), number.wrapping_mul(MSS));
            departures.note(Departure { delivered, lost: number, in_flight: 100, next });
            for back in 0..=number.min(ENTRIES as u32 - 1) {
                let (end, lost) = ((number - back).wrapping_mul(MSS) + MSS, number - back);
                assert_eq!(told(&departures, delivered.wrapping_sub(back), end), (lost, 101), "{back} of {number}");
            }
        }
        // older than what is kept: as the oldest
        assert_eq!(told(&departures, first, 0).0, 2_000 - ENTRIES as u32);
    }

    /// A flight of 2,560 has an entry for each eleventh segment; the arrivals between are taken off.
    #[test]
    fn long_flights_have_fewer_entries() {
        let mut departures = empty();
        for delivered in 0..5_000_u32 {
            departures.note(Departure { delivered, lost: 0, in_flight: 2_560, next: delivered * MSS });
        }
        assert_eq!(departures.count, 5_000_u32.div_ceil(11));
        for delivered in 2_000..5_000 {
            assert_eq!(told(&departures, delivered, delivered * MSS + MSS), (0, 2_561), "{delivered}");
        }
    }
}

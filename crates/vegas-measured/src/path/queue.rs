//! The limit of the bottleneck's queue: what was accepted fits it, and what was lost did not.

use super::service::{Arrival, Crossing, Fate};

/// What the losses say about the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    /// The limit, bytes: from the first to the second it explains the losses.
    pub(super) between: (u64, u64),
    /// A packet that would have made the queue no longer than this was not lost for want of room.
    pub(super) room: u64,
    /// Losses with room in the queue, and packets accepted beyond the limit.
    pub(super) lost_with_room: u64,
    pub(super) accepted_beyond: u64,
    pub(super) losses: u64,
    pub(super) packets: u64,
    /// Whether the losses are those of a full queue: else they happen at any length.
    pub(super) explains: bool,
}

/// Where arrivals at the bottleneck are known less well, a loss counts as one of a full queue from this part of the
/// longest queue on.
const NEARLY_FULL: f64 = 0.8;
/// The losses are those of a full queue if at least the first part of them is there, and of all packets at most the
/// second part of that part.
const MOST: f64 = 0.8;
const FEWER: f64 = 0.6;

/// A packet: how long the queue would be with it, and whether it was lost.
type Needed = (u64, bool);

/// Returns the limit that explains the losses best; none without losses.
pub(super) fn limit(arrivals: &[Arrival], crossings: &[Crossing]) -> Option<Limit> {
    let needed = |(arrival, crossing): (&Arrival, &Crossing)| match arrival.fate {
        Fate::Unknown => None,
        fate => Some((crossing.backlog + u64::from(arrival.bytes), fate == Fate::Lost)),
    };
    let mut all: Vec<Needed> = arrivals.iter().zip(crossings).filter_map(needed).collect();
    all.sort_unstable();
    if !all.iter().any(|(_, is_lost)| *is_lost) {
        return None;
    }
    let sharp = sharp(&all);
    Some(if 2 * (sharp.lost_with_room + sharp.accepted_beyond) <= sharp.losses {
        Limit { explains: true, ..sharp }
    } else {
        blurred(&all)
    })
}

/// Returns the limit that puts the fewest packets on the wrong side.
fn sharp(all: &[Needed]) -> Limit {
    let losses = all.iter().filter(|(_, is_lost)| *is_lost).count() as u64;
    let packets = all.len() as u64;
    // a limit of 0 loses everything: each loss is explained, and no packet that was accepted
    let (mut lost_with_room, mut accepted_beyond) = (0, packets - losses);
    let mut best: Option<Limit> = None;
    let mut rest = all;
    while let Some((bytes, _)) = rest.first().copied() {
        let same = rest.partition_point(|(needed, _)| *needed <= bytes);
        let lost = rest[..same].iter().filter(|(_, is_lost)| *is_lost).count() as u64;
        (lost_with_room, accepted_beyond) = (lost_with_room + lost, accepted_beyond - (same as u64 - lost));
        rest = &rest[same..];
        let between = (bytes, rest.first().map_or(bytes, |(needed, _)| needed - 1));
        if best.is_none_or(|best| lost_with_room + accepted_beyond < best.lost_with_room + best.accepted_beyond) {
            best =
                Some(Limit { between, room: bytes, lost_with_room, accepted_beyond, losses, packets, explains: false });
        }
    }
    best.expect("there are packets")
}

/// Returns the limit as the deciles of the queues that lost packets found.
fn blurred(all: &[Needed]) -> Limit {
    let lost: Vec<u64> = all.iter().filter(|(_, is_lost)| *is_lost).map(|(needed, _)| *needed).collect();
    let longest = all.iter().rev().find(|(_, is_lost)| !is_lost).map_or(0, |(needed, _)| *needed);
    let room = (longest as f64 * NEARLY_FULL) as u64;
    let beyond =
        |needed: &[u64]| needed.iter().filter(|needed| **needed > room).count() as f64 / needed.len().max(1) as f64;
    let (of_lost, of_all) =
        (beyond(&lost), all.iter().filter(|(needed, _)| *needed > room).count() as f64 / all.len() as f64);
    let at = |part: f64| lost[((lost.len() - 1) as f64 * part) as usize];
    let between = (at(0.1).max(room), at(0.9).max(room));
    let lost_with_room = lost.iter().filter(|needed| **needed <= room).count() as u64;
    let accepted_beyond = all.iter().filter(|(needed, is_lost)| !is_lost && *needed > between.1).count() as u64;
    let (losses, packets) = (lost.len() as u64, all.len() as u64);
    let explains = of_lost >= MOST && of_all <= FEWER * of_lost;
    Limit { between, room, lost_with_room, accepted_beyond, losses, packets, explains }
}

impl Limit {
    /// The roundest number of bytes that the limit may be.
    pub(super) fn roundest(&self) -> u64 {
        roundest(self.between.0, self.between.1)
    }
}

/// Returns the number with the most zeros at its end, from `low` to `high`.
pub(super) fn roundest(low: u64, high: u64) -> u64 {
    let mut unit = 1u64;
    let mut best = low;
    while unit <= high {
        let up = low.div_ceil(unit).saturating_mul(unit);
        if up <= high && up > 0 {
            best = up;
        }
        unit = unit.saturating_mul(10);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::service::Service;

    #[test]
    fn round_numbers() {
        assert_eq!(
            [roundest(5180, 5475), roundest(59_700, 60_100), roundest(7, 7), roundest(95, 120)],
            [5200, 60_000, 7, 100]
        );
    }

    fn fate(is_lost: bool) -> Fate {
        if is_lost { Fate::Lost } else { Fate::Arrived }
    }

    fn of(arrivals: &[Arrival]) -> Option<Limit> {
        limit(arrivals, &Service::Constant { rate: 8e6, burst: 0.0 }.carry(arrivals, None))
    }

    /// Bursts of 12 packets of 1000 bytes into a queue of 8,300 bytes: eight fit, as the first is still being sent.
    #[test]
    fn losses_of_a_full_queue() {
        let packets = (0..20i64).flat_map(|burst| {
            (0..12).map(move |number| Arrival { at: burst * 100_000_000, bytes: 1000, fate: fate(number >= 8) })
        });
        let mut arrivals: Vec<Arrival> = packets.collect();
        let found = of(&arrivals).expect("there are losses");
        assert_eq!(
            (found.between, found.roundest(), found.lost_with_room, found.explains),
            ((8000, 8999), 8000, 0, true)
        );
        // three losses at an empty queue, which leave room for one more each
        for number in [0, 12, 24] {
            arrivals[number].fate = Fate::Lost;
            arrivals[number + 8].fate = Fate::Arrived;
        }
        let found = of(&arrivals).expect("there are losses");
        assert_eq!((found.lost_with_room, found.explains), (3, true));
        arrivals.iter_mut().for_each(|arrival| arrival.fate = Fate::Arrived);
        assert_eq!(of(&arrivals), None);
    }

    /// The same bursts, of which any packet may be lost.
    #[test]
    fn losses_at_any_length() {
        let is_lost = |number: i64| number * 7 % 23 == 0;
        let packets = (0..1200i64).map(|number| Arrival {
            at: number / 12 * 100_000_000,
            bytes: 1000,
            fate: fate(is_lost(number)),
        });
        let found = of(&packets.collect::<Vec<_>>()).expect("there are losses");
        assert!(!found.explains, "{found:?}");
    }
}

//! Overtaking packets, which found no delay line ([`crate::network::fast::in_flight::delay_lines`]): each comes out by
//! an event of its link.
//!
//! Nearly all of them belong to bursts. A host sends several packets at once, and they come out of its link one
//! transmission after the other, so that consecutive packets differ in the same way each time. A burst takes one place.

use vegas_core::units::{Span, Time};

use crate::network::fast::in_flight::pool::{Pool, Row};
use crate::packet::Packet;
use crate::scenario::LinkId;

/// All overtaking packets.
#[derive(Clone, Debug)]
pub(crate) struct Overtaking {
    /// The bursts of each link.
    rows: Vec<Row>,
    bursts: Pool<Burst, 4>,
    /// The number of packets that have entered and have not come out.
    inside: usize,
}

/// Packets that come out of a link one after the other, at equal distances in time and in sequence numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    /// The first of the packets.
    packet: Packet,
    arrival: Time,
    /// The place in the routes at which the packets continue.
    place: u32,
    /// The number of packets behind the first.
    behind: u32,
    gap_ns: u32,
    step_bytes: u32,
}

const _: () = assert!(size_of::<Burst>() == 48);

impl Overtaking {
    pub(crate) fn new(links: usize) -> Self {
        Overtaking { rows: vec![Row::NEW; links], bursts: Pool::default(), inside: 0 }
    }

    /// Carries a packet to its arrival at the end of a link, from which it continues at `place`. Returns whether the
    /// packet is the first to arrive there.
    pub(crate) fn carry(&mut self, link: LinkId, packet: Packet, arrival: Time, place: u32) -> bool {
        self.inside += 1;
        let row = &mut self.rows[link];
        if self.bursts.last_mut(row).is_some_and(|burst| burst.takes(&packet, arrival, place)) {
            return false;
        }
        let is_first = row.is_empty();
        self.bursts.push(row, Burst { packet, arrival, place, ..Burst::default() });
        is_first
    }

    /// Takes the packet that comes out of a link now. Returns it with the place at which it continues, and the arrival
    /// of the next one. A link without packets gives up its memory, as bursts that meet others on a delay line are
    /// rare.
    pub(crate) fn take_first(&mut self, link: LinkId, now: Time) -> ((Packet, u32), Option<Time>) {
        self.inside -= 1;
        let row = &mut self.rows[link];
        let burst = self.bursts.first_mut(row).expect("an arrival is due");
        debug_assert_eq!(burst.arrival, now);
        let first = (burst.packet, burst.place);
        if burst.behind > 0 {
            burst.go_on();
            return (first, Some(burst.arrival));
        }
        self.bursts.drop_first(row);
        let next = self.bursts.first(row).map(|burst| burst.arrival);
        if next.is_none() {
            self.bursts.release(row);
        }
        (first, next)
    }

    /// Returns the memory that the bursts take, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bursts.memory_bytes()
    }

    /// Returns the number of overtaking packets on their way.
    pub(crate) fn packets_held(&self) -> usize {
        self.inside
    }

    /// Checks that each packet that entered has come out or is still here.
    pub(crate) fn check_conservation(&self) {
        let bursts = self.rows.iter().flat_map(|row| self.bursts.iter(row));
        let there: usize = bursts.map(|burst| 1 + burst.behind as usize).sum();
        assert_eq!(there, self.inside, "packets were made or lost apart from delay_lines");
    }
}

impl Burst {
    /// Adds a packet to the burst if it is as far behind the last packet as that is behind the one before; returns
    /// whether it is.
    fn takes(&mut self, packet: &Packet, arrival: Time, place: u32) -> bool {
        if place != self.place || !packet.is_like(&self.packet) || packet.sequence < self.packet.sequence {
            return false;
        }
        if self.behind == 0 {
            let gap_ns = u32::try_from(arrival.since(self.arrival).as_nanos());
            let step_bytes = u32::try_from(packet.sequence - self.packet.sequence);
            let (Ok(gap_ns), Ok(step_bytes)) = (gap_ns, step_bytes) else { return false };
            (self.gap_ns, self.step_bytes) = (gap_ns, step_bytes);
        }
        let number = u64::from(self.behind) + 1;
        let is_next = packet.sequence == self.packet.sequence + u64::from(self.step_bytes) * number
            && arrival == self.arrival + Span::from_nanos(u64::from(self.gap_ns) * number);
        self.behind += u32::from(is_next);
        is_next
    }

    /// Makes the second packet the first.
    fn go_on(&mut self) {
        self.packet.sequence += u64::from(self.step_bytes);
        self.arrival = self.arrival + Span::from_nanos(self.gap_ns.into());
        self.behind -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{PacketKind, WireSize};
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn burst_of(overtaking: &mut Overtaking, link: LinkId, packets: u64, gap_ns: u64) {
        for number in 0..packets {
            let packet = Packet::new(PacketKind::Data, 0, 1000 * number, WireSize::new(1040));
            let is_first = overtaking.carry(link, packet, Time::from_nanos(gap_ns * number), 7);
            assert_eq!(is_first, number == 0);
        }
    }

    #[test]
    fn a_burst_takes_one_place() {
        let mut overtaking = Overtaking::new(2);
        burst_of(&mut overtaking, 1, 1_000_000, 80);
        assert_eq!((overtaking.packets_held(), overtaking.bursts.iter(&overtaking.rows[1]).count()), (1_000_000, 1));
        for number in 0..1_000_000 {
            let ((packet, place), next) = overtaking.take_first(1, Time::from_nanos(80 * number));
            assert_eq!((packet.sequence, place), (1000 * number, 7));
            assert_eq!(next, (number < 999_999).then(|| Time::from_nanos(80 * (number + 1))));
        }
        assert_eq!(overtaking.packets_held(), 0);
        overtaking.check_conservation();
    }

    proptest! {
        /// Packets come out as they went in, whatever differs from one packet to the next.
        #[test]
        fn what_goes_in_comes_out(
            steps in prop::collection::vec((0u64..3, 0u32..2, prop::sample::select(vec![1u64, 1, 1, 2, 5_000_000_000]), any::<bool>()), 0..200),
        ) {
            let (mut overtaking, mut model) = (Overtaking::new(1), VecDeque::new());
            let (mut sequence, mut at) = (10_000_000_000, 0);
            for (kind, flow, gap, takes) in steps {
                at += gap;
                sequence = if kind == 2 { sequence - 5_000 } else { sequence + 1000 * gap };
                let (packet, arrival) = (Packet::new(PacketKind::Data, flow, sequence, WireSize::new(1040)), Time::from_nanos(at));
                prop_assert_eq!(overtaking.carry(0, packet, arrival, flow), model.is_empty());
                model.push_back((packet, arrival, flow));
                prop_assert_eq!(overtaking.packets_held(), model.len());
                overtaking.check_conservation();
                if takes {
                    let (packet, arrival, place) = model.pop_front().expect("one was put in");
                    let next = model.front().map(|(_, arrival, _)| *arrival);
                    prop_assert_eq!(overtaking.take_first(0, arrival), ((packet, place), next));
                }
            }
        }
    }
}

//! Delay lines: packets on their way that come out in a known order, from one link or from several.
//!
//! Where links are alike, a packet that enters one of them comes out after the packets that entered any of them before.
//! This holds for the acknowledgements behind a bottleneck, each on the way to its own sender, and for the packets of
//! many hosts with access links of equal rates and delays. Such links share a delay line: one row of packets, which is
//! read and written in order, with one pending event, the arrival of its first packet. Which links are alike is a guess
//! (`network/fast/lookahead/plan.rs`). A packet that would come out before the last one of its delay line, as happens
//! where two hosts send bursts at the same time, enters a delay line parallel to it, if there is one. A packet that
//! would overtake on all of these is an overtaking packet ([`crate::network::fast::in_flight::overtaking`]).

use vegas_core::units::Time;

use crate::network::fast::in_flight::pool::{Pool, Row};
use crate::packet::Packet;
use crate::util::event::{ComponentId, Event};

/// The place of a packet that has come to the end of its route, at the engine's own host of a flow.
pub(crate) const AT_END: u32 = u32::MAX;

/// The delay line of a link that has none.
pub(crate) const NO_DELAY_LINE: u32 = Event::OWN;

/// All delay lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct DelayLines {
    delay_lines: Vec<DelayLine>,
    packets: Pool<OnItsWay, 128>,
}

#[derive(Clone, Debug)]
struct DelayLine {
    /// The packets, in the order of their events: by arrival, and by link at one instant.
    on_their_way: Row,
    /// The arrival and the link of the packet that entered last.
    last: (Time, ComponentId),
    /// The number of delay lines behind this one that a packet that would overtake may try.
    more: u32,
}

/// A packet on a delay line, which comes out of a link at `arrival`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OnItsWay {
    pub(crate) packet: Packet,
    pub(crate) arrival: Time,
    /// The component of the link's arrivals.
    pub(crate) component: ComponentId,
    /// The place in the routes at which the packet continues; [`AT_END`] if it is delivered.
    pub(crate) place: u32,
}

/// Whether a packet entered a delay line, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// The packet is the first of this delay line.
    First(u32),
    Behind,
    /// The packet did not enter: it would overtake, or there is no such delay line.
    Not,
}

impl DelayLines {
    /// Returns delay lines, one for each number in `more`. The number says how many delay lines behind it a packet that
    /// would overtake may try.
    pub(crate) fn new(more: &[u32]) -> Self {
        let delay_line = |more: &u32| DelayLine { on_their_way: Row::NEW, last: (Time::ZERO, 0), more: *more };
        DelayLines { delay_lines: more.iter().map(delay_line).collect(), packets: Pool::default() }
    }

    /// Returns whether this is a delay line of packets. Links that are not plain have delay lines of events, with the
    /// numbers behind these.
    #[inline]
    pub(crate) fn is_shared(&self, delay_line: u32) -> bool {
        (delay_line as usize) < self.delay_lines.len()
    }

    /// Puts a packet on a delay line, if it would not overtake there.
    #[inline]
    pub(crate) fn enter(&mut self, delay_line: u32, carried: OnItsWay) -> Entered {
        // no delay line has the number [`NO_DELAY_LINE`]
        let Some(there) = self.delay_lines.get_mut(delay_line as usize) else { return Entered::Not };
        let place = (carried.arrival, carried.component);
        if place <= there.last {
            return Entered::Not;
        }
        there.last = place;
        let is_first = there.on_their_way.is_empty();
        self.packets.push(&mut there.on_their_way, carried);
        if is_first { Entered::First(delay_line) } else { Entered::Behind }
    }

    /// Puts a packet that would overtake on this delay line on one parallel to it. Packets of one link that come out at
    /// one instant keep their order: a later one finds no room on a delay line on which an earlier one found none, and
    /// the delay lines' events are in the order of the delay lines.
    pub(crate) fn enter_parallel(&mut self, delay_line: u32, carried: &OnItsWay) -> Entered {
        let Some(there) = self.delay_lines.get(delay_line as usize) else { return Entered::Not };
        let mut beside = (delay_line + 1..=delay_line + there.more).map(|delay_line| self.enter(delay_line, *carried));
        beside.find(|entered| *entered != Entered::Not).unwrap_or(Entered::Not)
    }

    /// Takes the packet that comes out first; returns it with the place at which it continues, and the packet behind
    /// it.
    #[inline(always)]
    pub(crate) fn take_first(&mut self, delay_line: u32) -> ((Packet, u32), Option<&OnItsWay>) {
        let on_their_way = &mut self.delay_lines[delay_line as usize].on_their_way;
        let first = self.packets.first(on_their_way).expect("an arrival is due");
        let ((sequence, flow_and_flags, header), place) = (first.packet.words(), first.place);
        self.packets.drop_first(on_their_way);
        ((Packet::of_words(sequence, flow_and_flags, header), place), self.packets.first(on_their_way))
    }

    /// Returns the memory that the delay lines take, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.packets.memory_bytes()
    }

    /// Returns the number of packets on delay lines.
    pub(crate) fn packets_held(&self) -> usize {
        self.delay_lines.iter().map(|delay_line| self.packets.len(&delay_line.on_their_way)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{PacketKind, WireSize};

    #[test]
    fn nothing_overtakes() {
        let mut delay_lines = DelayLines::new(&[0]);
        let mut enter = |delay_line, component, nanos: u64| {
            let packet = Packet::new(PacketKind::Data, 0, nanos, WireSize::new(1000));
            delay_lines
                .enter(delay_line, OnItsWay { packet, arrival: Time::from_nanos(nanos), component, place: component })
        };
        assert_eq!([enter(0, 3, 10), enter(0, 1, 20)], [Entered::First(0), Entered::Behind]);
        // at one instant the link with the smaller number is first, and of one link the packet that entered first
        assert_eq!([enter(0, 0, 20), enter(0, 1, 20), enter(0, 5, 19)], [Entered::Not; 3]);
        assert_eq!([enter(0, 2, 20), enter(NO_DELAY_LINE, 2, 30)], [Entered::Behind, Entered::Not]);
        assert_eq!(delay_lines.packets_held(), 3);
        let mut arrive = || {
            let ((packet, place), next) = delay_lines.take_first(0);
            (place, packet.sequence, next.map(|next| (next.arrival.as_nanos(), next.component)))
        };
        assert_eq!(arrive(), (3, 10, Some((20, 1))));
        assert_eq!(arrive(), (1, 20, Some((20, 2))));
        assert_eq!(arrive(), (2, 20, None));
    }

    /// Four links send bursts, all from 100 ns on: three of them find a parallel delay line.
    #[test]
    fn an_overtaking_packet_takes_another_delay_line() {
        let mut delay_lines = DelayLines::new(&[2, 1, 0]);
        for component in [3, 2, 1, 0] {
            for sequence in 0..200 {
                let packet = Packet::new(PacketKind::Data, component, sequence, WireSize::new(1000));
                let carried =
                    OnItsWay { packet, arrival: Time::from_nanos(100 + sequence), component, place: component };
                let entered = match delay_lines.enter(0, carried) {
                    Entered::Not => delay_lines.enter_parallel(0, &carried),
                    entered => entered,
                };
                let expected = match (sequence, component) {
                    (_, 0) => Entered::Not,
                    (0, _) => Entered::First(3 - component),
                    _ => Entered::Behind,
                };
                assert_eq!(entered, expected);
            }
        }
        assert_eq!(delay_lines.packets_held(), 600);
        for sequence in 0..200 {
            for delay_line in 0..3 {
                let ((packet, place), next) = delay_lines.take_first(delay_line);
                assert_eq!((packet.sequence, place), (sequence, 3 - delay_line));
                assert_eq!(next.map(|next| next.packet.sequence), (sequence < 199).then_some(sequence + 1));
            }
        }
        assert_eq!(delay_lines.packets_held(), 0);
    }
}

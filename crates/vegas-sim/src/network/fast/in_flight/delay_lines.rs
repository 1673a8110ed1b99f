//! Packets on their way that come out in a known order, whichever link they come out of.
//!
//! Where links are alike, a packet that enters one of them comes out after those that entered any of them before: so do
//! the acknowledgements behind a bottleneck, each to its own sender, and the packets of many hosts with access links as
//! of equal rates and delays. Such links share a delay line: one row, which is read and written in order, and one
//! pending event, that of its first packet. Which links are alike is a guess (`network/fast/lookahead/plan.rs`). A packet
//! that would come out before the last one of the delay line, as it may where two hosts send bursts at the same time,
//! enters one of the delay lines parallel to it, if there are any; one that would overtake on all of them is an
//! overtaking packet ([`crate::network::fast::in_flight::overtaking`]).

use vegas_core::units::Time;

use crate::network::fast::in_flight::pool::{Pool, Row};
use crate::packet::Packet;
use crate::util::event::{ComponentId, Event};

/// The place of a packet that has come to the end of its route, at a host of the engine's own that is a flow's.
pub(crate) const AT_END: u32 = u32::MAX;

/// A link's delay line, if it has none.
pub(crate) const NO_DELAY_LINE: u32 = Event::OWN;

/// All delay lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct DelayLines {
    delay_lines: Vec<DelayLine>,
    packets: Pool<OnItsWay, 128>,
}

#[derive(Clone, Debug)]
struct DelayLine {
    /// In the order of events: by arrival, and by link at one instant.
    on_their_way: Row,
    /// Of the packet that entered last.
    last: (Time, ComponentId),
    /// How many delay lines behind this one a packet that would overtake may try.
    more: u32,
}

/// A packet that comes out of a link at `arrival`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OnItsWay {
    pub(crate) packet: Packet,
    pub(crate) arrival: Time,
    /// The link's arrivals.
    pub(crate) component: ComponentId,
    /// Where in the routes it goes on; or [`AT_END`], and does not.
    pub(crate) place: u32,
}

/// Where in a delay line a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// It is the first of this delay line.
    First(u32),
    Behind,
    /// It would overtake, or there is no such delay line: it did not enter.
    Not,
}

impl DelayLines {
    /// A delay line for each number, which says how many delay lines behind it a packet that would overtake may try.
    pub(crate) fn new(more: &[u32]) -> Self {
        let delay_line = |more: &u32| DelayLine { on_their_way: Row::NEW, last: (Time::ZERO, 0), more: *more };
        DelayLines { delay_lines: more.iter().map(delay_line).collect(), packets: Pool::default() }
    }

    /// Whether it is a delay line of packets. Links that are not plain have delay lines of events, with the numbers
    /// behind these.
    #[inline]
    pub(crate) fn is_shared(&self, delay_line: u32) -> bool {
        (delay_line as usize) < self.delay_lines.len()
    }

    /// A packet enters.
    #[inline]
    pub(crate) fn enter(&mut self, delay_line: u32, carried: OnItsWay) -> Entered {
        // there is no delay line of number NO_LANE
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

    /// A packet that would overtake on this one enters a delay line parallel to it. Those of one link that come out at
    /// one instant keep their order: a later one finds no room on a delay line on which an earlier one found none, and
    /// the delay lines' events are in the order of the delay lines.
    pub(crate) fn enter_parallel(&mut self, delay_line: u32, carried: &OnItsWay) -> Entered {
        let Some(there) = self.delay_lines.get(delay_line as usize) else { return Entered::Not };
        let mut beside = (delay_line + 1..=delay_line + there.more).map(|delay_line| self.enter(delay_line, *carried));
        beside.find(|entered| *entered != Entered::Not).unwrap_or(Entered::Not)
    }

    /// Takes the packet that comes out first, with the place at which it goes on; also the one behind it.
    #[inline(always)]
    pub(crate) fn take_first(&mut self, delay_line: u32) -> ((Packet, u32), Option<&OnItsWay>) {
        let on_their_way = &mut self.delay_lines[delay_line as usize].on_their_way;
        let first = self.packets.first(on_their_way).expect("an arrival is due");
        let ((sequence, flow_and_flags, header), place) = (first.packet.words(), first.place);
        self.packets.drop_first(on_their_way);
        ((Packet::of_words(sequence, flow_and_flags, header), place), self.packets.first(on_their_way))
    }

    /// What they hold, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.packets.memory_bytes()
    }

    /// Packets on their way.
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
        // at one instant a link of a smaller number goes first, and of one link the packet that was there before
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

    /// Bursts of four links, all from 100 ns on: three find a delay line that is parallel.
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

//! Packets on their way that come out in a known order, whichever link they come out of.
//!
//! Where links are alike, a packet that enters one of them comes out after those that entered any of them before: so do
//! the acknowledgements behind a bottleneck, each to its own sender, and the packets of many hosts whose access links
//! are as fast and as long as each other. Such links share a lane: one ring, which is read and written in order, and
//! one pending event, that of its first packet. Which links are alike is a guess (`engine/ahead.rs`); a packet that
//! would come out before the last one of the lane, as it may behind a link with a queue, stays in the ring of its link.

use vegas_core::units::Time;

use crate::event_queue::{ComponentId, Event};
use crate::packet::Packet;
use crate::ring::Ring;

/// The place of a packet that has come to the end of its route, at a host of the engine's own that is a flow's.
pub(crate) const AT_END: u32 = u32::MAX;

/// A link's lane, if it has none.
pub(crate) const NO_LANE: u32 = Event::OWN;

/// All lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
}

#[derive(Clone, Debug)]
struct Lane {
    /// In the order of events: by arrival, and by link at one instant.
    on_their_way: Ring<OnItsWay>,
    /// Of the packet that entered last.
    last: (Time, ComponentId),
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

/// Where in a lane a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    First,
    Behind,
    /// It would overtake, or there is no such lane: it did not enter.
    Not,
}

impl Lanes {
    pub(crate) fn new(count: usize) -> Self {
        let lane = Lane { on_their_way: Ring::default(), last: (Time::ZERO, 0) };
        Lanes { lanes: vec![lane; count] }
    }

    /// Whether it is a lane of packets. Links that are not plain have lanes of events, with the numbers behind these.
    #[inline]
    pub(crate) fn is_shared(&self, lane: u32) -> bool {
        (lane as usize) < self.lanes.len()
    }

    /// A packet enters.
    #[inline]
    pub(crate) fn enter(&mut self, lane: u32, carried: OnItsWay) -> Entered {
        // there is no lane of number NO_LANE
        let Some(lane) = self.lanes.get_mut(lane as usize) else { return Entered::Not };
        let place = (carried.arrival, carried.component);
        if place <= lane.last {
            return Entered::Not;
        }
        lane.last = place;
        lane.on_their_way.push_back_within(carried);
        if lane.on_their_way.len() == 1 { Entered::First } else { Entered::Behind }
    }

    /// Takes the packet that comes out first, with the place at which it goes on; also the one behind it.
    #[inline(always)]
    pub(crate) fn take_first(&mut self, lane: u32) -> ((Packet, u32), Option<&OnItsWay>) {
        let on_their_way = &mut self.lanes[lane as usize].on_their_way;
        let first = on_their_way.front().expect("an arrival is due");
        let ((sequence, whose, small), place) = (first.packet.words(), first.place);
        on_their_way.drop_front_and_fetch();
        ((Packet::of_words(sequence, whose, small), place), on_their_way.front())
    }

    /// Packets on their way.
    pub(crate) fn packets_held(&self) -> usize {
        self.lanes.iter().map(|lane| lane.on_their_way.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;

    #[test]
    fn nothing_overtakes() {
        let mut lanes = Lanes::new(1);
        let mut enter = |lane, component, nanos: u64| {
            let packet = Packet::new(PacketKind::Data, 0, nanos, 1000);
            lanes.enter(lane, OnItsWay { packet, arrival: Time::from_nanos(nanos), component, place: component })
        };
        assert_eq!([enter(0, 3, 10), enter(0, 1, 20)], [Entered::First, Entered::Behind]);
        // at one instant a link of a smaller number goes first, and of one link the packet that was there before
        assert_eq!([enter(0, 0, 20), enter(0, 1, 20), enter(0, 5, 19)], [Entered::Not; 3]);
        assert_eq!([enter(0, 2, 20), enter(NO_LANE, 2, 30)], [Entered::Behind, Entered::Not]);
        assert_eq!(lanes.packets_held(), 3);
        let mut arrive = || {
            let ((packet, place), next) = lanes.take_first(0);
            (place, packet.sequence, next.map(|next| (next.arrival.as_nanos(), next.component)))
        };
        assert_eq!(arrive(), (3, 10, Some((20, 1))));
        assert_eq!(arrive(), (1, 20, Some((20, 2))));
        assert_eq!(arrive(), (2, 20, None));
    }
}

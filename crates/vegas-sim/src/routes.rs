//! Every connection's ways through the network, in one place that fits a cache.

use crate::packet::{Packet, PacketKind};
use crate::scenario::LinkId;

/// The routes of flows, of the connections that sources of traffic open, and of datagrams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    /// Links of all routes, an end mark after each; [`AHEAD`] set in what is done ahead of time.
    links: Vec<u32>,
    /// By flow.
    flows: Vec<Ways>,
    /// By source.
    datagrams: Vec<Route>,
}

/// There and back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    forward: Route,
    backward: Route,
}

/// The routes that a flow has taken in one direction, one behind the other: a packet's hop is a place among them, so
/// that packets of an old route find their way to its end.
#[derive(Clone, Copy, Debug)]
struct Route {
    /// Where they begin.
    base: u32,
    /// Where the present one begins, from there.
    first: u16,
    /// Links and end marks.
    length: u16,
}

/// Set in a link that packets are offered to as soon as the link before has accepted them, and in the end of a route
/// whose receiver then answers them.
const AHEAD: u32 = 1 << 31;
/// Set in a link on which nothing ever waits.
const PASSING: u32 = 1 << 30;
/// The end of a route.
const END: u32 = LINK;
/// The rest is the link.
const LINK: u32 = PASSING - 1;

/// What is at a place of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u32);

impl Step {
    /// Whether a packet that the link before has accepted comes here at once, ahead of its time.
    #[inline]
    pub(crate) fn is_ahead(self) -> bool {
        self.0 & AHEAD != 0
    }

    /// The receiver, and no link.
    #[inline]
    pub(crate) fn is_end(self) -> bool {
        self.0 & LINK == END
    }

    /// A link on which nothing ever waits.
    #[inline]
    pub(crate) fn is_passing(self) -> bool {
        self.0 & PASSING != 0
    }

    /// The link, if this is no end.
    #[inline]
    pub(crate) fn link(self) -> LinkId {
        (self.0 & LINK) as LinkId
    }
}

impl Routes {
    /// Writes a flow's routes down.
    pub(crate) fn add(&mut self, forward: &[LinkId], backward: &[LinkId]) -> Ways {
        Ways { forward: self.append(&[], forward), backward: self.append(&[], backward) }
    }

    /// A flow takes these.
    pub(crate) fn set_flow(&mut self, flow: u32, ways: Ways) {
        match self.flows.get_mut(flow as usize) {
            Some(over) => *over = ways,
            None => self.flows.push(ways),
        }
    }

    /// The next source's datagrams take this route.
    pub(crate) fn push_datagrams(&mut self, links: &[LinkId]) {
        let route = self.append(&[], links);
        self.datagrams.push(route);
    }

    /// A flow takes other routes with the packets that leave from now on.
    pub(crate) fn change(&mut self, flow: usize, forward: &[LinkId], backward: &[LinkId]) {
        let Ways { forward: old_forward, backward: old_backward } = self.flows[flow];
        let forward = self.append(&self.taken(old_forward), forward);
        let backward = self.append(&self.taken(old_backward), backward);
        self.flows[flow] = Ways { forward, backward };
    }

    fn taken(&self, route: Route) -> Vec<u32> {
        let base = route.base as usize;
        self.links[base..base + usize::from(route.length)].to_vec()
    }

    fn append(&mut self, taken: &[u32], links: &[LinkId]) -> Route {
        let base = self.links.len() as u32;
        self.links.extend_from_slice(taken);
        self.links.extend(links.iter().map(|link| *link as u32));
        self.links.push(END);
        let length = self.links.len() - base as usize;
        let places = |places: usize| u16::try_from(places).expect("validation bounds the routes");
        Route { base, first: places(taken.len()), length: places(length) }
    }

    /// Marks the links that are fed `ahead` of time, and of these the `passing` ones, on the routes that are known.
    pub(crate) fn mark(&mut self, ahead: impl Fn(LinkId) -> bool, passing: impl Fn(LinkId) -> bool) {
        for at in 1..self.links.len() {
            let link = self.links[at];
            if link == END {
                continue;
            }
            // a route's first link is fed by a receiver, if at all: its packets are offered to it right there
            let is_ahead = self.links[at - 1] != END && ahead(link as LinkId);
            let is_passing = passing(link as LinkId);
            self.links[at] |= (AHEAD * u32::from(is_ahead)) | (PASSING * u32::from(is_passing));
        }
    }

    /// Marks a flow's receiver as one that answers ahead of time.
    pub(crate) fn mark_turn(&mut self, flow: usize) {
        let Route { base, length, .. } = self.flows[flow].forward;
        self.links[base as usize + usize::from(length) - 1] |= AHEAD;
    }

    /// The place of a leaving packet's first link, and which hop that is.
    #[inline]
    pub(crate) fn first(&self, packet: &Packet) -> (usize, u16) {
        let Route { base, first, .. } = self.route(packet);
        (base as usize + usize::from(first), first)
    }

    /// The same for an answer of a flow's receiver.
    #[inline]
    pub(crate) fn first_back(&self, flow: u32) -> (usize, u16) {
        let Route { base, first, .. } = self.flows[flow as usize].backward;
        (base as usize + usize::from(first), first)
    }

    /// What is at a place.
    #[inline]
    pub(crate) fn step(&self, place: usize) -> Step {
        Step(self.links[place])
    }

    /// Where to find the link that a packet is on.
    #[inline]
    pub(crate) fn place(&self, packet: &Packet) -> usize {
        self.route(packet).base as usize + usize::from(packet.hop)
    }

    #[inline]
    fn route(&self, packet: &Packet) -> Route {
        let id = packet.flow as usize;
        match packet.kind {
            PacketKind::Datagram => self.datagrams[id],
            kind if kind.is_forward() => self.flows[id].forward,
            _ => self.flows[id].backward,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(routes: &Routes, kind: PacketKind, hops: std::ops::Range<u16>) -> Vec<Option<LinkId>> {
        let mut packet = Packet::new(kind, 0, 0, 40);
        let link = |hop| {
            packet.hop = hop;
            let step = routes.step(routes.place(&packet));
            (!step.is_end()).then(|| step.link())
        };
        hops.map(link).collect()
    }

    #[test]
    fn old_routes_lead_to_their_end() {
        let mut routes = Routes::default();
        let ways = routes.add(&[7, 3], &[9]);
        routes.set_flow(0, ways);
        assert_eq!(places(&routes, PacketKind::Data, 0..3), [Some(7), Some(3), None]);
        routes.change(0, &[7, 4, 5], &[9]);
        let all = [Some(7), Some(3), None, Some(7), Some(4), Some(5), None];
        assert_eq!(places(&routes, PacketKind::Data, 0..7), all);
        assert_eq!(places(&routes, PacketKind::Ack, 0..4), [Some(9), None, Some(9), None]);
    }
}

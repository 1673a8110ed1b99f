//! Every connection's ways through the network, in one place that fits a cache.

use crate::packet::{Packet, PacketKind};
use crate::scenario::LinkId;

/// The routes of flows, of the connections that sources of traffic open, and of datagrams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    /// Links of all routes, an end mark after each; [`FED`] set in those that the link before feeds.
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

/// The end of a route.
const END: u32 = FED - 1;
/// Set in a link that is fed by the one before it.
const FED: u32 = 1 << 31;

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

    /// Marks the links that are fed by the one before them (`fed_by`, by link), on the routes that are known.
    pub(crate) fn mark_fed(&mut self, fed_by: impl Fn(LinkId) -> Option<LinkId>) {
        for at in 1..self.links.len() {
            let before = self.links[at - 1] & !FED;
            if self.links[at] != END && before != END && fed_by(self.links[at] as LinkId) == Some(before as LinkId) {
                self.links[at] |= FED;
            }
        }
    }

    /// The place of a leaving packet's first link.
    pub(crate) fn first_hop(&self, packet: &Packet) -> u16 {
        self.route(packet).first
    }

    /// The link at a place; none at the end of a route.
    #[inline]
    pub(crate) fn link(&self, place: usize) -> Option<LinkId> {
        let link = self.links[place];
        (link != END).then_some((link & !FED) as LinkId)
    }

    /// Where to find the link that a packet is on.
    #[inline]
    pub(crate) fn place(&self, packet: &Packet) -> usize {
        self.route(packet).base as usize + usize::from(packet.hop)
    }

    /// The link at a place, if the one at the place before feeds it.
    #[inline]
    pub(crate) fn fed(&self, place: usize) -> Option<LinkId> {
        let link = self.links[place];
        (link & FED != 0).then_some((link & !FED) as LinkId)
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
            routes.link(routes.place(&packet))
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

//! The routes of all connections through the network, in one place that fits a cache.

use crate::packet::{Packet, PacketKind};

/// The routes of flows, of the connections that sources of traffic open, and of datagrams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    /// The steps of all routes.
    steps: Vec<Step>,
    /// The routes of each flow.
    flows: Vec<Ways>,
    /// The route of each source's datagrams.
    datagrams: Vec<Route>,
    /// The routes of flows before a change; packets may still be on them.
    earlier: Vec<Route>,
}

/// A forward and a backward route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways([Route; 2]);

impl Ways {
    #[inline]
    fn of(&self, kind: PacketKind) -> Route {
        self.0[usize::from(!kind.is_forward())]
    }
}

/// The routes that a flow has taken in one direction, one behind the other. A packet's hop is an index among their
/// steps, so that packets of an old route find the way to its end.
#[derive(Clone, Copy, Debug)]
struct Route {
    /// The place where the first of the routes begins, and the place where the present route begins.
    base: u32,
    first: u32,
    /// The first step of the present route.
    step: Step,
    /// The number of steps, with one for the end of each route.
    length: u16,
}

/// The first step of a route, with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    pub(crate) place: usize,
    pub(crate) step: Step,
}

impl Route {
    #[inline]
    fn first(self) -> First {
        First { place: self.first as usize, step: self.step }
    }
}

/// The flag of a step that packets take as soon as the link before has accepted them: a link to which they are then
/// offered, or a receiver that then answers them.
const AHEAD: u32 = 1 << 31;
/// The flag of a link that is managed, impaired or watched.
const SPECIAL: u32 = 1 << 30;
/// The other bits: the index of the record of a link or a path segment.
const ID: u32 = SPECIAL - 1;

/// What is at a place of a route: a link, a path segment or the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u32);

impl Step {
    /// The end of a route, at the receiver.
    const END: Step = Step(ID);

    /// Returns the step to a plain link or a path segment.
    pub(crate) fn record(id: u32) -> Self {
        Step(id)
    }

    pub(crate) fn special_link(hop: u32) -> Self {
        Step(hop | SPECIAL)
    }

    /// Returns this step, taken ahead of time if `is_ahead`.
    pub(crate) fn ahead(self, is_ahead: bool) -> Self {
        Step(self.0 | if is_ahead { AHEAD } else { 0 })
    }

    /// Returns whether a packet that the link before has accepted takes this step at once, ahead of time.
    #[inline]
    pub(crate) fn is_ahead(self) -> bool {
        self.0 & AHEAD != 0
    }

    /// Returns whether the step is the receiver and no link.
    #[inline]
    pub(crate) fn is_end(self) -> bool {
        self.0 & ID == ID
    }

    /// Returns whether the step is a link that is managed, impaired or watched, to which packets come in time.
    #[inline]
    pub(crate) fn is_special(self) -> bool {
        self.0 & SPECIAL != 0
    }

    /// Returns the index of the record, if this step is not an end.
    #[inline]
    pub(crate) fn id(self) -> usize {
        (self.0 & ID) as usize
    }
}

impl Routes {
    /// Returns the memory that changes of routes have taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        if self.earlier.is_empty() { 0 } else { size_of_val(&self.earlier[..]) + size_of_val(&self.steps[..]) }
    }

    /// Adds the steps of two routes; returns the routes.
    pub(crate) fn add(&mut self, forward: &[Step], backward: &[Step]) -> Ways {
        Ways([self.append(&[], forward, Step::END), self.append(&[], backward, Step::END)])
    }

    /// Sets the routes of a flow.
    pub(crate) fn set_flow(&mut self, flow: u32, ways: Ways) {
        match self.flows.get_mut(flow as usize) {
            Some(over) => *over = ways,
            None => self.flows.push(ways),
        }
    }

    /// Adds the route of the next source's datagrams.
    pub(crate) fn push_datagrams(&mut self, steps: &[Step]) {
        let route = self.append(&[], steps, Step::END);
        self.datagrams.push(route);
    }

    /// Changes the routes of a flow for packets that leave from now on.
    pub(crate) fn change(&mut self, flow: usize, forward: &[Step], backward: &[Step]) {
        let Ways([old_forward, old_backward]) = self.flows[flow];
        self.earlier.extend([old_forward, old_backward]);
        let end = self.steps[self.last(old_forward)];
        let forward = self.append(&self.taken(old_forward), forward, end);
        let backward = self.append(&self.taken(old_backward), backward, end);
        self.flows[flow] = Ways([forward, backward]);
    }

    fn taken(&self, route: Route) -> Vec<Step> {
        let base = route.base as usize;
        self.steps[base..base + usize::from(route.length)].to_vec()
    }

    /// Returns the place where a route ends.
    fn last(&self, Route { base, length, .. }: Route) -> usize {
        base as usize + usize::from(length) - 1
    }

    fn append(&mut self, taken: &[Step], steps: &[Step], end: Step) -> Route {
        let base = self.steps.len() as u32;
        self.steps.extend_from_slice(taken);
        self.steps.extend_from_slice(steps);
        self.steps.push(end);
        let length = u16::try_from(self.steps.len() - base as usize).expect("validation bounds the routes");
        let first = base + taken.len() as u32;
        Route { base, first, step: self.steps[first as usize], length }
    }

    /// Marks a flow's receiver as one that answers ahead of time.
    pub(crate) fn mark_answering(&mut self, flow: usize) {
        let last = self.last(self.flows[flow].0[0]);
        self.steps[last] = self.steps[last].ahead(true);
    }

    /// Returns the first step of a packet that leaves its host.
    #[inline]
    pub(crate) fn first(&self, packet: &Packet) -> First {
        self.route(packet).first()
    }

    /// Returns the first step of a segment that a flow's sender sends.
    #[inline]
    pub(crate) fn first_forward(&self, flow: u32) -> First {
        self.flows[flow as usize].of(PacketKind::Data).first()
    }

    /// Returns the first step of an answer of a flow's receiver.
    #[inline]
    pub(crate) fn first_back(&self, flow: u32) -> First {
        self.flows[flow as usize].of(PacketKind::Ack).first()
    }

    /// Returns the step at a place.
    #[inline]
    pub(crate) fn step(&self, place: usize) -> Step {
        self.steps[place]
    }

    /// Returns the packet with its place in its route noted, because neither its event nor its container has the place.
    #[inline]
    pub(crate) fn note_place(&self, packet: Packet, place: usize) -> Packet {
        let hop = place.checked_sub(self.route(&packet).base as usize);
        packet.at_hop(hop.unwrap_or_else(|| self.hop_of_earlier(place)) as u16)
    }

    /// Returns the hop of a place on a route from before a change: an earlier route keeps its hops.
    #[cold]
    fn hop_of_earlier(&self, place: usize) -> usize {
        let is_on = |route: &&Route| (route.base as usize..=self.last(**route)).contains(&place);
        place - self.earlier.iter().find(is_on).expect("a packet is on a route").base as usize
    }

    /// Returns the place of a packet that carries its hop.
    #[inline]
    pub(crate) fn place(&self, packet: &Packet) -> usize {
        self.route(packet).base as usize + usize::from(packet.hop())
    }

    #[inline]
    fn route(&self, packet: &Packet) -> Route {
        let id = packet.flow() as usize;
        match packet.kind() {
            PacketKind::Datagram => self.datagrams[id],
            kind => self.flows[id].of(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::WireSize;

    fn places(routes: &Routes, kind: PacketKind, records: std::ops::Range<u16>) -> Vec<Option<usize>> {
        let mut packet = Packet::new(kind, 0, 0, WireSize::new(40));
        let link = |hop| {
            packet = packet.at_hop(hop);
            let step = routes.step(routes.place(&packet));
            (!step.is_end()).then(|| step.id())
        };
        records.map(link).collect()
    }

    #[test]
    fn old_routes_lead_to_their_end() {
        let mut routes = Routes::default();
        let ways = routes.add(&[7, 3].map(Step::record), &[Step::record(9)]);
        routes.set_flow(0, ways);
        assert_eq!(places(&routes, PacketKind::Data, 0..3), [Some(7), Some(3), None]);
        let packet = Packet::new(PacketKind::Data, 0, 0, WireSize::new(40));
        let second = routes.first(&packet).place + 1;
        routes.change(0, &[7, 4, 5].map(Step::record), &[Step::record(9)]);
        assert_eq!(routes.step(routes.place(&routes.note_place(packet, second))).id(), 3);
        let second = routes.first(&packet).place + 1;
        assert_eq!(routes.step(routes.place(&routes.note_place(packet, second))).id(), 4);
        let all = [Some(7), Some(3), None, Some(7), Some(4), Some(5), None];
        assert_eq!(places(&routes, PacketKind::Data, 0..7), all);
        assert_eq!(places(&routes, PacketKind::Ack, 0..4), [Some(9), None, Some(9), None]);
    }
}

//! Every connection's ways through the network, in one place that fits a cache.

use crate::packet::{Packet, PacketKind};

/// The routes of flows, of the connections that sources of traffic open, and of datagrams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    /// All routes.
    steps: Vec<Step>,
    /// By flow.
    flows: Vec<Ways>,
    /// By source.
    datagrams: Vec<Route>,
    /// What flows have taken before their routes changed, where packets may still be.
    earlier: Vec<Route>,
}

/// There and back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways([Route; 2]);

impl Ways {
    #[inline]
    fn of(&self, kind: PacketKind) -> Route {
        self.0[usize::from(!kind.is_forward())]
    }
}

/// The routes that a flow has taken in one direction, one behind the other: a packet's hop is a place among them, so
/// that packets of an old route find their way to its end.
#[derive(Clone, Copy, Debug)]
struct Route {
    /// Where they begin, and the present one.
    base: u32,
    first: u32,
    /// The present one's first step.
    step: Step,
    /// Steps, with an end to each route.
    length: u16,
}

/// A route's first step.
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

/// Set in a step that packets take as soon as the link before has accepted them: a link to which they are then offered,
/// or a receiver that then answers them.
const AHEAD: u32 = 1 << 31;
/// Set in a link that is managed, impaired or watched.
const SPECIAL: u32 = 1 << 30;
/// The rest is the record: of a link or of a path segment.
const ID: u32 = SPECIAL - 1;

/// What is at a place of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u32);

impl Step {
    /// The end of a route, at the receiver.
    const END: Step = Step(ID);

    /// A plain link, or a path segment.
    pub(crate) fn record(id: u32) -> Self {
        Step(id)
    }

    pub(crate) fn special_link(hop: u32) -> Self {
        Step(hop | SPECIAL)
    }

    /// This step, ahead of time or not.
    pub(crate) fn ahead(self, is_ahead: bool) -> Self {
        Step(self.0 | if is_ahead { AHEAD } else { 0 })
    }

    /// Whether a packet that the link before has accepted comes here at once, ahead of its time.
    #[inline]
    pub(crate) fn is_ahead(self) -> bool {
        self.0 & AHEAD != 0
    }

    /// The receiver, and no link.
    #[inline]
    pub(crate) fn is_end(self) -> bool {
        self.0 & ID == ID
    }

    /// A link that is managed, impaired or watched: packets come here in time.
    #[inline]
    pub(crate) fn is_special(self) -> bool {
        self.0 & SPECIAL != 0
    }

    /// Which record, if this is no end.
    #[inline]
    pub(crate) fn id(self) -> usize {
        (self.0 & ID) as usize
    }
}

impl Routes {
    /// What routes that have changed hold, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        if self.earlier.is_empty() { 0 } else { size_of_val(&self.earlier[..]) + size_of_val(&self.steps[..]) }
    }

    /// Writes a flow's routes down.
    pub(crate) fn add(&mut self, forward: &[Step], backward: &[Step]) -> Ways {
        Ways([self.append(&[], forward, Step::END), self.append(&[], backward, Step::END)])
    }

    /// A flow takes these.
    pub(crate) fn set_flow(&mut self, flow: u32, ways: Ways) {
        match self.flows.get_mut(flow as usize) {
            Some(over) => *over = ways,
            None => self.flows.push(ways),
        }
    }

    /// The next source's datagrams take this route.
    pub(crate) fn push_datagrams(&mut self, steps: &[Step]) {
        let route = self.append(&[], steps, Step::END);
        self.datagrams.push(route);
    }

    /// A flow takes other routes with the packets that leave from now on.
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

    /// Where a route ends.
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

    /// The first step of a packet that leaves its host.
    #[inline]
    pub(crate) fn first(&self, packet: &Packet) -> First {
        self.route(packet).first()
    }

    /// The first step of a segment of a flow's sender.
    #[inline]
    pub(crate) fn first_forward(&self, flow: u32) -> First {
        self.flows[flow as usize].of(PacketKind::Data).first()
    }

    /// The first step of an answer of a flow's receiver.
    #[inline]
    pub(crate) fn first_back(&self, flow: u32) -> First {
        self.flows[flow as usize].of(PacketKind::Ack).first()
    }

    /// What is at a place.
    #[inline]
    pub(crate) fn step(&self, place: usize) -> Step {
        self.steps[place]
    }

    /// A packet that is at a place of its route, and says so: its event, or what holds it, does not.
    #[inline]
    pub(crate) fn note_place(&self, packet: Packet, place: usize) -> Packet {
        let hop = place.checked_sub(self.route(&packet).base as usize);
        packet.at_hop(hop.unwrap_or_else(|| self.hop_of_earlier(place)) as u16)
    }

    /// The hop of a place where the routes have changed since: an earlier route keeps its hops.
    #[cold]
    fn hop_of_earlier(&self, place: usize) -> usize {
        let is_on = |route: &&Route| (route.base as usize..=self.last(**route)).contains(&place);
        place - self.earlier.iter().find(is_on).expect("a packet is on a route").base as usize
    }

    /// Where to find the step that a packet is at, which says so.
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

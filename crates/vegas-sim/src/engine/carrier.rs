//! The engine as a network between hosts that are not its own: the scenario's links, queues, impairments, changes and
//! background traffic carry packets that other programs send and receive. The caller gives the time, which may be a
//! clock's.

use std::mem;

use vegas_core::units::{Span, Time};

use super::carried::{Carried, Delivery, Direction};
use super::event_loop::EventLoop;
use crate::measure::outcome::Outcome;
use crate::network::{Fast, Network};
use crate::packet::{Ecn, Packet, PacketKind};
use crate::scenario::{Change, LinkId, Scenario};
use crate::util::watch::Watch;

/// The network of a scenario, without the hosts of its flows.
#[derive(Debug)]
pub struct Carrier {
    event_loop: EventLoop<Fast>,
    /// By link, the least time from the end of the link to that of a path.
    left: Vec<Span>,
}

impl Carrier {
    /// Returns the network of a scenario at time 0.
    pub fn new(scenario: &Scenario) -> Self {
        let event_loop = Watch::without_limits(|watch| EventLoop::new(scenario, None, false, watch));
        let mut event_loop: EventLoop<Fast> = event_loop.expect("nothing stops it");
        for flow in 0..event_loop.hosts.components.flows {
            event_loop.hosts.timers.cancel(event_loop.hosts.components.start_stop(flow));
        }
        Carrier { event_loop, left: left(scenario) }
    }

    /// Returns the time of the next event that needs no packet of the caller; none after the scenario's end.
    pub fn next_event(&mut self) -> Option<Time> {
        Some(self.event_loop.next_event()).filter(|time| *time <= self.event_loop.end)
    }

    /// Returns a time before which nothing is delivered, as long as no packet is offered; none if nothing is on its
    /// way. It is later than that of the next event where packets have links before them.
    pub fn next_delivery(&self) -> Option<Time> {
        self.event_loop.network.earliest_end(&self.left).filter(|time| *time <= self.event_loop.end)
    }

    /// Carries out all events up to and including `now`. A time that has passed changes nothing.
    pub fn advance_to(&mut self, now: Time) {
        while self.next_event().is_some_and(|time| time <= now) {
            self.event_loop.advance(1);
        }
        self.event_loop.now = self.event_loop.now.max(now.min(self.event_loop.end));
    }

    /// Takes a packet at the beginning of its flow's path, at `now`; if that has passed, at the time reached.
    ///
    /// # Panics
    /// Panics if the scenario has no such flow.
    pub fn offer(&mut self, now: Time, packet: Carried) {
        assert!(packet.flow < self.event_loop.hosts.components.flows, "the scenario has no such flow");
        self.advance_to(now);
        let kind = match (packet.direction, packet.is_data) {
            (Direction::Forward, true) => PacketKind::Data,
            (Direction::Forward, false) => PacketKind::Syn,
            (Direction::Backward, _) => PacketKind::Ack,
        };
        let ecn = Ecn::of(packet.field);
        self.event_loop.launch(Packet::new(kind, packet.flow, packet.number, packet.wire).with_ecn(ecn));
    }

    /// Returns the packets that have been delivered since the last call, in the order of time.
    pub fn take_delivered(&mut self) -> Vec<Delivery> {
        self.event_loop.delivered.as_mut().map(mem::take).unwrap_or_default()
    }

    /// Ends the run at `end`, or at the scenario's end if that is earlier. Returns links, traffic and drops as for a
    /// simulated run; the flows are those of an idle run.
    pub fn finish(mut self, end: Time) -> Outcome {
        self.advance_to(end);
        self.event_loop.end_here()
    }
}

/// Returns for each link the least propagation time from its end to that of a path of a flow. A delay that changes
/// during the run counts as none, and so do all where a route changes.
fn left(scenario: &Scenario) -> Vec<Span> {
    let changes = scenario.changing_links();
    let delay = |link: LinkId| if changes[link] { Span::ZERO } else { scenario.links[link].delay };
    let mut left = vec![None; scenario.links.len()];
    for path in scenario.flows.iter().flat_map(|flow| [&flow.path, &flow.reverse_path]) {
        let mut behind = Span::ZERO;
        for link in path.iter().rev() {
            left[*link] = Some(left[*link].unwrap_or(behind).min(behind));
            behind += delay(*link);
        }
    }
    let routes_change = scenario.changes.iter().any(|change| matches!(change.change, Change::Route(_)));
    // a link that no flow has carries traffic, which is not delivered to the caller
    left.into_iter().map(|left| left.filter(|_| !routes_change).unwrap_or_default()).collect()
}

impl<N: Network> EventLoop<N> {
    /// Delivers a packet of a scenario's flow to the caller.
    pub(super) fn hand_over(&mut self, packet: &Packet) {
        let delivered = self.delivered.as_mut().expect("the hosts are others");
        delivered.push(Delivery {
            at: self.now,
            flow: packet.flow(),
            direction: if packet.kind().is_forward() { Direction::Forward } else { Direction::Backward },
            wire: packet.wire(),
            number: packet.sequence,
            queued: packet.aqt().into(),
            field: packet.ecn().field(),
        });
    }
}

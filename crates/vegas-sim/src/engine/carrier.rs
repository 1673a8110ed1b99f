//! The engine as a network between hosts that are not its own: the scenario's links, queues, impairments, changes and
//! background traffic carry packets that other programs send and receive. The caller gives the time, which may be a
//! clock's.

use std::mem;

use vegas_core::units::Time;

use super::carried::{Carried, Delivery, Direction};
use super::event_loop::EventLoop;
use crate::measure::outcome::Outcome;
use crate::network::{Fast, Network};
use crate::packet::{Ecn, Packet, PacketKind};
use crate::scenario::Scenario;
use crate::util::watch::Watch;

/// The network of a scenario, without the hosts of its flows.
#[derive(Debug)]
pub struct Carrier {
    event_loop: EventLoop<Fast>,
}

impl Carrier {
    /// Returns the network of a scenario at time 0.
    pub fn new(scenario: &Scenario) -> Self {
        let event_loop = Watch::without_limits(|watch| EventLoop::new(scenario, None, false, watch));
        let mut event_loop: EventLoop<Fast> = event_loop.expect("nothing stops it");
        for flow in 0..event_loop.hosts.components.flows {
            event_loop.hosts.timers.cancel(event_loop.hosts.components.start_stop(flow));
        }
        Carrier { event_loop }
    }

    /// Returns the time of the next event that needs no packet of the caller; none after the scenario's end.
    pub fn next_event(&mut self) -> Option<Time> {
        Some(self.event_loop.next_event()).filter(|time| *time <= self.event_loop.end)
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
        let ecn = Ecn::CAPABLE.when(packet.ecn_capable);
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
            marked: packet.ecn().has(Ecn::MARKED),
        });
    }
}

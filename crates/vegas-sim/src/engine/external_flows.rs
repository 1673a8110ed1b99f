//! Flows with external transports: their datagrams travel as data and acknowledgements do.

use vegas_core::units::Time;

use super::event_loop::EventLoop;
use super::hosts::Hosts;
use crate::endpoint::Flow;
use crate::endpoint::external::{Connection, Datagram, DatagramId, Stack};
use crate::measure::outcome::{Incident, IncidentKind};
use crate::measure::recorder::seconds;
use crate::network::Network;
use crate::packet::{Ecn, Packet, PacketKind, WireSize};
use crate::scenario::{Scenario, Transport};
use crate::util::watch::{Stopped, Watch};

/// Makes the ends of the flows that are not TCP.
pub(super) fn connect(
    scenario: &Scenario,
    stack: Option<&dyn Stack>,
    flows: &mut [Flow],
    watch: &mut Watch<'_>,
) -> Result<(), Stopped> {
    for (id, (flow, spec)) in flows.iter_mut().zip(&scenario.flows).enumerate() {
        watch.step()?;
        if spec.transport == Transport::Quic {
            let stack = stack.expect("the caller of a run with QUIC flows brings a stack");
            flow.external = Some(stack.connect(spec, id as u32, scenario.seed));
        }
    }
    Ok(())
}

/// The stack of the connections that sources of traffic open; `None` if all of them are TCP's.
pub(super) fn stack_of_traffic(scenario: &Scenario, stack: Option<&dyn Stack>) -> Option<Box<dyn Stack>> {
    let mut connections = scenario.traffic.iter().filter_map(|source| source.connection());
    let has_quic = connections.any(|spec| spec.transport == Transport::Quic);
    has_quic.then(|| stack.and_then(Stack::kept).expect("a stack that opens connections for sources of traffic"))
}

impl<N: Network> EventLoop<N> {
    /// Calls a flow's connection with an event, sends its datagrams and sets its timer.
    pub(super) fn drive(&mut self, id: u32, event: impl FnOnce(&mut dyn Connection, Time)) {
        match id < self.hosts.components.flows {
            true => {
                self.exchange(id, event);
                if self.until_complete {
                    self.end_if_complete();
                }
                self.hosts.note_window(self.now, id as usize);
            }
            false => {
                // a packet that is lost as it leaves must not close the connection before all have left
                self.hosts.flows[id as usize].on_their_way += 1;
                self.exchange(id, event);
                self.hosts.flows[id as usize].on_their_way -= 1;
                self.hosts.close_if_over(id, self.now);
            }
        }
    }

    fn exchange(&mut self, id: u32, event: impl FnOnce(&mut dyn Connection, Time)) {
        let now = self.now;
        event(self.hosts.connection(id), now);
        while let Some(datagram) = self.hosts.connection(id).transmit(now) {
            self.launch(packet(id, &datagram));
        }
        match self.hosts.connection(id).timer() {
            Some(due) => self.hosts.timers.schedule(self.hosts.components.retransmission(id), due.max(now)),
            None => self.hosts.timers.cancel(self.hosts.components.retransmission(id)),
        }
    }

    pub(super) fn start_stop_external(&mut self, id: u32) {
        let (start, stop) = (self.hosts.flows[id as usize].start, self.hosts.flows[id as usize].stop);
        if self.now == start {
            if stop != Time::NEVER {
                self.hosts.timers.schedule(self.hosts.components.start_stop(id), stop);
            }
            self.drive(id, |connection, now| connection.start(now));
        } else {
            self.drive(id, |connection, now| connection.stop(now));
        }
    }

    pub(super) fn receive_external(&mut self, packet: &Packet) {
        self.hosts.outcome.delivered_packets += u64::from(packet.kind() == PacketKind::Data);
        if let Some(source) =
            self.hosts.flows[packet.flow() as usize].source.filter(|_| packet.kind() == PacketKind::Data)
        {
            self.hosts.sources[source as usize].on_delivered(packet);
        }
        let (id, marked) = (datagram(packet), packet.ecn().has(Ecn::MARKED));
        self.drive(packet.flow(), |connection, now| connection.receive(now, id, marked));
    }
}

impl Hosts {
    pub(super) fn is_external(&self, packet: &Packet) -> bool {
        packet.kind() != PacketKind::Datagram && self.flows[packet.flow() as usize].external.is_some()
    }

    /// Adds an incident for each lost connection, with the time of the loss.
    pub(super) fn note_lost_connections(&mut self, now: Time) {
        let flows = self.flows.iter().enumerate();
        let lost = flows.filter_map(|(id, flow)| {
            let totals = flow.external.as_ref()?.totals(now);
            let time_s = seconds(totals.over.filter(|_| totals.lost)?);
            let kind = IncidentKind::ConnectionLost;
            Some(Incident { time_s, kind, flow: id as u32, link: None, sequence: totals.counts.delivered_bytes })
        });
        self.outcome.incidents.extend(lost);
    }

    pub(super) fn connection(&mut self, id: u32) -> &mut dyn Connection {
        self.flows[id as usize].external.as_deref_mut().expect("the flow is external")
    }
}

fn packet(flow: u32, datagram: &Datagram) -> Packet {
    let kind = if datagram.id.forward { PacketKind::Data } else { PacketKind::Ack };
    Packet::new(kind, flow, datagram.id.number, WireSize::of(datagram.wire))
        .with_ecn(Ecn::CAPABLE.when(datagram.ecn_capable))
}

/// Returns the id of the datagram from which [`packet`] made a packet.
pub(super) fn datagram(packet: &Packet) -> DatagramId {
    DatagramId { forward: packet.kind() == PacketKind::Data, number: packet.sequence }
}

//! Flows whose ends are not TCP's: their datagrams travel as data and acknowledgements do.

use vegas_core::units::Time;

use super::{Flow, Simulation};
use crate::foreign::{Connection, Datagram, DatagramId, Stack};
use crate::packet::{Ecn, Packet, PacketKind};
use crate::scenario::{Scenario, Transport};

/// Gives the flows that are not TCP their ends.
pub(super) fn connect(scenario: &Scenario, stack: Option<&dyn Stack>, flows: &mut [Flow]) {
    for (id, (flow, spec)) in flows.iter_mut().zip(&scenario.flows).enumerate() {
        if spec.transport == Transport::Quic {
            let stack = stack.expect("who runs QUIC flows brings a stack");
            flow.foreign = Some(stack.connect(spec, id as u32, scenario.seed));
        }
    }
}

impl Simulation {
    /// Tells a flow's connection something, and carries out what it wants.
    pub(super) fn drive(&mut self, id: u32, event: impl FnOnce(&mut dyn Connection, Time)) {
        let now = self.now;
        event(self.connection(id), now);
        while let Some(datagram) = self.connection(id).transmit(now) {
            self.launch(packet(id, &datagram));
        }
        match self.connection(id).timer() {
            Some(due) => self.queue.schedule(self.components.retransmission(id), due.max(now)),
            None => self.queue.cancel(self.components.retransmission(id)),
        }
        if self.until_complete {
            self.end_if_complete();
        }
        if self.recorder.every_change() {
            self.recorder.flow_row(now, id as usize, &self.flows[id as usize]);
        }
    }

    pub(super) fn start_stop_foreign(&mut self, id: u32) {
        let (start, stop) = (self.flows[id as usize].start, self.flows[id as usize].stop);
        if self.now == start {
            if let Some(stop) = stop {
                self.queue.schedule(self.components.start_stop(id), stop);
            }
            self.drive(id, |connection, now| connection.start(now));
        } else {
            self.drive(id, |connection, now| connection.stop(now));
        }
    }

    pub(super) fn is_foreign(&self, packet: &Packet) -> bool {
        self.is_of_flow(packet) && self.flows[packet.flow() as usize].foreign.is_some()
    }

    pub(super) fn receive_foreign(&mut self, packet: &Packet) {
        self.outcome.delivered_packets += u64::from(packet.kind() == PacketKind::Data);
        let (id, marked) = (DatagramId(packet.sequence), packet.ecn().has(Ecn::MARKED));
        self.drive(packet.flow(), |connection, now| connection.receive(now, id, marked));
    }

    pub(super) fn duplicate_foreign(&mut self, packet: &Packet) {
        if self.is_foreign(packet) {
            self.connection(packet.flow()).duplicate(DatagramId(packet.sequence));
        }
    }

    pub(super) fn discard_foreign(&mut self, packet: &Packet) {
        if self.is_foreign(packet) {
            self.connection(packet.flow()).discard(DatagramId(packet.sequence));
        }
    }

    fn connection(&mut self, id: u32) -> &mut dyn Connection {
        self.flows[id as usize].foreign.as_deref_mut().expect("the flow is foreign")
    }
}

fn packet(flow: u32, datagram: &Datagram) -> Packet {
    let kind = if datagram.forward { PacketKind::Data } else { PacketKind::Ack };
    let wire = u16::try_from(datagram.wire.get()).expect("an IPv4 packet");
    Packet::new(kind, flow, datagram.id.0, wire).with_ecn(Ecn::CAPABLE.when(datagram.ecn_capable))
}

//! Flows with external transports: their datagrams travel as data and acknowledgements do.

use vegas_core::units::Time;

use super::event_loop::EventLoop;
use super::external::{datagram, packet};
use crate::endpoint::external::Connection;
use crate::measure::outcome::CapturePoint;
use crate::network::Network;
use crate::packet::{Packet, PacketKind};

impl<N: Network> EventLoop<N> {
    /// Calls a flow's connection with an event, sends its datagrams and sets its timer.
    pub(super) fn drive(&mut self, id: u32, event: impl FnOnce(&mut dyn Connection, Time)) {
        match id < self.hosts.components.flows {
            true => {
                self.exchange(id, event);
                if self.until_complete {
                    self.end_if_complete();
                }
                self.hosts.note_change(self.now, id as usize);
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
            self.count_work(1);
            let packet = packet(id, &datagram);
            self.hosts.capture(now, leaving(&packet), &packet);
            self.launch(packet);
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
        self.hosts.capture(self.now, arriving(packet), packet);
        self.hosts.outcome.delivered_packets += u64::from(packet.kind() == PacketKind::Data);
        if let Some(source) =
            self.hosts.flows[packet.flow() as usize].source.filter(|_| packet.kind() == PacketKind::Data)
        {
            self.hosts.sources[source as usize].on_delivered(packet);
        }
        let (id, field) = (datagram(packet), packet.ecn().field());
        self.drive(packet.flow(), |connection, now| connection.receive(now, id, field));
    }
}

fn leaving(packet: &Packet) -> CapturePoint {
    if datagram(packet).forward { CapturePoint::SenderOut } else { CapturePoint::ReceiverOut }
}

fn arriving(packet: &Packet) -> CapturePoint {
    if datagram(packet).forward { CapturePoint::ReceiverIn } else { CapturePoint::SenderIn }
}

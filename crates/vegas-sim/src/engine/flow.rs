//! A connection: both ends, and what passes between them and the engine.

use std::sync::Arc;

use vegas_core::aqt::Aqt;
use vegas_core::units::Time;

use crate::foreign::Connection;
use crate::looks::{Looks, Noted};
use crate::packet::{Ecn, Packet, PacketKind, SackBlocks, SackPool};
use crate::scenario::{FlowSpec, HostKind};
use crate::tcp::{AckTiming, Layout, Receiver, Sender};

/// A connection: both ends and the way between them.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    /// Bytes that a receiver that answers ahead of time had received at the samples to come.
    pub(crate) received: Noted<u64>,
    /// Both ends, where they are not TCP's; sender and receiver then stay idle.
    pub(crate) foreign: Option<Box<dyn Connection>>,
    /// When the event of the sender's timers is pending; [`Time::NEVER`] while none is.
    pub(super) timer_event: Time,
    pub(super) layout: Arc<Layout>,
    pub(super) uses_ecn: bool,
    /// Uses ECN, or asks routers for their stamps.
    pub(super) is_special: bool,
    /// RoVegas: what the newest data packet was stamped with.
    pub(super) echo: Aqt,
    pub(crate) start: Time,
    pub(super) stop: Option<Time>,
    /// The source of traffic that opened it; none for a flow of the scenario, and once it is over.
    pub(super) source: Option<u32>,
    /// Packets of a source's connection on their way. It is over when it is complete and these are gone, so that no
    /// packet of an earlier connection meets a later one in its place.
    pub(super) on_their_way: u32,
}

/// What a connection takes besides its segments in flight.
const _: () = assert!(size_of::<Flow>() <= 816);

impl Flow {
    pub(super) fn new(id: u32, spec: &FlowSpec) -> Self {
        let sends_sack = spec.composition.detection.recovery == vegas_core::Recovery::Sack;
        let sender = Sender::new(id, spec);
        Flow {
            layout: Arc::clone(sender.layout()),
            receiver: Receiver::new(sends_sack, spec.host.delayed_ack)
                .reporting_duplicates(sends_sack && spec.host.kind == HostKind::Linux),
            received: Noted::new(Looks::none()),
            foreign: None,
            timer_event: Time::NEVER,
            uses_ecn: spec.ecn,
            is_special: spec.ecn || sender.layout().asks_routers(),
            echo: Aqt::ZERO,
            start: spec.start,
            stop: spec.stop,
            source: None,
            on_their_way: 0,
            sender,
        }
    }

    /// Keeps what never changes in one place with another flow.
    pub(super) fn share_with(&mut self, other: &Flow) {
        self.sender.share_with(&other.sender);
        self.layout = Arc::clone(self.sender.layout());
    }

    /// Takes in a data packet that arrives at `at`.
    #[inline(always)]
    pub(super) fn receive(&mut self, at: Time, packet: &Packet) -> AckTiming {
        let to = packet.sequence + self.layout.payload_of_wire(packet.wire());
        if self.is_special {
            self.echo = packet.aqt();
            if self.uses_ecn {
                self.receiver.note_ecn(to, packet.ecn());
            }
        }
        self.receiver.on_data(at, packet.sequence, to, packet.wire())
    }

    /// The acknowledgement that is due; its blocks are in the pool.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, id: u32, sacks: &mut SackPool) -> Packet {
        self.receiver.acknowledged();
        let ack = Packet::new(PacketKind::Ack, id, self.receiver.next_expected(), self.layout.ack_wire);
        let ack = if self.uses_ecn { ack.with_ecn(self.receiver.ack_ecn()) } else { ack };
        if self.echo == Aqt::ZERO && !self.receiver.has_blocks() {
            return ack;
        }
        let sack = SackBlocks { echo: self.echo, ..self.receiver.sack_blocks() };
        // no IPv4 packet is longer than 65535 bytes
        let wire = self.layout.ack_wire.saturating_add(sack.wire_bytes());
        Packet::new(PacketKind::Ack, id, ack.sequence, wire).with_ecn(ack.ecn()).with_sack(sacks.store(sack))
    }

    pub(super) fn answer_syn(&self, id: u32) -> Packet {
        Packet::new(PacketKind::SynAck, id, 0, self.layout.ack_wire).with_ecn(Ecn::ECHO.when(self.uses_ecn))
    }

    /// Something arrives at `at`: notes what had been received at the samples before.
    #[inline]
    pub(super) fn note_received(&mut self, at: Time) {
        if self.received.is_due(at) {
            let bytes = self.receiver.wire_bytes;
            self.received.note(at, |_| bytes);
        }
    }

    pub(super) fn is_complete(&self, now: Time) -> bool {
        match &self.foreign {
            None => self.sender.stats.completed.is_some(),
            Some(connection) => connection.totals(now).over.is_some(),
        }
    }

    /// Whether its packets carry the option that routers stamp.
    pub(crate) fn asks_routers(&self) -> bool {
        self.layout.asks_routers()
    }

    pub(crate) fn payload_of(&self, packet: &Packet) -> u64 {
        match packet.kind() {
            PacketKind::Data => self.layout.payload_of_wire(packet.wire()),
            _ => 0,
        }
    }
}

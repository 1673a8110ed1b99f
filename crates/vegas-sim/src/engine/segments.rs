//! Segments that are delivered and sent: from the network to the endpoints, and the endpoints' answers.

use vegas_core::units::Time;

use super::components::Components;
use super::event_loop::EventLoop;
use super::hosts::Hosts;
use crate::endpoint::Flow;
use crate::measure::outcome::{CapturePoint, Incident};
use crate::measure::recorder::seconds;
use crate::network::{Delivered, Network};
use crate::packet::{FlowAndFlags, PackedHeader, Packet, PacketKind, SackId};
use crate::tcp::{AckTiming, Merged, Noted};
use crate::util::timers::Timers;

/// The segments of a burst that are counted together.
const BURST: usize = 1024;

impl<N: Network> EventLoop<N> {
    /// Passes delivered packets to their receivers.
    #[inline(always)]
    pub(super) fn deliver(&mut self, delivered: Delivered) {
        match delivered {
            Delivered::Nothing => {}
            Delivered::One(packet) => self.deliver_one(packet),
            Delivered::Two(first, second) => {
                self.deliver_one(first);
                self.deliver_one(second);
            }
        }
    }

    #[inline(always)]
    fn deliver_one(&mut self, packet: Packet) {
        let (sequence, flow_and_flags, header) = packet.words();
        match self.is_plain {
            true => self.take_in_segment(sequence, flow_and_flags, header),
            false => self.deliver_any(sequence, flow_and_flags, header),
        }
    }

    /// Passes a packet to its receiver, which may be of any kind.
    #[inline(never)]
    fn deliver_any(&mut self, sequence: u64, flow_and_flags: FlowAndFlags, header: PackedHeader) {
        let packet = &Packet::of_words(sequence, flow_and_flags, header);
        let id = packet.flow() as usize;
        if packet.kind() == PacketKind::Datagram {
            self.hosts.outcome.delivered_packets += 1;
            self.hosts.sources[id].on_delivered(packet);
        } else if packet.flow() >= self.hosts.components.flows {
            self.hosts.flows[id].on_their_way -= 1;
            match self.hosts.flows[id].external {
                Some(_) => self.receive_external(packet),
                None => {
                    self.take_in_segment(sequence, flow_and_flags, header);
                    self.hosts.close_if_over(packet.flow(), self.now);
                }
            }
        } else if self.delivered.is_some() {
            self.hand_over(packet);
        } else if self.hosts.flows[id].external.is_some() {
            self.receive_external(packet);
        } else {
            self.take_in_segment(sequence, flow_and_flags, header);
        }
    }

    /// Handles a segment, given by its words so that it stays in registers.
    #[inline(always)]
    fn take_in_segment(&mut self, sequence: u64, flow_and_flags: FlowAndFlags, header: PackedHeader) {
        match Packet::of_words(sequence, flow_and_flags, header).kind() {
            PacketKind::Ack => self.on_ack(sequence, flow_and_flags, header),
            _ => self.take_in_other(sequence, flow_and_flags, header),
        }
    }

    /// Handles a segment that is not an acknowledgement.
    #[inline(never)]
    fn take_in_other(&mut self, sequence: u64, flow_and_flags: FlowAndFlags, header: PackedHeader) {
        let packet = &Packet::of_words(sequence, flow_and_flags, header);
        let id = packet.flow() as usize;
        match packet.kind() {
            PacketKind::Data => self.on_data(id, packet),
            PacketKind::Syn => self.answer_syn(id, packet),
            PacketKind::SynAck => {
                self.hosts.capture(self.now, CapturePoint::SenderIn, packet);
                let stamps = packet.time_stamps(self.now);
                let sender = &mut self.hosts.flows[id].sender;
                sender.agree_on_ecn(packet);
                sender.on_syn_ack(self.now, stamps, &mut self.hosts.outbox);
                self.flush(id);
            }
            PacketKind::HandshakeAck => {
                self.hosts.capture(self.now, CapturePoint::ReceiverIn, packet);
                self.hosts.flows[id].receiver.on_established(self.now);
            }
            PacketKind::Ack | PacketKind::Datagram => unreachable!("handled by the caller"),
        }
    }

    fn on_data(&mut self, id: usize, packet: &Packet) {
        self.hosts.capture(self.now, CapturePoint::ReceiverIn, packet);
        self.hosts.outcome.delivered_packets += 1;
        let flow = &mut self.hosts.flows[id];
        if let Some(source) = flow.source {
            self.hosts.sources[source as usize].on_delivered(packet);
        }
        if flow.receiver.merging.is_some() {
            return self.merge(id, packet);
        }
        match flow.receive(self.now, packet) {
            AckTiming::Now => self.send_acks(id),
            AckTiming::Later => {
                let due = self.hosts.flows[id].receiver.ack_due().expect("a delayed acknowledgement has a time");
                self.hosts.timers.schedule(self.hosts.components.receiver(id as u32), due);
            }
        }
    }

    /// Takes a segment in at an interface that merges.
    #[inline(never)]
    fn merge(&mut self, id: usize, packet: &Packet) {
        let flow = &mut self.hosts.flows[id];
        flow.receiver.count(packet.wire());
        let payload = flow.payload_of(packet);
        let Some(merging) = &mut flow.receiver.merging else { return };
        let before = merging.take_before(packet, payload);
        let complete = merging.add(self.now, packet, payload);
        for merged in [before, complete].into_iter().flatten() {
            self.pass_on(id, &merged);
        }
        self.schedule_receiver(id);
    }

    /// Passes what the interface has merged on to TCP.
    fn pass_on(&mut self, id: usize, merged: &Merged) {
        match self.hosts.flows[id].receive_merged(self.now, merged) {
            AckTiming::Now => self.send_acks(id),
            AckTiming::Later => {}
        }
    }

    fn schedule_receiver(&mut self, id: usize) {
        let timer = self.hosts.components.receiver(id as u32);
        match self.hosts.flows[id].receiver.due() {
            Some(due) => self.hosts.timers.schedule(timer, due),
            None => self.hosts.timers.cancel(timer),
        }
    }

    /// Handles the receiver's timer: the interface passes on what it holds, or a delayed acknowledgement is due.
    pub(super) fn on_receiver_timer(&mut self, id: usize) {
        let flow = &mut self.hosts.flows[id];
        let held = flow.receiver.merging.as_mut().and_then(|merging| merging.take_due(self.now));
        if let Some(merged) = held {
            self.pass_on(id, &merged);
        } else {
            flow.receiver.on_ack_timer(self.now);
            self.send_acks(id);
        }
        if self.hosts.flows[id].receiver.merging.is_some() {
            self.schedule_receiver(id);
        }
    }

    /// Sends the acknowledgement that is due, or what a receiver that breaks a rule sends in its place.
    fn send_acks(&mut self, id: usize) {
        match self.hosts.flows[id].wrong_numbers() {
            None => self.send_ack(id, None),
            Some(numbers) => {
                self.count_work(numbers.len());
                // where the first one is lost at once, a connection of traffic keeps its place for the others
                self.hosts.flows[id].on_their_way += 1;
                numbers.into_iter().for_each(|number| self.send_ack(id, Some(number)));
                self.hosts.flows[id].on_their_way -= 1;
                self.hosts.close_if_over(id as u32, self.now);
            }
        }
    }

    fn send_ack(&mut self, id: usize, number: Option<u64>) {
        let flow = &mut self.hosts.flows[id];
        if flow.receiver.ack_due().is_some() {
            self.hosts.timers.cancel(self.hosts.components.receiver(id as u32));
        }
        let packet = flow.acknowledge(self.now, number, id as u32, &mut self.hosts.sacks);
        self.hosts.capture(self.now, CapturePoint::ReceiverOut, &packet);
        self.launch(packet);
    }

    /// Handles an acknowledgement. This function holds what a usual one needs, and nothing else.
    #[inline(never)]
    fn on_ack(&mut self, sequence: u64, flow_and_flags: FlowAndFlags, header: PackedHeader) {
        let packet = Packet::of_words(sequence, flow_and_flags, header);
        let id = packet.flow() as usize;
        let Hosts { flows, outbox, timers, components, is_observed, .. } = &mut self.hosts;
        let flow = &mut flows[id];
        let may_be_usual = !*is_observed && packet.sack_of_ack() == SackId::NONE;
        if !may_be_usual || !flow.sender.on_usual_ack(self.now, packet, outbox) {
            return self.on_other_ack(sequence, flow_and_flags, header);
        }
        schedule_timers(flow, id as u32, flow.sender.timer_of_plain(), components, timers);
        self.carry_out(id);
    }

    /// Handles an acknowledgement that is not usual, or that is observed: packets are captured, rows are written at
    /// every change, or the run ends with its flows.
    #[inline(never)]
    fn on_other_ack(&mut self, sequence: u64, flow_and_flags: FlowAndFlags, header: PackedHeader) {
        let packet = Packet::of_words(sequence, flow_and_flags, header);
        let id = packet.flow() as usize;
        self.hosts.capture(self.now, CapturePoint::SenderIn, &packet);
        let sack = self.hosts.sacks.get(packet.sack_of_ack());
        self.hosts.flows[id].sender.on_ack(self.now, packet, sack, &mut self.hosts.outbox);
        self.hosts.sacks.release(packet.sack_of_ack());
        self.flush(id);
        if self.until_complete && id < self.hosts.components.flows as usize {
            self.end_if_complete();
        }
    }

    pub(super) fn end_if_complete(&mut self) {
        let flows = &self.hosts.flows[..self.hosts.components.flows as usize];
        if flows.iter().all(|flow| flow.is_complete(self.now)) {
            self.end = self.now;
        }
    }

    fn answer_syn(&mut self, id: usize, syn: &Packet) {
        self.hosts.capture(self.now, CapturePoint::ReceiverIn, syn);
        let packet = self.hosts.flows[id].answer_syn(self.now, syn);
        self.hosts.capture(self.now, CapturePoint::ReceiverOut, &packet);
        self.launch(packet);
    }

    pub(super) fn on_start_stop(&mut self, id: u32) {
        let flow = &mut self.hosts.flows[id as usize];
        if flow.external.is_some() {
            return self.start_stop_external(id);
        }
        if self.now == flow.start {
            if flow.stop != Time::NEVER {
                self.hosts.timers.schedule(self.hosts.components.start_stop(id), flow.stop);
            }
            flow.sender.start(self.now, &mut self.hosts.outbox);
            self.schedule_write(id);
        } else {
            flow.sender.stop(self.now);
        }
        self.flush(id as usize);
    }

    pub(super) fn on_retransmission_timer(&mut self, id: u32) {
        if self.hosts.flows[id as usize].external.is_some() {
            return self.drive(id, |connection, now| connection.on_timer(now));
        }
        let flow = &mut self.hosts.flows[id as usize];
        flow.timer_event = Time::NEVER;
        flow.sender.on_timer(self.now, &mut self.hosts.outbox);
        self.flush(id as usize);
    }

    pub(super) fn on_pacing_timer(&mut self, id: u32) {
        self.hosts.flows[id as usize].sender.on_pacing_timer(self.now, &mut self.hosts.outbox);
        self.flush(id as usize);
    }

    /// Carries out what a sender left in the outbox, and schedules its timers.
    #[inline(never)]
    pub(super) fn flush(&mut self, id: usize) {
        if self.hosts.captures {
            self.hosts.capture_outbox(self.now);
        }
        let Hosts { flows, timers, components, .. } = &mut self.hosts;
        let flow = &mut flows[id];
        schedule_timers(flow, id as u32, flow.sender.timer(), components, timers);
        self.carry_out(id);
        if id < self.hosts.components.flows as usize {
            self.hosts.note_change(self.now, id);
        }
    }

    /// Carries out what a sender left in the outbox.
    #[inline(always)]
    fn carry_out(&mut self, id: usize) {
        let is_traffic = id >= self.hosts.components.flows as usize;
        if !self.hosts.outbox.incidents.is_empty() {
            self.write_down(id, is_traffic);
        }
        match self.hosts.outbox.packets[..] {
            // an application that waits for acknowledgements has nothing to send
            [] => self.schedule_write(id as u32),
            [only] if !is_traffic => {
                self.hosts.outbox.packets.clear();
                self.network.send_forward(self.now, only, &mut self.hosts);
            }
            _ => self.launch_all(is_traffic),
        }
    }

    #[inline(never)]
    fn launch_all(&mut self, is_traffic: bool) {
        for at in 0..self.hosts.outbox.packets.len() {
            if at.is_multiple_of(BURST) {
                self.count_work(BURST.min(self.hosts.outbox.packets.len() - at));
            }
            let packet = self.hosts.outbox.packets[at];
            if is_traffic {
                self.hosts.count_leaving(&packet);
            }
            self.network.send_forward(self.now, packet, &mut self.hosts);
        }
        self.hosts.outbox.packets.clear();
    }

    /// Records the incidents that a sender noted, unless the sender is one of traffic.
    #[cold]
    fn write_down(&mut self, id: usize, is_traffic: bool) {
        let time_s = seconds(self.now);
        for Noted { kind, sequence, retransmission } in self.hosts.outbox.incidents.drain(..).filter(|_| !is_traffic) {
            let incident = Incident { time_s, kind, flow: id as u32, link: None, sequence, retransmission };
            self.hosts.outcome.incidents.push(incident);
        }
    }

    /// Sends a packet from its host.
    #[inline(never)]
    pub(super) fn launch(&mut self, packet: Packet) {
        self.hosts.count_leaving(&packet);
        self.network.send(self.now, packet, &mut self.hosts);
    }
}

/// Keeps the event of a sender's timers at or before `due`, when the first of them expires, and schedules the pacing
/// timer. The event stays where it is if `due` moves later: the sender checks its deadlines when the event happens, and
/// most timers never expire.
#[inline(always)]
fn schedule_timers(flow: &mut Flow, id: u32, due: Time, components: &Components, timers: &mut Timers) {
    if due < flow.timer_event {
        flow.timer_event = due;
        timers.schedule(components.retransmission(id), due);
    }
    if let Some(due) = flow.sender.pacing_due() {
        timers.schedule(components.pacing(id), due);
    }
}

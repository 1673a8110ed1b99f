//! A link: a queue, a transmitter that sends one packet after the other, and a propagation delay.

use std::collections::VecDeque;

use vegas_core::aqt::Aqt;
use vegas_core::units::{Span, Time};

use super::faults::Faults;
use super::transmitter::Transmitter;
use crate::measure::delay_histogram::WaitingTimes;
use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{QueueOutcome, QueueingTimes};
use crate::network::labels::Labels;
use crate::network::queue::{Queue, QueuedPacket, Verdicts};
use crate::packet::{Packet, WireSize};
use crate::scenario::{LinkKind, QueueLimit};
use crate::util::random::Stream;

/// A link with its present state.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) limit: QueueLimit,
    pub(super) delay: Span,
    pub(super) faults: Faults,
    /// The packets in a drop-tail queue.
    waiting: VecDeque<QueuedPacket>,
    /// The managed queue of a link that is not drop-tail.
    managed: Option<Queue>,
    pub(super) transmitter: Transmitter,
    /// The packet being sent, and the time of its departure.
    pub(super) sending: Option<(Packet, Time)>,
    /// Whether each packet is stamped with its queueing time.
    stamps: bool,
    waits: WaitingTimes,
    /// The totals. The waiting time of packets is summed up to `noted`; the packet being sent counts as busy time to
    /// its end.
    pub(super) totals: LinkTotals,
    noted: Time,
}

impl Link {
    pub(super) fn new(spec: &LinkKind, queue: Option<Queue>, stream: Stream) -> Self {
        Link {
            limit: spec.queue,
            delay: spec.delay,
            faults: Faults::new(spec.impairments.clone(), stream),
            waiting: VecDeque::new(),
            managed: queue,
            transmitter: Transmitter::new(spec),
            sending: None,
            stamps: spec.aqt,
            waits: WaitingTimes::default(),
            totals: LinkTotals::default(),
            noted: Time::ZERO,
        }
    }

    /// Offers a packet to the queue; returns the packet if a drop-tail queue is full. Packets that a queue discipline
    /// drops or marks go to `verdicts`.
    pub(super) fn offer(
        &mut self,
        now: Time,
        packet: Packet,
        labels: &Labels,
        verdicts: &mut Verdicts,
    ) -> Option<Packet> {
        self.note_waiting(now);
        let has_room = self.has_room(packet.wire());
        match &mut self.managed {
            Some(queue) => queue.offer(now, packet, labels, has_room, verdicts),
            None if !has_room => return Some(packet),
            None => self.waiting.push_back(QueuedPacket { packet, since: now }),
        }
        None
    }

    /// Returns whether there is room for a packet; the packet being sent takes room.
    fn has_room(&self, wire: WireSize) -> bool {
        let sending_bytes = self.sending.map_or(0, |(packet, _)| u64::from(packet.wire()));
        match self.limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(most) => self.inside() < most as usize,
            QueueLimit::Bytes(most) => self.queue_bytes() + sending_bytes + u64::from(wire) <= most.get(),
        }
    }

    /// Begins to send the next packet, if any waits; returns its departure. The transmitter is free.
    pub(super) fn begin_sending(&mut self, now: Time, verdicts: &mut Verdicts) -> Option<Time> {
        self.note_waiting(now);
        let next = match &mut self.managed {
            Some(queue) => queue.take(now, verdicts),
            None => self.waiting.pop_front(),
        };
        let QueuedPacket { mut packet, since } = next?;
        let waited = now.since(since);
        self.waits.record(waited);
        if self.stamps {
            packet = packet.stamped(Aqt::ZERO.plus(waited));
        }
        let departure = self.transmitter.finish(now, since, packet.wire());
        self.totals.busy += departure.since(now);
        self.sending = Some((packet, departure));
        Some(departure)
    }

    /// Returns the packet being sent, which departs now.
    pub(super) fn end_sending(&mut self) -> Packet {
        let (packet, _) = self.sending.take().expect("a packet is being sent");
        self.totals.departed_bytes += u64::from(packet.wire());
        packet
    }

    pub(super) fn note_greatest_queue(&mut self) {
        let waiting = self.queue_packets() as u32;
        self.totals.max_queue_packets = self.totals.max_queue_packets.max(waiting);
        self.totals.step_max_queue_packets = self.totals.step_max_queue_packets.max(waiting);
    }

    fn note_waiting(&mut self, now: Time) {
        self.totals.waited_ns = self.waited_ns(now);
        self.noted = now;
    }

    fn waited_ns(&self, now: Time) -> u128 {
        self.totals.waited_ns + self.queue_packets() as u128 * u128::from(now.since(self.noted).as_nanos())
    }

    /// Returns the totals at `now`.
    pub(super) fn totals(&self, now: Time) -> LinkTotals {
        let to_go = self.sending.map_or(Span::ZERO, |(_, departure)| departure.since(now));
        LinkTotals {
            busy: self.totals.busy.less(to_go),
            waited_ns: self.waited_ns(now),
            queue_packets: self.queue_packets() as u32,
            queue_bytes: self.queue_bytes(),
            ..self.totals
        }
    }

    /// Returns how long packets have waited. Packets in a drop-tail queue count with the time that they will have
    /// waited if the rate stays as it is. Packets in a managed queue do not count, as they may still be dropped. Also
    /// returns the totals of each queue of a discipline that has several with names.
    pub(super) fn queueing(&self) -> (Option<QueueingTimes>, Vec<QueueOutcome>) {
        let (mut waits, mut transmitter) = (self.waits.clone(), self.transmitter.clone());
        if let Some((_, mut begins)) = self.sending {
            for QueuedPacket { packet, since } in &self.waiting {
                waits.record(begins.since(*since));
                begins = transmitter.finish(begins, *since, packet.wire());
            }
        }
        (waits.summary(), self.managed.as_ref().map_or_else(Vec::new, Queue::outcomes))
    }

    /// Returns the number of packets in queue and transmitter.
    pub(super) fn inside(&self) -> usize {
        self.queue_packets() + usize::from(self.sending.is_some())
    }

    fn queue_packets(&self) -> usize {
        self.waiting.len() + self.managed.as_ref().map_or(0, Queue::len)
    }

    fn queue_bytes(&self) -> u64 {
        let waiting = self.waiting.iter().map(|waiting| u64::from(waiting.packet.wire()));
        waiting.sum::<u64>() + self.managed.as_ref().map_or(0, Queue::bytes)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.inside() * size_of::<QueuedPacket>() + self.waits.memory_bytes()
    }
}

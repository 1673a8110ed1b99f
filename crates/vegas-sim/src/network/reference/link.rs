//! A link: a queue, a transmitter that sends one packet after the other, and a delay.

use std::collections::VecDeque;

use vegas_core::aqt::Aqt;
use vegas_core::units::{Rate, Span, Time};

use super::faults::Faults;
use super::transmitter::Transmitter;
use crate::measure::delay_histogram::WaitingTimes;
use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::QueueingTimes;
use crate::network::labels::Labels;
use crate::network::queue::{Queue, QueuedPacket, Verdicts};
use crate::packet::{Packet, WireSize};
use crate::scenario::{LinkKind, QueueLimit};
use crate::util::random::Stream;

/// A link at work.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) limit: QueueLimit,
    pub(super) delay: Span,
    pub(super) faults: Faults,
    queue: Buffer,
    transmitter: Transmitter,
    /// The packet being sent, and when it has left.
    sending: Option<(Packet, Time)>,
    /// Stamps the queueing time into each packet.
    stamps: bool,
    waits: WaitingTimes,
    /// Waiting packets are summed up to `noted`; the packet being sent counts as busy to its end.
    pub(super) totals: LinkTotals,
    noted: Time,
}

/// What waits.
#[derive(Debug)]
enum Buffer {
    DropTail(VecDeque<QueuedPacket>),
    Managed(Box<Queue>),
}

impl Link {
    pub(super) fn new(spec: &LinkKind, queue: Option<Queue>, stream: Stream) -> Self {
        Link {
            limit: spec.queue,
            delay: spec.delay,
            faults: Faults::new(spec.impairments.clone(), stream),
            queue: queue.map_or(Buffer::DropTail(VecDeque::new()), |queue| Buffer::Managed(Box::new(queue))),
            transmitter: Transmitter::new(spec),
            sending: None,
            stamps: spec.aqt,
            waits: WaitingTimes::default(),
            totals: LinkTotals::default(),
            noted: Time::ZERO,
        }
    }

    pub(super) fn set_rate(&mut self, rate: Rate) {
        self.transmitter = Transmitter::Constant(rate);
    }

    /// Puts a packet into the queue, or gives it back if that is full. What a queue discipline drops or marks goes to
    /// `verdicts`.
    pub(super) fn enqueue(
        &mut self,
        now: Time,
        packet: Packet,
        labels: &Labels,
        verdicts: &mut Verdicts,
    ) -> Option<Packet> {
        self.note_waiting(now);
        let has_room = self.has_room(packet.wire());
        match &mut self.queue {
            Buffer::Managed(queue) => queue.offer(now, packet, labels, has_room, verdicts),
            Buffer::DropTail(_) if !has_room => return Some(packet),
            Buffer::DropTail(waiting) => waiting.push_back(QueuedPacket { packet, since: now }),
        }
        None
    }

    /// The packet being sent counts.
    fn has_room(&self, wire: WireSize) -> bool {
        let sending_bytes = self.sending.map_or(0, |(packet, _)| u64::from(packet.wire()));
        match self.limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(most) => self.inside() < most as usize,
            QueueLimit::Bytes(most) => self.queue_bytes() + sending_bytes + u64::from(wire) <= most.get(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.sending.is_none()
    }

    /// Begins to send the packet of which the dequeue is due, if any waits: when that will have left.
    pub(super) fn begin_sending(&mut self, now: Time, verdicts: &mut Verdicts) -> Option<(Packet, Time)> {
        self.note_waiting(now);
        let next = match &mut self.queue {
            Buffer::DropTail(waiting) => waiting.pop_front(),
            Buffer::Managed(queue) => queue.take(now, verdicts),
        };
        let QueuedPacket { mut packet, since } = next?;
        let waited = now.since(since);
        self.waits.record(waited);
        if self.stamps {
            packet = packet.stamped(Aqt::ZERO.plus(waited));
        }
        let departure = self.transmitter.finish(now, since, packet.wire());
        self.totals.busy = self.totals.busy + departure.since(now);
        self.sending = Some((packet, departure));
        self.sending
    }

    /// The packet being sent leaves.
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

    /// What had happened by `now`.
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

    /// How long packets have waited. Those in a drop-tail queue count as long as they will have by now's rate; what becomes
    /// of those in another queue is open.
    pub(super) fn queueing_times(&self) -> Option<QueueingTimes> {
        let (mut waits, mut transmitter) = (self.waits.clone(), self.transmitter.clone());
        if let (Some((_, mut begins)), Buffer::DropTail(waiting)) = (self.sending, &self.queue) {
            for QueuedPacket { packet, since } in waiting {
                waits.record(begins.since(*since));
                begins = transmitter.finish(begins, *since, packet.wire());
            }
        }
        waits.summary()
    }

    /// Packets in queue and transmitter.
    pub(super) fn inside(&self) -> usize {
        self.queue_packets() + usize::from(self.sending.is_some())
    }

    fn queue_packets(&self) -> usize {
        match &self.queue {
            Buffer::DropTail(waiting) => waiting.len(),
            Buffer::Managed(queue) => queue.len(),
        }
    }

    fn queue_bytes(&self) -> u64 {
        match &self.queue {
            Buffer::DropTail(waiting) => waiting.iter().map(|waiting| u64::from(waiting.packet.wire())).sum(),
            Buffer::Managed(queue) => queue.bytes(),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.inside() * size_of::<QueuedPacket>() + self.waits.memory_bytes()
    }
}

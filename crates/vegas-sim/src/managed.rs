//! The part of a link that has a managed queue: queue, transmitter's packet, and the packets that wait over time.

use vegas_core::units::Time;

use crate::packet::Packet;
use crate::queue::{Chosen, Queue, Waiting};
use crate::scenario::QueueLimit;

/// A managed queue at work.
#[derive(Clone, Debug)]
pub(crate) struct Managed {
    pub(crate) queue: Queue,
    /// In the transmitter.
    pub(crate) sending: Option<Packet>,
    /// Dropped or marked, and not yet handed over.
    pub(crate) chosen: Chosen,
    /// Integral of the packets that wait, in packets x ns, up to `noted`.
    waited_ns: u128,
    noted: Time,
}

impl Managed {
    pub(crate) fn new(queue: Queue) -> Self {
        Managed { queue, sending: None, chosen: Chosen::default(), waited_ns: 0, noted: Time::ZERO }
    }

    /// Offers a packet to the queue, and says how many packets that cost.
    pub(crate) fn offer(&mut self, now: Time, packet: Packet, limit: &QueueLimit) -> u64 {
        self.note(now);
        let before = self.chosen.dropped.len();
        let has_room = self.has_room(packet.wire, limit);
        self.queue.offer(now, packet, has_room, &mut self.chosen);
        (self.chosen.dropped.len() - before) as u64
    }

    /// The packet whose turn it is, and how many were dropped before it.
    pub(crate) fn take(&mut self, now: Time) -> (Option<Waiting>, u64) {
        self.note(now);
        let before = self.chosen.dropped.len();
        let next = self.queue.take(now, &mut self.chosen);
        (next, (self.chosen.dropped.len() - before) as u64)
    }

    pub(crate) fn is_sending(&self) -> bool {
        self.sending.is_some()
    }

    /// Packets in queue and transmitter.
    pub(crate) fn inside(&self) -> usize {
        self.queue.len() + usize::from(self.is_sending())
    }

    pub(crate) fn waited_ns(&self, now: Time) -> u128 {
        self.waited_ns + self.queue.len() as u128 * u128::from(now.since(self.noted).as_nanos())
    }

    fn note(&mut self, now: Time) {
        self.waited_ns = self.waited_ns(now);
        self.noted = now;
    }

    /// The packet being sent counts (design section 5).
    fn has_room(&self, wire: u16, limit: &QueueLimit) -> bool {
        let sending = self.sending.map_or(0, |packet| u64::from(packet.wire));
        match limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(limit) => self.inside() < *limit as usize,
            QueueLimit::Bytes(limit) => self.queue.bytes() + sending + u64::from(wire) <= limit.get(),
        }
    }
}

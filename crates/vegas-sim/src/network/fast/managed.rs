//! The part of a link with a managed queue: the queue, the packet in the transmitter, and the waiting packets over
//! time.

use std::collections::VecDeque;

use vegas_core::aqt::Aqt;
use vegas_core::units::{Span, Time};

use crate::measure::delay_histogram::WaitingTimes;
use crate::measure::link_totals::LinkTotals;
use crate::network::labels::Labels;
use crate::network::queue::{Queue, QueuedPacket, Verdicts};
use crate::packet::{Packet, WireSize};
use crate::scenario::QueueLimit;

/// What a queue discipline did with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AqmVerdict {
    /// The packet is marked (ECN), and goes on.
    Marked,
    Dropped,
}

/// A managed queue with its transmitter, verdicts and totals.
#[derive(Clone, Debug)]
pub(crate) struct Managed {
    pub(crate) queue: Queue,
    /// Size of the packet in the transmitter, or of the last one, until the dequeue that was due then is taken.
    pub(crate) sending: Option<WireSize>,
    /// The time until which the transmitter is busy; the next dequeue is due then.
    pub(crate) busy_until: Time,
    /// Whether each packet is stamped with its queueing time; only flows that use the stamps read them.
    stamps: bool,
    /// The verdicts that are not handed over, with their times.
    verdicts: VecDeque<(Time, Packet, AqmVerdict)>,
    /// The verdicts of the present call, before they get their time.
    scratch: Verdicts,
    pub(crate) waits: WaitingTimes,
    /// The totals. The waiting time of packets is summed up to `noted`; the packet being sent counts to its end.
    pub(crate) totals: LinkTotals,
    noted: Time,
}

impl Managed {
    pub(crate) fn new(queue: Queue, stamps: bool) -> Self {
        Managed {
            queue,
            sending: None,
            busy_until: Time::ZERO,
            stamps,
            verdicts: VecDeque::new(),
            scratch: Verdicts::default(),
            waits: WaitingTimes::default(),
            totals: LinkTotals::default(),
            noted: Time::ZERO,
        }
    }

    /// Returns the memory that the managed queue takes, itself included, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let verdicts = self.verdicts.capacity() * size_of::<(Time, Packet, AqmVerdict)>();
        size_of::<Managed>() + self.queue.memory_bytes() + self.waits.memory_bytes() + verdicts
    }

    /// Offers a packet to the queue.
    #[inline]
    pub(crate) fn offer(&mut self, now: Time, packet: Packet, limit: &QueueLimit, labels: &Labels) {
        self.note(now);
        let has_room = self.has_room(packet.wire(), limit);
        self.queue.offer(now, packet, labels, has_room, &mut self.scratch);
        self.note_verdicts(now);
    }

    /// Returns whether a packet that has come to a free transmitter goes straight on, because nothing waits and the
    /// discipline lets it pass; the caller has checked that there is room.
    #[inline]
    pub(crate) fn pass(&mut self, packet: &Packet, labels: &Labels) -> bool {
        let passes = self.queue.pass(packet, labels);
        if passes {
            self.waits.record(Span::ZERO);
        }
        passes
    }

    /// Dequeues the next packet; a dequeue is due.
    #[inline]
    pub(crate) fn take(&mut self, now: Time) -> Option<QueuedPacket> {
        self.note(now);
        let mut next = self.queue.take(now, &mut self.scratch);
        if let Some(waiting) = &mut next {
            let waited = now.since(waiting.since);
            self.waits.record(waited);
            if self.stamps {
                waiting.packet = waiting.packet.stamped(Aqt::ZERO.plus(waited));
            }
        }
        self.note_verdicts(now);
        next
    }

    #[inline]
    fn note_verdicts(&mut self, now: Time) {
        if !self.scratch.is_empty() {
            self.write_down_verdicts(now);
        }
    }

    #[cold]
    fn write_down_verdicts(&mut self, now: Time) {
        let Verdicts { dropped, marked } = &mut self.scratch;
        self.verdicts.extend(marked.drain(..).map(|packet| (now, packet, AqmVerdict::Marked)));
        self.verdicts.extend(dropped.drain(..).map(|packet| (now, packet, AqmVerdict::Dropped)));
    }

    #[inline]
    pub(crate) fn is_sending(&self) -> bool {
        self.sending.is_some()
    }

    /// Returns the number of packets in queue and transmitter.
    fn inside(&self) -> usize {
        self.queue.len() + usize::from(self.is_sending())
    }

    /// Puts a packet into the transmitter from now until its departure.
    #[inline]
    pub(crate) fn begin(&mut self, wire: WireSize, now: Time, departure: Time) {
        self.totals.departed_bytes += u64::from(wire);
        self.totals.busy += departure.since(now);
        (self.sending, self.busy_until) = (Some(wire), departure);
    }

    /// Returns whether there are verdicts that are not handed over.
    pub(crate) fn has_verdicts(&self) -> bool {
        !self.verdicts.is_empty()
    }

    /// Returns the first verdict that is not handed over, with its packet and time.
    pub(crate) fn take_verdict(&mut self) -> Option<(Time, Packet, AqmVerdict)> {
        let verdicts = self.verdicts.pop_front()?;
        match verdicts.2 {
            AqmVerdict::Dropped => self.totals.drops += 1,
            AqmVerdict::Marked => self.totals.marks += 1,
        }
        Some(verdicts)
    }

    #[inline]
    pub(crate) fn note_queue(&mut self) {
        let waiting = self.queue.len() as u32;
        self.totals.max_queue_packets = self.totals.max_queue_packets.max(waiting);
        self.totals.step_max_queue_packets = self.totals.step_max_queue_packets.max(waiting);
    }

    /// Returns the totals at `now`.
    pub(crate) fn totals(&self, now: Time) -> LinkTotals {
        let sending = self.sending.map_or(0, u64::from);
        LinkTotals {
            departed_bytes: self.totals.departed_bytes - sending,
            busy: self.totals.busy.less(self.busy_until.since(now)),
            waited_ns: self.waited_ns(now),
            queue_packets: self.queue.len() as u32,
            queue_bytes: self.queue.bytes(),
            ..self.totals
        }
    }

    fn waited_ns(&self, now: Time) -> u128 {
        self.totals.waited_ns + self.queue.len() as u128 * u128::from(now.since(self.noted).as_nanos())
    }

    #[inline]
    fn note(&mut self, now: Time) {
        self.totals.waited_ns = self.waited_ns(now);
        self.noted = now;
    }

    /// Returns whether there is room for a packet; the packet being sent takes room (docs/design.md, section 4.2).
    #[inline]
    fn has_room(&self, wire: WireSize, limit: &QueueLimit) -> bool {
        let sending = self.sending.map_or(0, u64::from);
        match limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(limit) => self.inside() < *limit as usize,
            QueueLimit::Bytes(limit) => self.queue.bytes() + sending + u64::from(wire) <= limit.get(),
        }
    }
}

//! A one-way link: drop-tail or managed queue, transmitter, constant propagation delay.
//!
//! Packets leave a link in the order in which they entered it, so only the arrival of the first packet under way is a
//! pending event. With a drop-tail queue the departure and arrival of a packet are known as it is offered, and no event
//! marks its departure ([`crate::network::fast::occupancy`]). A managed queue decides which packet is dequeued when the
//! dequeue is due. Dequeues are due at known times, so they are carried out when they matter: at the next offer,
//! arrival or sample.
//!
//! Many links need no event at their entry either. Packets that the link before accepts are offered to them at once,
//! ahead of the time at which they will be there, and on some of these links no packet ever waits
//! (`network/fast/lookahead/plan.rs`).

use vegas_core::units::{Span, Time};

use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{QueueOutcome, QueueingTimes};
use crate::measure::sampling::SamplingInstants;
use crate::network::fast::impairment::{Arrivals, Impaired};
use crate::network::fast::managed::{AqmVerdict, Managed};
use crate::network::fast::occupancy::Occupancy;
use crate::network::fast::record::LinkRecord;
use crate::network::fast::transmitter::Transmitter;
use crate::network::labels::Labels;
use crate::network::queue::Queue;
use crate::packet::{Packet, WireSize};
use crate::scenario::{Impairments, LinkChange, LinkKind, QueueLimit};
use crate::util::random::Stream;
use crate::util::ring::Ring;

/// A link with its present state, without the values that nearly all packets on drop-tail links touch; those are in its
/// [`LinkRecord`].
#[derive(Clone, Debug)]
pub(crate) struct Link {
    delay: Span,
    transmitter: Transmitter,
    limit: QueueLimit,
    /// The packets of a managed or impaired link that have left the transmitter, or will have, and arrive here, in
    /// order. Packets of a managed queue are here from the beginning of their transmission.
    transit: Ring<Transit>,
    queue: LinkQueue,
    impairments: Option<Box<Impaired>>,
    counts: Counts,
}

/// The queue in front of the transmitter.
#[derive(Clone, Debug)]
enum LinkQueue {
    /// A drop-tail queue.
    DropTail(Occupancy),
    /// A queue with another discipline.
    Managed(Box<Managed>),
}

/// A packet on its way to the other end of a link.
#[derive(Clone, Copy, Debug, Default)]
struct Transit {
    packet: Packet,
    arrival: Time,
}

/// The packets that went into a managed or impaired link and came out of it, whenever that was or will be.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Packets offered, with those that were lost or found no room.
    offered: u64,
    /// Packets that arrived at the other end, duplicates included.
    arrived: u64,
    /// Extra arrivals made by duplication.
    duplicated: u64,
    /// Packets lost.
    lost: u64,
}

/// What the link did with a packet that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// The packet arrives at this time, after all that were accepted before.
    Accepted(Time),
    /// A managed queue took the packet, or dropped it or another one. The arrival if it is the only packet on the link.
    Managed(Option<Time>),
    /// The queue was full.
    Overflow,
    /// Lost to an impairment.
    Lost,
}

/// Returns whether a link may lose packets, hold them back, duplicate them or carry them beside it. `changes` says
/// whether its values may change during the run.
pub(crate) fn may_impair(spec: &LinkKind, changes: bool) -> bool {
    changes || spec.impairments != Impairments::default()
}

impl Link {
    /// Returns the memory that the link takes beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let queue = match &self.queue {
            LinkQueue::DropTail(occupancy) => occupancy.memory_bytes(),
            LinkQueue::Managed(managed) => managed.memory_bytes(),
        };
        let held = self.impairments.as_ref().map_or(0, |impaired| impaired.memory_bytes());
        self.transit.memory_bytes() + queue + held
    }

    /// Returns a link at time 0. `changes` says whether its values may change during the run.
    pub(crate) fn new(spec: &LinkKind, stream: impl FnOnce() -> Stream, queue: Option<Queue>, changes: bool) -> Self {
        let impairments =
            may_impair(spec, changes).then(|| Box::new(Impaired::new(spec.impairments.clone(), stream())));
        Link {
            delay: spec.delay,
            transmitter: Transmitter::new(spec),
            limit: spec.queue,
            transit: Ring::default(),
            queue: match queue {
                None => LinkQueue::DropTail(Occupancy::new(changes || spec.trace.is_some())),
                Some(queue) => LinkQueue::Managed(Box::new(Managed::new(queue, spec.aqt))),
            },
            impairments,
            counts: Counts::default(),
        }
    }

    /// Returns whether what the link does with a packet depends only on the packets before it. Then it can take packets
    /// ahead of time, and offer them to the next link.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        !matches!(self.queue, LinkQueue::Managed(_)) && self.impairments.is_none()
    }

    /// Returns whether packets may be lost, held back, duplicated or carried beside the link.
    pub(crate) fn is_impaired(&self) -> bool {
        self.impairments.is_some()
    }

    /// Prepares for packets that are offered ahead of time; samples are taken at `instants`.
    pub(crate) fn sample_at(&mut self, record: &mut LinkRecord, instants: SamplingInstants) {
        if let LinkQueue::DropTail(occupancy) = &mut self.queue {
            occupancy.sample_at(instants, record);
        }
    }

    /// Keeps a list of departures, because a row is written at each of them.
    pub(crate) fn list_departures(&mut self) {
        if let LinkQueue::DropTail(occupancy) = &mut self.queue {
            *occupancy = Occupancy::new(true);
        }
    }

    /// Offers a packet to a link that is not plain.
    #[inline(always)]
    pub(crate) fn offer_special(
        &mut self,
        record: &mut LinkRecord,
        now: Time,
        packet: &mut Packet,
        labels: &Labels,
    ) -> Offer {
        self.counts.offered += 1;
        if self.impairments.as_mut().is_some_and(|impaired| impaired.loses(now, packet)) {
            return self.lose();
        }
        if let LinkQueue::Managed(_) = &self.queue {
            return self.offer_managed(now, *packet, labels);
        }
        let Some(waits) = self.offer(record, now, packet.wire()) else { return Offer::Overflow };
        if let LinkQueue::DropTail(occupancy) = &mut self.queue {
            occupancy.note_stamp(packet.aqt());
        }
        *packet = packet.stamped(record.stamp(waits));
        // the link's delay may have changed
        Offer::Accepted(record.busy_until + self.delay)
    }

    /// Offers a packet to a drop-tail queue at `at`, which is now, or later if the link is fed ahead of time. Offers
    /// are in the order of `at`. Returns how long the packet waits, if it has room.
    pub(crate) fn offer(&mut self, record: &mut LinkRecord, at: Time, wire: WireSize) -> Option<Span> {
        let LinkQueue::DropTail(occupancy) = &mut self.queue else { unreachable!("a drop-tail link") };
        let waits = occupancy.offer(at, wire, record, &mut self.transmitter, &self.limit);
        self.counts.lost += u64::from(waits.is_none());
        waits
    }

    /// Notes the waiting time of a packet of the usual size, which the record accepts.
    #[inline]
    pub(crate) fn note_wait(&mut self, waits: Span) {
        let LinkQueue::DropTail(occupancy) = &mut self.queue else { unreachable!("a drop-tail link") };
        occupancy.note_wait(waits);
    }

    /// Carries an accepted packet to its arrival; returns whether it is the first to arrive.
    pub(crate) fn carry(&mut self, packet: Packet, arrival: Time) -> bool {
        self.transit.push_back(Transit { packet, arrival });
        self.transit.len() == 1
    }

    fn lose(&mut self) -> Offer {
        self.counts.lost += 1;
        match &mut self.queue {
            LinkQueue::Managed(managed) => managed.totals.drops += 1,
            LinkQueue::DropTail(occupancy) => occupancy.refuse(),
        }
        Offer::Lost
    }

    #[inline(always)]
    fn offer_managed(&mut self, now: Time, packet: Packet, labels: &Labels) -> Offer {
        self.dequeue_due(now);
        let was_empty = self.transit.is_empty();
        let LinkQueue::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        if !managed.is_sending() && self.limit.admits(packet.wire()) && managed.pass(&packet, labels) {
            self.begin(now, now, packet);
        } else {
            self.offer_to_queue(now, packet, labels);
        }
        Offer::Managed(self.transit.front().filter(|_| was_empty).map(|transit| transit.arrival))
    }

    #[inline]
    fn offer_to_queue(&mut self, now: Time, packet: Packet, labels: &Labels) {
        let LinkQueue::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        managed.offer(now, packet, &self.limit, labels);
        if !managed.is_sending() {
            self.begin_next(now);
        }
        if let LinkQueue::Managed(managed) = &mut self.queue {
            managed.note_queue();
        }
    }

    /// Carries out the dequeues of a managed queue that are due by `now`.
    #[inline]
    fn dequeue_due(&mut self, now: Time) {
        while let LinkQueue::Managed(managed) = &self.queue
            && managed.busy_until <= now
            && managed.is_sending()
        {
            self.begin_next(managed.busy_until);
        }
    }

    /// Begins to send what a managed queue gives; the transmitter is free.
    #[inline(never)]
    fn begin_next(&mut self, now: Time) {
        let LinkQueue::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        managed.sending = None;
        let Some(waiting) = managed.take(now) else { return };
        self.begin(now, waiting.since, waiting.packet);
    }

    /// Begins to send a packet that came to a managed queue at `since`.
    #[inline(always)]
    fn begin(&mut self, now: Time, since: Time, packet: Packet) {
        let LinkQueue::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        let departure = self.transmitter.finish(now, since, packet.wire());
        managed.begin(packet.wire(), now, departure);
        self.transit.push_back(Transit { packet, arrival: departure + self.delay });
    }

    /// Returns whether a managed queue has verdicts that are not handed over.
    #[inline]
    pub(crate) fn has_verdicts(&self) -> bool {
        matches!(&self.queue, LinkQueue::Managed(managed) if managed.has_verdicts())
    }

    /// Returns the next verdict of a managed queue with its packet and time, if one is not handed over.
    pub(crate) fn take_verdict(&mut self) -> Option<(Time, Packet, AqmVerdict)> {
        let verdicts = self.managed()?.take_verdict()?;
        self.counts.lost += u64::from(verdicts.2 == AqmVerdict::Dropped);
        Some(verdicts)
    }

    /// Returns when the next packet arrives, which may still be in the transmitter.
    pub(crate) fn next_arrival(&self) -> Option<Time> {
        self.transit.front().map(|transit| transit.arrival)
    }

    /// Takes the packet that arrives now; returns it, and the time of the next arrival. The link has a managed queue
    /// and is not impaired.
    #[inline]
    pub(crate) fn arrive_managed(&mut self, now: Time) -> (Packet, Option<Time>) {
        self.dequeue_due(now);
        let head = *self.transit.front().expect("an arrival is due");
        self.transit.drop_front_and_fetch();
        debug_assert_eq!(head.arrival, now);
        self.counts.arrived += 1;
        (head.packet, self.transit.front().map(|transit| transit.arrival))
    }

    /// Takes the packet that arrives now, which the impairments may hold back or duplicate.
    pub(crate) fn arrive(&mut self, now: Time) -> Arrivals {
        self.dequeue_due(now);
        let head = self.transit.pop_front().expect("an arrival is due");
        debug_assert_eq!(head.arrival, now);
        let arrivals = match self.impairments.as_mut() {
            None => Arrivals { packet: Some(head.packet), twice: false },
            Some(impaired) => impaired.pass(now, head.packet),
        };
        self.count_arrivals(&arrivals);
        arrivals
    }

    /// Returns when the next packet that is held back comes out.
    pub(crate) fn next_held(&self) -> Option<Time> {
        self.impairments.as_ref()?.next_held()
    }

    /// Removes and returns the packet that was held back until `now`.
    pub(crate) fn release_held(&mut self, now: Time) -> Arrivals {
        let impaired = self.impairments.as_mut().expect("only an impaired link holds packets back");
        let arrivals = impaired.release(now);
        self.count_arrivals(&arrivals);
        arrivals
    }

    /// Gives new values to the link, which has been brought up to now.
    ///
    /// A packet that has left the transmitter keeps its arrival: it is carried beside the link, and a later packet that
    /// a shorter delay would let overtake it waits for it. Packets that wait depart at the new rate, after the packet
    /// that is being sent, and are stamped with the time that they wait then.
    pub(crate) fn change(&mut self, record: &mut LinkRecord, change: &LinkChange) {
        if let Some(delay) = change.delay {
            self.carry_beside();
            self.delay = delay;
        }
        if let Some(rate) = change.rate {
            self.transmitter.set_rate(rate);
        }
        if let LinkQueue::DropTail(occupancy) = &mut self.queue {
            if change.rate.is_some() {
                occupancy.reschedule(record, &mut self.transmitter);
                let left = self.transit.len() - occupancy.departures().count();
                for (transit, (stamped, waits)) in self.transit.iter_mut().skip(left).zip(occupancy.stamps_and_waits())
                {
                    transit.packet = transit.packet.with_aqt(stamped).stamped(record.stamp(waits));
                }
            }
            for (transit, departure) in self.transit.iter_mut().rev().zip(occupancy.departures().rev()) {
                transit.arrival = departure + self.delay;
            }
        } else if let LinkQueue::Managed(managed) = &self.queue
            && managed.is_sending()
            && let Some(sending) = self.transit.back_mut()
        {
            sending.arrival = managed.busy_until + self.delay;
        }
        self.limit = change.queue.unwrap_or(self.limit);
        if let (Some(impaired), Some(loss_ppm)) = (&mut self.impairments, change.loss_ppm) {
            impaired.set_loss(loss_ppm);
        }
    }

    /// Carries the packets that have left the transmitter beside the link.
    fn carry_beside(&mut self) {
        let impaired = self.impairments.as_mut().expect("a link that changes has impairments");
        let occupied = match &self.queue {
            LinkQueue::DropTail(occupancy) => occupancy.departures().count(),
            LinkQueue::Managed(managed) => usize::from(managed.is_sending()),
        };
        let left = self.transit.len() - occupied;
        for transit in (0..left).map_while(|_| self.transit.pop_front()) {
            impaired.carry(transit.arrival, transit.packet);
        }
    }

    fn count_arrivals(&mut self, arrivals: &Arrivals) {
        self.counts.arrived += u64::from(arrivals.packet.is_some()) + u64::from(arrivals.twice);
        self.counts.duplicated += u64::from(arrivals.twice);
    }

    /// Returns whether each packet that went in has come out, was lost, or is inside. A plain link is not counted: the
    /// packets that it accepts are on a delay line, or continue at once.
    pub(crate) fn conserves(&self) -> bool {
        let Counts { offered, arrived, duplicated, lost } = self.counts;
        self.is_plain() || offered + duplicated == arrived + lost + self.inside()
    }

    /// Returns the number of packets accepted that have not come out, with those that are held back.
    pub(crate) fn inside(&self) -> u64 {
        let held = self.impairments.as_ref().map_or(0, |impaired| impaired.held());
        let queued = match &self.queue {
            LinkQueue::Managed(managed) => managed.queue.len(),
            LinkQueue::DropTail(_) => 0,
        };
        (self.transit.len() + held + queued) as u64
    }

    /// Brings the queue and the totals up to `now`. A packet that departs at `now` has left.
    pub(crate) fn catch_up(&mut self, record: &mut LinkRecord, now: Time) {
        match &mut self.queue {
            LinkQueue::Managed(_) => self.dequeue_due(now),
            LinkQueue::DropTail(occupancy) => occupancy.look(now, record),
        }
    }

    /// Returns the next departure after the last [`Link::catch_up`], if a row is written at each departure.
    pub(crate) fn next_departure(&self) -> Option<Time> {
        match &self.queue {
            LinkQueue::Managed(managed) => managed.is_sending().then_some(managed.busy_until),
            LinkQueue::DropTail(occupancy) => occupancy.next_departure(),
        }
    }

    /// Returns the totals at `now`, which is the time of the last [`Link::catch_up`].
    pub(crate) fn totals(&self, record: &LinkRecord, now: Time) -> LinkTotals {
        match &self.queue {
            LinkQueue::Managed(managed) => managed.totals(now),
            LinkQueue::DropTail(occupancy) => occupancy.totals(now, record),
        }
    }

    /// Returns how long packets have waited. Packets that still wait in a drop-tail queue count with the time that they
    /// will have waited if the rate stays as it is.
    pub(crate) fn queueing_times(&self, record: &LinkRecord) -> Option<QueueingTimes> {
        match &self.queue {
            LinkQueue::Managed(managed) => managed.waits.summary(),
            LinkQueue::DropTail(occupancy) => occupancy.waits(record).summary(),
        }
    }

    /// Returns the totals of each queue of a discipline that has several with names.
    pub(crate) fn queues(&self) -> Vec<QueueOutcome> {
        match &self.queue {
            LinkQueue::Managed(managed) => managed.queue.outcomes(),
            LinkQueue::DropTail(_) => Vec::new(),
        }
    }

    /// Begins a new interval for the greatest queue, after a sample at which `waiting` packets wait ([`Link::totals`]).
    pub(crate) fn begin_step(&mut self, record: &mut LinkRecord, waiting: u32) {
        match &mut self.queue {
            LinkQueue::Managed(managed) => managed.totals.step_max_queue_packets = waiting,
            LinkQueue::DropTail(occupancy) => occupancy.begin_step(waiting, record),
        }
    }

    fn managed(&mut self) -> Option<&mut Managed> {
        match &mut self.queue {
            LinkQueue::Managed(managed) => Some(managed),
            LinkQueue::DropTail(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;

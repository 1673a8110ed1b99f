//! A one-way link: drop-tail or managed queue, transmitter, constant propagation delay.
//!
//! Packets leave a link in the order in which they entered it, so only the arrival of the first one under way is a
//! pending event. With a drop-tail queue departure and arrival of a packet are known as it is offered, and no event
//! marks its departure ([`crate::stays`]). A managed queue decides when a packet's turn comes, but as the turns are at
//! known times, they are taken when somebody looks: at the next offer, arrival or sample.
//!
//! Many links need no event at their entry either: what the link before accepts is offered to them at once, ahead of the
//! time at which it will be there, and on some of them no packet ever waits (`engine/ahead.rs`).

use vegas_core::units::{Span, Time};

use crate::hop::Hop;
use crate::impairment::{Arrivals, Impaired};
use crate::looks::Looks;
use crate::managed::{Choice, Managed};
use crate::outcome::QueueingTimes;
use crate::packet::Packet;
use crate::queue::Queue;
use crate::ring::Ring;
use crate::rng::Stream;
use crate::scenario::{Impairments, LinkChange, LinkKind, QueueLimit};
use crate::stays::{Stays, Totals};
use crate::transmitter::Transmitter;

/// A link at work, but for what nearly all packets on drop-tail links touch, which is its [`Hop`].
#[derive(Clone, Debug)]
pub(crate) struct Link {
    delay: Span,
    transmitter: Transmitter,
    limit: QueueLimit,
    /// Of a link that is managed or impaired: what has left the transmitter, or will have, and arrives here, in order. Of a
    /// managed queue, from when it begins to be sent.
    transit: Ring<Transit>,
    queue: Waiting,
    impairments: Option<Box<Impaired>>,
    counts: Counts,
}

/// What waits for the transmitter.
#[derive(Clone, Debug)]
enum Waiting {
    /// A drop-tail queue.
    DropTail(Stays),
    /// Another one.
    Managed(Box<Managed>),
}

/// A packet on its way to the other end of a link.
#[derive(Clone, Copy, Debug, Default)]
struct Transit {
    packet: Packet,
    arrival: Time,
}

/// Packets that went into a link that is managed or impaired and came out, whenever that was or will be.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Packets offered, impairments and overflow included.
    offered: u64,
    /// Packets that arrived at the other end, duplicates included.
    arrived: u64,
    /// Extra arrivals made by duplication.
    duplicated: u64,
    /// Packets lost.
    lost: u64,
}

/// What the link did with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// It arrives then, after all that was accepted before.
    Accepted(Time),
    /// A managed queue has it, or another one was dropped for it; if it is the only one on the link, when it arrives.
    Managed(Option<Time>),
    /// The queue was full.
    Overflow,
    /// Lost to an impairment.
    Lost,
}

/// Whether a link may lose packets, hold them back, double them or carry them beside it; `changes` if its values may change
/// during the run.
pub(crate) fn may_impair(spec: &LinkKind, changes: bool) -> bool {
    changes || spec.impairments != Impairments::default()
}

impl Link {
    /// Packets that were accepted and have not arrived, those that wait in a managed queue or that an impairment holds
    /// left out.
    pub(crate) fn packets_held(&self) -> usize {
        self.transit.len()
    }

    /// A link; `changes` if its values may change during the run.
    pub(crate) fn new(spec: &LinkKind, stream: impl FnOnce() -> Stream, queue: Option<Queue>, changes: bool) -> Self {
        let impairments =
            may_impair(spec, changes).then(|| Box::new(Impaired::new(spec.impairments.clone(), stream())));
        Link {
            delay: spec.delay,
            transmitter: Transmitter::new(spec),
            limit: spec.queue,
            transit: Ring::default(),
            queue: match queue {
                None => Waiting::DropTail(Stays::new(changes || spec.trace.is_some())),
                Some(queue) => Waiting::Managed(Box::new(Managed::new(queue, spec.aqt))),
            },
            impairments,
            counts: Counts::default(),
        }
    }

    /// Whether what it does with a packet depends on nothing but the packets before it: then it can take packets ahead of
    /// their time, and give them to the next link.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        !matches!(self.queue, Waiting::Managed(_)) && self.impairments.is_none()
    }

    /// Whether packets may be lost, held back, doubled or carried beside it.
    pub(crate) fn is_impaired(&self) -> bool {
        self.impairments.is_some()
    }

    /// Packets are offered ahead of their time; somebody looks then.
    pub(crate) fn look_at(&mut self, hop: &mut Hop, looks: Looks) {
        if let Waiting::DropTail(stays) = &mut self.queue {
            stays.look_at(looks, hop);
        }
    }

    /// Each departure is looked at.
    pub(crate) fn look_at_departures(&mut self) {
        if let Waiting::DropTail(stays) = &mut self.queue {
            *stays = Stays::new(true);
        }
    }

    /// Offers a packet to a link that is not plain.
    #[inline(always)]
    pub(crate) fn offer_special(&mut self, hop: &mut Hop, now: Time, packet: &mut Packet, is_data: bool) -> Offer {
        self.counts.offered += 1;
        if self.impairments.as_mut().is_some_and(|impaired| impaired.loses(is_data)) {
            return self.lose();
        }
        if let Waiting::Managed(_) = &self.queue {
            return self.offer_managed(now, *packet);
        }
        let Some(waits) = self.offer(hop, now, packet.wire()) else { return Offer::Overflow };
        *packet = packet.stamped(hop.stamp(waits));
        // its delay may have changed
        Offer::Accepted(hop.busy_until + self.delay)
    }

    /// Offers a packet to a drop-tail queue at `at`: now, or later if the link is fed ahead of time. Offers are in the order of
    /// `at`. How long it waits, if it has room.
    pub(crate) fn offer(&mut self, hop: &mut Hop, at: Time, wire: u16) -> Option<Span> {
        let Waiting::DropTail(stays) = &mut self.queue else { unreachable!("a drop-tail link") };
        let waits = stays.offer(at, wire, hop, &mut self.transmitter, &self.limit);
        self.counts.lost += u64::from(waits.is_none());
        waits
    }

    /// A packet of the usual size, of which the hop knows, has to wait.
    #[inline]
    pub(crate) fn note_wait(&mut self, waits: Span) {
        let Waiting::DropTail(stays) = &mut self.queue else { unreachable!("a drop-tail link") };
        stays.note_wait(waits);
    }

    /// Carries an accepted packet to its arrival; whether it is the first to arrive.
    pub(crate) fn carry(&mut self, packet: Packet, arrival: Time) -> bool {
        self.transit.push_back(Transit { packet, arrival });
        self.transit.len() == 1
    }

    fn lose(&mut self) -> Offer {
        self.counts.lost += 1;
        match &mut self.queue {
            Waiting::Managed(managed) => managed.totals.drops += 1,
            Waiting::DropTail(stays) => stays.refuse(),
        }
        Offer::Lost
    }

    #[inline(always)]
    fn offer_managed(&mut self, now: Time, packet: Packet) -> Offer {
        self.take_filled_turns(now);
        let was_empty = self.transit.is_empty();
        let admits = self.limit.admits(packet.wire());
        let Waiting::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        if managed.busy_until <= now && admits && managed.pass(&packet) {
            self.begin(now, now, packet);
        } else {
            self.offer_to_queue(now, packet);
        }
        Offer::Managed(self.transit.front().filter(|_| was_empty).map(|transit| transit.arrival))
    }

    #[inline]
    fn offer_to_queue(&mut self, now: Time, packet: Packet) {
        self.take_turns(now);
        let Waiting::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        managed.offer(now, packet, &self.limit);
        if !managed.is_sending() {
            self.begin_next(now);
        }
        if let Waiting::Managed(managed) = &mut self.queue {
            managed.note_queue();
        }
    }

    /// Takes the turns of a managed queue that are due.
    #[inline]
    fn take_turns(&mut self, now: Time) {
        while let Waiting::Managed(managed) = &self.queue
            && managed.busy_until <= now
            && managed.is_sending()
        {
            self.begin_next(managed.busy_until);
        }
    }

    /// The same, but for the last one if it finds nothing that waits: that changes nothing before the next offer or look.
    #[inline]
    fn take_filled_turns(&mut self, now: Time) {
        while let Waiting::Managed(managed) = &self.queue
            && managed.busy_until <= now
            && managed.queue.len() > 0
        {
            self.begin_next(managed.busy_until);
        }
    }

    /// Begins to send what a managed queue gives; the transmitter is free.
    #[inline(never)]
    fn begin_next(&mut self, now: Time) {
        let Waiting::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        managed.sending = None;
        let Some(waiting) = managed.take(now) else { return };
        self.begin(now, waiting.since, waiting.packet);
    }

    /// Begins to send a packet of a managed queue.
    #[inline(always)]
    fn begin(&mut self, now: Time, since: Time, packet: Packet) {
        let Waiting::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        let departure = self.transmitter.finish(now, since, packet.wire());
        managed.begin(packet.wire(), now, departure);
        self.transit.push_back(Transit { packet, arrival: departure + self.delay });
    }

    /// Whether a managed queue has picked out anything.
    #[inline]
    pub(crate) fn has_chosen(&self) -> bool {
        matches!(&self.queue, Waiting::Managed(managed) if managed.has_chosen())
    }

    /// What a managed queue has picked out, when, and why: one packet after the other.
    pub(crate) fn take_chosen(&mut self) -> Option<(Time, Packet, Choice)> {
        let chosen = self.managed()?.take_chosen()?;
        self.counts.lost += u64::from(chosen.2 == Choice::Dropped);
        Some(chosen)
    }

    /// When the next packet arrives, be it still in the transmitter.
    pub(crate) fn next_arrival(&self) -> Option<Time> {
        self.transit.front().map(|transit| transit.arrival)
    }

    /// Takes out the packet whose arrival is due, and when the next one is. The link has a managed queue, and is not
    /// impaired.
    #[inline]
    pub(crate) fn arrive_managed(&mut self, now: Time) -> (Packet, Option<Time>) {
        self.take_filled_turns(now);
        let head = *self.transit.front().expect("an arrival is due");
        self.transit.drop_front_and_fetch();
        debug_assert_eq!(head.arrival, now);
        self.counts.arrived += 1;
        (head.packet, self.transit.front().map(|transit| transit.arrival))
    }

    /// Takes out the packet whose arrival is due.
    pub(crate) fn arrive(&mut self, now: Time) -> Arrivals {
        self.take_filled_turns(now);
        let head = self.transit.pop_front().expect("an arrival is due");
        debug_assert_eq!(head.arrival, now);
        let arrivals = match self.impairments.as_mut() {
            None => Arrivals { packet: Some(head.packet), twice: false },
            Some(impaired) => impaired.pass(now, head.packet),
        };
        self.count_arrivals(&arrivals);
        arrivals
    }

    /// When the next packet that was held back comes out.
    pub(crate) fn next_held(&self) -> Option<Time> {
        self.impairments.as_ref()?.next_held()
    }

    /// Takes out the packet that was held back until `now`.
    pub(crate) fn release_held(&mut self, now: Time) -> Arrivals {
        let impaired = self.impairments.as_mut().expect("only an impaired link holds packets back");
        let arrivals = impaired.release(now);
        self.count_arrivals(&arrivals);
        arrivals
    }

    /// Gives the link new values. It is caught up.
    ///
    /// What is on its way keeps its arrival: it is carried beside the link, and what a shorter delay would let overtake
    /// it waits for it. What waits leaves at the new rate, after the packet that is being sent.
    pub(crate) fn change(&mut self, hop: &mut Hop, change: &LinkChange) {
        if let Some(delay) = change.delay {
            self.carry_beside();
            self.delay = delay;
        }
        if let Some(rate) = change.rate {
            self.transmitter.set_rate(rate);
        }
        if let Waiting::DropTail(stays) = &mut self.queue {
            if change.rate.is_some() {
                stays.reschedule(hop, &mut self.transmitter);
            }
            for (transit, departure) in self.transit.iter_mut().rev().zip(stays.departures().rev()) {
                transit.arrival = departure + self.delay;
            }
        } else if let Waiting::Managed(managed) = &self.queue
            && managed.is_sending()
            && let Some(sending) = self.transit.back_mut()
        {
            sending.arrival = managed.busy_until + self.delay;
        }
        self.limit = change.queue.unwrap_or(self.limit);
    }

    /// Carries what has left the transmitter beside the link.
    fn carry_beside(&mut self) {
        let impaired = self.impairments.as_mut().expect("a link that changes was told so");
        let staying = match &self.queue {
            Waiting::DropTail(stays) => stays.departures().count(),
            Waiting::Managed(managed) => usize::from(managed.is_sending()),
        };
        let left = self.transit.len() - staying;
        for transit in (0..left).map_while(|_| self.transit.pop_front()) {
            impaired.carry(transit.arrival, transit.packet);
        }
    }

    fn count_arrivals(&mut self, arrivals: &Arrivals) {
        self.counts.arrived += u64::from(arrivals.packet.is_some()) + u64::from(arrivals.twice);
        self.counts.duplicated += u64::from(arrivals.twice);
    }

    /// Whether what went in has come out, was lost, or is inside. What a plain link accepts is on a lane, or goes on at once.
    pub(crate) fn conserves(&self) -> bool {
        let Counts { offered, arrived, duplicated, lost } = self.counts;
        self.is_plain() || offered + duplicated == arrived + lost + self.inside()
    }

    /// Packets accepted that have not come out yet, those held back included.
    pub(crate) fn inside(&self) -> u64 {
        let held = self.impairments.as_ref().map_or(0, |impaired| impaired.held());
        let queued = match &self.queue {
            Waiting::Managed(managed) => managed.queue.len(),
            Waiting::DropTail(_) => 0,
        };
        (self.transit.len() + held + queued) as u64
    }

    /// Brings queue and totals up to `now`. What leaves at `now` has left.
    pub(crate) fn catch_up(&mut self, hop: &mut Hop, now: Time) {
        match &mut self.queue {
            Waiting::Managed(_) => self.take_turns(now),
            Waiting::DropTail(stays) => stays.look(now, hop),
        }
    }

    /// When the next packet leaves the transmitter, after the last [`Link::catch_up`], if each departure is looked at.
    pub(crate) fn next_departure(&self) -> Option<Time> {
        match &self.queue {
            Waiting::Managed(managed) => managed.is_sending().then_some(managed.busy_until),
            Waiting::DropTail(stays) => stays.next_departure(),
        }
    }

    /// What had happened by `now`, at which the link was caught up.
    pub(crate) fn totals(&self, hop: &Hop, now: Time) -> Totals {
        match &self.queue {
            Waiting::Managed(managed) => managed.totals(now),
            Waiting::DropTail(stays) => stays.totals(now, hop),
        }
    }

    /// How long packets have waited; those that still wait in a drop-tail queue as long as they will by now's rate.
    pub(crate) fn queueing_times(&self, hop: &Hop) -> Option<QueueingTimes> {
        match &self.queue {
            Waiting::Managed(managed) => managed.waits.summary(),
            Waiting::DropTail(stays) => stays.waits(hop).summary(),
        }
    }

    /// Begins to look for the greatest queue anew, after a look that saw so many packets waiting ([`Link::totals`]).
    pub(crate) fn begin_step(&mut self, hop: &mut Hop, waiting: u32) {
        match &mut self.queue {
            Waiting::Managed(managed) => managed.totals.step_max_queue_packets = waiting,
            Waiting::DropTail(stays) => stays.begin_step(waiting, hop),
        }
    }

    fn managed(&mut self) -> Option<&mut Managed> {
        match &mut self.queue {
            Waiting::Managed(managed) => Some(managed),
            Waiting::DropTail(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;

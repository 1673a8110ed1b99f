//! A one-way link: drop-tail or managed queue, transmitter, constant propagation delay.
//!
//! Packets leave a link in the order in which they entered it, so only the arrival of the first one under way is a
//! pending event. With a drop-tail queue departure and arrival of a packet are known as it is offered, and no event
//! marks its departure ([`crate::stays`]). A managed queue decides when a packet's turn comes, but as the turns are at
//! known times, they are taken when somebody looks: at the next offer, arrival or sample.
//!
//! Many links need no event at their entry either: what the link before accepts is offered to them at once, ahead of the
//! time at which it will be there, and on some of them no packet ever waits (`engine/ahead.rs`).

use vegas_core::units::{Rate, Span, Time};

use crate::impairment::{Arrivals, Impaired};
use crate::lanes::NO_LANE;
use crate::managed::{Choice, Managed};
use crate::outcome::QueueingTimes;
use crate::packet::Packet;
use crate::passage::Passed;
use crate::queue::Queue;
use crate::ring::Ring;
use crate::rng::Stream;
use crate::scenario::{Impairments, LinkChange, LinkSpec, QueueLimit};
use crate::stays::{Stays, Totals};
use crate::transmitter::Transmitter;

/// A link at work.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    transmitter: Transmitter,
    delay: Span,
    limit: QueueLimit,
    /// Stamps its queueing time into every packet; only flows that ask for it look.
    stamps: bool,
    /// The lane on which what it has accepted goes on; if it is not plain, the lane of its own arrivals.
    pub(crate) lane: u32,
    /// The transmitter is busy until then; if the queue is managed, a turn is due then.
    busy_until: Time,
    /// What has left the transmitter, or will have, and arrives here, in order. Of a managed queue, from when it begins
    /// to be sent.
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
    /// Nothing ever; what had passed when last looked at.
    Nothing(Passed),
}

#[derive(Clone, Copy, Debug, Default)]
struct Transit {
    packet: Packet,
    arrival: Time,
}

/// Packets that went in and came out, whenever that was or will be.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Packets offered to a link that is not plain, impairments and overflow included.
    offered: u64,
    /// Packets accepted by a drop-tail queue that come out by an event of the link, and are not given to the next one
    /// before, nor carried on a lane.
    carried: u64,
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

impl Link {
    /// Packets that were accepted and have not arrived, those that wait in a managed queue or that an impairment holds
    /// left out.
    pub(crate) fn packets_held(&self) -> usize {
        self.transit.len()
    }

    /// A link; `changes` if its values may change during the run.
    pub(crate) fn new(spec: &LinkSpec, stream: impl FnOnce() -> Stream, queue: Option<Queue>, changes: bool) -> Self {
        let is_impaired = changes || spec.impairments != Impairments::default();
        let impairments = is_impaired.then(|| Box::new(Impaired::new(spec.impairments.clone(), stream())));
        Link {
            transmitter: Transmitter::new(spec),
            delay: spec.delay,
            limit: spec.queue,
            stamps: spec.aqt,
            lane: NO_LANE,
            busy_until: Time::ZERO,
            transit: Ring::default(),
            queue: match queue {
                None => Waiting::DropTail(Stays::default()),
                Some(queue) => Waiting::Managed(Box::new(Managed::new(queue))),
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

    pub(crate) fn delay(&self) -> Span {
        self.delay
    }

    /// How long it sends a packet of so many bytes; none where that varies.
    pub(crate) fn transmission(&self, wire: u16) -> Option<Span> {
        self.transmitter.transmission(wire)
    }

    /// Whether it takes in a packet of so many bytes when it is empty.
    pub(crate) fn admits(&self, wire: u16) -> bool {
        match self.limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(packets) => packets > 0,
            QueueLimit::Bytes(bytes) => u64::from(wire) <= bytes.get(),
        }
    }

    /// Its rate, if that is constant.
    pub(crate) fn rate(&self) -> Option<Rate> {
        self.transmitter.rate()
    }

    /// From now on nothing will ever wait, and packets pass it in chains. It is plain and sends at a constant rate.
    pub(crate) fn never_queues(&mut self) {
        self.queue = Waiting::Nothing(Passed::default());
    }

    /// What has passed by one of its chains, after [`Link::catch_up`].
    pub(crate) fn add_passed(&mut self, more: Passed) {
        if let Waiting::Nothing(passed) = &mut self.queue {
            passed.add(more);
        }
    }

    /// Offers a packet to a link that is not plain.
    #[inline]
    pub(crate) fn offer_special(&mut self, now: Time, packet: &mut Packet, is_data: bool) -> Offer {
        self.counts.offered += 1;
        if self.impairments.as_mut().is_some_and(|impaired| impaired.loses(is_data)) {
            return self.lose(now);
        }
        match &self.queue {
            Waiting::Managed(_) => self.offer_managed(now, *packet),
            // a change may look at any time
            Waiting::DropTail(_) | Waiting::Nothing(_) => self.offer(now, now, packet, Time::ZERO),
        }
    }

    /// Offers a packet to a drop-tail queue at `at`: now, or later if the link is fed ahead of time. Offers are in the
    /// order of `at`. Nobody looks at a plain link before `next_look`, unless that is no later than now.
    #[inline(always)]
    pub(crate) fn offer(&mut self, now: Time, at: Time, packet: &mut Packet, next_look: Time) -> Offer {
        let Waiting::DropTail(stays) = &mut self.queue else { unreachable!("a drop-tail link") };
        if !stays.has_room(at, packet.wire(), self.limit) {
            self.counts.lost += 1;
            stays.refuse(now, at);
            return Offer::Overflow;
        }
        let begins = self.busy_until.max(at);
        if self.stamps {
            packet.stamp(begins.since(at));
        }
        self.busy_until = self.transmitter.finish(begins, at, packet.wire());
        stays.accept(now, at, (begins, self.busy_until), packet.wire(), next_look);
        Offer::Accepted(self.busy_until + self.delay)
    }

    /// Carries an accepted packet to its arrival; whether it is the first to arrive.
    pub(crate) fn carry(&mut self, packet: Packet, arrival: Time) -> bool {
        self.counts.carried += 1;
        self.transit.push_back(Transit { packet, arrival });
        self.transit.len() == 1
    }

    fn lose(&mut self, now: Time) -> Offer {
        self.counts.lost += 1;
        match &mut self.queue {
            Waiting::Managed(managed) => managed.totals.drops += 1,
            Waiting::DropTail(stays) => stays.refuse(now, now),
            Waiting::Nothing(_) => unreachable!("a link that loses packets is not passed ahead of time"),
        }
        Offer::Lost
    }

    #[inline]
    fn offer_managed(&mut self, now: Time, packet: Packet) -> Offer {
        self.take_filled_turns(now);
        let was_empty = self.transit.is_empty();
        let admits = self.admits(packet.wire());
        let Waiting::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        if self.busy_until <= now && admits && managed.pass(&packet) {
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
        while self.busy_until <= now && self.is_sending() {
            self.begin_next(self.busy_until);
        }
    }

    /// The same, but for the last one if it finds nothing that waits: that changes nothing before the next offer or look.
    #[inline]
    fn take_filled_turns(&mut self, now: Time) {
        while self.busy_until <= now
            && let Waiting::Managed(managed) = &self.queue
            && managed.queue.len() > 0
        {
            self.begin_next(self.busy_until);
        }
    }

    /// Begins to send what a managed queue gives; the transmitter is free.
    #[inline(never)]
    fn begin_next(&mut self, now: Time) {
        let Waiting::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        managed.sending = None;
        let Some(mut waiting) = managed.take(now) else { return };
        if self.stamps {
            waiting.packet.stamp(now.since(waiting.since));
        }
        self.begin(now, waiting.since, waiting.packet);
    }

    /// Begins to send a packet of a managed queue.
    #[inline(always)]
    fn begin(&mut self, now: Time, since: Time, packet: Packet) {
        let Waiting::Managed(managed) = &mut self.queue else { unreachable!("a managed link") };
        self.busy_until = self.transmitter.finish(now, since, packet.wire());
        managed.begin(packet.wire(), self.busy_until.since(now));
        self.transit.push_back(Transit { packet, arrival: self.busy_until + self.delay });
    }

    /// Whether a managed queue's packet is in the transmitter.
    #[inline]
    fn is_sending(&self) -> bool {
        matches!(&self.queue, Waiting::Managed(managed) if managed.is_sending())
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
        self.arrive_plainly(now)
    }

    /// Takes out the packet whose arrival is due, and when the next one is. The link is plain.
    #[inline]
    pub(crate) fn arrive_plainly(&mut self, now: Time) -> (Packet, Option<Time>) {
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
    pub(crate) fn change(&mut self, change: &LinkChange) {
        if let Some(delay) = change.delay {
            self.carry_beside();
            self.delay = delay;
        }
        if let Some(rate) = change.rate {
            self.transmitter.set_rate(rate);
        }
        if let Waiting::DropTail(stays) = &mut self.queue {
            let transmitter = &mut self.transmitter;
            if change.rate.is_some()
                && let Some(last) = stays.reschedule(|begins, wire| transmitter.finish(begins, begins, wire))
            {
                self.busy_until = last;
            }
            for (transit, departure) in self.transit.iter_mut().rev().zip(stays.departures().rev()) {
                transit.arrival = departure + self.delay;
            }
        } else if self.is_sending()
            && let Some(sending) = self.transit.back_mut()
        {
            sending.arrival = self.busy_until + self.delay;
        }
        self.limit = change.queue.unwrap_or(self.limit);
    }

    /// Carries what has left the transmitter beside the link.
    fn carry_beside(&mut self) {
        let impaired = self.impairments.as_mut().expect("a link that changes was told so");
        let staying = match &self.queue {
            Waiting::DropTail(stays) => stays.departures().count(),
            Waiting::Managed(managed) => usize::from(managed.is_sending()),
            Waiting::Nothing(_) => 0,
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

    /// Packets waiting at the time of the last [`Link::catch_up`]; the one being sent does not wait.
    pub(crate) fn waiting_packets(&self) -> u32 {
        match &self.queue {
            Waiting::Managed(managed) => managed.queue.len() as u32,
            Waiting::DropTail(stays) => stays.waiting_packets(),
            Waiting::Nothing(_) => 0,
        }
    }

    /// Bytes waiting at the time of the last [`Link::catch_up`].
    pub(crate) fn waiting_bytes(&self) -> u64 {
        match &self.queue {
            Waiting::Managed(managed) => managed.queue.bytes(),
            Waiting::DropTail(stays) => stays.waiting_bytes(),
            Waiting::Nothing(_) => 0,
        }
    }

    /// Whether what went in has come out, was lost, or is inside.
    pub(crate) fn conserves(&self) -> bool {
        let Counts { offered, carried, arrived, duplicated, lost } = self.counts;
        match self.is_plain() {
            true => carried == arrived + self.inside(),
            false => offered + duplicated == arrived + lost + self.inside(),
        }
    }

    /// Packets accepted that have not come out yet, those held back included.
    pub(crate) fn inside(&self) -> u64 {
        let held = self.impairments.as_ref().map_or(0, |impaired| impaired.held());
        let queued = match &self.queue {
            Waiting::Managed(managed) => managed.queue.len(),
            Waiting::DropTail(_) | Waiting::Nothing(_) => 0,
        };
        (self.transit.len() + held + queued) as u64
    }

    /// Brings queue and totals up to `now`. What leaves at `now` has left.
    pub(crate) fn catch_up(&mut self, now: Time) {
        match &mut self.queue {
            Waiting::Managed(_) => self.take_turns(now),
            Waiting::DropTail(stays) => stays.look(now),
            // what its chains have sent is added by whoever looks at them
            Waiting::Nothing(passed) => *passed = Passed::default(),
        }
    }

    /// When the next packet leaves the transmitter, after the last [`Link::catch_up`].
    pub(crate) fn next_departure(&self) -> Option<Time> {
        match &self.queue {
            Waiting::Managed(managed) => managed.is_sending().then_some(self.busy_until),
            Waiting::DropTail(stays) => stays.next_departure(),
            Waiting::Nothing(_) => None,
        }
    }

    /// What had happened by `now`, at which the link was caught up.
    pub(crate) fn totals(&self, now: Time) -> Totals {
        match &self.queue {
            Waiting::Managed(managed) => managed.totals(now, self.busy_until),
            Waiting::DropTail(stays) => stays.totals(now),
            Waiting::Nothing(passed) => passed.totals(),
        }
    }

    /// How long packets have waited; those that still wait in a drop-tail queue as long as they will by now's rate.
    pub(crate) fn queueing_times(&self) -> Option<QueueingTimes> {
        match &self.queue {
            Waiting::Managed(managed) => managed.waits.summary(),
            Waiting::DropTail(stays) => stays.waits().summary(),
            Waiting::Nothing(passed) => passed.is_reached.then(QueueingTimes::default),
        }
    }

    /// Begins to look for the greatest queue anew.
    pub(crate) fn begin_step(&mut self) {
        match &mut self.queue {
            Waiting::Managed(managed) => managed.totals.step_max_queue_packets = managed.queue.len() as u32,
            Waiting::DropTail(stays) => stays.begin_step(),
            Waiting::Nothing(_) => {}
        }
    }

    fn managed(&mut self) -> Option<&mut Managed> {
        match &mut self.queue {
            Waiting::Managed(managed) => Some(managed),
            Waiting::DropTail(_) | Waiting::Nothing(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use vegas_core::units::Bytes;

    fn micros(micros: u64) -> Time {
        Time::ZERO + Span::from_micros(micros)
    }

    /// 8 Mb/s, so that 1000 bytes take 1 ms, and 10 ms; four packets of 1000 bytes offered at 0.
    fn link_with_four_packets() -> Link {
        let spec = LinkSpec {
            from: 0,
            to: 1,
            rate: Rate::from_bits_per_second(8_000_000),
            trace: None,
            delay: Span::from_millis(10),
            queue: QueueLimit::Bytes(Bytes::new(4000)),
            discipline: crate::scenario::Discipline::DropTail,
            aqt: false,
            impairments: Impairments::default(),
        };
        let mut link = Link::new(&spec, || Stream::named(1, "test"), None, true);
        for sequence in 0..4 {
            let packet = Packet::new(PacketKind::Data, 0, sequence, 1000);
            assert!(offer(&mut link, Time::ZERO, packet));
        }
        link
    }

    /// Offers a packet at `now`, and carries it if it is accepted.
    fn offer(link: &mut Link, now: Time, mut packet: Packet) -> bool {
        match link.offer_special(now, &mut packet, true) {
            Offer::Accepted(arrival) => {
                link.carry(packet, arrival);
                true
            }
            _ => false,
        }
    }

    /// Gives the link new values at `now`; when the next packet arrives then.
    fn change_at(link: &mut Link, now: Time, change: &LinkChange) -> Option<Time> {
        link.catch_up(now);
        link.change(change);
        link.next_arrival()
    }

    fn change(rate: Option<u64>, delay_ms: Option<u64>) -> LinkChange {
        let rate = rate.map(Rate::from_bits_per_second);
        LinkChange { link: 0, rate, delay: delay_ms.map(Span::from_millis), queue: None }
    }

    /// Plays the link to its end: when which packet comes out, in us.
    fn arrivals(link: &mut Link) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        loop {
            let head = link.transit.front().map(|transit| transit.arrival);
            let (now, arrivals) = match (head, link.next_held()) {
                (None, None) => return out,
                (Some(head), held) if held.is_none_or(|held| head <= held) => (head, link.arrive(head)),
                (_, held) => (held.expect("not none"), link.release_held(held.expect("not none"))),
            };
            out.extend(arrivals.packet.map(|packet| (now.as_nanos() / 1000, packet.sequence)));
        }
    }

    /// Departures at 1, 2, 3, 4 ms; at 1.5 ms half the rate: the second is finished at 2 ms, the others take 2 ms each
    /// and leave at 4 and 6. They have waited 0, 1, 2 and 4 ms, and the transmitter was busy for 6.
    #[test]
    fn what_waits_gets_the_new_rate() {
        let mut link = link_with_four_packets();
        assert_eq!(change_at(&mut link, micros(1500), &change(Some(4_000_000), None)), Some(micros(11_000)));
        assert_eq!(link.waiting_packets(), 2);
        assert_eq!(arrivals(&mut link), [(11_000, 0), (12_000, 1), (14_000, 2), (16_000, 3)]);
        link.catch_up(micros(20_000));
        let totals = link.totals(micros(20_000));
        assert_eq!((totals.waited_ns, totals.busy_ns), (7_000_000, 6_000_000));
    }

    #[test]
    fn what_is_on_its_way_keeps_its_delay() {
        let mut link = link_with_four_packets();
        assert_eq!(change_at(&mut link, micros(1500), &change(None, Some(20))), Some(micros(22_000)));
        assert_eq!(arrivals(&mut link), [(11_000, 0), (22_000, 1), (23_000, 2), (24_000, 3)]);
    }

    /// At 2 ms of delay the others would come at 4, 5 and 6 ms, before the first: they wait for it.
    #[test]
    fn a_shorter_delay_does_not_reorder() {
        let mut link = link_with_four_packets();
        change_at(&mut link, micros(1500), &change(None, Some(2)));
        assert_eq!(link.inside(), 4);
        assert_eq!(arrivals(&mut link), [(11_000, 0), (11_000, 1), (11_000, 2), (11_000, 3)]);
        assert_eq!((link.counts.arrived, link.inside()), (4, 0));
    }

    /// Rate and delay twice, the second time with packets carried from the first: 1.5 ms as above; at 4.5 ms the third
    /// has left (at 4 ms, for 4 + 20) and the fourth is being sent until 6 ms, and takes 1 ms to the other end.
    #[test]
    fn changes_follow_each_other() {
        let mut link = link_with_four_packets();
        change_at(&mut link, micros(1500), &change(Some(4_000_000), Some(20)));
        change_at(&mut link, micros(4500), &change(Some(1_000), Some(1)));
        assert_eq!(arrivals(&mut link), [(11_000, 0), (22_000, 1), (24_000, 2), (24_000, 3)]);
    }

    #[test]
    fn a_smaller_queue_keeps_what_waits() {
        let mut link = link_with_four_packets();
        change_at(&mut link, micros(1500), &LinkChange { queue: Some(QueueLimit::Packets(3)), ..change(None, None) });
        let packet = Packet::new(PacketKind::Data, 0, 4, 1000);
        assert!(!offer(&mut link, micros(1600), packet));
        assert!(offer(&mut link, micros(2000), packet));
    }
}

//! A one-way link: drop-tail queue, transmitter, constant propagation delay.
//!
//! A packet's departure and arrival are computed when it is offered: the transmitter is FIFO, so it leaves when
//! the one before it has left and its own bits are sent. Only the head's arrival is a pending event. The length of
//! the queue at any time follows from the departures still ahead.

use std::collections::VecDeque;

use vegas_core::units::{Bytes, Span, Time};

use crate::impairment::{Arrivals, Impaired};
use crate::managed::Managed;
use crate::packet::Packet;
use crate::queue::Queue;
use crate::rng::Stream;
use crate::scenario::{Impairments, LinkChange, LinkSpec, QueueLimit};
use crate::transmitter::Transmitter;

/// A link at work.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    transmitter: Transmitter,
    delay: Span,
    limit: QueueLimit,
    /// Stamps its queueing time into every packet; only flows that ask for it look.
    stamps: bool,
    /// The transmitter is busy until then.
    busy_until: Time,
    /// Accepted packets that have not arrived, in order.
    transit: VecDeque<Transit>,
    /// How many of `transit` had left the transmitter when last looked at.
    departed: usize,
    /// Bytes of the packets that had not.
    queued_bytes: u64,
    /// The queue, if it is not drop-tail: then `transit` holds only what has left the transmitter.
    managed: Option<Box<Managed>>,
    impairments: Option<Box<Impaired>>,
    pub(crate) stats: LinkStats,
}

#[derive(Clone, Copy, Debug)]
struct Transit {
    packet: Packet,
    arrival: Time,
}

/// Totals since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkStats {
    /// Packets offered, impairments and overflow included.
    pub(crate) offered: u64,
    /// Packets that arrived at the other end, duplicates included.
    pub(crate) arrived: u64,
    /// Extra arrivals made by duplication.
    pub(crate) duplicated: u64,
    pub(crate) drops: u64,
    pub(crate) departed_bytes: u64,
    pub(crate) max_queue_packets: u32,
    /// Most packets waiting since the last sample.
    pub(crate) step_max_queue_packets: u32,
    /// Sum of waiting times of all accepted packets, ns.
    waiting_ns: u128,
    /// Sum of transmission times of all accepted packets, ns.
    busy_ns: u64,
}

/// What the link did with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// It will arrive; the link was empty, so its arrival is the next event.
    First(Time),
    /// It will arrive after others.
    Queued,
    /// A managed queue has it, unless it is among the dropped. If the transmitter begins with a packet, that leaves then.
    Managed(Option<Time>),
    /// The queue was full.
    Overflow,
    /// Lost to an impairment.
    Lost,
}

impl Link {
    /// Packets that were accepted and have not arrived, those that a managed queue or an impairment holds left out.
    pub(crate) fn packets_held(&self) -> usize {
        self.transit.len()
    }

    /// A link; `changes` if its values may change during the run.
    pub(crate) fn new(spec: &LinkSpec, stream: Stream, queue: Option<Queue>, changes: bool) -> Self {
        let is_impaired = changes || spec.impairments != Impairments::default();
        let impairments = is_impaired.then(|| Box::new(Impaired::new(spec.impairments.clone(), stream)));
        Link {
            transmitter: Transmitter::new(spec),
            delay: spec.delay,
            limit: spec.queue,
            stamps: spec.aqt,
            busy_until: Time::ZERO,
            transit: VecDeque::new(),
            departed: 0,
            queued_bytes: 0,
            managed: queue.map(|queue| Box::new(Managed::new(queue))),
            impairments,
            stats: LinkStats::default(),
        }
    }

    /// Offers a packet at `now`.
    pub(crate) fn offer(&mut self, now: Time, packet: Packet, is_data: bool) -> Offer {
        self.stats.offered += 1;
        if self.impairments.as_mut().is_some_and(|impaired| impaired.loses(is_data)) {
            self.stats.drops += 1;
            return Offer::Lost;
        }
        if self.managed.is_some() {
            return self.offer_managed(now, packet);
        }
        self.catch_up(now);
        if !self.has_room(packet.wire) {
            self.stats.drops += 1;
            return Offer::Overflow;
        }
        self.accept(now, packet)
    }

    fn offer_managed(&mut self, now: Time, packet: Packet) -> Offer {
        let managed = self.managed.as_mut().expect("a managed link");
        let dropped = managed.offer(now, packet, &self.limit);
        self.stats.drops += dropped;
        let begun = match managed.is_sending() {
            true => None,
            false => self.begin_next(now),
        };
        self.note_waiting();
        Offer::Managed(begun)
    }

    /// The packet that a managed link was sending has left: when the first packet on the link arrives, and when the
    /// next packet leaves.
    pub(crate) fn depart(&mut self, now: Time) -> (Option<Time>, Option<Time>) {
        let packet = self.managed.as_mut().and_then(|managed| managed.sending.take()).expect("a packet is being sent");
        self.transit.push_back(Transit { packet, arrival: now + self.delay });
        self.departed += 1;
        self.stats.departed_bytes += u64::from(packet.wire);
        let next = self.begin_next(now);
        (self.transit.front().map(|transit| transit.arrival), next)
    }

    /// Begins to send what a managed queue gives.
    fn begin_next(&mut self, now: Time) -> Option<Time> {
        let managed = self.managed.as_mut().expect("a managed link");
        let (next, dropped) = managed.take(now);
        self.stats.drops += dropped;
        let mut waiting = next?;
        if self.stamps {
            waiting.packet.aqt = waiting.packet.aqt.plus(now.since(waiting.since));
        }
        managed.sending = Some(waiting.packet);
        self.busy_until = self.transmitter.finish(now, waiting.since, waiting.packet.wire);
        self.stats.busy_ns += self.busy_until.since(now).as_nanos();
        Some(self.busy_until)
    }

    /// What a managed queue has dropped since it was last asked.
    pub(crate) fn take_dropped(&mut self) -> Vec<Packet> {
        self.managed.as_mut().map(|managed| std::mem::take(&mut managed.dropped)).unwrap_or_default()
    }

    fn note_waiting(&mut self) {
        let waiting = self.waiting_packets();
        self.stats.max_queue_packets = self.stats.max_queue_packets.max(waiting);
        self.stats.step_max_queue_packets = self.stats.step_max_queue_packets.max(waiting);
    }

    fn accept(&mut self, now: Time, mut packet: Packet) -> Offer {
        let begins = self.busy_until.max(now);
        if self.stamps {
            packet.aqt = packet.aqt.plus(begins.since(now));
        }
        self.busy_until = self.transmitter.finish(begins, now, packet.wire);
        let arrival = self.busy_until + self.delay;
        let first = self.transit.is_empty();
        self.transit.push_back(Transit { packet, arrival });
        self.queued_bytes += u64::from(packet.wire);
        self.stats.waiting_ns += u128::from(begins.since(now).as_nanos());
        self.stats.busy_ns += self.busy_until.since(begins).as_nanos();
        self.note_waiting();
        if first { Offer::First(arrival) } else { Offer::Queued }
    }

    /// Takes out the packet whose arrival is due, and says when the next one is.
    pub(crate) fn arrive(&mut self, now: Time) -> (Arrivals, Option<Time>) {
        let head = self.transit.pop_front().expect("an arrival is due");
        debug_assert_eq!(head.arrival, now);
        match self.departed {
            0 => self.count_departure(head.packet.wire),
            _ => self.departed -= 1,
        }
        let next = self.transit.front().map(|transit| transit.arrival);
        let arrivals = match self.impairments.as_mut() {
            None => Arrivals { packet: Some(head.packet), twice: false },
            Some(impaired) => impaired.pass(now, head.packet),
        };
        self.count_arrivals(&arrivals);
        (arrivals, next)
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

    /// Gives the link new values, and says when the next packet arrives by them.
    ///
    /// What is on its way keeps its arrival: it is carried beside the link, and what a shorter delay would let overtake
    /// it waits for it. What waits leaves at the new rate, after the packet that is being sent.
    pub(crate) fn change(&mut self, now: Time, change: &LinkChange) -> Option<Time> {
        self.catch_up(now);
        if let Some(delay) = change.delay {
            let impaired = self.impairments.as_mut().expect("a link that changes was told so");
            for transit in self.transit.drain(..std::mem::take(&mut self.departed)) {
                impaired.carry(transit.arrival, transit.packet);
            }
            self.set_delay(delay);
        }
        if let Some(rate) = change.rate {
            self.transmitter.set_rate(rate);
            self.recompute_departures();
        }
        self.limit = change.queue.unwrap_or(self.limit);
        self.transit.front().map(|transit| transit.arrival)
    }

    /// Nothing is on its way, so all departures lie ahead, and stay.
    fn set_delay(&mut self, delay: Span) {
        for transit in &mut self.transit {
            transit.arrival = transit.arrival - self.delay + delay;
        }
        self.delay = delay;
    }

    /// Sends what waits at the transmitter's present rate.
    fn recompute_departures(&mut self) {
        let Some(sending) = self.transit.get(self.departed) else { return };
        let mut begins = self.departure(sending);
        let mut began = begins;
        for transit in self.transit.iter_mut().skip(self.departed + 1) {
            let before = transit.arrival - self.delay;
            let after = self.transmitter.finish(begins, begins, transit.packet.wire);
            let stats = &mut self.stats;
            stats.waiting_ns = stats.waiting_ns + u128::from(begins.as_nanos()) - u128::from(began.as_nanos());
            stats.busy_ns = stats.busy_ns + after.since(begins).as_nanos() - before.since(began).as_nanos();
            transit.arrival = after + self.delay;
            (begins, began) = (after, before);
        }
        self.busy_until = begins;
    }

    fn count_arrivals(&mut self, arrivals: &Arrivals) {
        self.stats.arrived += u64::from(arrivals.packet.is_some()) + u64::from(arrivals.twice);
        self.stats.duplicated += u64::from(arrivals.twice);
    }

    /// Packets waiting at the time of the last [`Link::catch_up`]; the one being sent does not wait.
    pub(crate) fn waiting_packets(&self) -> u32 {
        if let Some(managed) = &self.managed {
            return managed.queue.len() as u32;
        }
        (self.transit.len() - self.departed).saturating_sub(1) as u32
    }

    /// Bytes waiting at the time of the last [`Link::catch_up`].
    pub(crate) fn waiting_bytes(&self) -> u64 {
        if let Some(managed) = &self.managed {
            return managed.queue.bytes();
        }
        match self.transit.get(self.departed) {
            Some(sending) => self.queued_bytes - u64::from(sending.packet.wire),
            None => 0,
        }
    }

    /// Packets accepted that have not come out yet, those held back included.
    pub(crate) fn inside(&self) -> u64 {
        let held = self.impairments.as_ref().map_or(0, |impaired| impaired.held());
        let queued = self.managed.as_ref().map_or(0, |managed| managed.inside());
        (self.transit.len() + held + queued) as u64
    }

    /// Counts as departed what has left the transmitter by `now`. A packet that leaves at `now` has left: its slot
    /// is free for one that arrives at the same instant.
    pub(crate) fn catch_up(&mut self, now: Time) {
        while let Some(transit) = self.transit.get(self.departed) {
            if self.departure(transit) > now {
                break;
            }
            let wire = transit.packet.wire;
            self.departed += 1;
            self.count_departure(wire);
        }
    }

    /// When the next packet leaves the transmitter, after the last [`Link::catch_up`].
    pub(crate) fn next_departure(&self) -> Option<Time> {
        self.transit.get(self.departed).map(|transit| self.departure(transit))
    }

    fn count_departure(&mut self, wire: u16) {
        self.queued_bytes -= u64::from(wire);
        self.stats.departed_bytes += u64::from(wire);
    }

    /// Time that the transmitter was busy up to `now`.
    pub(crate) fn busy(&self, now: Time) -> Span {
        Span::from_nanos(self.stats.busy_ns - self.busy_until.since(now).as_nanos())
    }

    /// Sum of waiting times up to `now`, ns: the integral of the waiting packets over time. The link is caught up.
    pub(crate) fn waited_ns(&self, now: Time) -> u128 {
        if let Some(managed) = &self.managed {
            return managed.waited_ns(now);
        }
        let still_ahead = self.transit.iter().skip(self.departed).rev().skip(1);
        let ahead: u128 = still_ahead.map(|before| u128::from(self.departure(before).since(now).as_nanos())).sum();
        self.stats.waiting_ns - ahead
    }

    fn departure(&self, transit: &Transit) -> Time {
        transit.arrival - self.delay
    }

    /// A queue of N packets holds N with the one being sent (design section 5).
    fn has_room(&self, wire: u16) -> bool {
        match self.limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(limit) => self.transit.len() - self.departed < limit as usize,
            QueueLimit::Bytes(limit) => Bytes::new(self.queued_bytes + u64::from(wire)) <= limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Aqt, PacketKind, SackId};
    use vegas_core::units::{Bytes, Rate};

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
        let mut link = Link::new(&spec, Stream::named(1, "test"), None, true);
        for sequence in 0..4 {
            let packet = Packet {
                sequence,
                flow: 0,
                sack: SackId::NONE,
                aqt: Aqt::ZERO,
                wire: 1000,
                hop: 0,
                kind: PacketKind::Data,
            };
            link.offer(Time::ZERO, packet, true);
        }
        link
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
                (Some(head), held) if held.is_none_or(|held| head <= held) => (head, link.arrive(head).0),
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
        assert_eq!(link.change(micros(1500), &change(Some(4_000_000), None)), Some(micros(11_000)));
        assert_eq!(link.waiting_packets(), 2);
        assert_eq!(arrivals(&mut link), [(11_000, 0), (12_000, 1), (14_000, 2), (16_000, 3)]);
        assert_eq!(link.waited_ns(micros(20_000)), 7_000_000);
        assert_eq!(link.busy(micros(20_000)), Span::from_millis(6));
    }

    #[test]
    fn what_is_on_its_way_keeps_its_delay() {
        let mut link = link_with_four_packets();
        assert_eq!(link.change(micros(1500), &change(None, Some(20))), Some(micros(22_000)));
        assert_eq!(arrivals(&mut link), [(11_000, 0), (22_000, 1), (23_000, 2), (24_000, 3)]);
    }

    /// At 2 ms of delay the others would come at 4, 5 and 6 ms, before the first: they wait for it.
    #[test]
    fn a_shorter_delay_does_not_reorder() {
        let mut link = link_with_four_packets();
        link.change(micros(1500), &change(None, Some(2)));
        assert_eq!(link.inside(), 4);
        assert_eq!(arrivals(&mut link), [(11_000, 0), (11_000, 1), (11_000, 2), (11_000, 3)]);
        assert_eq!((link.stats.arrived, link.inside()), (4, 0));
    }

    /// Rate and delay twice, the second time with packets carried from the first: 1.5 ms as above; at 4.5 ms the third
    /// has left (at 4 ms, for 4 + 20) and the fourth is being sent until 6 ms, and takes 1 ms to the other end.
    #[test]
    fn changes_follow_each_other() {
        let mut link = link_with_four_packets();
        link.change(micros(1500), &change(Some(4_000_000), Some(20)));
        link.change(micros(4500), &change(Some(1_000), Some(1)));
        assert_eq!(arrivals(&mut link), [(11_000, 0), (22_000, 1), (24_000, 2), (24_000, 3)]);
    }

    #[test]
    fn a_smaller_queue_keeps_what_waits() {
        let mut link = link_with_four_packets();
        link.change(micros(1500), &LinkChange { queue: Some(QueueLimit::Packets(3)), ..change(None, None) });
        let packet = Packet {
            sequence: 4,
            flow: 0,
            sack: SackId::NONE,
            aqt: Aqt::ZERO,
            wire: 1000,
            hop: 0,
            kind: PacketKind::Data,
        };
        assert_eq!(link.offer(micros(1600), packet, true), Offer::Overflow);
        assert_eq!(link.offer(micros(2000), packet, true), Offer::Queued);
    }
}

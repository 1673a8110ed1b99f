//! A one-way link: drop-tail queue, transmitter of one rate, constant propagation delay.
//!
//! A packet's departure and arrival are computed when it is offered: the transmitter is FIFO, so it leaves when
//! the one before it has left and its own bits are sent. Only the head's arrival is a pending event. The length of
//! the queue at any time follows from the departures still ahead.

use std::collections::VecDeque;

use vegas_core::units::{Bytes, Rate, Span, Time};

use crate::impairment::{Arrivals, Impaired};
use crate::packet::Packet;
use crate::rng::Stream;
use crate::scenario::{Impairments, LinkSpec, QueueLimit};

/// A link at work.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    rate: Rate,
    delay: Span,
    limit: QueueLimit,
    /// Stamps its queueing time into packets that ask for it.
    stamps: bool,
    transmission: TransmissionTimes,
    /// The transmitter is busy until then.
    busy_until: Time,
    /// Accepted packets that have not arrived, in order.
    transit: VecDeque<Transit>,
    /// How many of `transit` had left the transmitter when last looked at.
    departed: usize,
    /// Bytes of the packets that had not.
    queued_bytes: u64,
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
    /// The queue was full.
    Overflow,
    /// Lost to an impairment.
    Lost,
}

impl Link {
    pub(crate) fn new(spec: &LinkSpec, stream: Stream) -> Self {
        let is_impaired = spec.impairments != Impairments::default();
        let impairments = is_impaired.then(|| Box::new(Impaired::new(spec.impairments.clone(), stream)));
        Link {
            rate: spec.rate,
            delay: spec.delay,
            limit: spec.queue,
            stamps: spec.aqt,
            transmission: TransmissionTimes::default(),
            busy_until: Time::ZERO,
            transit: VecDeque::new(),
            departed: 0,
            queued_bytes: 0,
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
        self.catch_up(now);
        if !self.has_room(packet.wire) {
            self.stats.drops += 1;
            return Offer::Overflow;
        }
        self.accept(now, packet)
    }

    fn accept(&mut self, now: Time, mut packet: Packet) -> Offer {
        let begins = self.busy_until.max(now);
        if self.stamps {
            packet.aqt = packet.aqt.plus(begins.since(now));
        }
        let lasts = self.transmission.of(packet.wire, self.rate);
        self.busy_until = begins + lasts;
        let arrival = self.busy_until + self.delay;
        let first = self.transit.is_empty();
        self.transit.push_back(Transit { packet, arrival });
        self.queued_bytes += u64::from(packet.wire);
        self.stats.waiting_ns += u128::from(begins.since(now).as_nanos());
        self.stats.busy_ns += lasts.as_nanos();
        let waiting = self.waiting_packets();
        self.stats.max_queue_packets = self.stats.max_queue_packets.max(waiting);
        self.stats.step_max_queue_packets = self.stats.step_max_queue_packets.max(waiting);
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

    fn count_arrivals(&mut self, arrivals: &Arrivals) {
        self.stats.arrived += u64::from(arrivals.packet.is_some()) + u64::from(arrivals.twice);
        self.stats.duplicated += u64::from(arrivals.twice);
    }

    /// Packets waiting at the time of the last [`Link::catch_up`]; the one being sent does not wait.
    pub(crate) fn waiting_packets(&self) -> u32 {
        (self.transit.len() - self.departed).saturating_sub(1) as u32
    }

    /// Bytes waiting at the time of the last [`Link::catch_up`].
    pub(crate) fn waiting_bytes(&self) -> u64 {
        match self.transit.get(self.departed) {
            Some(sending) => self.queued_bytes - u64::from(sending.packet.wire),
            None => 0,
        }
    }

    /// Packets accepted that have not come out yet, those held back included.
    pub(crate) fn inside(&self) -> u64 {
        let held = self.impairments.as_ref().map_or(0, |impaired| impaired.held());
        (self.transit.len() + held) as u64
    }

    /// Counts as departed what has left the transmitter by `now`. A packet that leaves at `now` has left: its slot
    /// is free for one that arrives at the same instant.
    pub(crate) fn catch_up(&mut self, now: Time) {
        while let Some(transit) = self.transit.get(self.departed) {
            if transit.arrival - self.delay > now {
                break;
            }
            let wire = transit.packet.wire;
            self.departed += 1;
            self.count_departure(wire);
        }
    }

    /// When the next packet leaves the transmitter, after the last [`Link::catch_up`].
    pub(crate) fn next_departure(&self) -> Option<Time> {
        self.transit.get(self.departed).map(|transit| transit.arrival - self.delay)
    }

    fn count_departure(&mut self, wire: u16) {
        self.queued_bytes -= u64::from(wire);
        self.stats.departed_bytes += u64::from(wire);
    }

    /// Time that the transmitter was busy up to `now`.
    pub(crate) fn busy(&self, now: Time) -> Span {
        Span::from_nanos(self.stats.busy_ns - self.busy_until.since(now).as_nanos())
    }

    /// Sum of waiting times up to `now`, ns: the integral of the waiting packets over time.
    pub(crate) fn waited_ns(&self, now: Time) -> u128 {
        let mut ahead = 0;
        let mut begins = self.busy_until;
        for transit in self.transit.iter().rev() {
            begins = begins - self.transmission.peek(transit.packet.wire, self.rate);
            if begins <= now {
                break;
            }
            ahead += u128::from(begins.since(now).as_nanos());
        }
        self.stats.waiting_ns - ahead
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

/// Transmission times of the two packet sizes seen last: a link carries data of one size and acknowledgements of
/// another, and a 128-bit division per packet is worth saving.
#[derive(Clone, Copy, Debug, Default)]
struct TransmissionTimes {
    known: [(u16, Span); 2],
}

impl TransmissionTimes {
    fn of(&mut self, wire: u16, rate: Rate) -> Span {
        if self.known[0].0 != wire {
            self.known.swap(0, 1);
            if self.known[0].0 != wire {
                self.known[0] = (wire, rate.time_for(Bytes::new(u64::from(wire))));
            }
        }
        self.known[0].1
    }

    fn peek(&self, wire: u16, rate: Rate) -> Span {
        let mut copy = *self;
        copy.of(wire, rate)
    }
}

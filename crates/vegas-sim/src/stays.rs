//! Who stays in the queue and transmitter of a drop-tail link, and until when.
//!
//! A packet's departure is known as it is offered, so nothing has to happen at it: how long the queue was and what had
//! left is worked out when somebody looks. A packet may also be offered ahead of its time ([`crate::link`]); who looks
//! sees what had come by then. Where it is known that nobody looks before a packet has left, it is counted at once, and
//! only kept for as long as it takes room.

use std::collections::VecDeque;

use vegas_core::units::Time;

use crate::ring::Ring;
use crate::scenario::QueueLimit;
use crate::waiting::WaitingTimes;

/// Packets accepted, until they have left and are counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stays {
    /// In the order in which they were offered, and so of their departures.
    ring: Ring<Stay>,
    /// How many of these are counted: all will have left at the next look. None right after one.
    counted: u32,
    /// How many of these had left at the latest offer, or when last looked at, and the bytes of those that had not.
    left: u32,
    /// How many of these had come when last looked at.
    come: u32,
    staying_bytes: u64,
    /// When the transmitter was free before the first of these that is not counted.
    free_since: Time,
    /// Of the packets counted: bytes, the time of their transmission, and how long they waited.
    bytes: u64,
    busy_ns: u64,
    waits: WaitingTimes,
    /// Most packets waiting, of those that had come, and the same since the last sample.
    max_waiting: u32,
    step_max_waiting: u32,
    /// None before anything was refused.
    refused: Option<Box<Refused>>,
}

/// Packets lost.
#[derive(Clone, Debug, Default)]
struct Refused {
    drops: u64,
    /// Ahead of their time: when.
    ahead: VecDeque<Time>,
}

/// One packet's stay.
#[derive(Clone, Copy, Debug, Default)]
struct Stay {
    offered: Time,
    departure: Time,
    /// Packets waiting as it came, itself included.
    waiting: u32,
    wire: u16,
}

impl Stays {
    /// Whether a packet offered at `at` has room. A queue of N packets holds N with the one being sent (design section 5).
    #[inline]
    pub(crate) fn has_room(&mut self, at: Time, wire: u16, limit: QueueLimit) -> bool {
        self.note_left(at);
        match limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(packets) => self.len() - self.left < packets,
            QueueLimit::Bytes(bytes) => self.staying_bytes + u64::from(wire) <= bytes.get(),
        }
    }

    #[inline]
    fn note_left(&mut self, at: Time) {
        while let Some(stay) = self.ring.get(self.left as usize).filter(|stay| stay.departure <= at) {
            self.staying_bytes -= u64::from(stay.wire);
            self.left += 1;
            if self.counted >= self.left {
                self.forget();
            }
        }
    }

    /// Takes the first out of the ring, which is counted and has left.
    #[inline]
    fn forget(&mut self) {
        self.ring.drop_front();
        self.counted -= 1;
        self.left -= 1;
        self.come = self.come.saturating_sub(1);
    }

    /// A packet that has room comes at `offered`, which is `now` or later; it is sent from `begins` to `departure`. Nobody
    /// looks before `next_look`, unless somebody may look at any time: then that is no later than now.
    #[inline(always)]
    pub(crate) fn accept(
        &mut self,
        now: Time,
        offered: Time,
        (begins, departure): (Time, Time),
        wire: u16,
        next_look: Time,
    ) {
        if self.ring.is_full() {
            self.make_room(now);
        }
        let stay = Stay { offered, departure, waiting: self.len() - self.left, wire };
        if departure <= next_look {
            if self.counted < self.len() {
                self.count_until(departure);
            }
            self.count(&stay, begins);
            self.note_waiting(stay.waiting);
        }
        self.ring.push_back(stay);
        self.staying_bytes += u64::from(wire);
    }

    #[inline]
    fn count(&mut self, stay: &Stay, begins: Time) {
        self.counted += 1;
        self.bytes += u64::from(stay.wire);
        self.busy_ns += stay.departure.since(begins).as_nanos();
        self.waits.record(begins.since(stay.offered));
        self.free_since = stay.departure;
    }

    /// Counts the packets that will have left by then.
    #[inline(never)]
    fn count_until(&mut self, then: Time) {
        while let Some(&stay) = self.ring.get(self.counted as usize).filter(|stay| stay.departure <= then) {
            if self.counted >= self.come {
                self.note_waiting(stay.waiting);
            }
            self.count(&stay, stay.offered.max(self.free_since));
        }
    }

    #[cold]
    fn make_room(&mut self, now: Time) {
        self.look(now);
        if 2 * self.ring.len() >= self.ring.capacity() {
            self.ring.grow();
        }
    }

    /// A packet is lost at `at`, which is `now` or later.
    pub(crate) fn refuse(&mut self, now: Time, at: Time) {
        let refused = self.refused.get_or_insert_default();
        match at > now {
            true => refused.ahead.push_back(at),
            false => refused.drops += 1,
        }
    }

    /// Fewer than 2^32 packets fit the memory.
    #[inline]
    fn len(&self) -> u32 {
        self.ring.len() as u32
    }

    #[inline]
    fn note_waiting(&mut self, waiting: u32) {
        if waiting > self.step_max_waiting {
            self.step_max_waiting = waiting;
            self.max_waiting = self.max_waiting.max(waiting);
        }
    }

    /// Sees who has come and left by `now`. What leaves at `now` has left: its slot is free for one that comes at that
    /// instant.
    pub(crate) fn look(&mut self, now: Time) {
        self.count_until(now);
        self.note_left(now);
        while self.counted > 0 && self.left > 0 {
            self.forget();
        }
        while let Some(&stay) = self.ring.get(self.come as usize).filter(|stay| stay.offered <= now) {
            self.come += 1;
            self.note_waiting(stay.waiting);
        }
        if let Some(refused) = &mut self.refused {
            while refused.ahead.pop_front_if(|at| *at <= now).is_some() {
                refused.drops += 1;
            }
        }
    }

    /// Packets waiting when last looked at; the one being sent does not wait.
    pub(crate) fn waiting_packets(&self) -> u32 {
        self.come.saturating_sub(1)
    }

    /// Their bytes.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.ring.iter().take(self.come as usize).skip(1).map(|stay| u64::from(stay.wire)).sum()
    }

    /// When the next packet leaves, of those that had come when last looked at.
    pub(crate) fn next_departure(&self) -> Option<Time> {
        self.ring.front().filter(|_| self.come > 0).map(|stay| stay.departure)
    }

    /// What had happened by `now`, when last looked at.
    pub(crate) fn totals(&self, now: Time) -> Totals {
        let mut totals = Totals {
            departed_bytes: self.bytes,
            busy_ns: self.busy_ns,
            waited_ns: self.waits.sum_ns(),
            drops: self.refused.as_ref().map_or(0, |refused| refused.drops),
            marks: 0,
            max_queue_packets: self.max_waiting,
            step_max_queue_packets: self.step_max_waiting,
        };
        let mut free = self.free_since;
        for stay in self.ring.iter().take(self.come as usize) {
            let begins = stay.offered.max(free);
            totals.busy_ns += now.since(begins).as_nanos();
            totals.waited_ns += u128::from(begins.min(now).since(stay.offered).as_nanos());
            free = stay.departure;
        }
        totals
    }

    /// How long packets waited, or will have, of those that had come when last looked at.
    pub(crate) fn waits(&self) -> WaitingTimes {
        let mut waits = self.waits.clone();
        let mut free = self.free_since;
        for stay in self.ring.iter().take(self.come as usize) {
            waits.record(stay.offered.max(free).since(stay.offered));
            free = stay.departure;
        }
        waits
    }

    /// Begins to look for the greatest queue anew.
    pub(crate) fn begin_step(&mut self) {
        self.step_max_waiting = self.waiting_packets();
    }

    /// Those who stay leave at other times, but for the one being sent: `finish` says when a packet of so many bytes has
    /// left whose turn comes then. When the last one leaves; none if nobody stays. All have come.
    pub(crate) fn reschedule(&mut self, mut finish: impl FnMut(Time, u16) -> Time) -> Option<Time> {
        let mut begins = self.ring.front()?.departure;
        for stay in self.ring.iter_mut().skip(1) {
            stay.departure = finish(begins, stay.wire);
            begins = stay.departure;
        }
        Some(begins)
    }

    /// When those who stay leave.
    pub(crate) fn departures(&self) -> impl DoubleEndedIterator<Item = Time> + '_ {
        self.ring.iter().map(|stay| stay.departure)
    }
}

/// What had happened on a link up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) departed_bytes: u64,
    /// Time that the transmitter was busy, ns.
    pub(crate) busy_ns: u64,
    /// The integral of the waiting packets over time, packets x ns.
    pub(crate) waited_ns: u128,
    /// Packets lost to a full queue or to an impairment.
    pub(crate) drops: u64,
    /// Packets marked (ECN).
    pub(crate) marks: u64,
    pub(crate) max_queue_packets: u32,
    /// Most packets waiting since the last sample.
    pub(crate) step_max_queue_packets: u32,
}

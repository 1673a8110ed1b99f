//! The occupancy of a drop-tail link: which packets are in its queue and transmitter, and until when.
//!
//! A packet's departure is known as it is offered, so its departure needs no event: the length of the queue and the
//! packets that have left are computed at sampling instants. Packets of one size leave one transmission time after the
//! other, so only the departure of the last one is kept. Packets are listed only where sizes, or times, differ among
//! the packets in the queue.
//!
//! A packet may be offered ahead of time ([`crate::network::fast::link`]). The sampling instants are known then, and
//! the first packet that comes after one leads to a snapshot of what there was.

mod listed;

use listed::{Listed, Occupant};
use vegas_core::aqt::Aqt;
use vegas_core::units::{Span, Time};

use crate::measure::delay_histogram::WaitingTimes;
use crate::measure::link_totals::LinkTotals;
use crate::measure::sampling::{SamplingInstants, Snapshots};
use crate::network::fast::record::{ENDLESS, LinkRecord, NO_SIZE};
use crate::network::fast::transmitter::Transmitter;
use crate::packet::WireSize;
use crate::scenario::QueueLimit;

/// The packets that a link has accepted, and those of them that have not left.
#[derive(Clone, Debug)]
pub(crate) struct Occupancy {
    accepted: Accepted,
    drops: u64,
    waits: WaitingTimes,
    /// The greatest number of waiting packets, in the run and since the last sample.
    max_waiting: u32,
    step_max_waiting: u32,
    /// The number of packets of the usual size that fit the queue and the transmitter.
    places: u64,
    listed: Option<Box<Listed>>,
    ahead: Option<Box<Ahead>>,
}

/// The packets in queue and transmitter at some time.
struct Occupied {
    packets: u32,
    bytes: u64,
    /// The size of the packet being sent, bytes.
    first_bytes: u64,
    /// How long the other packets wait from then on, packets x ns.
    waiting_ns: u128,
}

/// The sums over accepted packets.
#[derive(Clone, Copy, Debug, Default)]
struct Accepted {
    packets: u64,
    bytes: u64,
    busy: Span,
}

/// The snapshots of a link to which packets are offered ahead of time.
#[derive(Clone, Debug)]
struct Ahead {
    snapshots: Snapshots<LinkTotals>,
    /// The totals at the latest sampling instant.
    seen: LinkTotals,
}

/// Returns the number of packets of the usual size that keep the transmitter busy for `busy`, rounded up.
fn occupants_for(record: &LinkRecord, busy: Span) -> u32 {
    busy.as_nanos().div_ceil(record.transmission.as_nanos().max(1)) as u32
}

/// Returns the occupancy at `now` of a queue in which all packets are of the usual size.
fn occupied(record: &LinkRecord, now: Time) -> Occupied {
    let (busy, transmission) = (record.busy_until.since(now), u128::from(record.transmission.as_nanos()));
    let packets = occupants_for(record, busy);
    // the last packet begins one transmission time before all have left, each other packet one before the next packet
    let waiting = u128::from(packets.saturating_sub(1));
    let waiting_ns = waiting * u128::from(busy.as_nanos()) - transmission * (waiting * (waiting + 1) / 2);
    let bytes = u64::from(packets) * u64::from(record.wire);
    Occupied { packets, bytes, first_bytes: bytes.min(record.wire.into()), waiting_ns }
}

impl Occupancy {
    /// Returns an empty occupancy. Packets always are listed if `may_change`: they may wait for longer than was known
    /// as they came, or leave at any times.
    pub(crate) fn new(may_change: bool) -> Self {
        Occupancy {
            accepted: Accepted::default(),
            drops: 0,
            waits: WaitingTimes::default(),
            max_waiting: 0,
            step_max_waiting: 0,
            places: 0,
            listed: may_change.then(|| Box::new(Listed::always())),
            ahead: None,
        }
    }

    /// Returns the memory that the occupancy takes beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let listed = self.listed.as_ref().map_or(0, |listed| listed.memory_bytes());
        let ahead = self.ahead.as_ref().map_or(0, |ahead| size_of::<Ahead>() + ahead.snapshots.memory_bytes());
        listed + ahead + self.waits.memory_bytes()
    }

    /// Prepares for packets that are offered ahead of time; samples are taken at `instants`.
    pub(crate) fn sample_at(&mut self, instants: SamplingInstants, record: &mut LinkRecord) {
        let snapshots = Snapshots::new(instants);
        record.next_snapshot = snapshots.next();
        self.ahead = Some(Box::new(Ahead { snapshots, seen: LinkTotals::default() }));
    }

    /// Notes the waiting time of a packet of the usual size.
    #[inline]
    pub(crate) fn note_wait(&mut self, waits: Span) {
        self.waits.record(waits);
    }

    /// Offers a packet of `wire` bytes that comes at `at`, no earlier than the packets before it. Returns how long it
    /// waits, if it has room. A queue of N packets holds N with the one being sent (docs/design.md, section 4.2).
    pub(crate) fn offer(
        &mut self,
        at: Time,
        wire: WireSize,
        record: &mut LinkRecord,
        transmitter: &mut Transmitter,
        limit: &QueueLimit,
    ) -> Option<Span> {
        self.take_snapshots_before(at, record);
        if let Some(listed) = &mut self.listed {
            listed.leave(at, &mut self.waits);
            if listed.always || listed.len() > 0 {
                return self.offer_listed(at, wire, record, transmitter, limit);
            }
            self.listed = None;
        }
        let waits = record.busy_until.since(at);
        if wire != record.wire && (waits == Span::ZERO || record.wire == NO_SIZE) {
            self.become_usual(wire, record, transmitter, limit);
        }
        if wire != record.wire || waits + record.transmission > ENDLESS {
            self.list(at, record);
            return self.offer_listed(at, wire, record, transmitter, limit);
        }
        let waiting = occupants_for(record, waits);
        if u64::from(waiting) >= self.places {
            self.drops += 1;
            return None;
        }
        if waiting > self.step_max_waiting {
            self.note_waiting(waiting);
            self.set_unusual_wait(record);
        }
        record.busy_until = at + waits + record.transmission;
        record.packets += 1;
        self.waits.record(waits);
        Some(waits)
    }

    /// Makes `wire` the usual size. The queue is empty.
    fn become_usual(
        &mut self,
        wire: WireSize,
        record: &mut LinkRecord,
        transmitter: &mut Transmitter,
        limit: &QueueLimit,
    ) {
        self.accepted = self.accepted(record);
        (record.packets, record.wire, record.transmission) = (0, wire, transmitter.usual_transmission(wire));
        self.places = match limit {
            QueueLimit::Unlimited => u64::MAX,
            QueueLimit::Packets(packets) => u64::from(*packets),
            QueueLimit::Bytes(bytes) => bytes.get() / u64::from(wire),
        };
        self.set_unusual_wait(record);
    }

    /// Sets the waiting time from which packets are unusual. A packet is usual if it has room and finds no more packets
    /// waiting than there have been since the last sample.
    fn set_unusual_wait(&self, record: &mut LinkRecord) {
        let found = u64::from(self.step_max_waiting).min(self.places.saturating_sub(1));
        let unusual_wait = record.transmission.times(found) + Span::from_nanos(u64::from(self.places > 0));
        record.set_unusual_wait(unusual_wait.min(ENDLESS.less(record.transmission)));
    }

    /// Lists the packets in the queue at `at`, which are all of the usual size.
    fn list(&mut self, at: Time, record: &mut LinkRecord) {
        let occupied = occupants_for(record, record.busy_until.since(at));
        let departures = (0..occupied).rev().map(|after| record.busy_until - record.transmission.times(after.into()));
        self.listed = Some(Box::new(Listed::until_empty(departures, record.wire)));
        self.accepted = self.accepted(record);
        (record.packets, record.wire) = (0, NO_SIZE);
    }

    fn offer_listed(
        &mut self,
        at: Time,
        wire: WireSize,
        record: &mut LinkRecord,
        transmitter: &mut Transmitter,
        limit: &QueueLimit,
    ) -> Option<Span> {
        let listed = self.listed.as_mut().expect("they are listed");
        if !listed.has_room(wire, limit) {
            self.drops += 1;
            return None;
        }
        let begins = at.max(record.busy_until);
        let departure = transmitter.finish(begins, at, wire);
        record.busy_until = departure;
        let waiting = listed.len();
        listed.add(Occupant { offered: at, departure, wire, ..Occupant::default() });
        self.accepted.packets += 1;
        self.accepted.bytes += u64::from(wire);
        self.accepted.busy += departure.since(begins);
        if !listed.always {
            self.waits.record(begins.since(at));
        }
        if waiting > self.step_max_waiting {
            self.note_waiting(waiting);
        }
        Some(begins.since(at))
    }

    /// Notes that more packets are waiting than at any time since the last sample.
    fn note_waiting(&mut self, waiting: u32) {
        self.step_max_waiting = waiting;
        self.max_waiting = self.max_waiting.max(waiting);
    }

    /// Counts a packet that is lost on arrival.
    pub(crate) fn refuse(&mut self) {
        self.drops += 1;
    }

    /// Takes the snapshots of the sampling instants before `at`, at which a packet comes.
    fn take_snapshots_before(&mut self, at: Time, record: &mut LinkRecord) {
        if at <= record.next_snapshot {
            return;
        }
        let mut ahead = self.ahead.take().expect("what comes ahead of time is looked at");
        ahead.snapshots.take_before(at, |look| {
            let seen = self.see(look, record);
            self.begin_step_of(seen.queue_packets, record);
            seen
        });
        record.next_snapshot = ahead.snapshots.next();
        self.ahead = Some(ahead);
    }

    /// Brings the occupancy up to `now`. A packet that departs at `now` has left: its place is free for a packet that
    /// comes at that instant. Where packets are offered ahead of time, `now` is the next sampling instant.
    pub(crate) fn look(&mut self, now: Time, record: &mut LinkRecord) {
        if let Some(mut ahead) = self.ahead.take() {
            ahead.seen = ahead.snapshots.read(|| {
                let newest = self.see(now, record);
                self.begin_step_of(newest.queue_packets, record);
                newest
            });
            record.next_snapshot = ahead.snapshots.next();
            self.ahead = Some(ahead);
        } else if let Some(listed) = &mut self.listed {
            listed.leave(now, &mut self.waits);
        }
    }

    /// Returns the totals at `now`, the time of the last [`Occupancy::look`].
    pub(crate) fn totals(&self, now: Time, record: &LinkRecord) -> LinkTotals {
        match &self.ahead {
            Some(ahead) => ahead.seen,
            None => self.totals_at(now, record),
        }
    }

    /// Brings the list up to `now` and returns the totals then. No packet has been offered later than `now`.
    fn see(&mut self, now: Time, record: &LinkRecord) -> LinkTotals {
        if let Some(listed) = &mut self.listed {
            listed.leave(now, &mut self.waits);
        }
        self.totals_at(now, record)
    }

    /// As [`Occupancy::see`], where the list has been brought up to `now`.
    fn totals_at(&self, now: Time, record: &LinkRecord) -> LinkTotals {
        let Occupied { packets, bytes, first_bytes, waiting_ns } = match &self.listed {
            Some(listed) => listed.occupied(now),
            None => occupied(record, now),
        };
        let accepted = self.accepted(record);
        LinkTotals {
            departed_bytes: accepted.bytes - bytes,
            busy: accepted.busy.less(record.busy_until.since(now)),
            waited_ns: self.waits.sum_ns() + self.uncounted_ns() - waiting_ns,
            drops: self.drops,
            marks: 0,
            max_queue_packets: self.max_waiting,
            step_max_queue_packets: self.step_max_waiting,
            queue_packets: packets.saturating_sub(1),
            queue_bytes: bytes - first_bytes,
        }
    }

    fn accepted(&self, record: &LinkRecord) -> Accepted {
        Accepted {
            packets: self.accepted.packets + record.packets,
            bytes: self.accepted.bytes + record.packets * u64::from(record.wire),
            busy: self.accepted.busy + Span::from_nanos(record.packets * record.transmission.as_nanos()),
        }
    }

    /// Returns the waiting times of the packets that are counted as they leave, summed, ns; each is from arrival until
    /// transmission begins.
    fn uncounted_ns(&self) -> u128 {
        self.listed.as_ref().filter(|listed| listed.always).map_or(0, |listed| listed.waits_ns())
    }

    fn uncounted(&self) -> impl Iterator<Item = Span> + '_ {
        let listed = self.listed.as_ref().filter(|listed| listed.always);
        listed.into_iter().flat_map(|listed| listed.waits())
    }

    /// Returns how long packets waited, or will have waited.
    pub(crate) fn waits(&self, record: &LinkRecord) -> WaitingTimes {
        let mut waits = self.waits.clone();
        self.uncounted().for_each(|wait| waits.record(wait));
        waits.of_all(self.accepted(record).packets)
    }

    /// Begins a new interval for the greatest queue, after a sample at which `waiting` packets wait.
    pub(crate) fn begin_step(&mut self, waiting: u32, record: &mut LinkRecord) {
        // where packets are offered ahead of time, the interval began with the snapshot, which may have been taken
        // before
        if self.ahead.is_none() {
            self.begin_step_of(waiting, record);
        }
    }

    fn begin_step_of(&mut self, waiting: u32, record: &mut LinkRecord) {
        self.step_max_waiting = waiting;
        self.set_unusual_wait(record);
    }

    /// Returns the departure of the next listed packet.
    pub(crate) fn next_departure(&self) -> Option<Time> {
        self.listed.as_ref()?.departures().next()
    }

    /// Computes new departures for the packets in the queue but the one being sent, because the transmitter has another
    /// rate. The packets always are listed.
    pub(crate) fn reschedule(&mut self, record: &mut LinkRecord, transmitter: &mut Transmitter) {
        let listed = self.listed.as_mut().expect("what may change is listed");
        let Some(begins) = listed.reschedule(transmitter) else { return };
        let (more, less) = (begins.since(record.busy_until), record.busy_until.since(begins));
        self.accepted.busy = (self.accepted.busy + more).less(less);
        record.busy_until = begins;
    }

    /// Notes the stamp that the packet accepted last had before it came, where packets always are listed.
    pub(crate) fn note_stamp(&mut self, stamped: Aqt) {
        if let Some(listed) = self.listed.as_mut().filter(|listed| listed.always) {
            listed.note_stamp(stamped);
        }
    }

    /// Returns the stamp that each packet in the queue had before it came, and how long the packet waits. The packets
    /// always are listed.
    pub(crate) fn stamps_and_waits(&self) -> impl Iterator<Item = (Aqt, Span)> + '_ {
        self.listed.as_ref().expect("what may change is listed").stamps_and_waits()
    }

    /// Returns the departures of the listed packets.
    pub(crate) fn departures(&self) -> impl DoubleEndedIterator<Item = Time> + '_ {
        self.listed.as_ref().expect("what may change is listed").departures()
    }
}

//! Who stays in the queue and transmitter of a drop-tail link, and until when.
//!
//! A packet's departure is known as it is offered, so nothing has to happen at it: how long the queue was and what had
//! left is worked out when somebody looks. Packets of one size leave one transmission after the other, so that nothing
//! need be kept of them but when the last one leaves; only where sizes, or times, differ among those who stay are they
//! listed.
//!
//! A packet may be offered ahead of its time ([`crate::link`]). When somebody will look is known then, and the first
//! packet that comes after a look leaves a note of what there was.

mod listed;

use listed::{Listed, Stay};
use vegas_core::units::{Span, Time};

use crate::hop::{ENDLESS, Hop, NO_SIZE};
use crate::looks::{Looks, Noted};
use crate::scenario::QueueLimit;
use crate::transmitter::Transmitter;
use crate::waiting::WaitingTimes;

/// Packets accepted, and those of them that have not left.
#[derive(Clone, Debug)]
pub(crate) struct Stays {
    accepted: Accepted,
    drops: u64,
    waits: WaitingTimes,
    /// Most packets waiting, and the same since the last sample.
    max_waiting: u32,
    step_max_waiting: u32,
    /// Of the usual size so many find no room.
    places: u64,
    listed: Option<Box<Listed>>,
    ahead: Option<Box<Ahead>>,
}

/// Those who stay at some time.
struct Staying {
    packets: u32,
    bytes: u64,
    /// Of the one being sent.
    first_bytes: u64,
    /// How long the others wait from then on, packets x ns.
    waiting_ns: u128,
}

/// Packets, in sum.
#[derive(Clone, Copy, Debug, Default)]
struct Accepted {
    packets: u64,
    bytes: u64,
    busy_ns: u64,
}

/// Where packets are offered ahead of their time.
#[derive(Clone, Debug)]
struct Ahead {
    noted: Noted<Totals>,
    /// At the latest look.
    seen: Totals,
}

/// How many of the usual size keep the transmitter busy for so long: one at least for any time.
fn stay_for(hop: &Hop, busy: Span) -> u32 {
    busy.as_nanos().div_ceil(hop.transmission.as_nanos().max(1)) as u32
}

/// Those of the usual size who stay.
fn staying(hop: &Hop, now: Time) -> Staying {
    let (busy, transmission) = (hop.busy_until.since(now), u128::from(hop.transmission.as_nanos()));
    let packets = stay_for(hop, busy);
    // the last one begins a transmission before all have left, those before it one each before that
    let waiting = u128::from(packets.saturating_sub(1));
    let waiting_ns = waiting * u128::from(busy.as_nanos()) - transmission * (waiting * (waiting + 1) / 2);
    let bytes = u64::from(packets) * u64::from(hop.wire);
    Staying { packets, bytes, first_bytes: bytes.min(hop.wire.into()), waiting_ns }
}

impl Stays {
    /// Where packets may wait for longer than was known as they came (`may_change`), or leave at any times, they are
    /// listed.
    pub(crate) fn new(may_change: bool) -> Self {
        Stays {
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

    /// Packets are offered ahead of their time; somebody looks then.
    pub(crate) fn look_at(&mut self, looks: Looks, hop: &mut Hop) {
        let noted = Noted::new(looks);
        hop.next_look = noted.next();
        self.ahead = Some(Box::new(Ahead { noted, seen: Totals::default() }));
    }

    /// A packet of the usual size has to wait.
    #[inline]
    pub(crate) fn note_wait(&mut self, waits: Span) {
        self.waits.record(waits);
    }

    /// A packet of `wire` bytes comes at `at`, no earlier than those before: how long it waits, if it has room. A queue of
    /// N packets holds N with the one being sent (design section 5).
    pub(crate) fn offer(
        &mut self,
        at: Time,
        wire: u16,
        hop: &mut Hop,
        transmitter: &mut Transmitter,
        limit: &QueueLimit,
    ) -> Option<Span> {
        self.note_looks_before(at, hop);
        if let Some(listed) = &mut self.listed {
            listed.leave(at, &mut self.waits);
            if listed.always || listed.len() > 0 {
                return self.offer_listed(at, wire, hop, transmitter, limit);
            }
            self.listed = None;
        }
        let waits = hop.busy_until.since(at);
        if wire != hop.wire && (waits == Span::ZERO || hop.wire == NO_SIZE) {
            self.become_usual(wire, hop, transmitter, limit);
        }
        if wire != hop.wire || waits + hop.transmission > ENDLESS {
            self.list(at, hop);
            return self.offer_listed(at, wire, hop, transmitter, limit);
        }
        let waiting = stay_for(hop, waits);
        if u64::from(waiting) >= self.places {
            self.drops += 1;
            return None;
        }
        if waiting > self.step_max_waiting {
            self.note_waiting(waiting);
            self.set_unusual_wait(hop);
        }
        hop.busy_until = at + waits + hop.transmission;
        hop.packets += 1;
        self.waits.record(waits);
        Some(waits)
    }

    /// Nobody stays, and packets of this size come.
    fn become_usual(&mut self, wire: u16, hop: &mut Hop, transmitter: &mut Transmitter, limit: &QueueLimit) {
        self.accepted = self.accepted(hop);
        (hop.packets, hop.wire, hop.transmission) = (0, wire, transmitter.usual_transmission(wire));
        self.places = match limit {
            QueueLimit::Unlimited => u64::MAX,
            QueueLimit::Packets(packets) => u64::from(*packets),
            QueueLimit::Bytes(bytes) => bytes.get() / u64::from(wire),
        };
        self.set_unusual_wait(hop);
    }

    /// Who finds no more waiting than there have been since the last sample, which had room, needs no further look.
    fn set_unusual_wait(&self, hop: &mut Hop) {
        let found = u64::from(self.step_max_waiting).min(self.places.saturating_sub(1));
        let unusual_wait = hop.transmission.times(found) + Span::from_nanos(u64::from(self.places > 0));
        hop.set_unusual_wait(unusual_wait.min(ENDLESS.less(hop.transmission)));
    }

    /// Those who stay at `at`, all of one size, are listed from now on.
    fn list(&mut self, at: Time, hop: &mut Hop) {
        let staying = stay_for(hop, hop.busy_until.since(at));
        let departures = (0..staying).rev().map(|after| hop.busy_until - hop.transmission.times(after.into()));
        self.listed = Some(Box::new(Listed::until_empty(departures, hop.wire)));
        self.accepted = self.accepted(hop);
        (hop.packets, hop.wire) = (0, NO_SIZE);
    }

    fn offer_listed(
        &mut self,
        at: Time,
        wire: u16,
        hop: &mut Hop,
        transmitter: &mut Transmitter,
        limit: &QueueLimit,
    ) -> Option<Span> {
        let listed = self.listed.as_mut().expect("they are listed");
        if !listed.has_room(wire, limit) {
            self.drops += 1;
            return None;
        }
        let begins = at.max(hop.busy_until);
        let departure = transmitter.finish(begins, at, wire);
        hop.busy_until = departure;
        let waiting = listed.len();
        listed.add(Stay { offered: at, departure, wire });
        self.accepted.packets += 1;
        self.accepted.bytes += u64::from(wire);
        self.accepted.busy_ns += departure.since(begins).as_nanos();
        if !listed.always {
            self.waits.record(begins.since(at));
        }
        if waiting > self.step_max_waiting {
            self.note_waiting(waiting);
        }
        Some(begins.since(at))
    }

    /// More are waiting than at any time since the last sample.
    fn note_waiting(&mut self, waiting: u32) {
        self.step_max_waiting = waiting;
        self.max_waiting = self.max_waiting.max(waiting);
    }

    /// A packet is lost now.
    pub(crate) fn refuse(&mut self) {
        self.drops += 1;
    }

    /// Something comes at `at`: notes what there was at the looks before.
    fn note_looks_before(&mut self, at: Time, hop: &mut Hop) {
        if at <= hop.next_look {
            return;
        }
        let mut ahead = self.ahead.take().expect("what comes ahead of time is looked at");
        ahead.noted.note(at, |look| {
            let seen = self.see(look, hop);
            self.begin_step_of(seen.queue_packets, hop);
            seen
        });
        hop.next_look = ahead.noted.next();
        self.ahead = Some(ahead);
    }

    /// Sees who has left by `now`. What leaves at `now` has left: its slot is free for one that comes at that instant.
    /// Where packets are offered ahead of their time, this is the next of the looks that were announced.
    pub(crate) fn look(&mut self, now: Time, hop: &mut Hop) {
        if let Some(mut ahead) = self.ahead.take() {
            ahead.seen = ahead.noted.look(|| {
                let newest = self.see(now, hop);
                self.begin_step_of(newest.queue_packets, hop);
                newest
            });
            hop.next_look = ahead.noted.next();
            self.ahead = Some(ahead);
        } else if let Some(listed) = &mut self.listed {
            listed.leave(now, &mut self.waits);
        }
    }

    /// What had happened by `now`, when last looked at.
    pub(crate) fn totals(&self, now: Time, hop: &Hop) -> Totals {
        match &self.ahead {
            Some(ahead) => ahead.seen,
            None => self.totals_at(now, hop),
        }
    }

    /// What has happened by `now`, later than which nothing was offered.
    fn see(&mut self, now: Time, hop: &Hop) -> Totals {
        if let Some(listed) = &mut self.listed {
            listed.leave(now, &mut self.waits);
        }
        self.totals_at(now, hop)
    }

    /// The same where those who have left are not listed any more.
    fn totals_at(&self, now: Time, hop: &Hop) -> Totals {
        let Staying { packets, bytes, first_bytes, waiting_ns } = match &self.listed {
            Some(listed) => listed.staying(now),
            None => staying(hop, now),
        };
        let accepted = self.accepted(hop);
        Totals {
            departed_bytes: accepted.bytes - bytes,
            busy_ns: accepted.busy_ns - hop.busy_until.since(now).as_nanos(),
            waited_ns: self.waits.sum_ns() + self.uncounted_ns() - waiting_ns,
            drops: self.drops,
            marks: 0,
            max_queue_packets: self.max_waiting,
            step_max_queue_packets: self.step_max_waiting,
            queue_packets: packets.saturating_sub(1),
            queue_bytes: bytes - first_bytes,
        }
    }

    fn accepted(&self, hop: &Hop) -> Accepted {
        Accepted {
            packets: self.accepted.packets + hop.packets,
            bytes: self.accepted.bytes + hop.packets * u64::from(hop.wire),
            busy_ns: self.accepted.busy_ns + hop.packets * hop.transmission.as_nanos(),
        }
    }

    /// How long those wait who are counted as they leave, each from its coming to its turn.
    fn uncounted_ns(&self) -> u128 {
        self.uncounted().map(|wait| u128::from(wait.as_nanos())).sum()
    }

    fn uncounted(&self) -> impl Iterator<Item = Span> + '_ {
        let listed = self.listed.as_ref().filter(|listed| listed.always);
        listed.into_iter().flat_map(|listed| listed.waits())
    }

    /// How long packets waited, or will have.
    pub(crate) fn waits(&self, hop: &Hop) -> WaitingTimes {
        let mut waits = self.waits.clone();
        self.uncounted().for_each(|wait| waits.record(wait));
        waits.of_all(self.accepted(hop).packets)
    }

    /// Begins to look for the greatest queue anew, after a look that saw so many packets waiting.
    pub(crate) fn begin_step(&mut self, waiting: u32, hop: &mut Hop) {
        // else it has begun with the look, which may have been noted before
        if self.ahead.is_none() {
            self.begin_step_of(waiting, hop);
        }
    }

    fn begin_step_of(&mut self, waiting: u32, hop: &mut Hop) {
        self.step_max_waiting = waiting;
        self.set_unusual_wait(hop);
    }

    /// When the next packet leaves, of those who are listed.
    pub(crate) fn next_departure(&self) -> Option<Time> {
        self.listed.as_ref()?.departures().next()
    }

    /// Those who stay, and always are listed, leave at other times, but for the one being sent: the transmitter has another
    /// rate.
    pub(crate) fn reschedule(&mut self, hop: &mut Hop, transmitter: &mut Transmitter) {
        let listed = self.listed.as_mut().expect("what may change is listed");
        let Some(begins) = listed.reschedule(transmitter) else { return };
        let (more, less) = (begins.since(hop.busy_until), hop.busy_until.since(begins));
        self.accepted.busy_ns = self.accepted.busy_ns + more.as_nanos() - less.as_nanos();
        hop.busy_until = begins;
    }

    /// When those leave who stay, and are listed.
    pub(crate) fn departures(&self) -> impl DoubleEndedIterator<Item = Time> + '_ {
        self.listed.as_ref().expect("what may change is listed").departures()
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
    /// Packets waiting then, and their bytes; the one being sent does not wait.
    pub(crate) queue_packets: u32,
    pub(crate) queue_bytes: u64,
}

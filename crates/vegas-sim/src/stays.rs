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

use crate::looks::{Looks, Noted};
use crate::scenario::QueueLimit;
use crate::transmitter::Transmitter;
use crate::waiting::WaitingTimes;

/// What a packet of the usual size touches: it finds others of its size, or nobody, in a queue that has been as long
/// before, and nobody looks in between.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Usual {
    /// How long each of those who stay is sent.
    pub(crate) transmission: Span,
    /// Who waits for so long finds no room, or comes to a longer queue than any since the last sample.
    pub(crate) unusual_wait: Span,
    /// Somebody looks then, and it is not noted yet what there was; never, if what is offered comes at once.
    pub(crate) next_look: Time,
    /// Accepted since the size became usual; the others are in [`Stays::accepted`].
    pub(crate) packets: u64,
    /// Size of all those who stay; no packet's while they are listed.
    pub(crate) wire: u16,
}

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

/// By whom packets are sent: the link's parts.
pub(crate) struct Sends<'a> {
    pub(crate) usual: &'a mut Usual,
    pub(crate) busy_until: &'a mut Time,
    pub(crate) transmitter: &'a mut Transmitter,
}

/// Where packets are offered ahead of their time.
#[derive(Clone, Debug)]
struct Ahead {
    noted: Noted<Totals>,
    /// At the latest look.
    seen: Totals,
}

/// No packet is so small.
const NONE: u16 = 0;
/// Longer than any run, 146 years: who waits for longer is listed, so that no sum of times is too large.
const ENDLESS: Span = Span::from_nanos(u64::MAX / 4);

impl Usual {
    /// There is no usual size.
    pub(crate) const NONE: Usual =
        Usual { transmission: Span::ZERO, unusual_wait: Span::ZERO, next_look: Time::NEVER, packets: 0, wire: NONE };

    /// How many it takes to keep the transmitter busy for so long: one at least for any time.
    fn stay_for(&self, busy: Span) -> u32 {
        busy.as_nanos().div_ceil(self.transmission.as_nanos().max(1)) as u32
    }

    /// Those who stay, and will have left by `busy_until`.
    fn staying(&self, now: Time, busy_until: Time) -> Staying {
        let (busy, transmission) = (busy_until.since(now), u128::from(self.transmission.as_nanos()));
        let packets = self.stay_for(busy);
        // the last one begins a transmission before all have left, those before it one each before that
        let waiting = u128::from(packets.saturating_sub(1));
        let waiting_ns = waiting * u128::from(busy.as_nanos()) - transmission * (waiting * (waiting + 1) / 2);
        let bytes = u64::from(packets) * u64::from(self.wire);
        Staying { packets, bytes, first_bytes: bytes.min(self.wire.into()), waiting_ns }
    }
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
    pub(crate) fn look_at(&mut self, looks: Looks, usual: &mut Usual) {
        let noted = Noted::new(looks);
        usual.next_look = noted.next();
        self.ahead = Some(Box::new(Ahead { noted, seen: Totals::default() }));
    }

    /// A packet of the usual size has to wait.
    #[inline]
    pub(crate) fn note_wait(&mut self, waits: Span) {
        self.waits.record(waits);
    }

    /// A packet of `wire` bytes comes at `at`, no earlier than those before: how long it waits, if it has room. A queue of
    /// N packets holds N with the one being sent (design section 5).
    pub(crate) fn offer(&mut self, at: Time, wire: u16, sends: Sends<'_>, limit: &QueueLimit) -> Option<Span> {
        let Sends { usual, busy_until, transmitter } = sends;
        self.note_looks_before(at, usual, *busy_until);
        if let Some(listed) = &mut self.listed {
            listed.leave(at, &mut self.waits);
            if listed.always || listed.len() > 0 {
                return self.offer_listed(at, wire, Sends { usual, busy_until, transmitter }, limit);
            }
            self.listed = None;
        }
        let waits = busy_until.since(at);
        if wire != usual.wire && (waits == Span::ZERO || usual.wire == NONE) {
            self.become_usual(wire, usual, transmitter, limit);
        }
        if wire != usual.wire || waits + usual.transmission > ENDLESS {
            self.list(at, usual, *busy_until);
            return self.offer_listed(at, wire, Sends { usual, busy_until, transmitter }, limit);
        }
        let waiting = usual.stay_for(waits);
        if u64::from(waiting) >= self.places {
            self.drops += 1;
            return None;
        }
        if waiting > self.step_max_waiting {
            self.note_waiting(waiting);
            self.set_unusual_wait(usual);
        }
        *busy_until = at + waits + usual.transmission;
        usual.packets += 1;
        self.waits.record(waits);
        Some(waits)
    }

    /// Nobody stays, and packets of this size come.
    fn become_usual(&mut self, wire: u16, usual: &mut Usual, transmitter: &mut Transmitter, limit: &QueueLimit) {
        self.accepted = self.accepted(usual);
        *usual = Usual { packets: 0, wire, transmission: transmitter.usual_transmission(wire), ..*usual };
        self.places = match limit {
            QueueLimit::Unlimited => u64::MAX,
            QueueLimit::Packets(packets) => u64::from(*packets),
            QueueLimit::Bytes(bytes) => bytes.get() / u64::from(wire),
        };
        self.set_unusual_wait(usual);
    }

    /// Who finds no more waiting than there have been since the last sample, which had room, needs no further look.
    fn set_unusual_wait(&self, usual: &mut Usual) {
        let found = u64::from(self.step_max_waiting).min(self.places.saturating_sub(1));
        let unusual_wait = usual.transmission.times(found) + Span::from_nanos(u64::from(self.places > 0));
        usual.unusual_wait = unusual_wait.min(ENDLESS.less(usual.transmission));
    }

    /// Those who stay at `at`, all of one size, are listed from now on.
    fn list(&mut self, at: Time, usual: &mut Usual, busy_until: Time) {
        let staying = usual.stay_for(busy_until.since(at));
        let departures = (0..staying).rev().map(|after| busy_until - usual.transmission.times(after.into()));
        self.listed = Some(Box::new(Listed::until_empty(departures, usual.wire)));
        self.accepted = self.accepted(usual);
        (usual.packets, usual.wire) = (0, NONE);
    }

    fn offer_listed(&mut self, at: Time, wire: u16, sends: Sends<'_>, limit: &QueueLimit) -> Option<Span> {
        let listed = self.listed.as_mut().expect("they are listed");
        if !listed.has_room(wire, limit) {
            self.drops += 1;
            return None;
        }
        let begins = at.max(*sends.busy_until);
        let departure = sends.transmitter.finish(begins, at, wire);
        *sends.busy_until = departure;
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
    fn note_looks_before(&mut self, at: Time, usual: &mut Usual, busy_until: Time) {
        if at <= usual.next_look {
            return;
        }
        let mut ahead = self.ahead.take().expect("what comes ahead of time is looked at");
        ahead.noted.note(at, |look| {
            let seen = self.see(look, usual, busy_until);
            self.begin_step_of(seen.queue_packets, usual);
            seen
        });
        usual.next_look = ahead.noted.next();
        self.ahead = Some(ahead);
    }

    /// Sees who has left by `now`. What leaves at `now` has left: its slot is free for one that comes at that instant.
    /// Where packets are offered ahead of their time, this is the next of the looks that were announced.
    pub(crate) fn look(&mut self, now: Time, usual: &mut Usual, busy_until: Time) {
        if let Some(mut ahead) = self.ahead.take() {
            ahead.seen = ahead.noted.look(|| {
                let newest = self.see(now, usual, busy_until);
                self.begin_step_of(newest.queue_packets, usual);
                newest
            });
            usual.next_look = ahead.noted.next();
            self.ahead = Some(ahead);
        } else if let Some(listed) = &mut self.listed {
            listed.leave(now, &mut self.waits);
        }
    }

    /// What had happened by `now`, when last looked at.
    pub(crate) fn totals(&self, now: Time, usual: &Usual, busy_until: Time) -> Totals {
        match &self.ahead {
            Some(ahead) => ahead.seen,
            None => self.totals_at(now, usual, busy_until),
        }
    }

    /// What has happened by `now`, later than which nothing was offered.
    fn see(&mut self, now: Time, usual: &Usual, busy_until: Time) -> Totals {
        if let Some(listed) = &mut self.listed {
            listed.leave(now, &mut self.waits);
        }
        self.totals_at(now, usual, busy_until)
    }

    /// The same where those who have left are not listed any more.
    fn totals_at(&self, now: Time, usual: &Usual, busy_until: Time) -> Totals {
        let Staying { packets, bytes, first_bytes, waiting_ns } = match &self.listed {
            Some(listed) => listed.staying(now),
            None => usual.staying(now, busy_until),
        };
        let accepted = self.accepted(usual);
        Totals {
            departed_bytes: accepted.bytes - bytes,
            busy_ns: accepted.busy_ns - busy_until.since(now).as_nanos(),
            waited_ns: self.waits.sum_ns() + self.uncounted_ns() - waiting_ns,
            drops: self.drops,
            marks: 0,
            max_queue_packets: self.max_waiting,
            step_max_queue_packets: self.step_max_waiting,
            queue_packets: packets.saturating_sub(1),
            queue_bytes: bytes - first_bytes,
        }
    }

    fn accepted(&self, usual: &Usual) -> Accepted {
        Accepted {
            packets: self.accepted.packets + usual.packets,
            bytes: self.accepted.bytes + usual.packets * u64::from(usual.wire),
            busy_ns: self.accepted.busy_ns + usual.packets * usual.transmission.as_nanos(),
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
    pub(crate) fn waits(&self, usual: &Usual) -> WaitingTimes {
        let mut waits = self.waits.clone();
        self.uncounted().for_each(|wait| waits.record(wait));
        waits.of_all(self.accepted(usual).packets)
    }

    /// Begins to look for the greatest queue anew, after a look that saw so many packets waiting.
    pub(crate) fn begin_step(&mut self, waiting: u32, usual: &mut Usual) {
        // else it has begun with the look, which may have been noted before
        if self.ahead.is_none() {
            self.begin_step_of(waiting, usual);
        }
    }

    fn begin_step_of(&mut self, waiting: u32, usual: &mut Usual) {
        self.step_max_waiting = waiting;
        self.set_unusual_wait(usual);
    }

    /// When the next packet leaves, of those who are listed.
    pub(crate) fn next_departure(&self) -> Option<Time> {
        self.listed.as_ref()?.departures().next()
    }

    /// Those who stay, and always are listed, leave at other times, but for the one being sent: the transmitter has another
    /// rate.
    pub(crate) fn reschedule(&mut self, busy_until: &mut Time, transmitter: &mut Transmitter) {
        let listed = self.listed.as_mut().expect("what may change is listed");
        let Some(begins) = listed.reschedule(transmitter) else { return };
        let (more, less) = (begins.since(*busy_until), busy_until.since(begins));
        self.accepted.busy_ns = self.accepted.busy_ns + more.as_nanos() - less.as_nanos();
        *busy_until = begins;
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

//! The part of a link that nearly every packet touches, in one line of the cache.
//!
//! Most packets on drop-tail links are of the usual size, find no other size in the queue, find the queue no longer
//! than it has been before, and come before the next sample. Then three comparisons show that only two things are left
//! to do: to count the packet, and to compute its arrival. A path segment of uncongested links
//! ([`crate::network::fast::links::path_segment`]) has a record, too: its transmitter takes no time, and its delay
//! is the time all the way through.

use vegas_core::aqt::Aqt;
use vegas_core::units::{Span, Time};

use crate::packet::WireSize;
use crate::scenario::LinkKind;

/// The values of a drop-tail link or a path segment that a packet of the usual size needs.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct LinkRecord {
    /// How long the transmitter sends each packet in the queue.
    pub(crate) transmission: Span,
    /// The waiting time from which a packet is unusual: it finds no room, or comes to a queue longer than any since the
    /// last sample.
    unusual_wait: Span,
    /// The first sampling instant without a snapshot; never, if packets are not offered ahead of time.
    pub(crate) next_snapshot: Time,
    /// The number of packets accepted since their size became the usual one; the others are counted elsewhere.
    pub(crate) packets: u64,
    /// When the transmitter has sent all that was accepted.
    pub(crate) busy_until: Time,
    /// The propagation delay, from the transmitter to the other end.
    delay: Span,
    pub(crate) exit: Exit,
    /// The usual size, which all packets in the queue have; [`NO_SIZE`] while the packets are listed.
    pub(crate) wire: WireSize,
    /// Whether each packet is stamped with its queueing time; only flows that use the stamps read them.
    stamps: bool,
}

/// Where packets come out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The link; of a path segment its last link.
    pub(crate) link: u32,
    /// The delay line on which accepted packets continue; of a link that is not plain, the delay line of its own
    /// arrivals.
    pub(crate) delay_line: u32,
}

const _: () = assert!(size_of::<LinkRecord>() == 64);

/// A size that no packet has.
pub(crate) const NO_SIZE: WireSize = WireSize::ZERO;
/// Longer than any run, 146 years. A time of this length ends after the run in any case, and no sum of such times
/// overflows.
pub(crate) const ENDLESS: Span = Span::from_nanos(u64::MAX / 4);

impl LinkRecord {
    /// Returns the record of a link on which no size is usual yet.
    pub(crate) fn link(exit: Exit, spec: &LinkKind) -> Self {
        LinkRecord { delay: spec.delay.min(ENDLESS), stamps: spec.aqt, ..LinkRecord::segment(exit) }
    }

    /// Returns the record of a path segment on which no size is usual yet.
    pub(crate) fn segment(exit: Exit) -> Self {
        LinkRecord {
            transmission: Span::ZERO,
            unusual_wait: Span::ZERO,
            next_snapshot: Time::NEVER,
            packets: 0,
            busy_until: Time::ZERO,
            delay: Span::ZERO,
            exit,
            wire: NO_SIZE,
            stamps: false,
        }
    }

    /// Makes packets of this size the usual ones on a path segment; they come out `through` after they have entered.
    pub(crate) fn expect(&mut self, wire: WireSize, through: Span) {
        (self.wire, self.delay) = (wire, through.min(ENDLESS));
    }

    /// Sets the last instant at which packets that enter a path segment are only counted; with none, no packet is only
    /// counted.
    pub(crate) fn count_until(&mut self, until: Option<Time>) {
        self.unusual_wait = Span::from_nanos(u64::from(until.is_some()));
        self.next_snapshot = until.unwrap_or(Time::ZERO);
    }

    /// Makes packets that wait for `wait` or longer unusual on a link; where packets are stamped, each packet that
    /// waits at all.
    pub(crate) fn set_unusual_wait(&mut self, wait: Span) {
        self.unusual_wait = if self.stamps { wait.min(Span::from_nanos(1)) } else { wait };
    }

    /// Returns how long a packet waits that comes at `at`; none if the packet is unusual: it has another size, finds
    /// a longer queue than any since the last sample, or is the first after a sampling instant.
    #[inline(always)]
    pub(crate) fn usual_wait(&self, at: Time, wire: WireSize) -> Option<Span> {
        let waits = self.busy_until.since(at);
        let is_usual = wire == self.wire && waits < self.unusual_wait && at <= self.next_snapshot;
        is_usual.then_some(waits)
    }

    /// Accepts a usual packet, which comes during the run; returns its arrival at the other end.
    #[inline(always)]
    pub(crate) fn accept(&mut self, at: Time, waits: Span) -> Time {
        self.packets += 1;
        // each of these is at most [`ENDLESS`]
        let departure = at.as_nanos() + waits.as_nanos() + self.transmission.as_nanos();
        self.busy_until = Time::from_nanos(departure);
        Time::from_nanos(departure + self.delay.as_nanos())
    }

    /// Returns when the packet accepted last comes out, which is after all that were accepted before.
    pub(crate) fn newest_arrival(&self) -> Time {
        self.busy_until + self.delay
    }

    /// Returns the stamp of a packet that has waited for `waits`.
    pub(crate) fn stamp(&self, waits: Span) -> Aqt {
        if self.stamps { Aqt::ZERO.plus(waits) } else { Aqt::ZERO }
    }
}

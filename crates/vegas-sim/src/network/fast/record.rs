//! What nearly every packet touches of a link, in one line of the cache.
//!
//! Most packets on drop-tail links are of the usual size, find others of that size, or none, in a queue that has been as
//! long before, and no sample is taken in between. Then three comparisons tell that nothing else has to be done than to
//! count the packet and to work out when it comes out. A path segment of links on which nothing ever waits
//! ([`crate::network::fast::lookahead::path_segment`]) is the same: its transmitter takes no time, and its delay is all
//! of the way through.

use vegas_core::aqt::Aqt;
use vegas_core::units::{Span, Time};

use crate::packet::WireSize;
use crate::scenario::LinkKind;

/// A drop-tail link, or a path segment, as a packet of the usual size meets it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct LinkRecord {
    /// How long each packet in the queue is sent.
    pub(crate) transmission: Span,
    /// A packet that waits for this time or longer finds no room, or comes to a longer queue than any since the last sample.
    unusual_wait: Span,
    /// The first sampling instant of which there is no snapshot yet; never, if what is offered comes at once.
    pub(crate) next_snapshot: Time,
    /// Accepted since the size became usual; the others are counted elsewhere.
    pub(crate) packets: u64,
    /// The transmitter is busy until then.
    pub(crate) busy_until: Time,
    /// From the transmitter to the other end.
    delay: Span,
    pub(crate) exit: Exit,
    /// The usual size, that of all packets in the queue; no packet's while they are listed.
    pub(crate) wire: WireSize,
    /// Stamps its queueing time into every packet; only flows that ask for it read it.
    stamps: bool,
}

/// Where packets come out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The link, of a path segment its last one.
    pub(crate) link: u32,
    /// The delay line on which what it has accepted goes on; if it is not plain, the delay line of its own arrivals.
    pub(crate) delay_line: u32,
}

const _: () = assert!(size_of::<LinkRecord>() == 64);

/// The size of no packet.
pub(crate) const NO_SIZE: WireSize = WireSize::ZERO;
/// Longer than any run, 146 years: what takes longer ends after the run in any case, and no sum of times is too large.
pub(crate) const ENDLESS: Span = Span::from_nanos(u64::MAX / 4);

impl LinkRecord {
    /// A link on which there is no usual size yet.
    pub(crate) fn link(exit: Exit, spec: &LinkKind) -> Self {
        LinkRecord { delay: spec.delay.min(ENDLESS), stamps: spec.aqt, ..LinkRecord::segment(exit) }
    }

    /// A path segment on which there is no usual size yet.
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

    /// Packets of this size are usual on a path segment from now on, and come out `through` after they have entered.
    pub(crate) fn expect(&mut self, wire: WireSize, through: Span) {
        (self.wire, self.delay) = (wire, through.min(ENDLESS));
    }

    /// Those that enter a path segment until then are counted, and no more is done; none are, if it is none.
    pub(crate) fn count_until(&mut self, until: Option<Time>) {
        self.unusual_wait = Span::from_nanos(u64::from(until.is_some()));
        self.next_snapshot = until.unwrap_or(Time::ZERO);
    }

    /// A packet that waits for `wait` or longer is unusual on a link; where waiting is stamped, each that waits at all.
    pub(crate) fn set_unusual_wait(&mut self, wait: Span) {
        self.unusual_wait = if self.stamps { wait.min(Span::from_nanos(1)) } else { wait };
    }

    /// How long a packet waits for its turn that comes at `at`; none where that is unusual: another size, more than have
    /// waited before, or the first after a sampling instant.
    #[inline(always)]
    pub(crate) fn usual_wait(&self, at: Time, wire: WireSize) -> Option<Span> {
        let waits = self.busy_until.since(at);
        let is_usual = wire == self.wire && waits < self.unusual_wait && at <= self.next_snapshot;
        is_usual.then_some(waits)
    }

    /// Accepts such a packet, which comes during the run: when it comes out.
    #[inline(always)]
    pub(crate) fn accept(&mut self, at: Time, waits: Span) -> Time {
        self.packets += 1;
        // each of these is [`ENDLESS`] at most
        let departure = at.as_nanos() + waits.as_nanos() + self.transmission.as_nanos();
        self.busy_until = Time::from_nanos(departure);
        Time::from_nanos(departure + self.delay.as_nanos())
    }

    /// When the packet accepted last comes out, after all that were accepted before.
    pub(crate) fn newest_arrival(&self) -> Time {
        self.busy_until + self.delay
    }

    /// What a packet is stamped with that has waited for `waits`.
    pub(crate) fn stamp(&self, waits: Span) -> Aqt {
        if self.stamps { Aqt::ZERO.plus(waits) } else { Aqt::ZERO }
    }
}

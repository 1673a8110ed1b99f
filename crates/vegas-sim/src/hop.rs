//! What nearly every packet touches of a link, in one line of the cache.
//!
//! Most packets on drop-tail links are of the usual size, find others of that size, or nobody, in a queue that has been as
//! long before, and nobody looks in between. Then three comparisons tell that nothing else has to be done than to count
//! the packet and to work out when it comes out. A chain of links on which nothing ever waits ([`crate::chains`]) is
//! the same: its transmitter takes no time, and its delay is all of the way through.

use vegas_core::aqt::Aqt;
use vegas_core::units::{Span, Time};

use crate::scenario::LinkKind;

/// A drop-tail link, or a chain, as a packet of the usual size meets it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Hop {
    /// How long each of those who stay is sent.
    pub(crate) transmission: Span,
    /// Who waits for so long finds no room, or comes to a longer queue than any since the last sample.
    unusual_wait: Span,
    /// Somebody looks then, and it is not noted yet what there was; never, if what is offered comes at once.
    pub(crate) next_look: Time,
    /// Accepted since the size became usual; the others are counted elsewhere.
    pub(crate) packets: u64,
    /// The transmitter is busy until then.
    pub(crate) busy_until: Time,
    /// From the transmitter to the other end.
    delay: Span,
    pub(crate) exit: Exit,
    /// The usual size, that of all those who stay; no packet's while they are listed.
    pub(crate) wire: u16,
    /// Stamps its queueing time into every packet; only flows that ask for it look.
    stamps: bool,
}

/// Where packets come out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The link, of a chain its last one.
    pub(crate) link: u32,
    /// The lane on which what it has accepted goes on; if it is not plain, the lane of its own arrivals.
    pub(crate) lane: u32,
}

const _: () = assert!(size_of::<Hop>() == 64);

/// No packet is so small.
pub(crate) const NO_SIZE: u16 = 0;
/// Longer than any run, 146 years: what takes longer ends after the run all the same, and no sum of times is too large.
pub(crate) const ENDLESS: Span = Span::from_nanos(u64::MAX / 4);

impl Hop {
    /// A link on which there is no usual size yet.
    pub(crate) fn link(exit: Exit, spec: &LinkKind) -> Self {
        Hop { delay: spec.delay.min(ENDLESS), stamps: spec.aqt, ..Hop::chain(exit) }
    }

    /// The same of a chain.
    pub(crate) fn chain(exit: Exit) -> Self {
        Hop {
            transmission: Span::ZERO,
            unusual_wait: Span::ZERO,
            next_look: Time::NEVER,
            packets: 0,
            busy_until: Time::ZERO,
            delay: Span::ZERO,
            exit,
            wire: NO_SIZE,
            stamps: false,
        }
    }

    /// Packets of so many bytes are usual on a chain, and come out so long after they have entered.
    pub(crate) fn expect(&mut self, wire: u16, through: Span) {
        (self.wire, self.delay) = (wire, through.min(ENDLESS));
    }

    /// Those that enter a chain until then are counted, and no more is done; none are, if it is none.
    pub(crate) fn count_until(&mut self, until: Option<Time>) {
        self.unusual_wait = Span::from_nanos(u64::from(until.is_some()));
        self.next_look = until.unwrap_or(Time::ZERO);
    }

    /// Who waits for so long is unusual on a link; where waiting is stamped, whoever waits at all.
    pub(crate) fn set_unusual_wait(&mut self, wait: Span) {
        self.unusual_wait = if self.stamps { wait.min(Span::from_nanos(1)) } else { wait };
    }

    /// How long a packet waits for its turn that comes at `at`; none where that is unusual: another size, more than have waited
    /// before, or the first after a look.
    #[inline(always)]
    pub(crate) fn usual_wait(&self, at: Time, wire: u16) -> Option<Span> {
        let waits = self.busy_until.since(at);
        let is_usual = wire == self.wire && waits < self.unusual_wait && at <= self.next_look;
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

    /// What a packet that has waited so long is stamped with.
    pub(crate) fn stamp(&self, waits: Span) -> Aqt {
        if self.stamps { Aqt::ZERO.plus(waits) } else { Aqt::ZERO }
    }
}

//! A link on which no packet ever waits (`engine/ahead.rs` says which): what has left it is arithmetic, and nothing is
//! kept of a packet that has passed. Such links are passed in chains ([`crate::chains`]).

use vegas_core::units::{Bytes, Rate, Span, Time};

use crate::hop::Hop;
use crate::looks::{Looks, Noted};
use crate::outcome::QueueingTimes;
use crate::stays::Totals;

/// Such a link.
#[derive(Clone, Debug)]
pub(crate) struct Passing {
    rate: Rate,
    delay: Span,
    /// What had passed when last looked at.
    pub(crate) passed: Passed,
}

/// A chain's way through one of its links, and what that has sent of the chain's packets.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    /// Which of the links on which nothing waits.
    pub(crate) passing: u32,
    /// Size of the last packet that the chain does not count.
    wire: u16,
    /// Whether any packet has come.
    is_reached: bool,
    /// How long it sends a packet of the chain's usual size, and how long after entering the chain that has left it.
    usual: Span,
    lag: Span,
    /// Of the last packet that the chain does not count.
    transmission: Span,
    /// Such packets.
    unusual: Sent,
    noted: Noted<Sent>,
}

/// What a transmitter has sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) bytes: u64,
    pub(crate) busy_ns: u64,
}

impl Passing {
    pub(crate) fn new(rate: Rate, delay: Span) -> Self {
        Passing { rate, delay, passed: Passed::default() }
    }

    fn transmission(&self, wire: u16) -> Span {
        self.rate.time_for(Bytes::new(wire.into()))
    }
}

impl Passage {
    /// A way through a link that is looked at then.
    pub(crate) fn new(passing: u32, looks: Looks) -> Self {
        Passage {
            passing,
            wire: 0,
            is_reached: false,
            usual: Span::ZERO,
            lag: Span::ZERO,
            transmission: Span::ZERO,
            unusual: Sent::default(),
            noted: Noted::new(looks),
        }
    }

    /// Packets of so many bytes are usual, and come so long after entering the chain; how long after it they arrive at the
    /// other end. There have been none yet.
    pub(crate) fn expect(&mut self, link: &Passing, wire: u16, before: Span) -> Span {
        self.usual = link.transmission(wire);
        self.lag = before + self.usual;
        self.lag + link.delay
    }

    /// What enters the chain until then, and is of the usual size, leaves here before the next look or at it; none if nothing
    /// does.
    pub(crate) fn unseen_until(&self) -> Option<Time> {
        let next = self.noted.next();
        (next >= Time::ZERO + self.lag).then(|| next - self.lag)
    }

    /// A packet that the chain does not count comes at `at`; when it arrives at the other end. `chain` has counted the others.
    pub(crate) fn pass(&mut self, link: &Passing, at: Time, wire: u16, chain: &Hop) -> Time {
        if wire != self.wire {
            (self.wire, self.transmission) = (wire, link.transmission(wire));
        }
        let departure = at + self.transmission;
        if self.noted.is_due(departure) {
            self.note(departure, chain);
        }
        self.is_reached = true;
        self.unusual.bytes += u64::from(wire);
        self.unusual.busy_ns += self.transmission.as_nanos();
        departure + link.delay
    }

    /// At a look a packet may be in the transmitter: of its time what has passed counts, of its bytes none.
    fn note(&mut self, departure: Time, chain: &Hop) {
        let (before, transmission) = (self.sent(chain), self.transmission);
        self.noted.note(departure, |look| {
            let ahead = departure.since(look).min(transmission);
            Sent { busy_ns: before.busy_ns + transmission.less(ahead).as_nanos(), ..before }
        });
    }

    fn sent(&self, chain: &Hop) -> Sent {
        Sent {
            bytes: self.unusual.bytes + chain.packets * u64::from(chain.wire),
            busy_ns: self.unusual.busy_ns + chain.packets * self.usual.as_nanos(),
        }
    }

    /// Somebody looks, at the next of the instants that were announced.
    pub(crate) fn look(&mut self, chain: &Hop) -> Passed {
        let sent = self.sent(chain);
        Passed { sent: self.noted.look(|| sent), is_reached: self.is_reached }
    }
}

/// What had passed a link when somebody looked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    sent: Sent,
    /// Whether anything has come, be it later.
    is_reached: bool,
}

impl Passed {
    /// What has passed by another chain comes to it.
    pub(crate) fn add(&mut self, other: Passed) {
        self.sent.bytes += other.sent.bytes;
        self.sent.busy_ns += other.sent.busy_ns;
        self.is_reached |= other.is_reached;
    }

    pub(crate) fn queueing_times(&self) -> Option<QueueingTimes> {
        self.is_reached.then(QueueingTimes::default)
    }

    pub(crate) fn totals(&self) -> Totals {
        Totals { departed_bytes: self.sent.bytes, busy_ns: self.sent.busy_ns, ..Totals::default() }
    }
}

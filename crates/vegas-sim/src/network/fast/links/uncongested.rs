//! A link on which no packet ever waits (`network/fast/lookahead/plan.rs` finds these links): what has left it follows
//! by arithmetic, and nothing is kept of a packet that has passed. Such links are passed in path segments
//! ([`crate::network::fast::links::path_segment`]).

use vegas_core::units::{Rate, Span, Time};

use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::QueueingTimes;
use crate::measure::sampling::{SamplingInstants, Snapshots};
use crate::network::fast::record::LinkRecord;
use crate::packet::WireSize;

/// An uncongested link.
#[derive(Clone, Debug)]
pub(crate) struct UncongestedLink {
    rate: Rate,
    delay: Span,
    /// What had passed the link when it was last sampled.
    pub(crate) passed: Passed,
}

/// A path segment's part in one of its links, with what the link has sent of the path segment's packets.
#[derive(Clone, Debug)]
pub(crate) struct SegmentLink {
    /// The index of the link among the uncongested links.
    pub(crate) uncongested: u32,
    /// The size of the last packet that the path segment's record did not count.
    wire: WireSize,
    /// Whether any packet has come.
    is_reached: bool,
    /// How long the link sends a packet of the path segment's usual size, and how long after it entered the path
    /// segment such a packet has left the link.
    usual: Span,
    lag: Span,
    /// The transmission time of the last packet that the record did not count.
    transmission: Span,
    /// The packets that the record did not count.
    unusual: Sent,
    snapshots: Snapshots<Sent>,
}

/// What a transmitter has sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) bytes: u64,
    pub(crate) busy: Span,
}

impl UncongestedLink {
    pub(crate) fn new(rate: Rate, delay: Span) -> Self {
        UncongestedLink { rate, delay, passed: Passed::default() }
    }

    fn transmission(&self, wire: WireSize) -> Span {
        wire.transmission(self.rate)
    }
}

impl SegmentLink {
    /// Returns the memory that this takes, itself included, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<SegmentLink>() + self.snapshots.memory_bytes()
    }

    /// Returns the part in a link that is sampled at `instants`.
    pub(crate) fn new(uncongested: u32, instants: SamplingInstants) -> Self {
        SegmentLink {
            uncongested,
            wire: WireSize::ZERO,
            is_reached: false,
            usual: Span::ZERO,
            lag: Span::ZERO,
            transmission: Span::ZERO,
            unusual: Sent::default(),
            snapshots: Snapshots::new(instants),
        }
    }

    /// Makes packets of this size the usual ones; they come `before` after they have entered the path segment. Returns
    /// how long after they entered it they arrive at the other end of the link. No packet has been counted before.
    pub(crate) fn expect(&mut self, link: &UncongestedLink, wire: WireSize, before: Span) -> Span {
        self.usual = link.transmission(wire);
        self.lag = before + self.usual;
        self.lag + link.delay
    }

    /// Returns the last instant at which a packet of the usual size may enter the path segment and leave this link by
    /// the next sampling instant; none if there is no such instant.
    pub(crate) fn unsampled_until(&self) -> Option<Time> {
        let next = self.snapshots.next();
        (next >= Time::ZERO + self.lag).then(|| next - self.lag)
    }

    /// Passes a packet that the record `segment` does not count, and that comes at `at`; returns when it arrives at the
    /// other end of the link.
    pub(crate) fn pass(&mut self, link: &UncongestedLink, at: Time, wire: WireSize, segment: &LinkRecord) -> Time {
        if wire != self.wire {
            (self.wire, self.transmission) = (wire, link.transmission(wire));
        }
        let departure = at + self.transmission;
        if self.snapshots.is_due(departure) {
            self.note(departure, segment);
        }
        self.is_reached = true;
        self.unusual.bytes += u64::from(wire);
        self.unusual.busy += self.transmission;
        departure + link.delay
    }

    /// Takes the snapshots before `departure`. At a sampling instant the packet may be in the transmitter: the part of
    /// its transmission time that has passed counts, and none of its bytes.
    fn note(&mut self, departure: Time, segment: &LinkRecord) {
        let (before, transmission) = (self.sent(segment), self.transmission);
        self.snapshots.take_before(departure, |look| {
            let ahead = departure.since(look).min(transmission);
            Sent { busy: before.busy + transmission.less(ahead), ..before }
        });
    }

    fn sent(&self, segment: &LinkRecord) -> Sent {
        Sent {
            bytes: self.unusual.bytes + segment.packets * u64::from(segment.wire),
            busy: self.unusual.busy + Span::from_nanos(segment.packets * self.usual.as_nanos()),
        }
    }

    /// Returns what has passed at the next sampling instant.
    pub(crate) fn look(&mut self, segment: &LinkRecord) -> Passed {
        let sent = self.sent(segment);
        Passed { sent: self.snapshots.read(|| sent), is_reached: self.is_reached }
    }
}

/// What had passed a link at a sampling instant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    sent: Sent,
    /// Whether any packet has come, which may be after the sampling instant.
    is_reached: bool,
}

impl Passed {
    /// Adds what has passed by another path segment.
    pub(crate) fn add(&mut self, other: Passed) {
        self.sent.bytes += other.sent.bytes;
        self.sent.busy += other.sent.busy;
        self.is_reached |= other.is_reached;
    }

    pub(crate) fn queueing_times(&self) -> Option<QueueingTimes> {
        self.is_reached.then(QueueingTimes::default)
    }

    pub(crate) fn totals(&self) -> LinkTotals {
        LinkTotals { departed_bytes: self.sent.bytes, busy: self.sent.busy, ..LinkTotals::default() }
    }
}

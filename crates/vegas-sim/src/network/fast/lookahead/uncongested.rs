//! A link on which no packet ever waits (`network/fast/lookahead/plan.rs` says which): what has left it is arithmetic,
//! and nothing is kept of a packet that has passed. Such links are passed in path segments
//! ([`crate::network::fast::lookahead::path_segment`]).

use vegas_core::units::{Rate, Span, Time};

use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::QueueingTimes;
use crate::measure::sampling::{SamplingInstants, Snapshots};
use crate::network::fast::record::LinkRecord;
use crate::packet::WireSize;

/// Such a link.
#[derive(Clone, Debug)]
pub(crate) struct UncongestedLink {
    rate: Rate,
    delay: Span,
    /// What had passed when it was last sampled.
    pub(crate) passed: Passed,
}

/// A path segment's way through one of its links, and what that has sent of the path segment's packets.
#[derive(Clone, Debug)]
pub(crate) struct SegmentLink {
    /// Which of the links on which nothing waits.
    pub(crate) uncongested: u32,
    /// Size of the last packet that the path segment does not count.
    wire: WireSize,
    /// Whether any packet has come.
    is_reached: bool,
    /// How long it sends a packet of the path segment's usual size, and how long after entering the path segment that has
    /// left it.
    usual: Span,
    lag: Span,
    /// Of the last packet that the path segment does not count.
    transmission: Span,
    /// Such packets.
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
    /// What it holds, with itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<SegmentLink>() + self.snapshots.memory_bytes()
    }

    /// A way through a link that is sampled then.
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

    /// Packets of this size are usual from now on, and come `before` after they have entered the path segment: how long
    /// after that they arrive at the other end. There have been none yet.
    pub(crate) fn expect(&mut self, link: &UncongestedLink, wire: WireSize, before: Span) -> Span {
        self.usual = link.transmission(wire);
        self.lag = before + self.usual;
        self.lag + link.delay
    }

    /// What enters the path segment until then, and is of the usual size, leaves here before the next sampling instant or
    /// at it; none if nothing does.
    pub(crate) fn unsampled_until(&self) -> Option<Time> {
        let next = self.snapshots.next();
        (next >= Time::ZERO + self.lag).then(|| next - self.lag)
    }

    /// A packet that the path segment does not count comes at `at`; when it arrives at the other end. `path segment` has
    /// counted the others.
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

    /// At a sampling instant a packet may be in the transmitter: of its time what has passed counts, of its bytes none.
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

    /// What has passed at the next of the sampling instants that were announced.
    pub(crate) fn look(&mut self, segment: &LinkRecord) -> Passed {
        let sent = self.sent(segment);
        Passed { sent: self.snapshots.read(|| sent), is_reached: self.is_reached }
    }
}

/// What had passed a link at a sampling instant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    sent: Sent,
    /// Whether anything has come, be it later.
    is_reached: bool,
}

impl Passed {
    /// What has passed by another path segment comes to it.
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

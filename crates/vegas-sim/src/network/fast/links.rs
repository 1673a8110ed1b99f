//! All links, and the path segments of those on which nothing ever waits.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use vegas_core::units::{Span, Time};

use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::QueueingTimes;
use crate::measure::sampling::SamplingInstants;
use crate::network::fast::link::{Link, Offer};
use crate::network::fast::lookahead::path_segment::PathSegment;
use crate::network::fast::lookahead::uncongested::{Passed, SegmentLink, UncongestedLink};
use crate::network::fast::managed::AqmVerdict;
use crate::network::fast::record::{Exit, LinkRecord};
use crate::network::labels::Labels;
use crate::packet::{Packet, WireSize};
use crate::scenario::{LinkChange, LinkId};

/// All links and path segments at work. What packets touch of them lies side by side.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// What each link is, and which of those.
    kinds: Vec<Kind>,
    /// Links that work, each packet by itself; their records come first, then those of path segments.
    working: Vec<Link>,
    records: Vec<LinkRecord>,
    segments: Vec<PathSegment>,
    /// The records of path segments, by their links; nothing once no more are asked for.
    ids: BTreeMap<Vec<LinkId>, u32>,
    /// Links on which nothing ever waits.
    uncongested: Vec<UncongestedLink>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Working(u32),
    Uncongested(u32),
}

impl Links {
    /// How many links there are.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The next link is one that works. All links are there before the first path segment.
    pub(crate) fn push(&mut self, record: LinkRecord, link: Link) {
        debug_assert!(self.segments.is_empty());
        self.kinds.push(Kind::Working(self.working.len() as u32));
        self.working.push(link);
        self.records.push(record);
    }

    /// The next link is one on which nothing ever waits.
    pub(crate) fn push_uncongested(&mut self, link: UncongestedLink) {
        self.kinds.push(Kind::Uncongested(self.uncongested.len() as u32));
        self.uncongested.push(link);
    }

    /// The record of a link that works.
    pub(crate) fn record(&self, link: LinkId) -> u32 {
        match self.kinds[link] {
            Kind::Working(at) => at,
            Kind::Uncongested(_) => unreachable!("packets pass it in chains"),
        }
    }

    /// The record that is the path segment of these links, on which nothing ever waits, and which are sampled then. Of a
    /// path segment that there is not yet, no sample has been taken. What comes out goes on on this delay line.
    pub(crate) fn segment(&mut self, links: &[LinkId], delay_line: u32, instants: SamplingInstants) -> u32 {
        if let Some(id) = self.ids.get(links) {
            return *id;
        }
        let link = |link: &LinkId| match self.kinds[*link] {
            Kind::Uncongested(at) => SegmentLink::new(at, instants),
            Kind::Working(_) => unreachable!("packets wait for it"),
        };
        self.segments.push(PathSegment::new(links.iter().map(link).collect()));
        let id = self.records.len() as u32;
        let link = *links.last().expect("a segment has links") as u32;
        self.records.push(LinkRecord::segment(Exit { link, delay_line }));
        self.ids.insert(links.to_vec(), id);
        id
    }

    /// No more path segments are asked for.
    pub(crate) fn end_segments(&mut self) {
        self.ids = BTreeMap::new();
    }

    /// Packets are offered to a link ahead of their time; samples are taken at these instants.
    pub(crate) fn sample_at(&mut self, link: LinkId, instants: SamplingInstants) {
        let (link, record) = self.parts(link);
        link.sample_at(record, instants);
    }

    /// A link that works, with its record.
    fn parts(&mut self, link: LinkId) -> (&mut Link, &mut LinkRecord) {
        let record = self.record(link) as usize;
        (&mut self.working[record], &mut self.records[record])
    }

    /// Where packets come out of a record.
    #[inline(always)]
    pub(crate) fn exit(&self, record: usize) -> Exit {
        self.records[record].exit
    }

    /// A packet comes to a plain link, or to a path segment, at `at`: now, or later if that is fed ahead of time. Packets come
    /// in the order of `at`. When it comes out; none where that is a new size, more than have waited before, or the first
    /// after a sampling instant, or where waiting is stamped ([`Links::offer_unusual`]).
    #[inline(always)]
    pub(crate) fn offer_usual(&mut self, record: usize, at: Time, wire: WireSize) -> Option<Time> {
        let here = &mut self.records[record];
        let waits = here.usual_wait(at, wire)?;
        if waits > Span::ZERO {
            self.working[record].note_wait(waits);
        }
        Some(here.accept(at, waits))
    }

    /// Another packet comes: when it comes out, if the link has room; of a path segment, if that is by `end`, else some
    /// time after `end`.
    #[inline(never)]
    pub(crate) fn offer_unusual(&mut self, record: usize, at: Time, packet: &mut Packet, end: Time) -> Option<Time> {
        let (at_work, here) = (self.working.len(), &mut self.records[record]);
        let Some(link) = self.working.get_mut(record) else {
            return Some(self.segments[record - at_work].pass_each(here, &self.uncongested, at, packet.wire(), end));
        };
        let waits = link.offer(here, at, packet.wire())?;
        *packet = packet.stamped(here.stamp(waits));
        Some(here.newest_arrival())
    }

    /// Whether any link may lose packets, hold them back, double them or carry them beside it.
    pub(crate) fn are_impaired(&self) -> bool {
        self.working.iter().any(Link::is_impaired)
    }

    /// Whether a record is a plain link.
    pub(crate) fn is_plain(&self, record: usize) -> bool {
        self.working[record].is_plain()
    }

    /// A packet comes to a link that is managed or impaired.
    #[inline(always)]
    pub(crate) fn offer_special(&mut self, record: usize, now: Time, packet: &mut Packet, labels: &Labels) -> Offer {
        self.working[record].offer_special(&mut self.records[record], now, packet, labels)
    }

    /// Whether the managed queue of a record has dropped or marked anything that is not handed over.
    #[inline(always)]
    pub(crate) fn has_verdicts(&self, record: usize) -> bool {
        self.working[record].has_verdicts()
    }

    /// Gives a link, which is caught up, new values.
    pub(crate) fn change(&mut self, change: &LinkChange) {
        let (link, record) = self.parts(change.link);
        link.change(record, change);
    }

    /// Brings a link's queue and totals up to `now`. What leaves at `now` has left.
    pub(crate) fn catch_up(&mut self, link: LinkId, now: Time) {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].catch_up(&mut self.records[at as usize], now),
            // what its path segments have sent is added when they are sampled
            Kind::Uncongested(at) => self.uncongested[at as usize].passed = Passed::default(),
        }
    }

    /// After all links are caught up, at one of the instants that were announced: adds what their path segments have sent.
    pub(crate) fn add_path_segments(&mut self) {
        for (segment, record) in self.segments.iter_mut().zip(&self.records[self.working.len()..]) {
            segment.look(record, &mut self.uncongested);
        }
    }

    /// When the next packet leaves a link, after the last [`Links::catch_up`], if a row is written at each departure.
    pub(crate) fn next_departure(&self, link: LinkId) -> Option<Time> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].next_departure(),
            Kind::Uncongested(_) => None,
        }
    }

    /// What a managed queue has dropped and marked, and when: one packet after the other.
    pub(crate) fn take_verdict(&mut self, link: LinkId) -> Option<(Time, Packet, AqmVerdict)> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].take_verdict(),
            Kind::Uncongested(_) => None,
        }
    }

    /// What had happened on a link by `now`, at which it was caught up.
    pub(crate) fn totals(&self, link: LinkId, now: Time) -> LinkTotals {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].totals(&self.records[at as usize], now),
            Kind::Uncongested(at) => self.uncongested[at as usize].passed.totals(),
        }
    }

    /// How long packets have waited for a link; those that still wait in a drop-tail queue as long as they will by now's
    /// rate.
    pub(crate) fn queueing_times(&self, link: LinkId) -> Option<QueueingTimes> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].queueing_times(&self.records[at as usize]),
            Kind::Uncongested(at) => self.uncongested[at as usize].passed.queueing_times(),
        }
    }

    /// A link's greatest queue is sought anew, after a sample at which `waiting` packets wait.
    pub(crate) fn begin_step(&mut self, link: LinkId, waiting: u32) {
        if let Kind::Working(at) = self.kinds[link] {
            self.working[at as usize].begin_step(&mut self.records[at as usize], waiting);
        }
    }

    /// What links and path segments hold beside themselves, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let links: usize = self.working.iter().map(Link::memory_bytes).sum();
        links + self.segments.iter().map(PathSegment::memory_bytes).sum::<usize>()
    }

    /// Packets inside links that are managed or impaired. What went into each of these has come out, was lost, or is
    /// inside.
    pub(crate) fn check_conservation(&self) -> u64 {
        let conserved = |link: &Link| {
            assert!(link.conserves(), "packets were made or lost on a link: {link:?}");
            link.inside()
        };
        self.working.iter().map(conserved).sum()
    }
}

/// Links that work.
impl Index<LinkId> for Links {
    type Output = Link;

    fn index(&self, link: LinkId) -> &Link {
        &self.working[self.record(link) as usize]
    }
}

impl IndexMut<LinkId> for Links {
    fn index_mut(&mut self, link: LinkId) -> &mut Link {
        self.parts(link).0
    }
}

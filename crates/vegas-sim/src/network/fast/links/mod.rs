//! All links, and the path segments of uncongested links.

pub(super) mod path_segment;
pub(super) mod uncongested;

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use vegas_core::units::{Span, Time};

use crate::measure::link_totals::LinkTotals;
use crate::measure::outcome::{QueueOutcome, QueueingTimes};
use crate::measure::sampling::SamplingInstants;
use crate::network::fast::link::{Link, Offer};
use crate::network::fast::links::path_segment::PathSegment;
use crate::network::fast::links::uncongested::{Passed, SegmentLink, UncongestedLink};
use crate::network::fast::managed::AqmVerdict;
use crate::network::fast::record::{Exit, LinkRecord};
use crate::network::labels::Labels;
use crate::packet::{Packet, WireSize};
use crate::scenario::{LinkChange, LinkId};

/// All links and path segments with their present state. The records that each packet touches lie side by side.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// The kind of each link, with its index among the links of that kind.
    kinds: Vec<Kind>,
    /// The links that handle each packet by itself. Their records come first in `records`; those of path segments
    /// follow.
    working: Vec<Link>,
    records: Vec<LinkRecord>,
    segments: Vec<PathSegment>,
    /// The index in `records` of each path segment, by its links; empty once no more path segments are requested.
    ids: BTreeMap<Vec<LinkId>, u32>,
    /// The links on which no packet ever waits.
    uncongested: Vec<UncongestedLink>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Working(u32),
    Uncongested(u32),
}

impl Links {
    /// Returns the number of links.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Adds the next link, which handles each packet by itself. All links are added before the first path segment.
    pub(crate) fn push(&mut self, record: LinkRecord, link: Link) {
        debug_assert!(self.segments.is_empty());
        self.kinds.push(Kind::Working(self.working.len() as u32));
        self.working.push(link);
        self.records.push(record);
    }

    /// Adds the next link, which is uncongested.
    pub(crate) fn push_uncongested(&mut self, link: UncongestedLink) {
        self.kinds.push(Kind::Uncongested(self.uncongested.len() as u32));
        self.uncongested.push(link);
    }

    /// Returns the index of the record of a link that handles each packet by itself.
    pub(crate) fn record(&self, link: LinkId) -> u32 {
        match self.kinds[link] {
            Kind::Working(at) => at,
            Kind::Uncongested(_) => unreachable!("packets pass it in chains"),
        }
    }

    /// Returns the index of the record of the path segment of these uncongested links, and makes the path segment if it
    /// is new. `instants` are the sampling instants; no sample has been taken before a path segment is made. Packets
    /// that come out of it continue on `delay_line`.
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

    /// Ends the set-up of path segments: no more are requested.
    pub(crate) fn end_segments(&mut self) {
        self.ids = BTreeMap::new();
    }

    /// Prepares a link to which packets are offered ahead of time. Samples are taken at `instants`.
    pub(crate) fn sample_at(&mut self, link: LinkId, instants: SamplingInstants) {
        let (link, record) = self.parts(link);
        link.sample_at(record, instants);
    }

    /// Returns a link that handles each packet by itself, with its record.
    fn parts(&mut self, link: LinkId) -> (&mut Link, &mut LinkRecord) {
        let record = self.record(link) as usize;
        (&mut self.working[record], &mut self.records[record])
    }

    /// Returns where packets come out of a record.
    #[inline(always)]
    pub(crate) fn exit(&self, record: usize) -> Exit {
        self.records[record].exit
    }

    /// Offers a packet to a plain link or a path segment at `at`, which is now, or later if the link is fed ahead of
    /// time. Packets come in the order of `at`. Returns the packet's arrival at the other end; none if the packet is
    /// unusual: it has a new size, finds a longer queue than any since the last sample, is the first after a
    /// sampling instant, or has to be stamped with its waiting time ([`Links::offer_unusual`]).
    #[inline(always)]
    pub(crate) fn offer_usual(&mut self, record: usize, at: Time, wire: WireSize) -> Option<Time> {
        let here = &mut self.records[record];
        let waits = here.usual_wait(at, wire)?;
        if waits > Span::ZERO {
            self.working[record].note_wait(waits);
        }
        Some(here.accept(at, waits))
    }

    /// Offers an unusual packet. Returns its arrival at the other end, if the link has room; of a path segment, some
    /// time after `end` if the arrival is not by `end`.
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

    /// Returns whether any link may lose packets, hold them back, duplicate them or carry them beside it.
    pub(crate) fn are_impaired(&self) -> bool {
        self.working.iter().any(Link::is_impaired)
    }

    /// Returns whether the link of a record is plain.
    pub(crate) fn is_plain(&self, record: usize) -> bool {
        self.working[record].is_plain()
    }

    /// Offers a packet to a link that is managed or impaired.
    #[inline(always)]
    pub(crate) fn offer_special(&mut self, record: usize, now: Time, packet: &mut Packet, labels: &Labels) -> Offer {
        self.working[record].offer_special(&mut self.records[record], now, packet, labels)
    }

    /// Returns whether the managed queue of a record has verdicts that are not handed over.
    #[inline(always)]
    pub(crate) fn has_verdicts(&self, record: usize) -> bool {
        self.working[record].has_verdicts()
    }

    /// Gives new values to a link, which has been brought up to now.
    pub(crate) fn change(&mut self, change: &LinkChange) {
        let (link, record) = self.parts(change.link);
        link.change(record, change);
    }

    /// Brings a link's queue and totals up to `now`. A packet that departs at `now` has left.
    pub(crate) fn catch_up(&mut self, link: LinkId, now: Time) {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].catch_up(&mut self.records[at as usize], now),
            // what its path segments have sent is added when they are sampled
            Kind::Uncongested(at) => self.uncongested[at as usize].passed = Passed::default(),
        }
    }

    /// Adds what path segments have sent to the totals of their links. All links have been brought up to now, which is
    /// a sampling instant.
    pub(crate) fn add_path_segments(&mut self) {
        for (segment, record) in self.segments.iter_mut().zip(&self.records[self.working.len()..]) {
            segment.look(record, &mut self.uncongested);
        }
    }

    /// Returns when the next packet leaves a link, after the last [`Links::catch_up`], if a row is written at each
    /// departure.
    pub(crate) fn next_departure(&self, link: LinkId) -> Option<Time> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].next_departure(),
            Kind::Uncongested(_) => None,
        }
    }

    /// Returns the next verdict of a managed queue with its packet and time, if one is not handed over.
    pub(crate) fn take_verdict(&mut self, link: LinkId) -> Option<(Time, Packet, AqmVerdict)> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].take_verdict(),
            Kind::Uncongested(_) => None,
        }
    }

    /// Returns the totals of a link at `now`, which is the time of its last [`Links::catch_up`].
    pub(crate) fn totals(&self, link: LinkId, now: Time) -> LinkTotals {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].totals(&self.records[at as usize], now),
            Kind::Uncongested(at) => self.uncongested[at as usize].passed.totals(),
        }
    }

    /// Returns how long packets have waited for a link. Packets that still wait in a drop-tail queue count with the
    /// time that they will have waited if the rate stays as it is.
    pub(crate) fn queueing_times(&self, link: LinkId) -> Option<QueueingTimes> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].queueing_times(&self.records[at as usize]),
            Kind::Uncongested(at) => self.uncongested[at as usize].passed.queueing_times(),
        }
    }

    /// Returns the totals of each queue of a link with a discipline that has several with names.
    pub(crate) fn queues(&self, link: LinkId) -> Vec<QueueOutcome> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].queues(),
            Kind::Uncongested(_) => Vec::new(),
        }
    }

    /// Begins a new interval for a link's greatest queue, after a sample at which `waiting` packets wait.
    pub(crate) fn begin_step(&mut self, link: LinkId, waiting: u32) {
        if let Kind::Working(at) = self.kinds[link] {
            self.working[at as usize].begin_step(&mut self.records[at as usize], waiting);
        }
    }

    /// Returns the memory that links and path segments take beside themselves, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let links: usize = self.working.iter().map(Link::memory_bytes).sum();
        links + self.segments.iter().map(PathSegment::memory_bytes).sum::<usize>()
    }

    /// Returns the number of packets inside links that are managed or impaired. Checks that each packet that entered
    /// one of them has left it, was lost, or is inside.
    pub(crate) fn check_conservation(&self) -> u64 {
        let conserved = |link: &Link| {
            assert!(link.conserves(), "packets were made or lost on a link: {link:?}");
            link.inside()
        };
        self.working.iter().map(conserved).sum()
    }
}

/// The links that handle each packet by itself.
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

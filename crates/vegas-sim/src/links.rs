//! All links, and the chains of those on which nothing ever waits.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use vegas_core::units::{Span, Time};

use crate::chains::Chain;
use crate::hop::{Exit, Hop};
use crate::link::{Link, Offer};
use crate::looks::Looks;
use crate::managed::Choice;
use crate::outcome::QueueingTimes;
use crate::packet::Packet;
use crate::passage::{Passage, Passed, Passing};
use crate::scenario::{LinkChange, LinkId};
use crate::stays::Totals;

/// All links and chains at work. What packets touch of them lies side by side.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// What each link is, and which of those.
    kinds: Vec<Kind>,
    /// Links that work, each packet by itself; their hops come first, then those of chains.
    working: Vec<Link>,
    hops: Vec<Hop>,
    chains: Vec<Chain>,
    /// The hops of chains, by their links; nothing once no more are asked for.
    ids: BTreeMap<Vec<LinkId>, u32>,
    /// Links on which nothing ever waits.
    passing: Vec<Passing>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Working(u32),
    Passing(u32),
}

impl Links {
    /// How many links there are.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The next link is one that works. All links are there before the first chain.
    pub(crate) fn push(&mut self, hop: Hop, link: Link) {
        debug_assert!(self.chains.is_empty());
        self.kinds.push(Kind::Working(self.working.len() as u32));
        self.working.push(link);
        self.hops.push(hop);
    }

    /// The next link is one on which nothing ever waits.
    pub(crate) fn push_passing(&mut self, link: Passing) {
        self.kinds.push(Kind::Passing(self.passing.len() as u32));
        self.passing.push(link);
    }

    /// The hop of a link that works.
    pub(crate) fn hop(&self, link: LinkId) -> u32 {
        match self.kinds[link] {
            Kind::Working(at) => at,
            Kind::Passing(_) => unreachable!("packets pass it in chains"),
        }
    }

    /// The hop that is the chain of these links, on which nothing ever waits, and which are looked at then. Of a chain that
    /// there is not yet, nothing has been looked at. What comes out goes on on this lane.
    pub(crate) fn chain(&mut self, links: &[LinkId], lane: u32, looks: Looks) -> u32 {
        if let Some(id) = self.ids.get(links) {
            return *id;
        }
        let passage = |link: &LinkId| match self.kinds[*link] {
            Kind::Passing(at) => Passage::new(at, looks),
            Kind::Working(_) => unreachable!("packets wait for it"),
        };
        self.chains.push(Chain::new(links.iter().map(passage).collect()));
        let id = self.hops.len() as u32;
        let link = *links.last().expect("a chain has links") as u32;
        self.hops.push(Hop::chain(Exit { link, lane }));
        self.ids.insert(links.to_vec(), id);
        id
    }

    /// No more chains are asked for.
    pub(crate) fn end_chains(&mut self) {
        self.ids = BTreeMap::new();
    }

    /// Packets are offered to a link ahead of their time; somebody looks then.
    pub(crate) fn look_at(&mut self, link: LinkId, looks: Looks) {
        let (link, hop) = self.parts(link);
        link.look_at(hop, looks);
    }

    /// A link that works, with its hop.
    fn parts(&mut self, link: LinkId) -> (&mut Link, &mut Hop) {
        let hop = self.hop(link) as usize;
        (&mut self.working[hop], &mut self.hops[hop])
    }

    /// Where packets come out of a hop.
    #[inline(always)]
    pub(crate) fn exit(&self, hop: u32) -> Exit {
        self.hops[hop as usize].exit
    }

    /// How long a packet waits that comes to a plain link, or to a chain, at `at`: now, or later if that is fed ahead of time.
    /// Packets come in the order of `at`. None where that is a new size, more than have waited before, or the first after a
    /// look, or where waiting is stamped ([`Links::offer_unusual`]).
    #[inline(always)]
    pub(crate) fn usual_wait(&self, hop: u32, at: Time, wire: u16) -> Option<Span> {
        self.hops[hop as usize].usual_wait(at, wire)
    }

    /// Accepts such a packet: when it comes out.
    #[inline(always)]
    pub(crate) fn accept(&mut self, hop: u32, at: Time, waits: Span) -> Time {
        if waits > Span::ZERO {
            self.working[hop as usize].note_wait(waits);
        }
        self.hops[hop as usize].accept(at, waits)
    }

    /// Another packet comes: when it comes out, if the link has room; of a chain, if that is by `end`, else some time after
    /// `end`.
    #[inline(never)]
    pub(crate) fn offer_unusual(&mut self, hop: u32, at: Time, packet: &mut Packet, end: Time) -> Option<Time> {
        let (at_work, here) = (self.working.len(), &mut self.hops[hop as usize]);
        let Some(link) = self.working.get_mut(hop as usize) else {
            return Some(self.chains[hop as usize - at_work].pass_each(here, &self.passing, at, packet.wire(), end));
        };
        let waits = link.offer(here, at, packet.wire())?;
        *packet = packet.stamped(here.stamp(waits));
        Some(here.newest_arrival())
    }

    /// Whether any link may lose packets, hold them back, double them or carry them beside it.
    pub(crate) fn are_impaired(&self) -> bool {
        self.working.iter().any(Link::is_impaired)
    }

    /// Whether a hop is a plain link.
    pub(crate) fn is_plain(&self, hop: u32) -> bool {
        self.working[hop as usize].is_plain()
    }

    /// A packet comes to a link that is managed or impaired.
    #[inline(always)]
    pub(crate) fn offer_special(&mut self, hop: u32, now: Time, packet: &mut Packet, is_data: bool) -> Offer {
        self.working[hop as usize].offer_special(&mut self.hops[hop as usize], now, packet, is_data)
    }

    /// Gives a link, which is caught up, new values.
    pub(crate) fn change(&mut self, change: &LinkChange) {
        let (link, hop) = self.parts(change.link);
        link.change(hop, change);
    }

    /// Brings a link's queue and totals up to `now`. What leaves at `now` has left.
    pub(crate) fn catch_up(&mut self, link: LinkId, now: Time) {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].catch_up(&mut self.hops[at as usize], now),
            // what its chains have sent is added when they are looked at
            Kind::Passing(at) => self.passing[at as usize].passed = Passed::default(),
        }
    }

    /// After all links are caught up, at one of the instants that were announced: adds what their chains have sent.
    pub(crate) fn look_at_chains(&mut self) {
        for (chain, hop) in self.chains.iter_mut().zip(&self.hops[self.working.len()..]) {
            chain.look(hop, &mut self.passing);
        }
    }

    /// When the next packet leaves a link, after the last [`Links::catch_up`], if each departure is looked at.
    pub(crate) fn next_departure(&self, link: LinkId) -> Option<Time> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].next_departure(),
            Kind::Passing(_) => None,
        }
    }

    /// What a managed queue has picked out, when, and why: one packet after the other.
    pub(crate) fn take_chosen(&mut self, link: LinkId) -> Option<(Time, Packet, Choice)> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].take_chosen(),
            Kind::Passing(_) => None,
        }
    }

    /// What had happened on a link by `now`, at which it was caught up.
    pub(crate) fn totals(&self, link: LinkId, now: Time) -> Totals {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].totals(&self.hops[at as usize], now),
            Kind::Passing(at) => self.passing[at as usize].passed.totals(),
        }
    }

    /// How long packets have waited for a link; those that still wait in a drop-tail queue as long as they will by now's rate.
    pub(crate) fn queueing_times(&self, link: LinkId) -> Option<QueueingTimes> {
        match self.kinds[link] {
            Kind::Working(at) => self.working[at as usize].queueing_times(&self.hops[at as usize]),
            Kind::Passing(at) => self.passing[at as usize].passed.queueing_times(),
        }
    }

    /// Begins to look for a link's greatest queue anew, after a look that saw so many packets waiting.
    pub(crate) fn begin_step(&mut self, link: LinkId, waiting: u32) {
        if let Kind::Working(at) = self.kinds[link] {
            self.working[at as usize].begin_step(&mut self.hops[at as usize], waiting);
        }
    }

    /// Packets inside links that are managed or impaired, those left out that wait in a managed queue, or that an impairment
    /// holds.
    pub(crate) fn packets_held(&self) -> usize {
        self.working.iter().map(Link::packets_held).sum()
    }

    /// Packets inside links that are managed or impaired. What went into each of these has come out, was lost, or is inside.
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
        &self.working[self.hop(link) as usize]
    }
}

impl IndexMut<LinkId> for Links {
    fn index_mut(&mut self, link: LinkId) -> &mut Link {
        self.parts(link).0
    }
}

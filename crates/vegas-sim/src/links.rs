//! All links, and the chains of those on which nothing ever waits.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use vegas_core::units::{Span, Time};

use crate::chains::Chain;
use crate::hop::{Exit, Hop};
use crate::link::{Link, Offer};
use crate::looks::Looks;
use crate::outcome::QueueingTimes;
use crate::packet::Packet;
use crate::passage::Passage;
use crate::scenario::{LinkChange, LinkId};
use crate::stays::Totals;

/// All links and chains at work. What packets touch of them lies side by side.
#[derive(Debug)]
pub(crate) struct Links {
    /// Of the links, by their number, then of the chains.
    hops: Vec<Hop>,
    links: Vec<Link>,
    chains: Vec<Chain>,
    ids: BTreeMap<Vec<LinkId>, u32>,
}

impl Links {
    pub(crate) fn new(links: Vec<(Hop, Link)>) -> Self {
        let (hops, links) = links.into_iter().unzip();
        Links { hops, links, chains: Vec::new(), ids: BTreeMap::new() }
    }

    pub(crate) fn all(&self) -> &[Link] {
        &self.links
    }

    /// The hop that is the chain of these links, which are looked at then. Of a chain that there is not yet, nothing has been
    /// looked at.
    pub(crate) fn chain(&mut self, links: &[LinkId], looks: Looks) -> u32 {
        if let Some(id) = self.ids.get(links) {
            return *id;
        }
        let passage = |id: &LinkId| {
            let link = &self.links[*id];
            let rate = link.rate().expect("only a constant rate keeps packets from waiting");
            Passage::new(*id, rate, link.delay(), looks)
        };
        self.chains.push(Chain::new(links.iter().map(passage).collect()));
        let id = self.hops.len() as u32;
        self.hops.push(Hop::chain(self.hops[*links.last().expect("a chain has links")].exit));
        self.ids.insert(links.to_vec(), id);
        id
    }

    pub(crate) fn set_lane(&mut self, link: LinkId, lane: u32) {
        self.hops[link].exit.lane = lane;
    }

    /// Packets are offered to a link ahead of their time; somebody looks then.
    pub(crate) fn look_at(&mut self, link: LinkId, looks: Looks) {
        self.links[link].look_at(&mut self.hops[link], looks);
    }

    /// Where packets come out of a hop.
    #[inline(always)]
    pub(crate) fn exit(&self, hop: u32) -> Exit {
        self.hops[hop as usize].exit
    }

    /// A packet comes to a plain link, or to a chain, at `at`: now, or later if that is fed ahead of time. Packets come in the
    /// order of `at`. When it comes out, if the link has room; of a chain, if that is by `end`, else some time after `end`.
    #[inline(always)]
    pub(crate) fn offer(&mut self, hop: u32, at: Time, packet: &mut Packet, end: Time) -> Option<Time> {
        let here = &mut self.hops[hop as usize];
        let waits = here.wait(at);
        if !here.is_usual(at, packet.wire(), waits) {
            return self.offer_unusual(hop, at, packet, end);
        }
        let arrival = here.accept(at, waits);
        if waits > Span::ZERO {
            self.links[hop as usize].note_wait(waits);
        }
        Some(arrival)
    }

    /// The same where that is a new size, more than have waited before, or the first after a look, or where waiting is
    /// stamped.
    #[inline(never)]
    fn offer_unusual(&mut self, hop: u32, at: Time, packet: &mut Packet, end: Time) -> Option<Time> {
        let (id, here) = (hop as usize, &mut self.hops[hop as usize]);
        let Some(link) = self.links.get_mut(id) else {
            return Some(self.chains[id - self.links.len()].pass_each(here, at, packet.wire(), end));
        };
        let waits = link.offer(here, at, packet.wire())?;
        *packet = packet.stamped(here.stamp(waits));
        Some(here.newest_arrival())
    }

    /// A packet comes to a link that is managed or impaired.
    #[inline]
    pub(crate) fn offer_special(&mut self, link: LinkId, now: Time, packet: &mut Packet, is_data: bool) -> Offer {
        self.links[link].offer_special(&mut self.hops[link], now, packet, is_data)
    }

    /// Gives a link, which is caught up, new values.
    pub(crate) fn change(&mut self, change: &LinkChange) {
        self.links[change.link].change(&mut self.hops[change.link], change);
    }

    /// Brings a link's queue and totals up to `now`. What leaves at `now` has left.
    pub(crate) fn catch_up(&mut self, link: LinkId, now: Time) {
        self.links[link].catch_up(&mut self.hops[link], now);
    }

    /// After all links are caught up, at one of the instants that were announced: adds what their chains have sent.
    pub(crate) fn look_at_chains(&mut self) {
        for (chain, hop) in self.chains.iter_mut().zip(&self.hops[self.links.len()..]) {
            chain.look(hop, |link, passed| self.links[link].add_passed(passed));
        }
    }

    /// What had happened on a link by `now`, at which it was caught up.
    pub(crate) fn totals(&self, link: LinkId, now: Time) -> Totals {
        self.links[link].totals(&self.hops[link], now)
    }

    /// How long packets have waited for a link; those that still wait in a drop-tail queue as long as they will by now's rate.
    pub(crate) fn queueing_times(&self, link: LinkId) -> Option<QueueingTimes> {
        self.links[link].queueing_times(&self.hops[link])
    }

    /// Begins to look for a link's greatest queue anew, after a look that saw so many packets waiting.
    pub(crate) fn begin_step(&mut self, link: LinkId, waiting: u32) {
        self.links[link].begin_step(&mut self.hops[link], waiting);
    }
}

impl Index<LinkId> for Links {
    type Output = Link;

    fn index(&self, link: LinkId) -> &Link {
        &self.links[link]
    }
}

impl IndexMut<LinkId> for Links {
    fn index_mut(&mut self, link: LinkId) -> &mut Link {
        &mut self.links[link]
    }
}

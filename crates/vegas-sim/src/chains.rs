//! Links on which no packet ever waits, one behind the other, passed as one.
//!
//! A packet of the usual size comes out of a chain a fixed time after it has entered. What each of the links has sent
//! follows from how many there were, unless somebody looks at one of them meanwhile. So a chain counts packets, and
//! knows the instant from which on one that enters has not left all of them by the next look; only such packets, and
//! those of other sizes, pass the links one by one. A link's totals are those of the chains that it is part of.

use std::collections::BTreeMap;

use vegas_core::units::{Span, Time};

use crate::passage::{Passage, Passed, Usual};
use crate::scenario::LinkId;

/// Everything that a packet touches on its way through, in one line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Chain {
    /// The usual size.
    wire: u16,
    /// Packets of that size that entered before `unseen_until`.
    packets: u64,
    unseen_until: Time,
    /// How long they take.
    through: Span,
    links: Vec<Passage>,
    pub(crate) exit: Exit,
}

/// Where packets come out of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The last link.
    pub(crate) link: u32,
    /// Its lane.
    pub(crate) lane: u32,
}

const _: () = assert!(size_of::<Chain>() == 64);

impl Chain {
    fn new(links: Vec<Passage>, exit: Exit) -> Self {
        Chain { wire: 0, packets: 0, unseen_until: Time::ZERO, through: Span::ZERO, links, exit }
    }

    /// A packet enters at `at`; when it comes out, if that is by `end`. Else it is some time after `end`.
    #[inline]
    pub(crate) fn pass(&mut self, at: Time, wire: u16, end: Time) -> Time {
        if wire != self.wire || at >= self.unseen_until {
            return self.pass_each(at, wire, end);
        }
        self.packets += 1;
        at + self.through
    }

    #[inline(never)]
    fn pass_each(&mut self, mut at: Time, wire: u16, end: Time) -> Time {
        let usual = self.usual();
        for link in &mut self.links {
            if at > end {
                break;
            }
            at = link.pass(at, wire, usual);
        }
        if self.packets == 0 {
            self.wire = wire;
            self.through = self.links.iter_mut().fold(Span::ZERO, |before, link| link.expect(wire, before));
        }
        let unseen_until = self.links.iter().map(Passage::unseen_until).min();
        self.unseen_until = unseen_until.expect("a chain has links");
        at
    }

    fn usual(&self) -> Usual {
        Usual { packets: self.packets, wire: self.wire }
    }
}

/// All chains.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chains {
    all: Vec<Chain>,
    ids: BTreeMap<Vec<LinkId>, u32>,
}

impl Chains {
    /// The chain of these links, which have such passages; packets that come out go on on this lane.
    pub(crate) fn of(&mut self, links: &[LinkId], lane: u32, passage: impl Fn(LinkId) -> Passage) -> u32 {
        *self.ids.entry(links.to_vec()).or_insert_with(|| {
            let exit = Exit { link: *links.last().expect("a chain has links") as u32, lane };
            self.all.push(Chain::new(links.iter().map(|link| passage(*link)).collect(), exit));
            self.all.len() as u32 - 1
        })
    }

    #[inline]
    pub(crate) fn get(&mut self, id: u32) -> &mut Chain {
        &mut self.all[id as usize]
    }

    /// Somebody looks at all links, at the next of the instants that were announced: what has passed which.
    pub(crate) fn look(&mut self, mut passed: impl FnMut(LinkId, Passed)) {
        for chain in &mut self.all {
            let usual = chain.usual();
            for link in &mut chain.links {
                passed(link.link, link.look(usual));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::looks::Looks;
    use proptest::prelude::*;
    use vegas_core::units::Rate;

    /// By link: how long it sends a byte, and how long it is, ns.
    const BYTE_NS: [u64; 2] = [1, 2];
    const DELAY_NS: [u64; 2] = [7, 5];
    const LOOKS_NS: [u64; 3] = [100, 200, 250];

    fn chain() -> Chains {
        let looks = Looks::new(Some(Span::from_nanos(LOOKS_NS[0])), Time::from_nanos(LOOKS_NS[2]));
        let mut chains = Chains::default();
        chains.of(&[0, 1], 0, |link| {
            let rate = Rate::from_bits_per_second(8_000_000_000 / BYTE_NS[link]);
            Passage::new(link, rate, Span::from_nanos(DELAY_NS[link]), looks)
        });
        chains
    }

    /// Bytes and busy time of both links at the next look.
    fn look(chains: &mut Chains) -> [(u64, u64); 2] {
        let mut seen = [(0, 0); 2];
        chains.look(|link, passed| {
            let totals = passed.totals();
            seen[link] = (totals.departed_bytes, totals.busy_ns);
        });
        seen
    }

    /// The same of packets in the transmitter from one instant to another.
    fn expected(sent: &[(u64, u64, u16)], look: u64) -> (u64, u64) {
        let gone = sent.iter().filter(|(_, to, _)| *to <= look);
        let busy = sent.iter().map(|(from, to, _)| look.min(*to).saturating_sub(*from));
        (gone.map(|(.., wire)| u64::from(*wire)).sum(), busy.sum())
    }

    proptest! {
        /// However packets come, counted or one by one, a look sees what has left by then.
        #[test]
        fn looks_see_what_has_left(packets in prop::collection::vec((0u64..7, prop::sample::select(vec![4u16, 4, 4, 9])), 1..40)) {
            let mut chains = chain();
            let mut sent = [Vec::new(), Vec::new()];
            let mut at = 0;
            for (gap, wire) in packets {
                let mut through = at;
                for link in 0..2 {
                    let departure = through + BYTE_NS[link] * u64::from(wire);
                    sent[link].push((through, departure, wire));
                    through = departure + DELAY_NS[link];
                }
                let end = Time::from_nanos(LOOKS_NS[2]);
                let out = chains.get(0).pass(Time::from_nanos(at), wire, end).as_nanos();
                prop_assert!(out == through || out > LOOKS_NS[2] && through > LOOKS_NS[2]);
                // no packet waits for the one before
                at += 3 * u64::from(wire) + gap;
            }
            for time in LOOKS_NS {
                prop_assert_eq!(look(&mut chains), [0, 1].map(|link| expected(&sent[link], time)));
            }
        }
    }

    #[test]
    fn packets_of_one_size_are_counted() {
        let mut chains = chain();
        for at in [0, 20, 40, 60] {
            assert_eq!(chains.get(0).pass(Time::from_nanos(at), 4, Time::from_nanos(250)).as_nanos(), at + 24);
        }
        assert_eq!(chains.get(0).packets, 3);
    }
}

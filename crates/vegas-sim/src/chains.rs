//! Links on which no packet ever waits, one behind the other, passed as one.
//!
//! A packet of the usual size comes out of a chain a fixed time after it has entered. What each of the links has sent
//! follows from how many there were, unless somebody looks at one of them meanwhile. So a chain is a [`Hop`] that counts
//! packets, and knows the instant after which one that enters has not left all of them by the next look; only such packets, and
//! those of other sizes, pass the links one by one. A link's totals are those of the chains that it is part of.

use vegas_core::units::{Span, Time};

use crate::hop::Hop;
use crate::passage::{Passage, Passing};

/// A chain, but for what is the same as of a link.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    passages: Box<[Passage]>,
}

impl Chain {
    /// Of a link at least.
    pub(crate) fn new(passages: Box<[Passage]>) -> Self {
        Chain { passages }
    }

    /// A packet that its hop does not count enters at `at`; when it comes out, if that is by `end`. Else it is some time
    /// after `end`.
    #[inline(never)]
    pub(crate) fn pass_each(&mut self, hop: &mut Hop, links: &[Passing], mut at: Time, wire: u16, end: Time) -> Time {
        let link = |passage: &Passage| &links[passage.passing as usize];
        for passage in &mut self.passages {
            if at > end {
                break;
            }
            at = passage.pass(link(passage), at, wire, hop);
        }
        if hop.packets == 0 {
            let passages = self.passages.iter_mut();
            let through = passages.fold(Span::ZERO, |before, passage| passage.expect(link(passage), wire, before));
            hop.expect(wire, through);
        }
        hop.count_until(self.passages.iter().map(Passage::unseen_until).min().flatten());
        at
    }

    /// Somebody looks at all links, at the next of the instants that were announced: adds what has passed each.
    pub(crate) fn look(&mut self, hop: &Hop, links: &mut [Passing]) {
        for passage in &mut self.passages {
            links[passage.passing as usize].passed.add(passage.look(hop));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hop::Exit;
    use crate::looks::Looks;
    use crate::passage::Passed;
    use proptest::prelude::*;
    use vegas_core::units::Rate;

    /// By link: how long it sends a byte, and how long it is, ns.
    const BYTE_NS: [u64; 2] = [1, 2];
    const DELAY_NS: [u64; 2] = [7, 5];
    const LOOKS_NS: [u64; 3] = [100, 200, 250];

    /// A chain of both, as a hop and what is behind it.
    struct One {
        hop: Hop,
        chain: Chain,
        links: [Passing; 2],
    }

    impl One {
        fn new() -> Self {
            let looks = Looks::new(Some(Span::from_nanos(LOOKS_NS[0])), Time::from_nanos(LOOKS_NS[2]));
            let passing = |link: usize| {
                let rate = Rate::from_bits_per_second(8_000_000_000 / BYTE_NS[link]);
                Passing::new(rate, Span::from_nanos(DELAY_NS[link]))
            };
            let chain = Chain::new([0, 1].map(|link| Passage::new(link, looks)).into());
            One { hop: Hop::chain(Exit { link: 1, lane: 0 }), chain, links: [0, 1].map(passing) }
        }

        /// When a packet that enters at `at` comes out.
        fn pass(&mut self, at: u64, wire: u16) -> u64 {
            let (at, hop) = (Time::from_nanos(at), &mut self.hop);
            let out = match hop.usual_wait(at, wire) {
                Some(waits) => hop.accept(at, waits),
                None => self.chain.pass_each(hop, &self.links, at, wire, Time::from_nanos(LOOKS_NS[2])),
            };
            out.as_nanos()
        }

        /// Bytes and busy time of both links at the next look.
        fn look(&mut self) -> [(u64, u64); 2] {
            self.links.iter_mut().for_each(|link| link.passed = Passed::default());
            self.chain.look(&self.hop, &mut self.links);
            self.links.each_ref().map(|link| {
                let totals = link.passed.totals();
                (totals.departed_bytes, totals.busy_ns)
            })
        }
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
            let mut chain = One::new();
            let mut sent = [Vec::new(), Vec::new()];
            let mut at = 0;
            for (gap, wire) in packets {
                let mut through = at;
                for link in 0..2 {
                    let departure = through + BYTE_NS[link] * u64::from(wire);
                    sent[link].push((through, departure, wire));
                    through = departure + DELAY_NS[link];
                }
                let out = chain.pass(at, wire);
                prop_assert!(out == through || out > LOOKS_NS[2] && through > LOOKS_NS[2]);
                // no packet waits for the one before
                at += 3 * u64::from(wire) + gap;
            }
            for time in LOOKS_NS {
                prop_assert_eq!(chain.look(), [0, 1].map(|link| expected(&sent[link], time)));
            }
        }
    }

    #[test]
    fn packets_of_one_size_are_counted() {
        let mut chain = One::new();
        for at in [0, 20, 40, 60] {
            assert_eq!(chain.pass(at, 4), at + 24);
        }
        assert_eq!(chain.hop.packets, 3);
    }
}

//! The pending events of delay lines, which are few and nearly always have an event each.
//!
//! A delay line that gets another event plays it against its neighbour's, the winner against the winner of the
//! neighbouring pair, and so on: a tournament, with a comparison for each doubling of the number of delay lines.

use vegas_core::units::Time;

use crate::util::event::{ComponentId, Event};

/// The event of each delay line, and the earliest of them.
#[derive(Clone, Debug)]
pub(crate) struct Tournament {
    /// The winner of all.
    first: Event,
    /// The pairs of events that are compared. The event at n, on side n % 2 of pair n / 2, meets the other event of the
    /// pair, and the winner is at n / 2, unless that is 1. There are as many pairs as delay lines. The delay lines' own
    /// events are at the end.
    pairs: Vec<[Event; 2]>,
}

impl Tournament {
    pub(crate) fn new(delay_lines: usize) -> Self {
        Tournament { first: Event::NEVER, pairs: vec![[Event::NEVER; 2]; delay_lines] }
    }

    /// Returns the earliest event, [`Event::NEVER`] if there is none. It stays until its delay line gets another event,
    /// or none.
    #[inline]
    pub(crate) fn first(&self) -> Event {
        self.first
    }

    /// Returns the events of all delay lines that have one, some of them twice.
    pub(crate) fn pending(&self) -> impl Iterator<Item = Event> {
        // a single delay line has no pair
        let own = &self.pairs.as_flattened()[self.pairs.len()..];
        own.iter().copied().chain([self.first]).filter(|event| *event != Event::NEVER)
    }

    /// Replaces the event of a delay line: `next` is the time and the component of its next event, if it has one.
    #[inline]
    pub(crate) fn set(&mut self, delay_line: u32, next: Option<(Time, ComponentId)>) {
        let mut winner =
            next.map_or(Event::NEVER, |(time, component)| Event::of_delay_line(time, component, delay_line));
        let pairs = self.pairs.as_mut_slice();
        let mut at = pairs.len() + delay_line as usize;
        while at > 1 {
            let pair = &mut pairs[at / 2];
            pair[at % 2] = winner;
            winner = winner.earlier(pair[1 - at % 2]);
            at /= 2;
        }
        self.first = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn parts(event: Event) -> (u64, u32, u32) {
        (event.time().as_nanos(), event.component(), event.delay_line())
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(delay_lines in 1u32..9, steps in prop::collection::vec((0u32..8, 0u64..50, 0u32..50, any::<bool>()), 1..400)) {
            let (mut tournament, mut model) = (Tournament::new(delay_lines as usize), BTreeMap::<u32, (u64, u32)>::new());
            for (delay_line, time, component, is_set) in steps {
                let (delay_line, time) = (delay_line % delay_lines, time << component);
                let next = Some((Time::from_nanos(time), component)).filter(|_| is_set);
                tournament.set(delay_line, next);
                model.remove(&delay_line);
                model.extend(next.map(|_| (delay_line, (time, component))));
                let least = model.iter().map(|(delay_line, (time, component))| (*time, *component, *delay_line)).min();
                prop_assert_eq!(least, Some(tournament.first()).filter(|first| *first != Event::NEVER).map(parts));
                let pending = tournament.pending().map(parts).map(|(time, id, line)| (line, (time, id)));
                prop_assert_eq!(&pending.collect::<BTreeMap<_, _>>(), &model);
            }
        }
    }

    /// On a very slow link a time saturates; it is then after all others, and not earlier than they are.
    #[test]
    fn what_never_comes_is_last() {
        let mut tournament = Tournament::new(3);
        for (delay_line, time) in [(0, Time::NEVER), (1, Time::from_nanos(5)), (2, Time::from_nanos(u64::MAX / 2))] {
            tournament.set(delay_line, Some((time, delay_line)));
        }
        assert_eq!(parts(tournament.first()), (5, 1, 1));
        tournament.set(1, Some((Time::NEVER, 1)));
        assert_eq!(tournament.first().time(), Event::LATEST);
        tournament.set(0, Some((Time::from_nanos(7), 0)));
        assert_eq!(parts(tournament.first()), (7, 0, 0));
    }
}

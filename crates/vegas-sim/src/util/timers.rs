//! The components' own events: a timer of a flow, the sampler, a packet that a link holds back. A component has at most
//! one, which can be moved and cancelled; many are due far ahead and never happen.
//!
//! The keys of the events are in a heap with four children to a place. The key of an event that moves later or is
//! cancelled stays there; it is put in its new place, or removed, when its old time has come. So a timer that is set
//! again with each acknowledgement costs a store, and each component has one key in the heap and not one for each move.

use std::hint::select_unpredictable;

use vegas_core::units::Time;

use crate::util::event::{ComponentId, Event};

/// The number of children of a place of the heap.
const WAYS: usize = 4;

/// The pending events, earliest first.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    heap: Vec<Event>,
    /// Whether the first key has been taken and its place is open: most often the next key to be added belongs near it.
    open: bool,
    /// The first key; [`Event::FIRST`] while its place is open, [`Event::NEVER`] if there is none.
    first: Event,
    /// The own event of each component.
    own: Vec<Own>,
}

/// A component's own event.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// The time of the event; [`Time::NEVER`] while none is pending.
    due: Time,
    /// The time of the event's key, which is not after `due`; [`Time::NEVER`] while it has no key.
    queued: Time,
}

const ABSENT: Own = Own { due: Time::NEVER, queued: Time::NEVER };

impl Timers {
    pub(crate) fn new(components: usize) -> Self {
        Timers { heap: Vec::new(), open: false, first: Event::NEVER, own: vec![ABSENT; components] }
    }

    /// Makes room for more components; those present keep their ids.
    pub(crate) fn grow(&mut self, components: usize) {
        self.own.resize(components, ABSENT);
    }

    /// Returns the earliest event, if it comes before `other`.
    #[inline]
    pub(crate) fn first_before(&mut self, other: Event) -> Option<Event> {
        if !self.first.is_before(other) {
            return None;
        }
        let first = self.find_first_before(other);
        (first != Event::NEVER).then_some(first)
    }

    /// Returns the earliest event if it comes before `other`; else [`Event::NEVER`], as an event is returned in
    /// registers and an option is not.
    #[inline(never)]
    fn find_first_before(&mut self, other: Event) -> Event {
        loop {
            if self.open {
                self.close();
            }
            let event = self.first;
            if !event.is_before(other) {
                return Event::NEVER;
            }
            if self.own[event.component() as usize].due == event.time() {
                return event;
            }
            self.put_off(event);
        }
    }

    /// Moves the first key, which is too early, to the time of its event, or removes a key that is no longer needed.
    #[cold]
    fn put_off(&mut self, event: Event) {
        self.reopen();
        let own = &mut self.own[event.component() as usize];
        if own.queued == event.time() {
            own.queued = own.due;
            if own.due != Time::NEVER {
                let time = own.due;
                self.add(Event::new(time, event.component()));
            }
        }
    }

    /// Removes an event that is the earliest.
    #[inline]
    pub(crate) fn take(&mut self, first: Event) {
        self.reopen();
        self.own[first.component() as usize] = ABSENT;
    }

    fn reopen(&mut self) {
        self.open = true;
        self.first = Event::FIRST;
    }

    /// Returns the time of a component's own event.
    pub(crate) fn pending(&self, id: ComponentId) -> Option<Time> {
        Some(self.own[id as usize].due).filter(|due| *due != Time::NEVER)
    }

    /// Returns the time and the component of each pending event.
    pub(crate) fn all_pending(&self) -> impl Iterator<Item = (Time, ComponentId)> {
        (0..).zip(&self.own).filter(|(_, own)| own.due != Time::NEVER).map(|(id, own)| (own.due, id))
    }

    /// Sets a component's own event, replacing the one that is pending.
    pub(crate) fn schedule(&mut self, id: ComponentId, time: Time) {
        let own = &mut self.own[id as usize];
        own.due = time;
        if time < own.queued {
            own.queued = time;
            self.add(Event::new(time, id));
        }
    }

    /// Removes a component's own event, if one is pending.
    pub(crate) fn cancel(&mut self, id: ComponentId) {
        self.own[id as usize].due = Time::NEVER;
    }

    #[inline]
    fn add(&mut self, key: Event) {
        if self.open {
            self.open = false;
            self.sink(key);
        } else {
            self.rise(key);
        }
        self.first = self.heap[0];
    }

    /// Fills the open place with the last key.
    fn close(&mut self) {
        self.open = false;
        let last = self.heap.pop().expect("an open place is a place");
        if !self.heap.is_empty() {
            self.sink(last);
        }
        self.first = *self.heap.first().unwrap_or(&Event::NEVER);
    }

    /// Puts a key into the first place, and moves it down until no key below it is earlier.
    #[inline]
    fn sink(&mut self, key: Event) {
        let heap = self.heap.as_mut_slice();
        let mut at = 0;
        while let Some((child, least)) = least_child(heap, at).filter(|(_, least)| least.is_before(key)) {
            heap[at] = least;
            at = child;
        }
        heap[at] = key;
    }

    /// Puts a key into a new last place, and moves it up until no key above it is later.
    #[inline]
    fn rise(&mut self, key: Event) {
        let mut at = self.heap.len();
        self.heap.push(key);
        while at > 0 {
            let above = (at - 1) / WAYS;
            if !key.is_before(self.heap[above]) {
                break;
            }
            self.heap[at] = self.heap[above];
            at = above;
        }
        self.heap[at] = key;
    }
}

/// Returns the least key below a place, with its index.
#[inline]
fn least_child(heap: &[Event], at: usize) -> Option<(usize, Event)> {
    let first = WAYS * at + 1;
    let below = heap.get(first..)?;
    if let Some(&[a, b, c, d]) = below.first_chunk::<WAYS>() {
        let earlier =
            |one: (usize, Event), other: (usize, Event)| select_unpredictable(other.1.is_before(one.1), other, one);
        let (least, key) = earlier(earlier((0, a), (1, b)), earlier((2, c), (3, d)));
        return Some((first + least, key));
    }
    let least = below.iter().enumerate().min_by_key(|(_, key)| key.key())?;
    Some((first + least.0, *least.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn parts(event: Event) -> (u64, u32) {
        (event.time().as_nanos(), event.component())
    }

    /// Takes the first event of both, if it comes before `until`; returns whether there was one.
    fn take(timers: &mut Timers, model: &mut BTreeMap<u32, u64>, until: u64) -> bool {
        let taken = timers.first_before(Event::new(Time::from_nanos(until), 0).before(0));
        let least = model.iter().map(|(id, time)| (*time, *id)).min();
        assert_eq!(taken.map(parts), least.filter(|(time, _)| *time < until));
        if let Some(taken) = taken {
            timers.take(taken);
            model.remove(&taken.component());
        }
        taken.is_some()
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in prop::collection::vec((0u32..40, 0u64..50, 0u32..50, 0u8..7), 1..400)) {
            let (mut timers, mut model) = (Timers::new(40), BTreeMap::new());
            for (id, time, exponent, action) in steps {
                let time = time << exponent;
                match action {
                    0 => { timers.cancel(id); model.remove(&id); }
                    1 | 2 => { take(&mut timers, &mut model, time); }
                    _ => { timers.schedule(id, Time::from_nanos(time)); model.insert(id, time); }
                }
                prop_assert_eq!(timers.pending(id).map(Time::as_nanos), model.get(&id).copied());
                // not always, so that places stay open
                if time % 2 == 0 {
                    let least = model.iter().map(|(id, time)| (*time, *id)).min();
                    prop_assert_eq!(timers.first_before(Event::NEVER).map(parts), least);
                }
            }
            while take(&mut timers, &mut model, Event::LATEST.as_nanos()) {}
            prop_assert!(model.is_empty());
        }
    }

    /// A timer that is put off with every step, as a retransmission timer is, has one key all the time.
    #[test]
    fn what_moves_away_leaves_nothing() {
        let mut timers = Timers::new(2);
        timers.schedule(0, Time::ZERO);
        for now in 0..10_000u64 {
            timers.schedule(1, Time::from_nanos(now + 300));
            let event = timers.first_before(Event::NEVER).expect("the step is pending");
            assert_eq!(parts(event), (now, 0));
            timers.take(event);
            timers.schedule(0, Time::from_nanos(now + 1));
            assert_eq!(timers.heap.len(), 2);
        }
        timers.cancel(0);
        assert_eq!(timers.first_before(Event::NEVER).map(parts), Some((9_999 + 300, 1)));
    }
}

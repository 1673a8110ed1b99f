//! The event queue: earliest first, ties by component id.
//!
//! A component is a link, a timer of a flow, or the sampler. Its own event can be moved and cancelled, and there is one
//! at most. Most events are none of these: the first of the packets on a lane arrives ([`crate::lanes`]), or the next one
//! of a link that is managed or impaired, which has a lane for that.
//!
//! There are few lanes and each has an event nearly all the time, so they hold a tournament: a lane whose event is
//! another meets its neighbour, the winner the next one's, and so on, a comparison for each doubling of the lanes. The
//! components' own events, many of which lie far ahead and never happen, are in a heap with four children to a place.
//! One that moves away or is cancelled stays there, and is put where it belongs when its old time has come: so a timer
//! that is set anew with each acknowledgement costs a store, and each component has a key in the heap and not one for
//! every move.

use std::hint::select_unpredictable;

use vegas_core::units::Time;

/// A component's place in the total order of simultaneous events: smaller ids go first.
pub(crate) type ComponentId = u32;

/// Children of a place of the heap.
const WAYS: usize = 4;

/// Pending events, earliest first.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue {
    /// Who meets whom: who is at n, on side n % 2 of pair n / 2, meets the other one of the pair, and the winner is at
    /// n / 2; the winner of all at 1. There are as many pairs as lanes, which are at the end.
    lanes: Vec<[Event; 2]>,
    /// Components' own events.
    heap: Vec<Event>,
    /// The first of these has been taken, and its place is open: most often the next to come belongs near it.
    open: bool,
    /// The first of these; before all events while its place is open.
    first_own: Event,
    /// By component.
    own: Vec<Own>,
}

/// Something that happens: its time in the upper half, below it the component and the lane, so that events are in the
/// order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event(u128);

impl Event {
    /// The lane of a component's own event. Lanes go first.
    pub(crate) const OWN: u32 = u32::MAX;
    /// After all events, and far enough below the greatest number for [`Event::earlier`]: after 146 years.
    const NEVER: Event = Event(u128::MAX >> 2);
    /// The latest time of a lane's event, before that.
    const LATEST: Time = Time::from_nanos((u64::MAX >> 2) - 1);
    /// Before all events: those of lanes and components have numbers above.
    const FIRST: Event = Event(0);

    #[inline]
    fn new(time: Time, component: ComponentId, lane: u32) -> Self {
        let order = u64::from(component) << 32 | u64::from(lane);
        Event(u128::from(time.as_nanos()) << 64 | u128::from(order))
    }

    /// An event of a lane. What a link would take more than 146 years for is put before that: no run lasts so long.
    #[inline]
    fn of_lane(time: Time, component: ComponentId, lane: u32) -> Self {
        Event::new(time.min(Event::LATEST), component, lane)
    }

    #[inline]
    pub(crate) fn time(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    #[inline]
    pub(crate) fn component(self) -> ComponentId {
        (self.0 as u64 >> 32) as u32
    }

    /// The lane whose event it is, out of the component; [`Event::OWN`] of the component's own event.
    #[inline]
    pub(crate) fn lane(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    fn is_before(self, other: Event) -> bool {
        self.0 < other.0
    }

    /// The earlier one of both. Which it is is anybody's guess, so no branch: the two upper bits of all numbers are 0, so
    /// that those of a difference are alike, and tell who is less. Written with a comparison, a compiler makes it a jump.
    #[inline]
    fn earlier(self, other: Event) -> Event {
        let other_is = ((other.0.wrapping_sub(self.0) >> 64) as i64 >> 62) as u64;
        let pick = |one: u128, other: u128| u128::from(one as u64 ^ ((one as u64 ^ other as u64) & other_is));
        Event(pick(self.0 >> 64, other.0 >> 64) << 64 | pick(self.0, other.0))
    }
}

/// A component's own event.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// [`Time::NEVER`] while none is pending.
    due: Time,
    /// The time of its key, which is not after that; [`Time::NEVER`] while it has none.
    queued: Time,
}

const ABSENT: Own = Own { due: Time::NEVER, queued: Time::NEVER };

impl EventQueue {
    pub(crate) fn new(components: usize, lanes: usize) -> Self {
        EventQueue {
            lanes: vec![[Event::NEVER; 2]; lanes.max(1)],
            heap: Vec::new(),
            open: false,
            first_own: Event::NEVER,
            own: vec![ABSENT; components],
        }
    }

    /// Makes room for more components; those there are keep their ids.
    pub(crate) fn grow(&mut self, components: usize) {
        self.own.resize(components, ABSENT);
    }

    /// The earliest event.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<Event> {
        let lane = self.first_lane();
        if self.first_own.is_before(lane) {
            return self.peek_own();
        }
        (lane != Event::NEVER).then_some(lane)
    }

    /// The same where it may be a component's own.
    #[inline(never)]
    fn peek_own(&mut self) -> Option<Event> {
        loop {
            if self.open {
                self.close();
            }
            if !self.first_own.is_before(self.first_lane()) {
                return self.peek();
            }
            let event = self.first_own;
            if self.own[event.component() as usize].due == event.time() {
                return Some(event);
            }
            self.put_off(event);
        }
    }

    /// The first of the components' keys is too early, or one that is no longer needed.
    #[cold]
    fn put_off(&mut self, event: Event) {
        self.reopen();
        let own = &mut self.own[event.component() as usize];
        if own.queued == event.time() {
            own.queued = own.due;
            if own.due != Time::NEVER {
                let time = own.due;
                self.add(Event::new(time, event.component(), Event::OWN));
            }
        }
    }

    /// Takes the earliest event, unless it comes after `end`, which is before 146 years. A lane's stays until the lane has
    /// another, or none.
    #[inline]
    pub(crate) fn take_until(&mut self, end: Time) -> Option<Event> {
        let lane = self.first_lane();
        let event = if self.first_own.is_before(lane) { self.peek_own()? } else { lane };
        // what never comes is after every end
        if event.time() > end {
            return None;
        }
        if event.lane() == Event::OWN {
            self.reopen();
            self.own[event.component() as usize] = ABSENT;
        }
        Some(event)
    }

    fn reopen(&mut self) {
        self.open = true;
        self.first_own = Event::FIRST;
    }

    /// Sets the event of a lane, in place of the one that it has: when the next thing comes out of which component, if
    /// anything does.
    #[inline]
    pub(crate) fn set_lane(&mut self, lane: u32, next: Option<(Time, ComponentId)>) {
        let mut winner = next.map_or(Event::NEVER, |(time, component)| Event::of_lane(time, component, lane));
        let lanes = self.lanes.as_mut_slice();
        let mut at = lanes.len() + lane as usize;
        while at > 1 {
            let pair = &mut lanes[at / 2];
            pair[at % 2] = winner;
            winner = winner.earlier(pair[1 - at % 2]);
            at /= 2;
        }
        lanes[0][1] = winner;
    }

    /// The same of a lane that has none.
    #[inline]
    pub(crate) fn begin_lane(&mut self, lane: u32, time: Time, component: ComponentId) {
        let key = Event::of_lane(time, component, lane);
        let mut at = self.lanes.len() + lane as usize;
        self.lanes[at / 2][at % 2] = key;
        while at > 1 && key.is_before(self.lanes[at / 4][at / 2 % 2]) {
            at /= 2;
            self.lanes[at / 2][at % 2] = key;
        }
    }

    /// The earliest event of the lanes.
    #[inline]
    fn first_lane(&self) -> Event {
        self.lanes[0][1]
    }

    /// When a component's own event is due.
    pub(crate) fn pending(&self, id: ComponentId) -> Option<Time> {
        Some(self.own[id as usize].due).filter(|due| *due != Time::NEVER)
    }

    /// Sets a component's own event, replacing the one that is pending.
    pub(crate) fn schedule(&mut self, id: ComponentId, time: Time) {
        let own = &mut self.own[id as usize];
        own.due = time;
        if time < own.queued {
            own.queued = time;
            self.add(Event::new(time, id, Event::OWN));
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
        self.first_own = self.heap[0];
    }

    /// Fills the place that is open.
    fn close(&mut self) {
        self.open = false;
        let last = self.heap.pop().expect("an open place is a place");
        if !self.heap.is_empty() {
            self.sink(last);
        }
        self.first_own = *self.heap.first().unwrap_or(&Event::NEVER);
    }

    /// Puts a key into the first place, and brings it to where none before it is later.
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

    /// Puts a key into a last place, and brings it to where none before it is later.
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

/// The least key below a place, and where it is.
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
    let least = below.iter().enumerate().min_by_key(|(_, key)| key.0)?;
    Some((first + least.0, *least.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The obvious: maps from component and from lane to the event, searched for the least.
    #[derive(Default)]
    struct Model {
        own: BTreeMap<u32, u64>,
        lanes: BTreeMap<u32, (u64, u32)>,
    }

    impl Model {
        fn least(&self) -> Option<(u64, u32, u32)> {
            let own = self.own.iter().map(|(id, time)| (*time, *id, Event::OWN));
            own.chain(self.lanes.iter().map(|(lane, (time, id))| (*time, *id, *lane))).min()
        }
    }

    fn parts(event: Event) -> (u64, u32, u32) {
        (event.time().as_nanos(), event.component(), event.lane())
    }

    fn take(queue: &mut EventQueue, model: &mut Model, until: u64) -> bool {
        let taken = queue.take_until(Time::from_nanos(until)).map(parts);
        assert_eq!(taken, model.least().filter(|(time, ..)| *time <= until));
        match taken {
            Some((_, id, Event::OWN)) => assert!(model.own.remove(&id).is_some()),
            Some((.., lane)) => {
                let (time, id) = model.lanes.remove(&lane).expect("the lane has an event");
                // every other lane goes on
                let next = (lane % 2 == 0 && id > 0).then_some((time + u64::from(id), id / 2));
                queue.set_lane(lane, next.map(|(time, id)| (Time::from_nanos(time), id)));
                model.lanes.extend(next.map(|next| (lane, next)));
            }
            None => {}
        }
        taken.is_some()
    }

    proptest! {
        #[test]
        fn agrees_with_maps(
            lanes in 0u32..9,
            steps in prop::collection::vec((0u32..40, 0u64..50, 0u32..50, 0u8..7), 1..400),
        ) {
            let mut queue = EventQueue::new(40, lanes as usize);
            let mut model = Model::default();
            for (id, time, exponent, action) in steps {
                let time = time << exponent;
                match action {
                    0 => { queue.cancel(id); model.own.remove(&id); }
                    1 | 2 => { take(&mut queue, &mut model, time); }
                    3 | 4 if id < lanes && !model.lanes.contains_key(&id) => {
                        queue.begin_lane(id, Time::from_nanos(time), exponent);
                        model.lanes.insert(id, (time, exponent));
                    }
                    _ => { queue.schedule(id, Time::from_nanos(time)); model.own.insert(id, time); }
                }
                prop_assert_eq!(queue.pending(id).map(Time::as_nanos), model.own.get(&id).copied());
                // not always, so that places stay open
                if time % 2 == 0 {
                    prop_assert_eq!(queue.peek().map(parts), model.least());
                }
            }
            while take(&mut queue, &mut model, Event::LATEST.as_nanos()) {}
            prop_assert_eq!(model.least(), None);
        }
    }

    /// A link may be so slow that a time saturates; it is after all others then, and no earlier.
    #[test]
    fn what_never_comes_is_last() {
        let mut queue = EventQueue::new(3, 3);
        for (lane, time) in [(0, Time::NEVER), (1, Time::from_nanos(5)), (2, Time::from_nanos(u64::MAX / 2))] {
            queue.begin_lane(lane, time, lane);
        }
        let first = queue.take_until(Time::from_nanos(9)).map(parts);
        assert_eq!(first, Some((5, 1, 1)));
        queue.set_lane(1, Some((Time::NEVER, 1)));
        assert_eq!(queue.take_until(Time::from_nanos(u64::MAX / 8)), None);
        queue.set_lane(0, Some((Time::from_nanos(7), 0)));
        assert_eq!(queue.take_until(Time::from_nanos(9)).map(parts), Some((7, 0, 0)));
    }

    /// A timer that is put off with every step, as a retransmission timer is, has one key all the time.
    #[test]
    fn what_moves_away_leaves_nothing() {
        let mut queue = EventQueue::new(2, 0);
        queue.schedule(0, Time::ZERO);
        for now in 0..10_000u64 {
            queue.schedule(1, Time::from_nanos(now + 300));
            let event = queue.take_until(Event::LATEST).expect("the step is pending");
            assert_eq!(parts(event), (now, 0, Event::OWN));
            queue.schedule(0, Time::from_nanos(now + 1));
            assert_eq!(queue.heap.len(), 2);
        }
        queue.cancel(0);
        assert_eq!(queue.take_until(Event::LATEST).map(parts), Some((9_999 + 300, 1, Event::OWN)));
        assert_eq!(queue.take_until(Event::LATEST), None);
    }
}

//! The event queue: at most one pending event per component, earliest first, ties by component id.
//!
//! A component is a link, a timer of a flow, or the sampler. Because each has at most one event pending, an event is a
//! node that belongs to its component, and moving or cancelling it needs no search. The nodes hang in a calendar
//! (R. Brown, "Calendar queues", CACM 31(10), 1988): time is cut into days of equal length, a bucket holds the events
//! of a day and of those a whole year of buckets later, and the earliest event is found by turning the pages. The order
//! of events is a function of (time, id) alone; the length of a day only decides how fast it is found.

use vegas_core::units::Time;

/// A component's place in the total order of simultaneous events: smaller ids go first.
pub(crate) type ComponentId = u32;

const NONE: u32 = u32::MAX;
/// Fewest buckets.
const BUCKETS_MIN: usize = 16;
/// How many events are taken between two looks at the calendar's cost.
const TUNE_EVERY: u32 = 4096;
/// Steps an event, beyond which the calendar is laid out anew.
const STEPS_MAX: u32 = 3;

/// Pending events, earliest first.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue {
    nodes: Vec<Node>,
    buckets: Vec<Bucket>,
    /// A day lasts 2^shift ns.
    shift: u32,
    /// The page that is open: no event lies on an earlier day.
    today: u64,
    pending: usize,
    taken: u32,
    steps: u32,
    /// The earliest event when the calendar was last looked at.
    tuned: Time,
}

/// The event of a component, in its bucket's list.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// [`Time::NEVER`] while none is pending.
    time: Time,
    next: u32,
    before: u32,
}

/// A list of events, earliest first.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    first: u32,
    last: u32,
}

const EMPTY: Bucket = Bucket { first: NONE, last: NONE };
const ABSENT: Node = Node { time: Time::NEVER, next: NONE, before: NONE };

impl EventQueue {
    pub(crate) fn new(components: usize) -> Self {
        assert!(components < NONE as usize, "too many components");
        EventQueue {
            nodes: vec![ABSENT; components],
            buckets: vec![EMPTY; BUCKETS_MIN],
            shift: 16,
            today: 0,
            pending: 0,
            taken: 0,
            steps: 0,
            tuned: Time::ZERO,
        }
    }

    /// Makes room for more components; those there are keep their ids.
    pub(crate) fn grow(&mut self, components: usize) {
        assert!(components < NONE as usize, "too many components");
        self.nodes.resize(components, ABSENT);
    }

    /// The earliest event. To be asked once for each event.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<(Time, ComponentId)> {
        self.taken += 1;
        if self.taken == TUNE_EVERY {
            self.tune();
        }
        match self.on_page() {
            Some(first) => Some(first),
            None => self.turn_pages(),
        }
    }

    /// The earliest event of today.
    #[inline]
    fn on_page(&self) -> Option<(Time, ComponentId)> {
        let first = self.buckets[self.bucket(self.today)].first;
        // there is no node of number NONE
        let time = self.nodes.get(first as usize)?.time;
        (self.day(time) == self.today).then_some((time, first))
    }

    /// The earliest event of a later day.
    #[inline(never)]
    fn turn_pages(&mut self) -> Option<(Time, ComponentId)> {
        if self.pending == 0 {
            return None;
        }
        for _ in 0..self.buckets.len() {
            self.today += 1;
            self.steps += 1;
            if let Some(first) = self.on_page() {
                return Some(first);
            }
        }
        self.turn_to_earliest()
    }

    /// Takes the earliest event, unless it comes after `end`.
    #[inline]
    pub(crate) fn take_until(&mut self, end: Time) -> Option<(Time, ComponentId)> {
        let (time, id) = self.peek()?;
        if time > end {
            return None;
        }
        let bucket = self.bucket(self.today);
        let next = self.nodes[id as usize].next;
        self.buckets[bucket].first = next;
        match next {
            NONE => self.buckets[bucket].last = NONE,
            _ => self.nodes[next as usize].before = NONE,
        }
        self.nodes[id as usize].time = Time::NEVER;
        self.pending -= 1;
        Some((time, id))
    }

    /// When a component's event is due.
    pub(crate) fn pending(&self, id: ComponentId) -> Option<Time> {
        let time = self.nodes[id as usize].time;
        (time != Time::NEVER).then_some(time)
    }

    /// Sets a component's event, replacing the one that is pending.
    pub(crate) fn schedule(&mut self, id: ComponentId, time: Time) {
        self.cancel(id);
        if time != Time::NEVER {
            self.add(id, time);
        }
    }

    /// Sets the event of a component that has none pending.
    pub(crate) fn add(&mut self, id: ComponentId, time: Time) {
        debug_assert_eq!(self.pending(id), None);
        self.insert(id, time);
        if self.pending > 2 * self.buckets.len() {
            self.lay_out(self.shift);
        }
    }

    /// Removes a component's event, if one is pending.
    pub(crate) fn cancel(&mut self, id: ComponentId) {
        let Node { time, next, before } = self.nodes[id as usize];
        if time == Time::NEVER {
            return;
        }
        let bucket = self.bucket(self.day(time));
        match before {
            NONE => self.buckets[bucket].first = next,
            _ => self.nodes[before as usize].next = next,
        }
        match next {
            NONE => self.buckets[bucket].last = before,
            _ => self.nodes[next as usize].before = before,
        }
        self.nodes[id as usize].time = Time::NEVER;
        self.pending -= 1;
    }

    /// Puts an event into its bucket, from behind: most come later than what is there.
    #[inline]
    fn insert(&mut self, id: ComponentId, time: Time) {
        let day = self.day(time);
        self.today = self.today.min(day);
        let bucket = self.bucket(day);
        let mut before = self.buckets[bucket].last;
        // there is no node of number NONE
        while let Some(node) = self.nodes.get(before as usize) {
            if node.time < time || (node.time == time && before < id) {
                break;
            }
            before = node.before;
            self.steps += 1;
        }
        let next = match before {
            NONE => std::mem::replace(&mut self.buckets[bucket].first, id),
            _ => std::mem::replace(&mut self.nodes[before as usize].next, id),
        };
        match next {
            NONE => self.buckets[bucket].last = id,
            _ => self.nodes[next as usize].before = id,
        }
        self.nodes[id as usize] = Node { time, next, before };
        self.pending += 1;
    }

    /// A year went by without an event: looks at every bucket.
    fn turn_to_earliest(&mut self) -> Option<(Time, ComponentId)> {
        self.steps += self.buckets.len() as u32;
        let firsts = self.buckets.iter().filter(|bucket| bucket.first != NONE);
        let earliest = firsts.map(|bucket| (self.nodes[bucket.first as usize].time, bucket.first)).min()?;
        self.today = self.day(earliest.0);
        Some(earliest)
    }

    /// Changes the length of a day where the present one costs too much.
    fn tune(&mut self) {
        let now = Time::from_nanos(self.today << self.shift);
        let gap = now.since(self.tuned).as_nanos() / u64::from(TUNE_EVERY);
        let shift = (2 * gap).max(1).ilog2();
        if self.steps > STEPS_MAX * TUNE_EVERY && shift != self.shift {
            self.lay_out(shift);
        }
        (self.taken, self.steps, self.tuned) = (0, 0, now);
    }

    /// Hangs all events anew, with a bucket for each at least.
    fn lay_out(&mut self, shift: u32) {
        let today = self.today << self.shift;
        self.shift = shift;
        self.today = today >> shift;
        self.buckets = vec![EMPTY; self.pending.next_power_of_two().max(BUCKETS_MIN)];
        self.buckets.resize(2 * self.buckets.len(), EMPTY);
        self.pending = 0;
        for id in 0..self.nodes.len() {
            let time = self.nodes[id].time;
            if time != Time::NEVER {
                self.insert(id as u32, time);
            }
        }
    }

    fn day(&self, time: Time) -> u64 {
        time.as_nanos() >> self.shift
    }

    fn bucket(&self, day: u64) -> usize {
        day as usize & (self.buckets.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Against the obvious model: a map from component to time, searched for its least (time, id).
    fn check(queue: &mut EventQueue, model: &BTreeMap<u32, u64>) -> Option<(u64, u32)> {
        let least = model.iter().map(|(id, time)| (*time, *id)).min();
        let found = queue.peek().map(|(time, id)| (time.as_nanos(), id));
        assert_eq!(found, least);
        found
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in prop::collection::vec((0u32..40, 0u64..50, 0u32..50, 0u8..4), 1..400)) {
            let mut queue = EventQueue::new(40);
            let mut model: BTreeMap<u32, u64> = BTreeMap::new();
            for (id, time, exponent, action) in steps {
                let time = time << exponent;
                match action {
                    0 => { queue.cancel(id); model.remove(&id); }
                    1 => if let Some((_, id)) = queue.take_until(Time::from_nanos(time)) { model.remove(&id); },
                    _ => { queue.schedule(id, Time::from_nanos(time)); model.insert(id, time); }
                }
                check(&mut queue, &model);
                prop_assert_eq!(queue.pending(id).map(Time::as_nanos), model.get(&id).copied());
            }
        }
    }

    /// As a run does it: the earliest component moves on, by steps whose length changes a thousandfold, so that the
    /// calendar is laid out anew; more and more components take part.
    #[test]
    fn days_follow_the_steps() {
        let mut queue = EventQueue::new(10);
        let mut model: BTreeMap<u32, u64> = (0..10).map(|id| (id, u64::from(id))).collect();
        model.iter().for_each(|(id, time)| queue.schedule(*id, Time::from_nanos(*time)));
        let mut shifts = std::collections::BTreeSet::new();
        let mut random = 1u64;
        for step in 0..60_000u64 {
            let (now, id) = check(&mut queue, &model).expect("all are pending");
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let later = now + (random >> 40) * [1, 1_000, 30][(step / 20_000) as usize];
            queue.schedule(id, Time::from_nanos(later));
            model.insert(id, later);
            if step % 200 == 0 {
                let new = model.len() as u32;
                queue.grow(new as usize + 1);
                queue.schedule(new, Time::from_nanos(now));
                model.insert(new, now);
            }
            shifts.insert(queue.shift);
        }
        assert!(shifts.len() > 3, "the length of a day should have changed: {shifts:?}");
    }
}

//! The event queue: at most one pending event per component, earliest first, ties by component id.
//!
//! A component is a link, a timer of a flow, or the sampler. Because each has at most one event pending, the queue
//! is an indexed 4-ary heap no larger than the number of busy components, whatever the number of packets in flight;
//! and the order of events is a function of (time, id) alone, not of the order in which they were scheduled.

use vegas_core::units::Time;

/// A component's place in the total order of simultaneous events: smaller ids go first.
pub(crate) type ComponentId = u32;

const ABSENT: u32 = u32::MAX;
const ARITY: usize = 4;

/// Pending events, earliest first.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue {
    heap: Vec<(Time, ComponentId)>,
    /// Where each component's event lies in `heap`, or [`ABSENT`].
    position: Vec<u32>,
}

impl EventQueue {
    pub(crate) fn new(components: usize) -> Self {
        assert!(components < ABSENT as usize, "too many components");
        EventQueue { heap: Vec::with_capacity(components), position: vec![ABSENT; components] }
    }

    /// Makes room for more components; those there are keep their ids.
    pub(crate) fn grow(&mut self, components: usize) {
        assert!(components < ABSENT as usize, "too many components");
        self.position.resize(components, ABSENT);
    }

    /// The earliest event.
    pub(crate) fn peek(&self) -> Option<(Time, ComponentId)> {
        self.heap.first().copied()
    }

    /// When a component's event is due.
    pub(crate) fn pending(&self, id: ComponentId) -> Option<Time> {
        match self.position[id as usize] {
            ABSENT => None,
            at => Some(self.heap[at as usize].0),
        }
    }

    /// Sets a component's event, replacing the one that is pending.
    pub(crate) fn schedule(&mut self, id: ComponentId, time: Time) {
        let event = (time, id);
        match self.position[id as usize] {
            ABSENT => {
                self.heap.push(event);
                self.rise(self.heap.len() - 1, event);
            }
            at => {
                let at = at as usize;
                if event < self.heap[at] {
                    self.rise(at, event);
                } else {
                    self.sink(at, event);
                }
            }
        }
    }

    /// Removes a component's event, if one is pending.
    pub(crate) fn cancel(&mut self, id: ComponentId) {
        let at = self.position[id as usize];
        if at == ABSENT {
            return;
        }
        self.position[id as usize] = ABSENT;
        let last = self.heap.pop().expect("a pending event is in the heap");
        let at = at as usize;
        if at == self.heap.len() {
            return;
        }
        if at > 0 && last < self.heap[(at - 1) / ARITY] {
            self.rise(at, last);
        } else {
            self.sink(at, last);
        }
    }

    fn place(&mut self, at: usize, event: (Time, ComponentId)) {
        self.heap[at] = event;
        self.position[event.1 as usize] = at as u32;
    }

    /// Moves the hole at `at` up to where `event` belongs.
    fn rise(&mut self, mut at: usize, event: (Time, ComponentId)) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.heap[parent] <= event {
                break;
            }
            self.place(at, self.heap[parent]);
            at = parent;
        }
        self.place(at, event);
    }

    /// Moves the hole at `at` down to where `event` belongs.
    fn sink(&mut self, mut at: usize, event: (Time, ComponentId)) {
        loop {
            let first = at * ARITY + 1;
            if first >= self.heap.len() {
                break;
            }
            let end = (first + ARITY).min(self.heap.len());
            let least = (first..end).min_by_key(|&child| self.heap[child]).expect("at least one child");
            if self.heap[least] >= event {
                break;
            }
            self.place(at, self.heap[least]);
            at = least;
        }
        self.place(at, event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Against the obvious model: a map from component to time, searched for its least (time, id).
        #[test]
        fn agrees_with_a_map(steps in prop::collection::vec((0u32..40, 0u64..50, 0u8..4), 1..400)) {
            let mut queue = EventQueue::new(40);
            let mut model: BTreeMap<u32, u64> = BTreeMap::new();
            for (id, time, action) in steps {
                match action {
                    0 => { queue.cancel(id); model.remove(&id); }
                    _ => { queue.schedule(id, Time::from_nanos(time)); model.insert(id, time); }
                }
                let least = model.iter().map(|(id, time)| (Time::from_nanos(*time), *id)).min();
                prop_assert_eq!(queue.peek(), least);
                prop_assert_eq!(queue.pending(id).map(Time::as_nanos), model.get(&id).copied());
            }
        }
    }
}

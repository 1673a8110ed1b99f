//! The sampling instants, and snapshots of totals that grow ahead of their time.
//!
//! A sample must not show changes of a total that are known ahead of their time. The sampling instants are known from
//! the start, so a total takes a snapshot of itself before it passes one of them.

use vegas_core::units::{Span, Time};

use crate::util::ring::Ring;

/// The instants at which totals are sampled: the multiples of a step, if there is one, and the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SamplingInstants {
    /// The next instant that the total has not passed; [`Time::NEVER`] after the last.
    next: Time,
    /// The step; zero without one, or once all of its multiples have been passed.
    step: Span,
    end: Time,
}

impl SamplingInstants {
    pub(crate) fn new(step: Option<Span>, end: Time) -> Self {
        SamplingInstants { next: Time::ZERO, step: step.unwrap_or(Span::ZERO), end }.later()
    }

    /// No instants.
    pub(crate) fn none() -> Self {
        SamplingInstants { next: Time::NEVER, step: Span::ZERO, end: Time::NEVER }
    }

    /// Returns the instants after the next one. The end comes after the last step, even if that is at the end.
    pub(crate) fn later(self) -> Self {
        let (has_steps, next) = (self.step > Span::ZERO, self.next + self.step);
        if has_steps && next <= self.end {
            SamplingInstants { next, ..self }
        } else if has_steps || self.next == Time::ZERO {
            SamplingInstants { next: self.end, step: Span::ZERO, ..self }
        } else {
            SamplingInstants { next: Time::NEVER, ..self }
        }
    }
}

/// The values of a total at the sampling instants that it has passed and that are still to come.
#[derive(Clone, Debug)]
pub(crate) struct Snapshots<T> {
    instants: SamplingInstants,
    /// The values, oldest first; `None` until there is a first one.
    values: Option<Box<Ring<T>>>,
}

impl<T: Copy + Default> Snapshots<T> {
    pub(crate) fn new(instants: SamplingInstants) -> Self {
        Snapshots { instants, values: None }
    }

    /// Returns whether an event at `at` comes after a sampling instant without a snapshot.
    #[inline]
    pub(crate) fn is_due(&self, at: Time) -> bool {
        at > self.instants.next
    }

    /// The first sampling instant without a snapshot; [`Time::NEVER`] once all have one.
    pub(crate) fn next(&self) -> Time {
        self.instants.next
    }

    /// Takes the snapshots of the sampling instants before `at`.
    pub(crate) fn take_before(&mut self, at: Time, mut value: impl FnMut(Time) -> T) {
        while self.is_due(at) {
            self.values.get_or_insert_default().push_back(value(self.instants.next));
            self.instants = self.instants.later();
        }
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.as_ref().map_or(0, |values| values.memory_bytes())
    }

    /// Returns the total at the current sampling instant: its snapshot, or else `newest`, the total with all that is
    /// known.
    pub(crate) fn read(&mut self, newest: impl FnOnce() -> T) -> T {
        self.values.as_mut().and_then(|values| values.pop_front()).unwrap_or_else(|| {
            self.instants = self.instants.later();
            newest()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(step: Option<u64>, end: u64) -> Vec<u64> {
        let all = std::iter::successors(
            Some(SamplingInstants::new(step.map(Span::from_nanos), Time::from_nanos(end))),
            |instants| Some(instants.later()),
        );
        all.map(|instants| instants.next).take_while(|next| *next != Time::NEVER).map(Time::as_nanos).collect()
    }

    #[test]
    fn the_end_is_looked_at_once_more() {
        assert_eq!(looks(Some(100), 250), [100, 200, 250]);
        assert_eq!(looks(Some(100), 200), [100, 200, 200]);
        assert_eq!(looks(Some(100), 50), [50]);
        assert_eq!(looks(None, 50), [50]);
        assert_eq!(SamplingInstants::none().next, Time::NEVER);
    }

    #[test]
    fn what_comes_later_is_not_seen() {
        let mut snapshots = Snapshots::new(SamplingInstants::new(Some(Span::from_nanos(100)), Time::from_nanos(300)));
        assert!(!snapshots.is_due(Time::from_nanos(100)));
        snapshots.take_before(Time::from_nanos(201), |_| 7);
        assert_eq!([snapshots.read(|| 8), snapshots.read(|| 8), snapshots.read(|| 9)], [7, 7, 9]);
    }
}

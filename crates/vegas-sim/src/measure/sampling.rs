//! The sampling instants, and snapshots of totals that grow ahead of their time.
//!
//! What is known ahead of time must not be seen before its time. The instants at which samples are taken are known from the
//! start, so what brings a total past one of them takes a snapshot of it first.

use vegas_core::units::{Span, Time};

use crate::util::ring::Ring;

/// The instants at which totals are sampled: the multiples of a step, if there is one, and the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SamplingInstants {
    /// The next one that nothing has passed; never, once all have been passed.
    next: Time,
    /// Zero for none, or once all of its multiples have been passed.
    step: Span,
    end: Time,
}

impl SamplingInstants {
    pub(crate) fn new(step: Option<Span>, end: Time) -> Self {
        SamplingInstants { next: Time::ZERO, step: step.unwrap_or(Span::ZERO), end }.later()
    }

    /// None.
    pub(crate) fn none() -> Self {
        SamplingInstants { next: Time::NEVER, step: Span::ZERO, end: Time::NEVER }
    }

    /// From the next one on: the end comes after the last step, even where that is at the end.
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

/// What a total was at the sampling instants that it has passed and that are still to come.
#[derive(Clone, Debug)]
pub(crate) struct Snapshots<T> {
    instants: SamplingInstants,
    /// Nothing until there is a first one.
    values: Option<Box<Ring<T>>>,
}

impl<T: Copy + Default> Snapshots<T> {
    pub(crate) fn new(instants: SamplingInstants) -> Self {
        Snapshots { instants, values: None }
    }

    /// Whether something that happens at `at` comes after a sampling instant of which there is no snapshot yet.
    #[inline]
    pub(crate) fn is_due(&self, at: Time) -> bool {
        at > self.instants.next
    }

    /// The first sampling instant of which there is no snapshot yet; never, once there is one of all.
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

    /// What it holds beside itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.as_ref().map_or(0, |values| values.memory_bytes())
    }

    /// What the total is at the sampling instant that has come: the snapshot, or else `newest`, with all that is known.
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

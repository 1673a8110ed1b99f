//! When somebody looks at totals that grow ahead of their time, and what they were then.
//!
//! What is known ahead of time must not be seen before its time. The instants at which somebody looks are known from the
//! start, so whoever brings a total past one of them notes first what it was.

use vegas_core::units::{Span, Time};

use crate::ring::Ring;

/// The instants at which totals are looked at: the multiples of a step, if there is one, and the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looks {
    /// The next one that nothing has passed; never, once all have been passed.
    next: Time,
    /// Zero for none, or once all of its multiples have been passed.
    step: Span,
    end: Time,
}

impl Looks {
    pub(crate) fn new(step: Option<Span>, end: Time) -> Self {
        Looks { next: Time::ZERO, step: step.unwrap_or(Span::ZERO), end }.later()
    }

    /// Nobody looks.
    pub(crate) fn none() -> Self {
        Looks { next: Time::NEVER, step: Span::ZERO, end: Time::NEVER }
    }

    /// From the next one on: the end comes after the last step, even where that is at the end.
    pub(crate) fn later(self) -> Self {
        let (has_steps, next) = (self.step > Span::ZERO, self.next + self.step);
        if has_steps && next <= self.end {
            Looks { next, ..self }
        } else if has_steps || self.next == Time::ZERO {
            Looks { next: self.end, step: Span::ZERO, ..self }
        } else {
            Looks { next: Time::NEVER, ..self }
        }
    }
}

/// What a total was at the looks that it has passed and that are still to come.
#[derive(Clone, Debug)]
pub(crate) struct Noted<T> {
    looks: Looks,
    /// Nothing until there is a first one.
    values: Option<Box<Ring<T>>>,
}

impl<T: Copy + Default> Noted<T> {
    pub(crate) fn new(looks: Looks) -> Self {
        Noted { looks, values: None }
    }

    /// Whether something that happens at `at` comes after a look at which the total is not noted yet.
    #[inline]
    pub(crate) fn is_due(&self, at: Time) -> bool {
        at > self.looks.next
    }

    /// The first look at which the total is not noted yet; never, once it is at all of them.
    pub(crate) fn next(&self) -> Time {
        self.looks.next
    }

    /// Notes what the total is at the looks before `at`.
    pub(crate) fn note(&mut self, at: Time, mut value: impl FnMut(Time) -> T) {
        while self.is_due(at) {
            self.values.get_or_insert_default().push_back(value(self.looks.next));
            self.looks = self.looks.later();
        }
    }

    /// What the total is at the look whose time has come: with all that is known `newest`, unless it was noted.
    pub(crate) fn look(&mut self, newest: impl FnOnce() -> T) -> T {
        self.values.as_mut().and_then(|values| values.pop_front()).unwrap_or_else(|| {
            self.looks = self.looks.later();
            newest()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(step: Option<u64>, end: u64) -> Vec<u64> {
        let all = std::iter::successors(Some(Looks::new(step.map(Span::from_nanos), Time::from_nanos(end))), |looks| {
            Some(looks.later())
        });
        all.map(|looks| looks.next).take_while(|next| *next != Time::NEVER).map(Time::as_nanos).collect()
    }

    #[test]
    fn the_end_is_looked_at_once_more() {
        assert_eq!(looks(Some(100), 250), [100, 200, 250]);
        assert_eq!(looks(Some(100), 200), [100, 200, 200]);
        assert_eq!(looks(Some(100), 50), [50]);
        assert_eq!(looks(None, 50), [50]);
        assert_eq!(Looks::none().next, Time::NEVER);
    }

    #[test]
    fn what_comes_later_is_not_seen() {
        let mut noted = Noted::new(Looks::new(Some(Span::from_nanos(100)), Time::from_nanos(300)));
        assert!(!noted.is_due(Time::from_nanos(100)));
        noted.note(Time::from_nanos(201), |_| 7);
        assert_eq!([noted.look(|| 8), noted.look(|| 8), noted.look(|| 9)], [7, 7, 9]);
    }
}

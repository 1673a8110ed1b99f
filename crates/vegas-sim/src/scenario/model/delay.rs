//! Delays that vary by a schedule.

use vegas_core::units::{Span, Time};

/// An additional delay that is a piecewise constant function of time. Packets that are held stay in order, so that none
/// is held longer than for the schedule's greatest delay. Without points there is no delay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DelaySchedule {
    /// The times from which each delay holds, ascending; before the first there is none.
    points: Vec<(Time, Span)>,
}

impl DelaySchedule {
    /// Returns the schedule with these points, of which each time is later than the one before.
    pub fn new(points: Vec<(Time, Span)>) -> Self {
        DelaySchedule { points }
    }

    /// Returns the delay of a packet that comes at `now`.
    pub(crate) fn delay_at(&self, now: Time) -> Span {
        let begun = self.points.partition_point(|(from, _)| *from <= now);
        begun.checked_sub(1).map_or(Span::ZERO, |last| self.points[last].1)
    }

    /// The points: each delay with the time from which it holds, ascending.
    pub fn points(&self) -> &[(Time, Span)] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_holds_from_its_time_on() {
        let at = |ms| Time::ZERO + Span::from_millis(ms);
        let schedule = DelaySchedule::new(vec![(at(10), Span::from_millis(3)), (at(20), Span::ZERO)]);
        let delays = [0, 9, 10, 19, 20, 1_000].map(|ms| schedule.delay_at(at(ms)).as_nanos() / 1_000_000);
        assert_eq!(delays, [0, 0, 3, 3, 0, 0]);
    }
}

//! The shifts of the router's two threads: when each is awake.
//!
//! Linux takes the processor from real-time threads that use more than 95 % of a second (`sched_rt_runtime_us`), for up
//! to 50 ms. So one thread serves most of the time, and another one, on another processor, while the first sleeps.

use vegas_core::units::{Span, Time};

/// An interval within each [`PERIOD`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    begins: Span,
    lasts: Span,
}

const PERIOD: Span = Span::from_millis(200);

/// The shift for most of the time, and that for the rest. Each begins two milliseconds before the other ends, as a
/// thread may wake late.
pub(crate) const SHIFTS: [Shift; 2] = [
    Shift { begins: Span::ZERO, lasts: Span::from_millis(182) },
    Shift { begins: Span::from_millis(180), lasts: Span::from_millis(22) },
];

impl Shift {
    /// Returns the time until the shift begins; zero while it lasts.
    pub(crate) fn begins_in(self, now: Time) -> Span {
        let period = PERIOD.as_nanos();
        let since = (now.as_nanos() % period + period - self.begins.as_nanos()) % period;
        Span::from_nanos(if since < self.lasts.as_nanos() { 0 } else { period - since })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_always_awake_and_none_always() {
        let is_awake = |ms: u64| SHIFTS.map(|shift| shift.begins_in(Time::ZERO + Span::from_millis(ms)) == Span::ZERO);
        let awake: Vec<_> = (0..1000).map(is_awake).collect();
        assert!(awake.iter().all(|awake| awake.contains(&true)));
        let shares = [0, 1].map(|thread| awake.iter().filter(|awake| awake[thread]).count());
        assert_eq!(shares, [910, 110], "of a thousand milliseconds");
    }

    #[test]
    fn a_thread_sleeps_until_its_shift_begins() {
        let at = |ms| Time::ZERO + Span::from_millis(ms);
        assert_eq!(SHIFTS[1].begins_in(at(1010)), Span::from_millis(170));
        assert_eq!(SHIFTS[0].begins_in(at(399)), Span::from_millis(1));
    }
}

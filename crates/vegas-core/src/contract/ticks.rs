//! The clock that modules and timers of Linux read (`jiffies`).

use crate::contract::parameters::Parameters;
use crate::units::{Span, Time};

/// A time, which wraps after 49 days at least, or a span, in ticks.
pub(crate) type Ticks = u32;

/// A clock that counts ticks; the first begins at [`Time::ZERO`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    per_second: u16,
}

impl Clock {
    /// The greatest length of a tick.
    pub(crate) const LONGEST: Span = tick(*Parameters::TICKS_PER_SECOND.start());

    /// A clock of [`Parameters::TICKS_PER_SECOND`].
    pub fn new(per_second: u16) -> Self {
        debug_assert!(Parameters::TICKS_PER_SECOND.contains(&per_second), "{per_second} ticks a second");
        Clock { per_second }
    }

    /// The ticks of a second (`HZ`).
    pub(crate) fn second(self) -> Ticks {
        self.per_second.into()
    }

    /// The ticks before `now`.
    pub(crate) fn at(self, now: Time) -> Ticks {
        (now.as_nanos() / self.tick().as_nanos()) as Ticks
    }

    /// The ticks that a span takes, a part of one for a whole one (`usecs_to_jiffies`).
    pub(crate) fn covering(self, span: Span) -> Ticks {
        span.as_nanos().div_ceil(self.tick().as_nanos()).clamp(1, Ticks::MAX.into()) as Ticks
    }

    /// A connection is established a round trip before its first acknowledgement, which took `rtt`.
    pub(crate) fn at_establishment(self, first_ack: Time, rtt: Option<Span>) -> Ticks {
        self.at(Time::from_nanos(first_ack.as_nanos().saturating_sub(rtt.unwrap_or_default().as_nanos())))
    }

    pub(crate) fn span(self, ticks: Ticks) -> Span {
        self.tick().times(ticks.into())
    }

    /// When a timer that is set at `now` expires: with the first tick for which as many whole ones have passed as cover
    /// `span`. From 63 ticks on the slots of the timer wheel grow by eight times, and it expires with the next slot
    /// (`calc_wheel_index`).
    pub fn expiry(self, now: Time, span: Span) -> Time {
        let covering = self.covering(span);
        let shift = slot_shift(covering);
        let due = now.as_nanos() / self.tick().as_nanos() + u64::from(covering);
        Time::ZERO + self.tick().times(((due >> shift) + 1) << shift)
    }

    /// By how much a timer that is set for `span` is late at most: a slot, and the tick in which it is set.
    pub fn lateness_most(self, span: Span) -> Span {
        self.tick().times((1 << slot_shift(self.covering(span))) + 1)
    }

    fn tick(self) -> Span {
        tick(self.per_second)
    }
}

/// The ticks of a slot of the timer wheel for a timer of this many, as a power of two.
fn slot_shift(ticks: Ticks) -> u32 {
    const FINE_TICKS: u64 = 63;
    const SLOTS_SHIFT: u32 = 3;
    let mut shift = 0;
    while u64::from(ticks) >= FINE_TICKS << shift {
        shift += SLOTS_SHIFT;
    }
    shift
}

const fn tick(per_second: u16) -> Span {
    Span::from_nanos(1_000_000_000 / per_second as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_are_rounded_up() {
        let clock = Clock { per_second: 250 };
        let ticks = |micros| clock.covering(Span::from_micros(micros));
        assert_eq!(([1, 4_000, 4_001, 20_660].map(ticks), clock.second()), ([1, 1, 2, 6], 250));
    }

    /// In ticks of 4 ms: 5.25 ms are two, so that a timer set within tick 10 expires with tick 13; 252 ms are 63, and
    /// 73 / 8 + 1 slots of eight are 80 ticks.
    #[test]
    fn timers_expire_with_ticks() {
        let clock = Clock { per_second: 250 };
        let expiry = |now_us: u64, span_us| clock.expiry(Time::from_nanos(now_us * 1000), Span::from_micros(span_us));
        let tick = |number: u64| Time::from_nanos(number * 4_000_000);
        assert_eq!([40_000, 43_999].map(|now| expiry(now, 5_250)), [tick(13); 2]);
        assert_eq!([expiry(40_000, 248_000), expiry(40_000, 252_000)], [tick(73), tick(80)]);
        let latest = [248, 252].map(|ms| clock.lateness_most(Span::from_millis(ms)));
        assert_eq!(latest, [Span::from_millis(8), Span::from_millis(36)]);
    }
}

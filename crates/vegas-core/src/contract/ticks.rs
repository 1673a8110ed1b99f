//! The clock that modules of Linux read (`jiffies`).

use crate::contract::parameters::Parameters;
use crate::units::{Span, Time};

/// A time, which wraps after 49 days at least, or a span, in ticks.
pub(crate) type Ticks = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    per_second: u16,
}

impl Clock {
    /// The greatest length of a tick.
    pub(crate) const LONGEST: Span = tick(*Parameters::TICKS_PER_SECOND.start());

    pub(crate) fn of(parameters: &Parameters) -> Self {
        Clock { per_second: parameters.ticks_per_second }
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

    fn tick(self) -> Span {
        tick(self.per_second)
    }
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
}

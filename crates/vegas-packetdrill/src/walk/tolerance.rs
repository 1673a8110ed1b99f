//! When something may happen: the times of a script, and how much later or earlier is still right.

use vegas_core::units::{Span, Time};

use crate::script::{Moment, Script};
use crate::verdict::seconds;

/// How far a time may be off: packetdrill's rule and defaults.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    least: Span,
    /// Of the time since the event before, in thousandths.
    permille: u64,
}

impl Tolerance {
    /// The tolerance of a script's options.
    pub(super) fn of(script: &Script) -> Self {
        let micros = script.option("tolerance_usecs").and_then(|value| value.parse().ok());
        let percent = script.option("tolerance_percent").and_then(|value| value.parse::<f64>().ok());
        Tolerance {
            least: micros.map_or(Span::from_millis(4), Span::from_micros),
            permille: percent.map_or(125, |percent| (percent * 10.0) as u64),
        }
    }

    /// The tolerance of a time that is this much later than the event before.
    pub(super) fn after(&self, span: Span) -> Span {
        let part = u128::from(span.as_nanos()) * u128::from(self.permille) / 1_000;
        self.least.max(Span::from_nanos(u64::try_from(part).unwrap_or(u64::MAX)))
    }
}

/// The times at which an event may happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) from: Time,
    pub(super) to: Time,
}

impl Window {
    /// The times of a moment; the event before it ended at `now`.
    pub(super) fn of(moment: Moment, now: Time) -> Self {
        let (from, to) = match moment {
            Moment::At(at) => (Time::ZERO + at, Time::ZERO + at),
            Moment::After(span) => (now + span, now + span),
            Moment::Between(from, to) => (Time::ZERO + from, Time::ZERO + to),
            Moment::BetweenAfter(from, to) => (now + from, now + to),
            Moment::Any => (now, Time::NEVER),
        };
        Window { from, to }
    }

    pub(super) fn is_any(&self) -> bool {
        self.to == Time::NEVER
    }

    /// Says that something happens at the wrong time, if it does.
    pub(super) fn misses(&self, at: Time, slack: Span) -> Option<String> {
        let early = self.from.since(at) > slack && at < self.from;
        let late = at.since(self.to) > slack && at > self.to;
        let by = if early { "early" } else { "late" };
        (!self.is_any() && (early || late)).then(|| format!("the segment is {by}: at {} s", seconds(at)))
    }

    pub(super) fn text(&self) -> String {
        match (self.is_any(), self.from == self.to) {
            (true, _) => "*".to_owned(),
            (false, true) => seconds(self.from),
            (false, false) => format!("{}~{}", seconds(self.from), seconds(self.to)),
        }
    }
}

//! The machine's clocks, and waiting.

use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use vegas_core::units::Time;

/// The machine's monotonic clock, counted from the run's beginning; the kernel side stamps its records by the same
/// clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began_ns: u64,
}

impl Clock {
    /// Starts a clock that shows 0 now.
    pub fn start() -> Self {
        Clock { began_ns: monotonic_ns() }
    }

    /// Returns the time that the clock shows.
    pub fn now(&self) -> Time {
        self.at(monotonic_ns())
    }

    /// Returns the clock's time at an instant of the monotonic clock; 0 before the run's beginning.
    pub fn at(&self, monotonic_ns: u64) -> Time {
        Time::from_nanos(monotonic_ns.saturating_sub(self.began_ns))
    }
}

pub(crate) fn monotonic_ns() -> u64 {
    nanos(ClockId::CLOCK_MONOTONIC)
}

/// Reads the same instant by the real-time clock, in which other programs write times down, and by the monotonic one.
pub(crate) fn real_and_monotonic_ns() -> (u64, u64) {
    (nanos(ClockId::CLOCK_REALTIME), monotonic_ns())
}

fn nanos(clock: ClockId) -> u64 {
    // Linux always has these clocks
    clock_gettime(clock).map_or(0, |time| time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}

#[allow(clippy::disallowed_methods, reason = "real hosts wait in real time")]
pub(crate) fn pause(span: Duration) {
    thread::sleep(span);
}

//! The machine's clocks, and waiting.

use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use vegas_core::units::Time;

/// How the machine's time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// By the machine's clock: a thread that is late stays late.
    Real,
    /// By the guest's clock, which counts instructions and skips idle time: docs/kernel-world.md.
    Virtual,
}

/// The machine's monotonic clock, counted from the run's beginning; the kernel side stamps its records by the same
/// clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began_ns: u64,
}

const SECOND_NS: u64 = 1_000_000_000;

/// Sleeps until the machine's next whole second.
pub(crate) fn wait_for_second() {
    pause(Duration::from_nanos(SECOND_NS - monotonic_ns() % SECOND_NS));
}

impl Clock {
    /// Starts a clock that shows 0 now.
    pub fn start() -> Self {
        Clock { began_ns: monotonic_ns() }
    }

    /// Starts a clock at the machine's next whole second. Then a run begins at the same point between two of the
    /// kernel's ticks, however long the preparation took.
    pub(crate) fn start_at_second() -> Self {
        wait_for_second();
        Clock { began_ns: monotonic_ns() / SECOND_NS * SECOND_NS }
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
    clock_gettime(clock).map_or(0, |time| time.tv_sec() as u64 * SECOND_NS + time.tv_nsec() as u64)
}

#[allow(clippy::disallowed_methods, reason = "real hosts wait in real time")]
pub(crate) fn pause(span: Duration) {
    thread::sleep(span);
}

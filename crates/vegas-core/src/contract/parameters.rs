//! The numbers of a sender.

use core::ops::RangeInclusive;

use crate::units::Segments;

/// The numbers of a sender. Windows and thresholds are in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Backlog below which the window grows in congestion avoidance; 0 to `beta`.
    pub alpha: Segments,
    /// Backlog above which the window shrinks in congestion avoidance; `alpha` or more.
    pub beta: Segments,
    /// Backlog above which slow start ends; 0 or more.
    pub gamma: Segments,
    /// Window at the start (G of "Revisited": 2; Reno: 1), at least 1.
    pub initial_window: Segments,
    /// Window after a timeout, unless it was smaller (G of "Revisited": 2; Reno: 1), at least 1.
    pub restart_window: Segments,
    /// Slow-start threshold before the first loss, at least 2. None: unbounded, and for mid-speed, which jumps to half
    /// of it, 64 segments.
    pub ssthresh: Option<Segments>,
    /// The window never exceeds this: the receiver's window, or less. 2 to [`Window::MAX`](crate::units::Window::MAX),
    /// and not below the initial and the restart window.
    pub max_window: Segments,
    /// Ticks a second of the clock by which some of Linux's modules and timers count time (`jiffies`, `CONFIG_HZ`):
    /// [`TICKS_PER_SECOND`](Self::TICKS_PER_SECOND).
    pub ticks_per_second: u16,
}

/// Which thresholds of the backlog a part reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// [`Parameters::alpha`].
    pub alpha: bool,
    /// [`Parameters::beta`].
    pub beta: bool,
    /// [`Parameters::gamma`].
    pub gamma: bool,
}

impl Parameters {
    /// Kernels have 100, 250, 300 or 1000 ticks a second.
    pub const TICKS_PER_SECOND: RangeInclusive<u16> = 100..=1000;
    /// Debian's kernels.
    pub const DEBIANS_TICKS: u16 = 250;

    /// RFC 9002, section 7.2: QUIC begins with ten packets. A preset that begins with more keeps that.
    pub fn left_to_quic(mut self) -> Self {
        self.initial_window = self.initial_window.max(Segments(10));
        self
    }
}

impl Thresholds {
    pub(crate) const NONE: Thresholds = Thresholds { alpha: false, beta: false, gamma: false };
    pub(crate) const ALPHA: Thresholds = Thresholds { alpha: true, ..Thresholds::NONE };
    pub(crate) const BETA: Thresholds = Thresholds { beta: true, ..Thresholds::NONE };
    pub(crate) const GAMMA: Thresholds = Thresholds { gamma: true, ..Thresholds::NONE };
    pub(crate) const ALPHA_BETA: Thresholds = Thresholds { beta: true, ..Thresholds::ALPHA };

    /// The thresholds that either reads.
    pub(crate) const fn or(self, other: Thresholds) -> Thresholds {
        Thresholds { alpha: self.alpha || other.alpha, beta: self.beta || other.beta, gamma: self.gamma || other.gamma }
    }

    pub(crate) const fn any(self) -> bool {
        self.alpha || self.beta || self.gamma
    }
}

//! Units: one newtype each for time, spans, rates, bytes, segments, windows and send indices.
//!
//! No public signature of this workspace takes a bare integer where one of these is meant.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// An instant, in nanoseconds since the host's own origin. Hosts pass it in; nothing here reads a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time, in nanoseconds; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

/// A rate, in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// An amount of data, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

/// A whole number of segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segments(pub u32);

/// A congestion window: segments, with [`Window::FRACTION_BITS`] bits after the binary point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window(u64);

/// The position of a segment in the order of sending. TCP hosts count segments from the connection's start
/// (sequence number over segment size), QUIC hosts give the packet number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SendIndex(pub u64);

const NANOS_PER_SECOND: u64 = 1_000_000_000;

impl Time {
    /// The host's origin.
    pub const ZERO: Time = Time(0);
    /// Later than anything a host can reach.
    pub const NEVER: Time = Time(u64::MAX);

    /// From nanoseconds since the origin.
    pub const fn from_nanos(nanos: u64) -> Self {
        Time(nanos)
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span since `earlier`, or zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// Longer than anything that is measured.
    pub const MAX: Span = Span(u64::MAX);

    /// From nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Span(nanos)
    }

    /// From microseconds; saturates.
    pub const fn from_micros(micros: u64) -> Self {
        Span(micros.saturating_mul(1_000))
    }

    /// From milliseconds; saturates.
    pub const fn from_millis(millis: u64) -> Self {
        Span(millis.saturating_mul(1_000_000))
    }

    /// From seconds; saturates.
    pub const fn from_secs(secs: u64) -> Self {
        Span(secs.saturating_mul(NANOS_PER_SECOND))
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span times a whole number; saturates.
    pub const fn times(self, factor: u64) -> Span {
        Span(self.0.saturating_mul(factor))
    }
}

impl Rate {
    /// From bits per second.
    pub const fn from_bits_per_second(bits: u64) -> Self {
        Rate(bits)
    }

    /// Bits per second.
    pub const fn as_bits_per_second(self) -> u64 {
        self.0
    }

    /// The time that `size` takes at this rate, rounded to the nearest nanosecond; [`Span::MAX`] at rate zero.
    pub const fn time_for(self, size: Bytes) -> Span {
        if self.0 == 0 {
            return Span::MAX;
        }
        let bit_nanos = size.0 as u128 * 8 * NANOS_PER_SECOND as u128;
        let nanos = (bit_nanos + self.0 as u128 / 2) / self.0 as u128;
        if nanos > u64::MAX as u128 { Span::MAX } else { Span(nanos as u64) }
    }
}

impl Bytes {
    /// From a count of bytes.
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// The count of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Segments {
    /// The count, widened.
    pub const fn as_u64(self) -> u64 {
        self.0 as u64
    }
}

impl Window {
    /// Bits after the binary point. 28 leave 36 bits of whole segments and keep one segment spread over a
    /// window of 100,000 exact to 0.04 %.
    pub const FRACTION_BITS: u32 = 28;
    /// One segment.
    pub const ONE: Window = Window(1 << Self::FRACTION_BITS);
    /// The largest window a host may ask for: 2^24 segments, so that sums and products of windows fit 64 bits.
    pub const MAX: Window = Window::whole(Segments(1 << 24));

    /// A whole number of segments.
    pub const fn whole(segments: Segments) -> Self {
        Window((segments.0 as u64) << Self::FRACTION_BITS)
    }

    /// From raw fixed point, in units of 2^-28 segment.
    pub const fn from_raw(raw: u64) -> Self {
        Window(raw)
    }

    /// Raw fixed point, in units of 2^-28 segment.
    pub const fn as_raw(self) -> u64 {
        self.0
    }

    /// The whole segments in it, rounded down: what may be in flight.
    pub const fn floor(self) -> Segments {
        let whole = self.0 >> Self::FRACTION_BITS;
        Segments(if whole > u32::MAX as u64 { u32::MAX } else { whole as u32 })
    }

    /// One segment spread over this window: the growth per acknowledged segment that adds one segment a round.
    /// Rounded up, so that a window of n acknowledgements adds at least the whole segment.
    pub const fn one_spread(self) -> Window {
        if self.0 == 0 {
            return Window::ONE;
        }
        Window((1u64 << (2 * Self::FRACTION_BITS)).div_ceil(self.0))
    }

    /// The window times `numerator / denominator`, rounded down; saturates at [`Window::MAX`].
    pub const fn scaled(self, numerator: u32, denominator: u32) -> Window {
        let raw = self.0 / denominator as u64 * numerator as u64
            + self.0 % denominator as u64 * numerator as u64 / denominator as u64;
        Window(raw)
    }

    /// The sum; saturates at [`Window::MAX`].
    pub fn plus(self, more: Window) -> Window {
        Window(self.0.saturating_add(more.0)).min(Window::MAX)
    }

    /// The difference; saturates at zero.
    pub const fn minus(self, less: Window) -> Window {
        Window(self.0.saturating_sub(less.0))
    }
}

impl SendIndex {
    /// How many were sent from `earlier` up to this one; zero if `earlier` is later.
    pub const fn since(self, earlier: SendIndex) -> Segments {
        let count = self.0.saturating_sub(earlier.0);
        Segments(if count > u32::MAX as u64 { u32::MAX } else { count as u32 })
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

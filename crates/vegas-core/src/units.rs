//! Units: one newtype each for time, spans, rates, bytes, segments, windows, send indices and paces.
//!
//! No public signature of this workspace takes a bare integer where one of these is meant.

use core::fmt;
use core::num::NonZeroU32;
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

/// A sending rate in segments, held as the time from one to the next: 1 ns to 4.29 s, so that it never falls to
/// nothing. Ordered by the spacing: the greater pace is the slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pace(NonZeroU32);

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
    /// Zero.
    pub const ZERO: Span = Span(0);
    /// The longest span; longer than any measurement.
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

    /// The difference; zero if `less` is longer.
    pub const fn less(self, less: Span) -> Span {
        Span(self.0.saturating_sub(less.0))
    }

    /// The span times a whole number; saturates.
    pub const fn times(self, factor: u64) -> Span {
        Span(product(self.0, factor))
    }
}

/// The product; saturates. It is computed in halves of 32 bits, because BPF cannot detect an overflow of 64 bits.
pub(crate) const fn product(one: u64, other: u64) -> u64 {
    const LOW: u64 = u32::MAX as u64;
    let (more, less) = if one > other { (one, other) } else { (other, one) };
    if less > LOW {
        return u64::MAX;
    }
    let low = (more & LOW) * less;
    let high = (more >> 32) * less + (low >> 32);
    if high > LOW { u64::MAX } else { high << 32 | (low & LOW) }
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

impl Pace {
    /// The greatest rate that has a value: a segment each nanosecond.
    pub const FASTEST: Pace = Pace(NonZeroU32::MIN);

    /// The pace that spreads `segments` over a span; rounded down, to a segment each 1 ns to 4.29 s. `segments` is at
    /// least 1.
    pub fn of(segments: u64, span: Span) -> Self {
        let nanos = span.0.div_ceil(segments.max(1)).min(u32::MAX.into()) as u32;
        Pace(NonZeroU32::new(nanos).unwrap_or(NonZeroU32::MIN))
    }

    /// The time from one segment to the next.
    pub const fn spacing(self) -> Span {
        Span(self.0.get() as u64)
    }

    /// The rate for segments of this size, rounded down (Linux's `sk_pacing_rate` is an eighth of it).
    pub const fn rate(self, segment: Bytes) -> Rate {
        let bits = segment.0 as u128 * 8 * NANOS_PER_SECOND as u128 / self.0.get() as u128;
        Rate(if bits > u64::MAX as u128 { u64::MAX } else { bits as u64 })
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

    /// The count, widened, for differences.
    pub const fn as_i64(self) -> i64 {
        self.0 as i64
    }
}

impl Window {
    /// Bits after the binary point. 28 leave 36 bits of whole segments and keep one segment spread over a
    /// window of 100,000 exact to 0.04 %.
    pub const FRACTION_BITS: u32 = 28;
    /// One segment.
    pub const ONE: Window = Window(1 << Self::FRACTION_BITS);
    /// The largest window a host may ask for: 2^24 segments, so that a window times a span fits 64 bits.
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

    /// The window rounded up to whole segments.
    pub const fn ceil(self) -> Window {
        const FRACTION: u64 = Window::ONE.0 - 1;
        Window(self.0.saturating_add(FRACTION) & !FRACTION)
    }

    /// One segment spread over this window: the growth per acknowledged segment that adds one segment a round.
    /// Rounded up, so that a window of n acknowledgements adds at least the whole segment.
    pub const fn one_spread(self) -> Window {
        if self.0 == 0 {
            return Window::ONE;
        }
        Window((1u64 << (2 * Self::FRACTION_BITS)).div_ceil(self.0))
    }

    /// `more`, spread over this window: the growth per acknowledged segment that adds it in a round. Rounded up, like
    /// [`Window::one_spread`], and a segment at most.
    pub fn spread(self, more: Window) -> Window {
        let divisor = self.min(Window::MAX).0.max(1);
        if more.0 >= divisor {
            return Window::ONE;
        }
        // more x 2^28 / divisor in digits of 12, 12 and 4 bits: 64 bits suffice, and BPF has no more
        let digits = [12, 12, 4];
        let (mut quotient, mut rest) = (0, more.0);
        for bits in digits {
            quotient = (quotient << bits) + (rest << bits) / divisor;
            rest = (rest << bits) % divisor;
        }
        Window(quotient + u64::from(rest > 0))
    }

    /// The ratio of two counts, in segments, rounded down; zero where it is negative. The divisor is at least 1, the
    /// dividend is cut to 2^35.
    pub const fn ratio(dividend: i64, divisor: i64) -> Window {
        const DIVIDEND_MAX: i64 = 1 << 35;
        if dividend <= 0 {
            return Window(0);
        }
        let dividend = if dividend > DIVIDEND_MAX { DIVIDEND_MAX } else { dividend };
        Window(((dividend as u64) << Self::FRACTION_BITS) / divisor as u64)
    }

    /// Half the window, rounded down to 2^-28 segment.
    pub const fn half(self) -> Window {
        Window(self.0 / 2)
    }

    /// Half of the window and half of that, each rounded down to 2^-28 segment.
    pub const fn three_quarters(self) -> Window {
        Window(self.0 / 2 + self.0 / 4)
    }

    /// One eighth of the window, rounded down to 2^-28 segment.
    pub const fn eighth(self) -> Window {
        Window(self.0 / 8)
    }

    /// The sum; saturates at [`Window::MAX`].
    #[inline]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: 7 x 1/7 and 100,000 x 1/100,000 reach the whole segment, and pass it by less than n x 2^-28.
    #[test]
    fn one_spread_adds_a_whole_segment_over_a_window() {
        for n in [1, 2, 3, 7, 49, 1_000, 100_000] {
            let window = Window::whole(Segments(n));
            let mut grown = window;
            (0..n).for_each(|_| grown = grown.plus(window.one_spread()));
            assert_eq!(grown.floor(), Segments(n + 1), "window {n}");
            assert!(grown.as_raw() - Window::whole(Segments(n + 1)).as_raw() < u64::from(n), "window {n}");
        }
    }

    /// Worked by hand: 3 more over a window of 8 are 3/8 each; 9 over 8 would be more than one each.
    #[test]
    fn spread_adds_what_it_is_given_over_a_window() {
        let of = |segments| Window::whole(Segments(segments));
        assert_eq!(of(8).spread(of(3)), Window::from_raw(3 << 25));
        assert_eq!(of(8).spread(of(9)), Window::ONE);
        assert_eq!(of(8).spread(Window::ONE), of(8).one_spread());
        assert_eq!(of(5).spread(Window::default()), Window::default());
        // 1 over 3: 2^28 / 3 = 89,478,485.33, up; 2^-28 over 2^24: a 2^-24th of 2^-28, up; 1 over all but one of 2^52
        assert_eq!(of(3).spread(Window::ONE), Window::from_raw(89_478_486));
        assert_eq!(Window::MAX.spread(Window::from_raw(1)), Window::from_raw(1));
        assert_eq!(Window::MAX.spread(Window::MAX.minus(Window::from_raw(1))), Window::ONE);
        assert_eq!(Window::MAX.spread(Window::MAX.half()), Window::from_raw(1 << 27));
        assert_eq!(Window::ratio(3, 2), Window::from_raw(3 << 27));
        assert_eq!(Window::ratio(-3, 2), Window::default());
    }

    #[test]
    fn windows_saturate() {
        let beyond = Window::from_raw(u64::MAX);
        assert_eq!(Window::MAX.plus(Window::ONE), Window::MAX);
        assert_eq!(beyond.plus(beyond), Window::MAX);
        assert_eq!(Window::ONE.minus(Window::MAX), Window::default());
        assert_eq!(beyond.one_spread(), Window::from_raw(1));
        assert_eq!(Window::default().one_spread(), Window::ONE);
        assert_eq!(Window::whole(Segments(u32::MAX)).floor(), Segments(u32::MAX));
    }

    #[test]
    fn fractions_of_a_window_round_down() {
        assert_eq!(Window::whole(Segments(5)).half(), Window::from_raw(5 << 27));
        assert_eq!(Window::whole(Segments(9)).eighth(), Window::from_raw(9 << 25));
        assert_eq!(Window::from_raw(15).eighth(), Window::from_raw(1));
    }

    /// Worked by hand: 1000 bytes each 160 us are 50 Mb/s; 3 in 10 ns are less than one each 3 ns, so one each 4 ns.
    #[test]
    fn paces_round_down() {
        let pace = Pace::of(2, Span::from_micros(320));
        assert_eq!(pace.spacing(), Span::from_micros(160));
        assert_eq!(pace.rate(Bytes::new(1000)), Rate::from_bits_per_second(50_000_000));
        assert_eq!(Pace::of(3, Span::from_nanos(10)).spacing(), Span::from_nanos(4));
        assert!(Pace::FASTEST < pace);
    }

    #[test]
    fn spans_and_rates_saturate() {
        assert_eq!(Time::from_nanos(5).since(Time::NEVER), Span::ZERO);
        assert_eq!(Time::NEVER + Span::MAX, Time::NEVER);
        assert_eq!(Time::ZERO - Span::MAX, Time::ZERO);
        assert_eq!(Span::from_secs(u64::MAX), Span::MAX);
        // 2^64 - 1 = 3 x 5 x 17 x ... = (2^32 - 1) (2^32 + 1)
        assert_eq!(Span::from_nanos(u64::from(u32::MAX)).times((1 << 32) + 1), Span::from_nanos(u64::MAX));
        assert_eq!(Span::from_nanos(1 << 32).times(1 << 32), Span::MAX);
        assert_eq!(Span::from_nanos(1 << 32).times((1 << 32) - 1), Span::from_nanos(0xffff_ffff_0000_0000));
        assert_eq!(Span::from_nanos(u64::MAX / 3 + 1).times(3), Span::MAX);
        assert_eq!(Span::from_nanos(7_000_000_000_000).times(0), Span::ZERO);
        assert_eq!(Rate::from_bits_per_second(0).time_for(Bytes::new(1)), Span::MAX);
        assert_eq!(Rate::from_bits_per_second(1).time_for(Bytes::new(u64::MAX)), Span::MAX);
        // 1000 bytes at 50 Mb/s: 8000 bits / 50 = 160 us
        assert_eq!(Rate::from_bits_per_second(50_000_000).time_for(Bytes::new(1000)), Span::from_micros(160));
        assert_eq!(Pace::of(0, Span::ZERO), Pace::FASTEST);
        assert_eq!(Pace::of(1, Span::MAX).spacing(), Span::from_nanos(4_294_967_295));
        assert_eq!(Pace::FASTEST.rate(Bytes::new(u64::MAX)), Rate::from_bits_per_second(u64::MAX));
        assert_eq!(SendIndex(3).since(SendIndex(u64::MAX)), Segments(0));
        assert_eq!(SendIndex(u64::MAX).since(SendIndex(0)), Segments(u32::MAX));
    }
}

//! Microseconds in 32 bits, for what a slow start remembers: kept as bytes, so that they have no alignment and the tag
//! of the enum around them takes no room of its own.

use crate::units::{Span, Time};

/// A count of microseconds: of a span up to 71 minutes, or of an instant, which wraps as often.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Micros([u8; 4]);

impl Micros {
    /// No round-trip time yet: longer than any.
    pub(crate) const UNKNOWN: Micros = Micros([u8::MAX; 4]);
    pub(crate) const ZERO: Micros = Micros([0; 4]);

    /// A round-trip time, at least 1; longer than 71 minutes counts as that.
    pub(crate) fn of(rtt: Span) -> Micros {
        Micros(u32::try_from(rtt.as_nanos() / 1_000).unwrap_or(u32::MAX).clamp(1, u32::MAX - 1).to_ne_bytes())
    }

    /// An instant.
    pub(crate) fn at(now: Time) -> Micros {
        Micros(((now.as_nanos() / 1_000) as u32).to_ne_bytes())
    }

    pub(crate) fn get(self) -> u32 {
        u32::from_ne_bytes(self.0)
    }

    pub(crate) fn min(self, other: Micros) -> Micros {
        if other.get() < self.get() { other } else { self }
    }

    pub(crate) fn plus(self, micros: u32) -> u32 {
        self.get().saturating_add(micros)
    }

    /// From an instant to a later one, less than 71 minutes later.
    pub(crate) fn since(self, earlier: Micros) -> u32 {
        self.get().wrapping_sub(earlier.get())
    }
}

impl core::fmt::Debug for Micros {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} us", self.get())
    }
}

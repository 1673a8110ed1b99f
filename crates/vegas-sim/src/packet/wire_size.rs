//! The size of a packet on the wire.

use vegas_core::units::{Bytes, Rate, Span};

/// Bytes of a packet on a link, headers included: what a transmitter sends, and what a queue with a limit in bytes counts.
/// 65,535 at most, as an IPv4 packet has (RFC 791, section 3.1: total length).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct WireSize(u16);

impl WireSize {
    /// No packet's size.
    pub const ZERO: WireSize = WireSize(0);
    /// The largest IPv4 packet.
    pub const MAX: WireSize = WireSize(u16::MAX);

    /// From a count of bytes.
    #[inline]
    pub const fn new(bytes: u16) -> Self {
        WireSize(bytes)
    }

    /// From a size that validation has bounded.
    ///
    /// # Panics
    /// The size is beyond [`WireSize::MAX`].
    pub(crate) fn of(bytes: Bytes) -> Self {
        WireSize(u16::try_from(bytes.get()).expect("validation bounds packet sizes"))
    }

    /// The count of bytes.
    #[inline]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The size with `more` bytes of options; saturates.
    #[inline]
    pub(crate) const fn plus(self, more: u16) -> Self {
        WireSize(self.0.saturating_add(more))
    }

    /// How long a transmitter of this rate sends it.
    #[inline]
    pub(crate) const fn transmission(self, rate: Rate) -> Span {
        rate.time_for(Bytes::new(self.0 as u64))
    }
}

impl From<WireSize> for u32 {
    #[inline]
    fn from(size: WireSize) -> u32 {
        size.0.into()
    }
}

/// For sums.
impl From<WireSize> for u64 {
    #[inline]
    fn from(size: WireSize) -> u64 {
        size.0.into()
    }
}

/// For differences.
impl From<WireSize> for i64 {
    #[inline]
    fn from(size: WireSize) -> i64 {
        size.0.into()
    }
}

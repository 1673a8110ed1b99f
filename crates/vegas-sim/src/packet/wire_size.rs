//! The size of a packet on the wire.

use vegas_core::units::{Bytes, Rate, Span};

/// The size of a packet on a link, bytes, headers included: what a transmitter sends, and what a queue with a limit in
/// bytes counts. At most 65,535, as for an IPv4 packet (RFC 791, section 3.1: total length).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct WireSize(u16);

impl WireSize {
    /// A size that no packet has.
    pub const ZERO: WireSize = WireSize(0);
    /// The largest IPv4 packet.
    pub const MAX: WireSize = WireSize(u16::MAX);

    /// Returns the size of `bytes` bytes.
    #[inline]
    pub const fn new(bytes: u16) -> Self {
        WireSize(bytes)
    }

    /// Returns a size that validation has bounded.
    ///
    /// # Panics
    /// Panics if the size is beyond [`WireSize::MAX`].
    pub(crate) fn of(bytes: Bytes) -> Self {
        WireSize(u16::try_from(bytes.get()).expect("validation bounds packet sizes"))
    }

    /// Returns the number of bytes.
    #[inline]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Returns the size with `more` bytes of options; saturates.
    #[inline]
    pub(crate) const fn plus(self, more: u16) -> Self {
        WireSize(self.0.saturating_add(more))
    }

    /// Returns the size without `less` of its bytes.
    pub(crate) const fn less(self, less: u16) -> Self {
        WireSize(self.0 - less)
    }

    /// Returns how long a transmitter of this rate sends the packet.
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

//! The part of packets that were marked, averaged over windows of data (RFC 8257, section 3.3, equation 1): a
//! scalable congestion control reduces its window by half of it.

use crate::contract::Ack;
use crate::units::{Segments, SendIndex, Window};

/// The moving average of the part of marked packets, and what is counted for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alpha {
    /// 16 times alpha in units of 2^-20, so that nothing is lost when a sixteenth is taken.
    upscaled: u64,
    delivered: u32,
    marked: u32,
    /// The window of data ends with the segment before this one.
    ends: SendIndex,
}

/// Alpha is 2^-20 of this.
const BITS: u32 = 20;
/// The gain of a new window is 2^-4 (RFC 8257, section 4.2).
const GAIN_SHIFT: u32 = 4;

impl Alpha {
    /// Alpha is 1 before the first mark is averaged in, so that the first reduction is by half (RFC 8257, section 3.3).
    pub(crate) const ONE: Alpha =
        Alpha { upscaled: 1 << (BITS + GAIN_SHIFT), delivered: 0, marked: 0, ends: SendIndex(0) };

    /// Counts an acknowledgement, and averages at the end of each window of data.
    pub(crate) fn on_ack(&mut self, ack: &Ack) {
        if self.count(ack) {
            self.begin(ack.next, true);
        }
    }

    /// Counts an acknowledgement; returns whether it ends the window of data.
    pub(crate) fn count(&mut self, ack: &Ack) -> bool {
        self.delivered = self.delivered.saturating_add(ack.delivered.0);
        self.marked = self.marked.saturating_add(ack.ce_marked);
        ack.acked > Segments(0) && ack.newest.0.saturating_add(1) >= self.ends.0
    }

    /// Averages in what was counted, and counts a new window of data, which ends before the segment `next`.
    pub(crate) fn begin(&mut self, next: SendIndex, averages: bool) {
        if averages {
            let part = (u64::from(self.marked.min(self.delivered)) << BITS) / u64::from(self.delivered.max(1));
            self.upscaled = self.upscaled - (self.upscaled >> GAIN_SHIFT) + part;
        }
        *self = Alpha { upscaled: self.upscaled, delivered: 0, marked: 0, ends: next };
    }

    /// Returns half of alpha of `amount`, rounded to the nearest; `amount` is below 2^43.
    pub(crate) fn half_of(&self, amount: u64) -> u64 {
        (amount * (self.upscaled >> GAIN_SHIFT) + (1 << BITS)) >> (BITS + 1)
    }

    /// Returns a window without half of alpha of it, to 2^-18 of a segment: the product has 64 bits.
    pub(crate) fn reduce(&self, window: Window) -> Window {
        const LEFT_OUT_BITS: u32 = 10;
        let less = self.half_of(window.as_raw() >> LEFT_OUT_BITS) << LEFT_OUT_BITS;
        window.minus(Window::from_raw(less))
    }

    /// In millionths.
    pub(crate) fn ppm(&self) -> i64 {
        (((self.upscaled >> GAIN_SHIFT) * 1_000_000) >> BITS) as i64
    }
}

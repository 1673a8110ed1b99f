//! The segments sent and delivered over the last round trips, in bins of equal length, for slow starts that compare
//! both counts.

use crate::units::{Segments, SendIndex, Span, Time};

/// Bins of a window of delivered segments.
pub(crate) const WINDOW: usize = 10;
/// Bins that the window of sent segments may lie back.
pub(crate) const LOOK_BACK_MAX: usize = 15;

/// Counts of segments, the newest bin first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct History {
    /// Length of a bin; 0 before the first.
    bin_us: u32,
    /// When the current bin ends; wraps after 71 minutes.
    end_us: u32,
    /// The next segment to send when the newest bin ended; wraps.
    sent_by_then: u32,
    /// Segments acknowledged since then.
    acked: u32,
    /// Bins that have ended; 255 and more are 255.
    ended: u8,
    /// The bins count in 2^shift segments.
    shift: u8,
    delivered: [u16; WINDOW],
    sent: [u16; WINDOW + LOOK_BACK_MAX],
}

/// What an acknowledgement does to the bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// The current bin continues.
    Within,
    /// One bin has ended, or a few.
    Ended,
    /// More than a window of bins has ended without an acknowledgement: the counts no longer describe the path and are
    /// cleared.
    Stale,
}

impl History {
    pub(crate) const NEW: History = History {
        bin_us: 0,
        end_us: 0,
        sent_by_then: 0,
        acked: 0,
        ended: 0,
        shift: 0,
        delivered: [0; WINDOW],
        sent: [0; WINDOW + LOOK_BACK_MAX],
    };

    pub(crate) fn has_begun(&self) -> bool {
        self.bin_us != 0
    }

    /// Begins the first bin, with `next` the next segment to send.
    pub(crate) fn begin(&mut self, now: Time, bin: Span, next: SendIndex) {
        let bin_us = micros(bin).max(1);
        *self = History {
            bin_us,
            end_us: wrapped_micros(now).wrapping_add(bin_us),
            sent_by_then: next.0 as u32,
            ..History::NEW
        };
    }

    pub(crate) fn count(&mut self, acked: Segments) {
        self.acked = self.acked.saturating_add(acked.0);
    }

    /// Closes the bins that are over. A bin closes at the first acknowledgement after its end, and holds what arrived
    /// until then.
    pub(crate) fn advance(&mut self, now: Time, next: SendIndex) -> Advance {
        let late_us = wrapped_micros(now).wrapping_sub(self.end_us) as i32;
        if late_us <= 0 {
            return Advance::Within;
        }
        let passed = late_us as u32 / self.bin_us + 1;
        if passed as usize > WINDOW {
            *self = History::NEW;
            return Advance::Stale;
        }
        let sent = (next.0 as u32).wrapping_sub(self.sent_by_then);
        (1..passed).for_each(|_| self.push(0, 0));
        self.push(self.acked, sent);
        self.end_us = self.end_us.wrapping_add(passed * self.bin_us);
        (self.sent_by_then, self.acked) = (next.0 as u32, 0);
        Advance::Ended
    }

    fn push(&mut self, delivered: u32, sent: u32) {
        while delivered.max(sent) >> self.shift > u16::MAX.into() {
            self.shift += 1;
            self.delivered.iter_mut().chain(&mut self.sent).for_each(|bin| *bin /= 2);
        }
        self.delivered.copy_within(..WINDOW - 1, 1);
        self.sent.copy_within(..WINDOW + LOOK_BACK_MAX - 1, 1);
        self.delivered[0] = (delivered >> self.shift) as u16;
        self.sent[0] = (sent >> self.shift) as u16;
        self.ended = self.ended.saturating_add(1);
    }

    /// The length of a span in whole bins, and the rest as a fraction of a bin: numerator and denominator.
    pub(crate) fn bins_of(&self, span: Span) -> (usize, (u64, u64)) {
        let (span_us, bin_us) = (micros(span), self.bin_us.max(1));
        ((span_us / bin_us) as usize, ((span_us % bin_us).into(), bin_us.into()))
    }

    /// Bins that have ended.
    pub(crate) fn ended(&self) -> usize {
        self.ended.into()
    }

    /// Delivered in the newest window.
    pub(crate) fn delivered(&self) -> u64 {
        self.delivered.iter().map(|bin| u64::from(*bin)).sum()
    }

    /// Delivered in the newest of these bins, in segments.
    pub(crate) fn delivered_in(&self, bins: usize) -> Segments {
        let delivered: u32 = self.delivered.iter().take(bins).map(|bin| u32::from(*bin)).sum();
        Segments(delivered.checked_shl(self.shift.into()).unwrap_or(u32::MAX))
    }

    /// Sent in the window that ended `bins_ago` bins ago, [`LOOK_BACK_MAX`] at most.
    pub(crate) fn sent(&self, bins_ago: usize) -> u64 {
        self.sent.iter().skip(bins_ago).take(WINDOW).map(|bin| u64::from(*bin)).sum()
    }
}

fn micros(span: Span) -> u32 {
    u32::try_from(span.as_nanos() / 1_000).unwrap_or(u32::MAX)
}

fn wrapped_micros(now: Time) -> u32 {
    (now.as_nanos() / 1_000) as u32
}

//! The start of `vegas-next`: the window opens until the RTT of eight samples together rises.

use super::parts::Parts;
use super::{Stage, VegasNext};
use crate::composition::parts::avoidance::by_rate::arithmetic::{WINDOW_MIN, share};
use crate::contract::Ack;
use crate::units::{Segments, SendIndex, Span, Window};

/// The window doubles each round up to 64 segments, so that short transfers need not wait, and opens by the root of two
/// then, 362/256, until the RTT rises by an eighth, within 2 to 8 ms.
const DOUBLES_BELOW: Window = Window::whole(Segments(64));
const DOUBLE_256THS: u64 = 512;
const OPENING_256THS: u64 = 362;
/// The pace, in eighths of a window a round trip. By hand a flow that grows evenly sends 1.18 windows in a round trip
/// in which it grows by the root of two. A pace below that spreads what earlier rounds have sent in a bunch; a bunch
/// queues, and a path that is not full looks full.
const DOUBLING_PACE_8THS: u64 = 12;
const OPENING_PACE_8THS: u64 = 9;
/// By hand a window that comes back after a drain, of which half is under way, leaves a queue of a sixth of it at 10/8,
/// of a tenth at 9/8.
const SETTLING_PACE_8THS: u64 = 9;
/// RFC 9002, section 7.7.
const PACE_8THS: u64 = 10;
const RISE_PART: u64 = 8;
const RISE: (Span, Span) = (Span::from_millis(2), Span::from_millis(8));

impl<P: Parts> VegasNext<P> {
    pub(super) fn open(&mut self, ack: &Ack) {
        if self.window >= self.threshold {
            self.stage = Stage::Steady;
        } else if self.parts.follows() {
            // another slow start sets the window
        } else if !self.rival.competes && self.has_risen() {
            self.end_opening(ack.next);
        } else if ack.is_used(self.window) {
            self.grow_open(ack);
        }
    }

    /// Slow start after a timeout, before an RTT is known: where what was in flight is retransmitted under its sequence
    /// numbers, as in TCP, its acknowledgements give none (Karn's rule).
    pub(super) fn reopen_unmeasured(&mut self, ack: &Ack) {
        let opens = self.stage == Stage::Opening && self.window < self.threshold && !self.parts.follows();
        if opens && ack.is_used(self.window) {
            self.grow_open(ack);
        }
    }

    fn grow_open(&mut self, ack: &Ack) {
        let more = Window::from_raw(Window::whole(ack.acked).as_raw() / 256 * (self.growth_256ths() - 256));
        self.window = self.window.plus(more).min(self.max_window).min(self.threshold);
    }

    /// By how much the window grows in a round while it opens.
    fn growth_256ths(&self) -> u64 {
        if self.window < DOUBLES_BELOW { DOUBLE_256THS } else { OPENING_256THS }
    }

    pub(super) fn pace_8ths(&self) -> u64 {
        match self.stage {
            Stage::Opening if self.window < DOUBLES_BELOW => DOUBLING_PACE_8THS,
            Stage::Opening => OPENING_PACE_8THS,
            _ if self.settling > 0 => SETTLING_PACE_8THS,
            _ => PACE_8THS,
        }
    }

    fn has_risen(&self) -> bool {
        let part = Span::from_nanos(self.base.get().as_nanos() / RISE_PART);
        self.queueing(self.rounds.group) > part.clamp(RISE.0, RISE.1)
    }

    /// The RTT that has risen is that of the window a round before.
    fn end_opening(&mut self, next: SendIndex) {
        let before = Window::from_raw(self.window.as_raw() / self.growth_256ths() * 256);
        let rtt = self.rounds.group;
        let path = share(before, self.base.get(), rtt).plus(self.backlog(rtt));
        self.window = path.max(WINDOW_MIN.min(self.window)).min(self.window);
        self.settle(next);
    }
}

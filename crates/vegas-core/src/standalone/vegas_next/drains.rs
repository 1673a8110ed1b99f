//! The drains of `vegas-next`: every few seconds the flow takes back what it has in the queue, for a round or three,
//! and all flows of the queue do so together, which shows each of them the base RTT and whether others fill the queue.

use super::parts::Parts;
use super::{EMPTY_MIN, Stage, VegasNext};
use crate::composition::parts::avoidance::by_rate::arithmetic::{WINDOW_MIN, share};
use crate::contract::Ack;
use crate::units::{Segments, SendIndex, Span, Time, Window};

/// A drain may leave this many times the variation: a window of few segments varies the queue by as much.
pub(super) const VARIATIONS: u64 = 3;
/// Between two drains, and at least this many round trips: a drain costs less than 2 % of the rate.
const PERIOD: Span = Span::from_secs(5);
const PERIOD_ROUNDS: u64 = 50;
/// While drains disagree or the window shrinks, the next one comes in a third of the time, while competing in half of
/// it.
const SOONER: u64 = 3;
const SOONER_COMPETING: u64 = 2;
/// Rounds at the least window that a drain waits for others.
const DRAIN_ROUNDS_MAX: u8 = 3;
/// A queue is empty at a fourth of what it was; while competing at a tenth (Copa, section 2.2).
const EMPTY_PART: u64 = 4;
const EMPTY_PART_COMPETING: u64 = 10;
/// While the flow competes a drain takes its own part of the queue, and a 16th of what the path holds: what stays is of
/// others.
const COMPETING_DRAIN_SIXTEENTHS: u64 = 15;
/// Below it a drain goes down to one segment: eight flows of two segments would hold a queue.
const SMALL_WINDOW: Window = Window::whole(Segments(8));

/// A drain under way, and whether the next one is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Drain {
    /// The window before it, to which it returns.
    pub(super) resume: Window,
    pub(super) queueing_before: Span,
    /// A round ends when it is acknowledged; the first one is the round of the first segment that left at the drain's
    /// window.
    pub(super) until: SendIndex,
    pub(super) rounds: u8,
    /// Others drain, so that this flow is to join them.
    pub(super) is_asked: bool,
    /// It began because others drained: what was measured before it is theirs, too.
    pub(super) is_joined: bool,
}

impl Drain {
    pub(super) const NONE: Drain = Drain {
        resume: Window::from_raw(0),
        queueing_before: Span::ZERO,
        until: SendIndex(0),
        rounds: 0,
        is_asked: false,
        is_joined: false,
    };
}

impl<P: Parts> VegasNext<P> {
    pub(super) fn is_drain_due(&self, now: Time) -> bool {
        let hurries = self.rival.is_in_doubt() || !self.rival.competes && self.rival.has_taken_from(self.window);
        let part = match (hurries, self.rival.competes) {
            (false, _) => 1,
            (true, false) => SOONER,
            (true, true) => SOONER_COMPETING,
        };
        self.has_passed(now, part)
    }

    pub(super) fn may_drain_soon(&self, now: Time) -> bool {
        self.has_passed(now, SOONER)
    }

    /// Whether this part of a period has passed since the least RTT was measured.
    fn has_passed(&self, now: Time, part: u64) -> bool {
        let period = PERIOD.max(self.base.get().times(PERIOD_ROUNDS));
        now.since(self.base.recent_at) >= Span::from_nanos(period.as_nanos() / part)
    }

    pub(super) fn begin_drain(&mut self, now: Time, next: SendIndex) {
        let rtt = self.standing();
        self.drain = Drain {
            resume: self.window,
            queueing_before: self.queueing(rtt),
            until: next,
            rounds: 0,
            is_asked: false,
            is_joined: self.drain.is_asked,
        };
        let least = if self.window < SMALL_WINDOW { Window::ONE } else { WINDOW_MIN };
        let path = share(self.window, self.base.get(), rtt);
        let drained = match self.rival.competes {
            true => Window::from_raw(path.as_raw() / 16 * COMPETING_DRAIN_SIXTEENTHS),
            false => path.half(),
        };
        self.window = drained.max(least).min(self.window);
        self.base.begin_drain(now);
        self.stage = Stage::Draining;
    }

    /// A drain lasts until a round has passed at its window and the queue is empty, or three rounds have.
    pub(super) fn drain(&mut self, ack: &Ack) {
        if ack.newest < self.drain.until {
            return;
        }
        self.drain.rounds += 1;
        self.drain.until = ack.next;
        if self.is_drained() || self.drain.rounds >= DRAIN_ROUNDS_MAX {
            self.end_drain(ack);
        }
    }

    pub(super) fn is_drained(&self) -> bool {
        let part = if self.rival.competes { EMPTY_PART_COMPETING } else { EMPTY_PART };
        let of_queue = Span::from_nanos(self.drain.queueing_before.as_nanos() / part);
        let most = of_queue.max(self.rounds.variation.times(VARIATIONS)).max(EMPTY_MIN);
        self.queueing(self.base.recent) <= most + self.base.jitter()
    }
}

//! RACK (RFC 8985, section 6): a segment is lost when a segment sent later has arrived, and the time that reordering
//! may take has passed: a quarter of the least RTT, and more if the receiver reports duplicates.

use std::collections::VecDeque;

use vegas_core::ticks::Clock;
use vegas_core::units::{Span, Time};

use super::{REORDERING_MAX, TIMER_MARGIN};
use crate::tcp::recovery::scoreboard::{Entry, Scoreboard};

/// RACK's knowledge of the path and of the order in which segments were sent.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// The delivered segment that was sent last: its newest departure, and its number.
    newest: Option<(Time, u64)>,
    /// The round-trip time of the delivered segment that was taken in last (`tcp_rack_advance`).
    rtt: Span,
    min_rtt: Span,
    /// One past the highest segment delivered (RACK.fack).
    highest: u64,
    reordering_seen: bool,
    /// By how many segments one may be late, as far as it is known (`tp->reordering`).
    lateness: u64,
    /// The reordering window, in quarters of the least RTT (RACK.reo_wnd_mult).
    window_quarters: u64,
    /// The number of recoveries until the reordering window is one quarter again (RACK.reo_wnd_persist).
    persist: u32,
    /// Until everything before this segment is acknowledged, another duplicate does not widen the window
    /// (RACK.dsack_round).
    duplicate_round: Option<u64>,
    /// The transmissions in the order of sending. A transmission of a segment that was meanwhile delivered,
    /// retransmitted or found lost leaves when it comes to the front.
    sent: VecDeque<(Time, u64)>,
    /// When the segments that may only have been reordered count as lost.
    due: Option<Time>,
    /// The clock of the timer.
    clock: Clock,
}

/// Recoveries without a duplicate after which the reordering window shrinks again (section 6.2, step 4).
const RECOVERIES: u32 = 16;

/// The result of a search for losses.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Found {
    pub(in crate::tcp) any: bool,
    /// Whether a retransmission was lost.
    pub(super) retransmission: bool,
}

impl Rack {
    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.sent.capacity() * size_of::<(Time, u64)>()
    }

    /// Begins with a lateness that is not taken for reordering (`tcp_reordering`).
    pub(super) fn new(lateness: u64, clock: Clock) -> Self {
        Rack {
            newest: None,
            rtt: Span::ZERO,
            min_rtt: Span::MAX,
            highest: 0,
            reordering_seen: false,
            lateness,
            window_quarters: 1,
            persist: 0,
            duplicate_round: None,
            sent: VecDeque::new(),
            due: None,
            clock,
        }
    }

    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    pub(super) fn cancel(&mut self) {
        self.due = None;
    }

    pub(super) fn on_send(&mut self, segment: u64, now: Time) {
        self.sent.push_back((now, segment));
    }

    /// The newest transmission: its time and segment.
    pub(super) fn sent_last(&self) -> Option<(Time, u64)> {
        self.sent.back().copied()
    }

    /// Step 1 of section 6.2: takes in a round-trip sample, of which the handshake gives the first (`tcp_min_rtt`).
    pub(super) fn on_rtt(&mut self, rtt: Span) {
        self.min_rtt = self.min_rtt.min(rtt);
    }

    /// Steps 2 and 3, for one segment that is newly reported received.
    pub(super) fn on_delivered(&mut self, segment: u64, entry: Entry, now: Time) {
        let rtt = now.since(entry.sent());
        self.highest = self.highest.max(segment + 1);
        // faster than the path: the original has arrived, not the retransmission
        if entry.is_repeated() && rtt < self.min_rtt {
            return;
        }
        self.rtt = rtt;
        if self.newest.is_none_or(|newest| (entry.sent(), segment) > newest) {
            self.newest = Some((entry.sent(), segment));
        }
    }

    /// Takes in the oldest segment of an acknowledgement that had been sent once and was overtaken, if it is before the
    /// highest one delivered (`tcp_check_sack_reordering`).
    pub(super) fn note_lateness(&mut self, segment: u64) {
        if segment < self.highest {
            self.reordering_seen = true;
            self.lateness = self.lateness.max((self.highest - segment).min(REORDERING_MAX));
        }
    }

    /// One past the highest segment delivered.
    pub(super) fn highest(&self) -> u64 {
        self.highest
    }

    pub(super) fn lateness(&self) -> u64 {
        self.lateness
    }

    /// Lets segments be late by `most` again, as after a timeout that followed as many reports (`tcp_enter_loss`).
    pub(super) fn limit_lateness(&mut self, most: u64) {
        self.lateness = self.lateness.min(most);
    }

    /// Step 4, once per round that reports a duplicate: widens the reordering window, because a retransmission was
    /// premature. As on Linux, only for a path that reorders.
    pub(super) fn on_duplicate(&mut self, una: u64, next: u64) {
        if self.reordering_seen && self.duplicate_round.is_none_or(|round| una >= round) {
            self.duplicate_round = Some(next);
            self.window_quarters += 1;
            self.persist = RECOVERIES;
        }
    }

    /// Step 4: counts a recovery that has ended.
    pub(super) fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.window_quarters = 1;
        }
    }

    /// Step 4: returns how long after the newest segment's round-trip time another one may still arrive. The time is
    /// zero in recovery, or once enough segments are reported received, unless the path is known to reorder.
    pub(super) fn reordering_window(&self, enough: bool, srtt: Span) -> Span {
        match self.reordering_seen || !enough {
            true => Span::from_nanos(self.min_rtt.as_nanos() / 4).times(self.window_quarters).min(srtt),
            false => Span::ZERO,
        }
    }

    /// Waits again for all segments that have not arrived, after a timeout that was undone.
    pub(super) fn wait_for_all(&mut self, board: &Scoreboard) {
        self.sent = board.in_network().collect();
        self.sent.make_contiguous().sort_unstable();
    }

    /// Step 5: marks lost segments, and sets the time at which the others sent before the newest delivered one count as
    /// lost.
    pub(super) fn detect(&mut self, board: &mut Scoreboard, window: Span, now: Time) -> Found {
        let mut found = Found::default();
        self.due = None;
        let Some(newest) = self.newest else { return found };
        while let Some(&(sent, segment)) = self.sent.front() {
            let waits = board.waits(segment, sent);
            if waits && ((sent, segment) >= newest || sent + self.rtt + window > now) {
                break;
            }
            if waits {
                found.any = true;
                found.retransmission |= board.lose(segment);
            }
            self.sent.pop_front();
        }
        let before_newest = self.sent.iter().take_while(|&&transmission| transmission < newest);
        let latest = before_newest.filter(|&&(sent, segment)| board.waits(segment, sent)).last();
        self.due = latest.map(|&(sent, _)| {
            let waits = (sent + self.rtt + window).since(now) + TIMER_MARGIN;
            self.clock.expiry(now, waits)
        });
        found
    }
}

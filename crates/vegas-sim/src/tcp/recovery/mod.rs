//! Loss detection and recovery: the [`scoreboard`] of outstanding segments, and what a host makes of it, [`bsd`] or
//! [`linux`]. They decide; the sender carries out.

pub(super) mod acked;
pub(super) mod bsd;
pub(super) mod linux;
pub(super) mod scoreboard;

use vegas_core::Detection;
use vegas_core::ticks::Clock;
use vegas_core::units::{Span, Time};

use crate::scenario::{HostKind, HostSpec};
use bsd::BsdRecovery;
use linux::LinuxRecovery;
use scoreboard::Scoreboard;

/// The recovery of a sender's host. `S` is the state of the congestion control that a host may restore.
#[derive(Clone, Debug)]
pub(super) enum Recovery<S> {
    Bsd(BsdRecovery),
    Linux(Box<LinuxRecovery<S>>),
}

/// What a retransmission timeout makes of the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threshold {
    Falls,
    /// It stays, for the loss that began the recovery under way has cut it (`tcp_enter_loss`).
    Holds,
}

impl<S> Recovery<S> {
    pub(super) fn new(host: &HostSpec, detection: &Detection, clock: Clock) -> Self {
        match host.kind {
            HostKind::Bsd => Recovery::Bsd(BsdRecovery::new(host, detection)),
            HostKind::Linux => Recovery::Linux(Box::new(LinuxRecovery::new(host, clock))),
        }
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Recovery::Bsd(_) => 0,
            Recovery::Linux(linux) => size_of::<LinuxRecovery<S>>() + linux.memory_bytes(),
        }
    }

    /// Returns whether the sender is in fast recovery.
    pub(super) fn is_active(&self) -> bool {
        match self {
            Recovery::Bsd(bsd) => bsd.is_active(),
            Recovery::Linux(linux) => linux.is_active(),
        }
    }

    /// Returns whether a timeout is being repaired; everything before `una` is acknowledged.
    pub(super) fn repairs_timeout(&self, una: u64) -> bool {
        match self {
            Recovery::Bsd(bsd) => bsd.repairs_timeout(una),
            Recovery::Linux(linux) => linux.is_after_timeout(),
        }
    }

    /// The number of segments that duplicates stand for, where acknowledgements are not selective.
    pub(super) fn assumed_received(&self) -> u64 {
        match self {
            Recovery::Bsd(_) => 0,
            Recovery::Linux(linux) => linux.assumed_received(),
        }
    }

    /// The segments by which recovery widens the window.
    pub(super) fn inflation(&self) -> i64 {
        match self {
            Recovery::Bsd(bsd) => bsd.inflation(),
            Recovery::Linux(_) => 0,
        }
    }

    /// The number of segments that may be in flight, in place of the congestion control's window, while recovery
    /// decides it.
    pub(super) fn window(&self) -> Option<u64> {
        match self {
            Recovery::Bsd(_) => None,
            Recovery::Linux(linux) => linux.window(),
        }
    }

    /// The segment to send by the pipe, while it has room; `new` is the one to send for the first time, if there is
    /// any.
    pub(super) fn next_by_pipe(&mut self, board: &mut Scoreboard, new: Option<u64>) -> Option<u64> {
        match self {
            Recovery::Bsd(bsd) => bsd.next_by_pipe(board, new),
            Recovery::Linux(linux) => linux.next_by_pipe(board, new),
        }
    }

    /// Records that a segment leaves; `again` if it was sent before.
    pub(super) fn on_send(&mut self, segment: u64, now: Time, again: bool) {
        if let Recovery::Linux(linux) = self {
            linux.on_send(segment, now, again);
        }
    }

    /// Handles the retransmission timeout, before the scoreboard counts everything as lost; returns whether the
    /// congestion control is to receive it, and how. `saved` is the congestion control.
    pub(super) fn on_timeout(&mut self, board: &Scoreboard, saved: impl FnOnce() -> S) -> Option<Threshold>
    where
        S: Clone,
    {
        match self {
            Recovery::Bsd(_) => Some(Threshold::Falls),
            Recovery::Linux(linux) => linux.on_timeout(board, saved()),
        }
    }

    /// Begins again after a timeout: everything outstanding is lost.
    pub(super) fn begin_after_timeout(&mut self, board: &mut Scoreboard) {
        match self {
            Recovery::Bsd(bsd) => bsd.on_timeout(board),
            Recovery::Linux(_) => board.on_timeout(),
        }
    }

    /// When the first of the timers beside the retransmission timer expires.
    pub(super) fn due(&self) -> Option<Time> {
        match self {
            Recovery::Bsd(_) => None,
            Recovery::Linux(linux) => linux.due(),
        }
    }

    /// When a timer that is set at `now` expires: Linux's with a tick.
    pub(super) fn expiry(&self, now: Time, span: Span) -> Time {
        match self {
            Recovery::Bsd(_) => now + span,
            Recovery::Linux(linux) => linux.clock().expiry(now, span),
        }
    }

    /// Stops these timers.
    pub(super) fn cancel_timers(&mut self) {
        if let Recovery::Linux(linux) = self {
            linux.cancel_timers();
        }
    }
}

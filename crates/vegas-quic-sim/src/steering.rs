//! Departures that a controller decides itself: quinn's interface takes a window and no more, so the host around
//! quinn's connection asks here before it asks quinn for a datagram.

use std::sync::{Mutex, MutexGuard, PoisonError};

use vegas_core::units::{Span, Time};

/// What a controller within quinn's connection and the host around it know of each other.
#[derive(Debug, Default)]
pub(crate) struct Steering(Mutex<Steer>);

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steer {
    /// The controller lets another full packet leave.
    pub(crate) may_leave: bool,
    /// When the next packet is due.
    pub(crate) earliest: Option<Time>,
    /// A packet that is due in less than this leaves at once.
    pub(crate) early: Span,
    /// The application has more to send than the packet that leaves now.
    pub(crate) has_more: bool,
    /// The newest that the controller has reported of itself.
    pub(crate) told: Told,
}

/// What a controller tells of itself beside its window: quinn's interface has no place for it, s2n-quic's has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// The state that it changed to last, by the names of the BBR draft.
    pub state: Option<&'static str>,
    /// By what its pace is above or below its estimate of the path's rate, 256ths.
    pub pacing_gain_256ths: Option<u64>,
    /// The pace, bytes a second.
    pub pace_bytes_per_second: Option<u64>,
}

/// quinn's pacer lets windows above 2^32 bytes through at once.
const UNPACED: u64 = 1 << 40;

impl Steering {
    /// Returns the record. A run has one thread, so the lock is always free.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Steer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when no packet leaves.
    pub(crate) fn holds_until(&self, now: Time) -> Option<Time> {
        let steer = self.lock();
        steer.earliest.filter(|earliest| now + steer.early <= *earliest)
    }

    /// The window that quinn gets: one that its pacer leaves alone, or one that no packet fits into.
    pub(crate) fn window(&self) -> u64 {
        if self.lock().may_leave { UNPACED } else { 1 }
    }
}

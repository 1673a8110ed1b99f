//! What BIC and CUBIC of Linux share (`tcp_bic.c`, `tcp_cubic.c`): when the growth is computed again, and the greatest
//! window that a loss leaves.

use crate::contract::ticks::{Clock, Ticks};

/// Parts of a window are in 1024ths.
pub(super) const ONE: u32 = 1_024;
/// Acknowledged segments for one more, at most, before the first loss: 5 % a round.
pub(super) const UNLOST_PER_MAX: u32 = 20;
/// A part of a second, beyond which the growth is computed again, if the window stays.
const UPDATES_A_SECOND: Ticks = 32;

/// The window for which the growth was computed last, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Computed {
    window: u32,
    at: Ticks,
}

impl Computed {
    pub(super) fn of(window: u32, at: Ticks) -> Self {
        Computed { window, at }
    }

    /// Returns whether the growth for this window holds no longer.
    pub(super) fn is_old(self, window: u32, now: Ticks, clock: Clock) -> bool {
        self.window != window || now.wrapping_sub(self.at) > clock.second() / UPDATES_A_SECOND
    }

    /// Returns whether it was in this tick.
    pub(super) fn is_at(self, now: Ticks) -> bool {
        self.at == now
    }
}

/// Parts of a window, rounded down.
pub(super) fn share(window: u32, parts: u32, of: u32) -> u32 {
    (u64::from(window) * u64::from(parts) / u64::from(of)) as u32
}

/// The greatest window after a loss that leaves `beta` 1024ths of it. A flow with losses at smaller and smaller windows
/// leaves room for others: fast convergence.
pub(super) fn greatest_after_loss(window: u32, before: u32, beta: u32) -> u32 {
    if window < before { share(window, ONE + beta, 2 * ONE) } else { window }
}

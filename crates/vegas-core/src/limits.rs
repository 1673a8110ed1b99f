//! What holds a window back, or spreads what leaves, in spite of the rule.

use crate::contract::{Ack, Needs};
use crate::signal::Signal;
use crate::units::{Pace, Segments, Window};

/// What else bounds sending and growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// H of "Revisited": most segments sent back to back in answer to one acknowledgement. None: no limit.
    pub burst: Option<Segments>,
    /// I of "Revisited": no growth while the window is more than two segments above what is in flight.
    pub keep_up: bool,
    /// J of "Revisited": what leaves is paced to at most twice the current rate, which is what left in the newest round
    /// trip.
    pub suppress_spikes: bool,
}

/// What mechanism J remembers: the most that may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spikes(Option<Pace>);

impl Limits {
    /// What the host must give.
    pub(crate) const fn needs(&self) -> Needs {
        Needs { pacing: self.suppress_spikes, ..Needs::NONE }
    }

    /// Mechanism I: the window is at most two segments above what is in flight.
    #[inline]
    pub(crate) fn let_grow(&self, window: Window, signal: &Signal, ack: &Ack) -> bool {
        !self.keep_up || window <= Window::whole(Segments(signal.outstanding(ack).0.saturating_add(2)))
    }
}

impl Spikes {
    /// At the end of a round: at most twice the current rate. What is in flight left within the newest round trip.
    pub(crate) fn on_round(&mut self, limits: &Limits, ack: &Ack) {
        if let Some(rtt) = ack.rtt.filter(|_| limits.suppress_spikes) {
            self.0 = Some(Pace::of(2 * ack.in_flight.as_u64(), rtt));
        }
    }

    /// The slower of this and what the rule paces by.
    #[inline]
    pub(crate) fn limit(self, pace: Option<Pace>) -> Option<Pace> {
        pace.max(self.0)
    }
}

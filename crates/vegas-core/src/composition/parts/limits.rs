//! Limits on growth and bursts that hold beside the rules of slow start and congestion avoidance.

use crate::composition::parts::signal::Signal;
use crate::contract::{Ack, Needs};
use crate::units::{Pace, Segments, Window};

/// The limits on sending and growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// H of "Revisited": most segments sent back to back in answer to one acknowledgement. None: no limit.
    pub burst: Option<Segments>,
    /// I of "Revisited": no growth while the window is more than two segments above what is in flight.
    pub keep_up: bool,
    /// J of "Revisited": segments are paced at twice the current rate at most, which is the number sent in the newest
    /// round trip.
    pub suppress_spikes: bool,
}

/// The state of mechanism J: the greatest rate.
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
    /// Sets the limit at the end of a round: twice the current rate. The segments in flight left within the newest
    /// round trip.
    pub(crate) fn on_round(&mut self, limits: &Limits, ack: &Ack) {
        if let Some(rtt) = ack.rtt.filter(|_| limits.suppress_spikes) {
            self.0 = Some(Pace::of(2 * ack.in_flight.as_u64(), rtt));
        }
    }

    /// The slower of this limit and the rule's pace.
    #[inline]
    pub(crate) fn limit(self, pace: Option<Pace>) -> Option<Pace> {
        pace.max(self.0)
    }
}

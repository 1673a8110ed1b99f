//! How long a connection was busy, and by what it was held back (Linux: `tcp_chrono_start`).

use vegas_core::units::{Span, Time};
use vegas_sim::driven::SenderState;

/// The times of a connection in each condition.
#[derive(Debug, Default)]
pub(super) struct Chrono {
    condition: Condition,
    since: Time,
    busy: Span,
    held: Span,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Condition {
    #[default]
    Idle,
    Busy,
    /// The peer's window holds back what was written.
    Held,
}

impl Chrono {
    /// Takes in the sender's state from now on.
    pub(super) fn note(&mut self, now: Time, sender: &SenderState) {
        (self.busy, self.held) = self.until(now);
        self.since = now;
        self.condition = match (sender.is_held_by_peer, sender.unsent + sender.unacknowledged) {
            (true, _) => Condition::Held,
            (false, 0) => Condition::Idle,
            (false, _) => Condition::Busy,
        };
    }

    /// Returns for how long the connection had something to send, and for how much of that it was held back.
    pub(super) fn until(&self, now: Time) -> (Span, Span) {
        let lasted = now.since(self.since);
        let of = |holds: bool| if holds { lasted } else { Span::ZERO };
        (self.busy + of(self.condition != Condition::Idle), self.held + of(self.condition == Condition::Held))
    }
}

//! Pacing: turns the algorithm's rate into departures. A segment may leave once the pace's spacing has passed since the
//! one before it, whatever that one was; time that was not used gives no credit.

use vegas_core::units::{Pace, Segments, Time};

use super::Outbox;
use super::sender::Sender;

/// When the last segment left, and when the next one may; [`Time::NEVER`] for neither.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    last: Time,
    /// When a segment that was held back may leave.
    due: Time,
}

impl Default for Pacer {
    fn default() -> Self {
        Pacer { last: Time::NEVER, due: Time::NEVER }
    }
}

impl Pacer {
    pub(super) fn on_send(&mut self, now: Time) {
        self.last = now;
    }

    pub(super) fn cancel(&mut self) {
        self.due = Time::NEVER;
    }

    /// When the next segment may leave, if not now.
    fn held_until(&self, now: Time, pace: Pace) -> Option<Time> {
        (self.last != Time::NEVER).then(|| self.last + pace.spacing()).filter(|time| *time > now)
    }
}

impl Sender {
    /// When the timer that paces runs out; none while nothing is held back.
    pub(crate) fn pacing_due(&self) -> Option<Time> {
        (self.pacer.due != Time::NEVER).then_some(self.pacer.due)
    }

    /// The timer that paces ran out.
    pub(crate) fn on_pacing_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.pacer.due > now {
            return;
        }
        self.pacer.cancel();
        let burst = self.burst();
        self.send(now, burst, out);
        if self.linux.is_some() {
            self.arm_probe(now);
        }
    }

    /// Sends what the window allows as far as the pace does, and sets the timer for the rest.
    #[inline(never)]
    pub(super) fn send_paced(&mut self, now: Time, pace: Pace, burst: Segments, out: &mut Outbox) {
        self.pacer.cancel();
        for _ in 0..burst.0 {
            let Some(segment) = self.next_segment() else { return };
            if let Some(time) = self.pacer.held_until(now, pace) {
                self.pacer.due = time;
                return;
            }
            self.transmit(now, segment, out);
        }
    }
}

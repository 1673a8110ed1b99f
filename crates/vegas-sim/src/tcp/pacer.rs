//! Pacing: turns the algorithm's rate into departures. A segment may leave once the pace's spacing has passed since the
//! one before it, whatever that one was; time that was not used gives no credit.

use vegas_core::units::{Pace, Segments, Time};

use super::Outbox;
use super::sender::Sender;

/// When the last segment left, and when the next one may.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacer {
    last: Option<Time>,
    /// When a segment that was held back may leave.
    due: Option<Time>,
}

impl Pacer {
    pub(super) fn on_send(&mut self, now: Time) {
        self.last = Some(now);
    }

    pub(super) fn cancel(&mut self) {
        self.due = None;
    }

    /// When the next segment may leave, if not now.
    fn held_until(&self, now: Time, pace: Pace) -> Option<Time> {
        self.last.map(|last| last + pace.spacing()).filter(|time| *time > now)
    }
}

impl Sender {
    /// When the timer that paces runs out; none while nothing is held back.
    pub(crate) fn pacing_due(&self) -> Option<Time> {
        self.pacer.due
    }

    /// The timer that paces ran out.
    pub(crate) fn on_pacing_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.pacer.due.is_none_or(|due| due > now) {
            return;
        }
        self.pacer.due = None;
        let burst = self.burst();
        self.send(now, burst, out);
        if self.linux.is_some() {
            self.arm_probe(now);
        }
    }

    /// Sends what the window allows as far as the pace does, and sets the timer for the rest.
    pub(super) fn send_paced(&mut self, now: Time, pace: Pace, burst: Option<Segments>, out: &mut Outbox) {
        self.pacer.due = None;
        for _ in 0..burst.map_or(u64::MAX, Segments::as_u64) {
            let Some(segment) = self.next_segment() else { return };
            if let Some(time) = self.pacer.held_until(now, pace) {
                self.pacer.due = Some(time);
                return;
            }
            self.transmit(now, segment, out);
        }
    }
}

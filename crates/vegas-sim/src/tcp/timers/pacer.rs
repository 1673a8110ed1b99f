//! Pacing: turns the algorithm's rate into departures. A segment may leave once the pace's spacing has passed since the
//! previous segment, whether that one was new or a retransmission; unused time gives no credit. No pace holds a segment
//! back for longer than the retransmission timeout: a retransmission after a timeout leaves at once (RFC 6298, rule
//! 5.4), and mechanism J, which takes its rate from the newest RTT sample, does not let a sample that covers a repair
//! silence the sender.

use vegas_core::units::{Pace, Segments, Span, Time};

use crate::tcp::Outbox;
use crate::tcp::sender::Sender;

/// When the last segment left, and when the next one may leave; [`Time::NEVER`] for neither.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    last: Time,
    /// When the segment that is held back may leave.
    due: Time,
}

impl Default for Pacer {
    fn default() -> Self {
        Pacer { last: Time::NEVER, due: Time::NEVER }
    }
}

impl Pacer {
    pub(crate) fn on_send(&mut self, now: Time) {
        self.last = now;
    }

    /// The time since the last departure; zero before the first.
    pub(crate) fn since_last(&self, now: Time) -> Span {
        now.since(self.last)
    }

    pub(crate) fn cancel(&mut self) {
        self.due = Time::NEVER;
    }

    /// When the next segment may leave, if not now.
    fn held_until(&self, now: Time, pace: Pace, timeout: Span) -> Option<Time> {
        (self.last != Time::NEVER).then(|| self.last + pace.spacing().min(timeout)).filter(|time| *time > now)
    }
}

impl Sender {
    /// When the pacing timer runs out; `None` while no segment is held back.
    pub(crate) fn pacing_due(&self) -> Option<Time> {
        (self.timers.pacer.due != Time::NEVER).then_some(self.timers.pacer.due)
    }

    /// Handles the pacing timer, if it is due.
    pub(crate) fn on_pacing_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.timers.pacer.due > now {
            return;
        }
        self.timers.pacer.cancel();
        let burst = self.burst();
        self.send(now, burst, out);
        if self.linux.is_some() {
            self.arm_probe(now);
        }
    }

    /// Sends what the window and the pace allow, and sets the timer for the rest.
    #[inline(never)]
    pub(crate) fn send_paced(&mut self, now: Time, pace: Pace, burst: Segments, out: &mut Outbox) {
        self.timers.pacer.cancel();
        for _ in 0..burst.0 {
            let Some(segment) = self.next_segment() else { return };
            if let Some(time) = self.timers.pacer.held_until(now, pace, self.timers.rto.timeout()) {
                self.timers.pacer.due = time;
                return;
            }
            self.transmit(now, segment, out);
        }
    }
}

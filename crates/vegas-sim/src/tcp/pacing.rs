//! Pacing: turns the algorithm's rate into departures. A segment may leave once the pace's spacing has passed since the
//! previous segment, whether that one was new or a retransmission; unused time gives no credit. No pace holds a segment
//! back for longer than the retransmission timeout: a retransmission after a timeout leaves at once (RFC 6298, rule
//! 5.4), and mechanism J, which takes its rate from the newest RTT sample, does not let a sample that covers a repair
//! silence the sender.

use vegas_core::units::{Pace, Span, Time};

/// When the last segment left, and when the next one may leave; [`Time::NEVER`] for neither.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    last: Time,
    /// When the segment that is held back may leave.
    due: Time,
}

impl Pacer {
    pub(super) fn new() -> Self {
        Pacer { last: Time::NEVER, due: Time::NEVER }
    }

    /// Records that a segment leaves, paced or not.
    pub(super) fn on_send(&mut self, now: Time) {
        self.last = now;
    }

    /// Returns whether the next segment may leave now. If not, the timer is set to when it may.
    pub(super) fn releases(&mut self, now: Time, pace: Pace, timeout: Span) -> bool {
        self.due = match self.last {
            Time::NEVER => Time::NEVER,
            last => Some(last + pace.spacing().min(timeout)).filter(|due| *due > now).unwrap_or(Time::NEVER),
        };
        self.due == Time::NEVER
    }

    /// The time since the last departure; zero before the first.
    pub(super) fn since_last(&self, now: Time) -> Span {
        now.since(self.last)
    }

    /// When the timer expires, at which the segment that is held back may leave; `None` while there is none.
    pub(super) fn due(&self) -> Option<Time> {
        (self.due != Time::NEVER).then_some(self.due)
    }

    /// Turns the timer off.
    pub(super) fn cancel(&mut self) {
        self.due = Time::NEVER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// Ten segments in 100 ms: one every 10 ms since the last departure, and none sooner for having waited longer
    /// before.
    #[test]
    fn segments_keep_their_distance() {
        let (pace, timeout) = (Pace::of(10, Span::from_millis(100)), Span::from_millis(200));
        let mut pacer = Pacer::new();
        assert!(pacer.releases(ms(0), pace, timeout), "the first leaves at once");
        pacer.on_send(ms(0));
        assert!(!pacer.releases(ms(4), pace, timeout));
        assert_eq!(pacer.due(), Some(ms(10)));
        assert!(pacer.releases(ms(35), pace, timeout));
        assert_eq!(pacer.due(), None);
        pacer.on_send(ms(35));
        assert!(!pacer.releases(ms(35), pace, timeout));
        assert_eq!((pacer.due(), pacer.since_last(ms(40))), (Some(ms(45)), Span::from_millis(5)));
        pacer.cancel();
        assert_eq!(pacer.due(), None);
    }

    /// A segment every second, but none waits for longer than the timeout of 200 ms.
    #[test]
    fn the_retransmission_timeout_bounds_the_wait() {
        let (pace, timeout) = (Pace::of(1, Span::from_secs(1)), Span::from_millis(200));
        let mut pacer = Pacer::new();
        pacer.on_send(ms(0));
        assert!(!pacer.releases(ms(0), pace, timeout));
        assert_eq!(pacer.due(), Some(ms(200)));
        assert!(pacer.releases(ms(200), pace, timeout));
    }
}

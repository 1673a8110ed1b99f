//! Pacing: turns the algorithm's rate into departures. On a BSD host a segment may leave once the pace's spacing has
//! passed since the previous segment, whether that one was new or a retransmission; unused time gives no credit. On a
//! Linux host a departure fixes the time of the next one, whatever the pace becomes in between, and a segment that left
//! later than it might have gives credit for it, up to half of the gap; the first segments are not paced
//! (`tcp_update_skb_after_send`). No pace holds a segment back for longer than the retransmission timeout: a
//! retransmission after a timeout leaves at once (RFC 6298, rule 5.4), and mechanism J, which takes its rate from the
//! newest RTT sample, does not let a sample that covers a repair silence the sender.

use vegas_core::units::{Pace, Span, Time};

/// On a Linux host pacing begins after this many segments, retransmissions among them.
pub(super) const PACED_AFTER_SEGMENTS: u64 = 9;

/// When the last segment left, and when the next one may leave.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    /// [`Time::NEVER`] before the first.
    last: Time,
    /// When the segment that is held back may leave; on a Linux host also when the next one may.
    next: Time,
    /// Whether a segment is held back.
    holds: bool,
}

impl Pacer {
    pub(super) fn new() -> Self {
        Pacer { last: Time::NEVER, next: Time::ZERO, holds: false }
    }

    /// Records that a segment leaves, paced or not.
    pub(super) fn on_send(&mut self, now: Time) {
        self.last = now;
    }

    /// Records, on a Linux host, that a segment leaves, and fixes the time of the next one.
    pub(super) fn on_send_fixed(&mut self, now: Time, pace: Option<Pace>, timeout: Span) {
        self.last = now;
        let credit = now.since(self.next);
        self.next = self.next.max(now);
        if let Some(pace) = pace {
            let gap = pace.spacing().min(timeout);
            let credit = credit.min(Span::from_nanos(gap.as_nanos() / 2));
            self.next = self.next + Span::from_nanos(gap.as_nanos() - credit.as_nanos());
        }
    }

    /// Returns whether the next segment may leave now. If not, the timer is set to when it may.
    pub(super) fn releases(&mut self, now: Time, pace: Pace, timeout: Span) -> bool {
        self.next = if self.last == Time::NEVER { now } else { self.last + pace.spacing().min(timeout) };
        self.releases_fixed(now)
    }

    /// Does what `releases` does, on a Linux host.
    pub(super) fn releases_fixed(&mut self, now: Time) -> bool {
        self.holds = self.next > now;
        !self.holds
    }

    /// The time since the last departure; zero before the first.
    pub(super) fn since_last(&self, now: Time) -> Span {
        now.since(self.last)
    }

    /// When the timer expires, at which the segment that is held back may leave; `None` while there is none.
    pub(super) fn due(&self) -> Option<Time> {
        self.holds.then_some(self.next)
    }

    /// Turns the timer off.
    pub(super) fn cancel(&mut self) {
        self.holds = false;
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

    /// Ten segments in 100 ms. The pace doubles, and the departure that is fixed stays. The third leaves 3 ms late, and
    /// the next gap is shorter by that; the fourth leaves 20 ms late, and the next gap is half.
    #[test]
    fn a_departure_fixes_the_next_and_gives_credit_for_half_a_gap() {
        let (slow, timeout) = (Pace::of(10, Span::from_millis(100)), Span::from_millis(200));
        let mut pacer = Pacer::new();
        pacer.on_send_fixed(ms(0), Some(slow), timeout);
        assert!(!pacer.releases_fixed(ms(9)));
        assert_eq!(pacer.due(), Some(ms(10)));
        pacer.on_send_fixed(ms(10), Some(Pace::of(20, Span::from_millis(100))), timeout);
        assert!(pacer.releases_fixed(ms(15)));
        for (sent, due) in [(18, 25), (45, 50), (46, 60)] {
            pacer.on_send_fixed(ms(sent), Some(slow), timeout);
            assert!(!pacer.releases_fixed(ms(sent)));
            assert_eq!(pacer.due(), Some(ms(due)));
        }
        pacer.on_send_fixed(ms(100), None, timeout);
        assert!(pacer.releases_fixed(ms(100)), "without a pace");
    }
}

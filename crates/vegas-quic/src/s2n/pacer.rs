//! When the next packet may leave.

use std::time::Duration;

use s2n_quic_core::time::Timestamp;

/// Spaces packets evenly, and lets bursts of a given size through; unused time gives credit for one burst at most.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacer {
    /// The departure time of the next packet if packets are evenly spaced.
    due: Option<Timestamp>,
    newest: Spacing,
}

/// The spacing of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spacing {
    /// The time from one packet to the next.
    pub(super) between: Duration,
    /// The most packets in a burst; 1 at least.
    pub(super) burst: u32,
}

impl Pacer {
    /// A packet left.
    pub(super) fn on_sent(&mut self, now: Timestamp, spacing: Spacing) {
        self.due = Some(self.due.map_or(now, |due| due.max(now)) + spacing.between);
        self.newest = spacing;
    }

    /// When the next packet may leave; none: at once.
    pub(super) fn earliest(&self) -> Option<Timestamp> {
        let Spacing { between, burst } = self.newest;
        self.due?.checked_sub(between * burst.saturating_sub(1))
    }

    /// The number of packets that may leave together where the host compares departure times with this granularity.
    pub(super) fn at_once(&self, granularity: Duration) -> u32 {
        let due = granularity.as_nanos() / self.newest.between.as_nanos().max(1);
        u32::try_from(due).unwrap_or(u32::MAX).saturating_add(1).max(self.newest.burst)
    }
}

#[cfg(test)]
mod tests {
    use s2n_quic_core::time::{Clock, NoopClock};

    use super::*;

    /// The earliest departure of each following packet, counted from the first one.
    fn departures_ms(spacing: Spacing, packets: u32) -> Vec<u128> {
        let start = NoopClock.get_time() + Duration::from_secs(1);
        let (mut pacer, mut now) = (Pacer::default(), start);
        let one = |_| {
            now = pacer.earliest().map_or(now, |earliest| earliest.max(now));
            pacer.on_sent(now, spacing);
            now.saturating_duration_since(start).as_millis()
        };
        (0..packets).map(one).collect()
    }

    #[test]
    fn packets_are_spaced_after_a_burst() {
        let between = Duration::from_millis(4);
        assert_eq!(departures_ms(Spacing { between, burst: 1 }, 4), [0, 4, 8, 12]);
        assert_eq!(departures_ms(Spacing { between, burst: 3 }, 6), [0, 0, 0, 4, 8, 12]);
        assert_eq!(departures_ms(Spacing { between: Duration::ZERO, burst: 1 }, 3), [0, 0, 0]);
    }

    #[test]
    fn what_is_due_within_the_granularity_leaves_together() {
        for (between_us, burst, at_once) in [(4000, 1, 1), (600, 1, 2), (100, 1, 11), (600, 10, 10)] {
            let mut pacer = Pacer::default();
            pacer.on_sent(NoopClock.get_time(), Spacing { between: Duration::from_micros(between_us), burst });
            assert_eq!(pacer.at_once(Duration::from_millis(1)), at_once);
        }
    }

    #[test]
    fn a_pause_gives_the_credit_of_one_burst() {
        let start = NoopClock.get_time();
        let spacing = Spacing { between: Duration::from_millis(4), burst: 2 };
        let mut pacer = Pacer::default();
        pacer.on_sent(start, spacing);
        let later = start + Duration::from_secs(9);
        for _ in 0..2 {
            assert!(pacer.earliest().unwrap() <= later);
            pacer.on_sent(later, spacing);
        }
        assert_eq!(pacer.earliest(), Some(later + spacing.between));
    }
}

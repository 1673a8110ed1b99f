//! What `vegas-next` measures: the base RTT, which survives jitter and standing queues, and the RTTs of a round.

use crate::standalone::least::Least;
use crate::units::{SendIndex, Span, Time};

/// The base RTT is sought over four periods of draining; six times as long while a rival is suspected, when no drain
/// may empty the queue.
const WINDOW: Span = Span::from_secs(20);
const WINDOW_SUSPICIOUS: Span = Span::from_secs(120);
/// A base RTT that has fallen within a round by a 32nd, and 1 ms, fell because other flows drain.
const FELL_PART: u64 = 32;
const FELL_MIN: Span = Span::from_millis(1);
/// What four drains one after the other find, to 300 us, is the path's own RTT: a queue of others varies more. Three
/// find the same where CUBIC's window is level.
const NEAR: Span = Span::from_micros(300);
const DRAINS_TO_AGREE: u8 = 3;

/// The base RTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MeasuredBase {
    least: Least,
    /// At the end of the newest round.
    of_round: Span,
    /// The least RTT since the newest drain began, and when it was measured. All flows of a queue see its minimum at
    /// one time, so that their next drains coincide.
    pub(super) recent: Span,
    pub(super) recent_at: Time,
    /// The least single sample in that time.
    recent_single: Span,
    /// What the newest drain has found, and how many before it found the same.
    found: Span,
    agreed: u8,
}

impl MeasuredBase {
    pub(super) const NONE: MeasuredBase = MeasuredBase {
        least: Least::new(),
        of_round: Span::MAX,
        recent: Span::MAX,
        recent_at: Time::ZERO,
        recent_single: Span::MAX,
        found: Span::ZERO,
        agreed: 0,
    };

    pub(super) fn sample_single(&mut self, rtt: Span) {
        self.recent_single = self.recent_single.min(rtt);
    }

    /// For how long a sample counts.
    pub(super) fn window(is_suspicious: bool) -> Span {
        if is_suspicious { WINDOW_SUSPICIOUS } else { WINDOW }
    }

    /// `rtt`: the greatest of a group of samples.
    pub(super) fn sample(&mut self, now: Time, rtt: Span, window: Span) {
        self.least.sample(now, rtt, window);
        if rtt < self.recent {
            self.recent = rtt;
            self.recent_at = now;
        }
    }

    /// [`Span::MAX`] before the first sample.
    pub(super) fn get(&self) -> Span {
        self.least.get()
    }

    pub(super) fn is_known(&self) -> bool {
        self.get() < Span::MAX
    }

    /// How far the least RTT of the newest drain is above the least single sample: what varies within a round is no
    /// queue.
    pub(super) fn jitter(&self) -> Span {
        self.recent.less(self.recent_single)
    }

    /// Whether there has been a drain.
    pub(super) fn is_drained(&self) -> bool {
        self.found > Span::ZERO
    }

    /// Whether this RTT is so far below the base RTT of the newest round that others must be draining.
    pub(super) fn has_fallen_to(&self, rtt: Span) -> bool {
        let fall = self.of_round.less(rtt);
        let enough = Span::from_nanos(self.of_round.as_nanos() / FELL_PART).max(FELL_MIN);
        self.of_round < Span::MAX && fall > enough
    }

    pub(super) fn end_round(&mut self) {
        self.of_round = self.get();
    }

    pub(super) fn begin_drain(&mut self, now: Time) {
        self.recent = Span::MAX;
        self.recent_single = Span::MAX;
        self.recent_at = now;
    }

    /// A drain is over; whether the drains agree on what they found.
    pub(super) fn end_drain(&mut self) -> bool {
        let apart = self.recent.less(self.found).max(self.found.less(self.recent));
        self.agreed = if apart <= NEAR { self.agreed.saturating_add(1) } else { 0 };
        self.found = self.recent;
        self.agreed >= DRAINS_TO_AGREE
    }

    /// Takes what the newest drain has found for the base RTT.
    pub(super) fn take_found(&mut self, now: Time) {
        self.least = Least::new();
        self.least.sample(now, self.recent, WINDOW);
    }
}

/// Samples of which the least stands for the queue while the window opens.
const GROUP: u8 = 8;
/// Of what the mean of a round is above its least RTT, this part counts as queue: a flow that is held and let go in
/// bunches sees the queue between them, and not the one that it makes.
const MEAN_PART: u64 = 4;
/// Weight of a round in the delay variation.
const VARIATION_PART: u64 = 8;
/// Rounds in each of the two parts of [`Lasting`].
const LASTING_ROUNDS: u8 = 8;

/// The least RTT of the last nine to sixteen rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lasting {
    newest: Span,
    before: Span,
    rounds: u8,
}

impl Lasting {
    const NONE: Lasting = Lasting { newest: Span::MAX, before: Span::MAX, rounds: 0 };

    fn add(&mut self, rtt: Span) {
        if self.rounds >= LASTING_ROUNDS {
            *self = Lasting { newest: Span::MAX, before: self.newest, rounds: 0 };
        }
        self.newest = self.newest.min(rtt);
        self.rounds += 1;
    }

    fn get(&self) -> Span {
        self.newest.min(self.before)
    }
}

/// The RTTs of a round. Jitter that keeps packets in order holds most of them for nearly its whole amplitude, and a few
/// for none: the greatest of a group of samples varies little, where the least one of a round or of 20 s is an
/// accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    pub(super) end: SendIndex,
    /// Of the groups' greatest.
    least: Span,
    greatest: Span,
    greatest_samples: u8,
    sum_us: u64,
    samples: u32,
    group_samples: u8,
    group_least: Span,
    /// The least RTT of the newest eight samples together; zero before.
    pub(super) group: Span,
    /// The RTT of the newest round, its least one and a fourth of what its mean is above that; zero before.
    pub(super) standing: Span,
    /// How far the mean of a round lies above its least RTT, smoothed.
    pub(super) variation: Span,
    lasting: Lasting,
}

impl Rounds {
    pub(super) const NONE: Rounds = Rounds {
        end: SendIndex(0),
        least: Span::MAX,
        greatest: Span::ZERO,
        greatest_samples: 0,
        sum_us: 0,
        samples: 0,
        group_samples: 0,
        group_least: Span::MAX,
        group: Span::ZERO,
        standing: Span::ZERO,
        variation: Span::ZERO,
        lasting: Lasting::NONE,
    };

    /// Returns the greatest RTT of a group that this sample completes.
    pub(super) fn sample(&mut self, rtt: Span, group: u8) -> Option<Span> {
        self.count(rtt);
        self.greatest = self.greatest.max(rtt);
        self.greatest_samples += 1;
        if self.greatest_samples < group {
            return None;
        }
        let greatest = self.greatest;
        self.least = self.least.min(greatest);
        self.greatest = Span::ZERO;
        self.greatest_samples = 0;
        Some(greatest)
    }

    fn count(&mut self, rtt: Span) {
        self.sum_us = self.sum_us.saturating_add(rtt.as_nanos() / 1_000);
        self.samples = self.samples.saturating_add(1);
        self.group_least = self.group_least.min(rtt);
        self.group_samples += 1;
        if self.group_samples >= GROUP {
            self.group = self.group_least;
            self.group_least = Span::MAX;
            self.group_samples = 0;
        }
    }

    /// How much of an RTT is that of a queue. Where a round varies by more than half of the base RTT, as on Wi-Fi,
    /// several rounds show it: no queue comes and goes within one.
    pub(super) fn that_lasts(&self, rtt: Span, base: Span) -> Span {
        let is_jittery = self.variation > Span::from_nanos(base.as_nanos() / 2);
        if is_jittery { rtt.min(self.lasting.get()) } else { rtt }
    }

    /// The newest RTT of which enough is known: the round's so far, or that of the round before.
    pub(super) fn newest(&self) -> Span {
        if self.has_samples() { self.least } else { self.standing }
    }

    /// Whether a group is complete.
    pub(super) fn has_samples(&self) -> bool {
        self.least < Span::MAX
    }

    /// Ends the round; it counts for the variation if the flow itself was steady.
    pub(super) fn finish(&mut self, is_steady: bool) {
        let mean = Span::from_micros(1).times(self.sum_us / u64::from(self.samples.max(1)));
        let above = mean.less(self.least).as_nanos();
        self.standing = self.least + Span::from_nanos(above / MEAN_PART);
        self.lasting.add(self.standing);
        if is_steady {
            let before = self.variation.as_nanos();
            self.variation = Span::from_nanos(before - before / VARIATION_PART + above / VARIATION_PART);
        }
    }

    /// Forgets the RTTs before a timeout: they are those of another window.
    pub(super) fn forget(&mut self) {
        let Rounds { end, variation, lasting, .. } = *self;
        *self = Rounds { end, variation, lasting, ..Rounds::NONE };
    }

    pub(super) fn begin(&mut self, end: SendIndex) {
        self.end = end;
        self.least = Span::MAX;
        self.sum_us = 0;
        self.samples = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    /// By hand: four drains find 50.0, 50.2, 50.1 and 50.3 ms, and the fourth agrees; then one finds 53 ms.
    #[test]
    fn four_drains_that_find_the_same_agree() {
        let mut base = MeasuredBase::NONE;
        let mut drain = |found_us| {
            base.begin_drain(Time::ZERO);
            base.sample(Time::ZERO, Span::from_micros(found_us), WINDOW);
            base.end_drain()
        };
        let found = [50_000, 50_200, 50_100, 50_300, 53_000].map(&mut drain);
        assert_eq!(found, [false, false, false, true, false]);
    }

    /// By hand: a 32nd of 96 ms is 3 ms.
    #[test]
    fn a_base_rtt_that_falls_within_a_round_tells_that_others_drain() {
        let mut base = MeasuredBase::NONE;
        base.sample(Time::ZERO, ms(96), WINDOW);
        assert!(!base.has_fallen_to(ms(50)), "no round is over");
        base.end_round();
        assert!(!base.has_fallen_to(ms(93)));
        assert!(base.has_fallen_to(ms(92)));
    }

    /// By hand: RTTs of 40, 44 and 48 ms have a mean 4 ms above the least, of which a fourth counts as queue, and an
    /// eighth as variation.
    #[test]
    fn the_variation_is_the_mean_above_the_least() {
        let mut rounds = Rounds::NONE;
        for rtt in [40, 44, 48] {
            rounds.sample(ms(rtt), 1);
        }
        rounds.finish(true);
        assert_eq!((rounds.standing, rounds.variation), (ms(41), Span::from_micros(500)));
    }

    /// By hand: rounds of 20, 70, 20, 120 and 70 ms; with a mean of 40 ms above the least of each the variation passes
    /// 10 ms, half of the base RTT, in the third. Its 20 ms, with a fourth of the mean 30, count for 14 rounds.
    #[test]
    fn a_queue_is_what_lasts_where_rounds_vary() {
        let base = ms(20);
        let mut rounds = Rounds::NONE;
        let mut round = |least_ms| {
            for rtt in [least_ms, least_ms + 80] {
                rounds.sample(ms(rtt), 1);
            }
            rounds.finish(true);
            rounds.begin(SendIndex(0));
            rounds.that_lasts(ms(least_ms), base)
        };
        assert_eq!([20, 70, 20, 120, 70].map(&mut round), [20, 70, 20, 30, 30].map(ms));
        assert_eq!([70; 11].map(&mut round), [ms(30); 11]);
        assert_eq!(round(70), ms(70));
    }

    /// By hand: of 50, 43 and 47 ms, and of 44, 45 and 41 ms, the greatest are 50 and 45 ms, and the least of those is
    /// 45 ms.
    #[test]
    fn an_rtt_is_the_greatest_of_a_group() {
        let mut rounds = Rounds::NONE;
        let greatest = [50, 43, 47, 44, 45, 41].map(|rtt| rounds.sample(ms(rtt), 3));
        assert_eq!(greatest, [None, None, Some(ms(50)), None, None, Some(ms(45))]);
        rounds.finish(false);
        assert_eq!(rounds.standing, ms(45));
    }
}

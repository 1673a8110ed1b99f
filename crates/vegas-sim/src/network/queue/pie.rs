//! PIE (RFC 8033): drops or marks packets on arrival with a probability that a controller adjusts to the waiting time.

use vegas_core::units::{Span, Time};

use super::{Backlog, Fifo, QueuedPacket, Verdict};
use crate::scenario::PieSpec;
use crate::util::random::Stream;

/// Probability 1, in the fixed point used here.
const ONE: i128 = 1 << 60;
const NANOS_PER_SECOND: i128 = 1_000_000_000;
/// The least probability above 0. Anything below is rounded to 0, so that the state of an idle queue becomes constant.
const FLOOR: i128 = ONE >> 30;
/// The packet size of RFC 8033, section 4.1: while the queue holds no more than two packets of this size, nothing is
/// dropped.
const MEAN_PACKET_BYTES: u64 = 1500;
/// The probability below which packets are marked; from it on they are dropped (RFC 8033, section 5.1).
const MARKS_BELOW: i128 = ONE / 10;

/// The controller's state; probabilities in units of 2^-60.
#[derive(Clone, Debug)]
pub(crate) struct Pie {
    spec: PieSpec,
    stream: Stream,
    probability: i128,
    /// How long the packet dequeued last had waited; 0 if the queue is empty (RFC 8033, section 4.2, with time stamps).
    delay: Span,
    delay_before: Span,
    burst_left: Span,
    next_update: Time,
}

impl Pie {
    pub(super) fn new(spec: PieSpec, stream: Stream) -> Self {
        Pie {
            spec,
            stream,
            probability: 0,
            delay: Span::ZERO,
            delay_before: Span::ZERO,
            burst_left: spec.max_burst,
            next_update: Time::ZERO + spec.update,
        }
    }

    /// Returns what becomes of a packet that arrives (RFC 8033, section 4.1).
    pub(super) fn judge(&mut self, now: Time, fifo: &Fifo) -> Verdict {
        self.catch_up(now, fifo);
        let half_target = self.spec.target.as_nanos() / 2;
        let is_calm = self.delay_before.as_nanos() < half_target && self.probability < ONE / 5;
        if self.burst_left > Span::ZERO || is_calm || fifo.bytes <= 2 * MEAN_PACKET_BYTES {
            return Verdict::Accept;
        }
        match i128::from(self.stream.below(ONE as u64)) < self.probability {
            false => Verdict::Accept,
            true if self.spec.ecn && self.probability < MARKS_BELOW => Verdict::MarkOrDrop,
            true => Verdict::Drop,
        }
    }

    pub(super) fn take(&mut self, now: Time, fifo: &mut Fifo) -> Option<QueuedPacket> {
        self.catch_up(now, fifo);
        let taken = fifo.pop();
        self.delay = taken.map_or(Span::ZERO, |waiting| now.since(waiting.since));
        taken
    }

    /// Makes the updates that are due. The queue has not changed in between, so they see it as it is. Updates that are
    /// alike are made at once. Returns how many were made one by one.
    fn catch_up(&mut self, now: Time, fifo: &Fifo) -> u64 {
        let mut made = 0;
        while self.next_update <= now {
            if fifo.packets.is_empty() {
                self.delay = Span::ZERO;
            }
            self.update();
            made += 1;
            self.next_update = self.next_update + self.spec.update;
            if self.next_update <= now {
                let due = now.since(self.next_update).as_nanos() / self.spec.update.as_nanos() + 1;
                let alike = self.make_alike(due);
                self.next_update = self.next_update + self.spec.update.times(alike);
            }
        }
        made
    }

    /// Makes those of the next `due` updates that are alike, which is so as long as the delay is constant: the
    /// probability stays, or changes by equal steps. Returns the number of these updates.
    fn make_alike(&mut self, due: u64) -> u64 {
        if self.delay != self.delay_before {
            return 0;
        }
        let alike = if self.next_probability() == self.probability {
            due
        } else if self.delay == Span::ZERO {
            // The probability decays by a fraction of itself, so the steps are not equal.
            0
        } else {
            let step = self.step();
            let there = |updates: u64| self.probability + i128::from(updates) * step;
            let is_alike = |probability: i128| {
                (FLOOR..=ONE).contains(&probability) && Self::gain(probability) == Self::gain(self.probability)
            };
            // ONE / |step| + 1 updates go through all probabilities
            let most = i128::from(due).min(ONE / step.abs() + 1) as u64;
            let alike =
                if is_alike(self.probability) { last_true(most, |updates| is_alike(there(updates))) } else { 0 };
            self.probability = there(alike);
            alike
        };
        if alike > 0 {
            self.use_up_burst(alike);
        }
        alike
    }

    fn use_up_burst(&mut self, updates: u64) {
        let is_calm = self.delay.max(self.delay_before).as_nanos() < self.spec.target.as_nanos() / 2;
        self.burst_left = match self.probability == 0 && is_calm {
            true => self.spec.max_burst,
            false => self.burst_left.less(self.spec.update.times(updates)),
        };
    }

    /// Updates the probability (RFC 8033, section 4.2).
    fn update(&mut self) {
        self.probability = self.next_probability();
        self.use_up_burst(1);
        self.delay_before = self.delay;
    }

    fn next_probability(&self) -> i128 {
        let mut probability = self.probability + self.step();
        if self.delay == Span::ZERO && self.delay_before == Span::ZERO {
            probability = probability / 50 * 49;
        }
        if probability < FLOOR { 0 } else { probability.min(ONE) }
    }

    /// Returns the change of the probability, with alpha = 1/8 and beta = 5/4 per second.
    fn step(&self) -> i128 {
        let nanos = |span: Span| i128::from(span.as_nanos());
        let (delay, before, target) = (nanos(self.delay), nanos(self.delay_before), nanos(self.spec.target));
        let step = ((delay - target) * ONE / 8 + (delay - before) * ONE / 4 * 5) / NANOS_PER_SECOND;
        let (scale, most) = Self::gain(self.probability);
        (step / scale).min(most)
    }

    /// Returns the divisor of the step and the greatest step. The smaller the probability, the smaller the step; from a
    /// probability of 10 % on there is a greatest step (section 5.5).
    fn gain(probability: i128) -> (i128, i128) {
        let most = if probability >= ONE / 10 { ONE / 50 } else { i128::MAX };
        (Self::scale(probability), most)
    }

    fn scale(probability: i128) -> i128 {
        match ONE / probability.max(1) {
            1_000_000.. => 2048,
            100_000.. => 512,
            10_000.. => 128,
            1_000.. => 32,
            100.. => 8,
            10.. => 2,
            _ => 1,
        }
    }
}

/// Returns the greatest number up to `most` for which `is_true` holds. It holds for 0 and for all numbers up to some
/// limit.
fn last_true(most: u64, is_true: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = high - (high - low) / 2;
        if is_true(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, PacketKind, WireSize};
    use proptest::prelude::*;

    fn pie() -> Pie {
        let spec = PieSpec {
            target: Span::from_millis(15),
            update: Span::from_millis(15),
            max_burst: Span::from_millis(150),
            ecn: true,
        };
        Pie::new(spec, Stream::named(1, "test"))
    }

    /// The probability is 20 %. The waiting time goes from 25 to 35 ms: 0.125 x 0.020 + 1.25 x 0.010 = 1.5 % more. It
    /// stays at 35 ms: 0.25 % more. It falls to 15 ms: 2.5 % less. A jump to a second would be 111 % more, but the cap
    /// is 2 %.
    #[test]
    fn probability_follows_the_delay() {
        let mut pie = pie();
        pie.probability = ONE / 5;
        pie.delay_before = Span::from_millis(25);
        let mut percent = |delay_ms: u64| {
            pie.delay = Span::from_millis(delay_ms);
            pie.update();
            (pie.probability * 100_000 / ONE) as f64 / 1000.
        };
        let close = |value: f64, expected: f64| assert!((value - expected).abs() < 0.002, "{value}, not {expected}");
        close(percent(35), 21.5);
        close(percent(35), 21.75);
        close(percent(15), 19.25);
        close(percent(1000), 21.25);
    }

    /// Below a probability of 10 % the packets that are picked may be marked; from 10 % on they are dropped (RFC 8033,
    /// section 5.1).
    #[test]
    fn marks_only_while_they_are_few() {
        for (percent, verdict) in [(9, Verdict::MarkOrDrop), (10, Verdict::Drop), (30, Verdict::Drop)] {
            let mut pie = pie();
            let fifo = with_waiting(9);
            pie.probability = ONE * percent / 100;
            (pie.delay_before, pie.burst_left) = (Span::from_millis(15), Span::ZERO);
            let verdicts: Vec<Verdict> = (0..10_000).map(|_| pie.judge(Time::ZERO, &fifo)).collect();
            let picked: Vec<&Verdict> = verdicts.iter().filter(|seen| **seen != Verdict::Accept).collect();
            assert!(picked.iter().all(|seen| **seen == verdict), "at {percent} %");
            assert!((picked.len() as i128 - 100 * percent).abs() < 150, "{} at {percent} %", picked.len());
        }
    }

    /// From 0.05 % on, steps are divided by 32: a steady delay of 31 ms adds 0.125 x 0.016 / 32 = 0.00625 %.
    #[test]
    fn small_probabilities_move_slowly() {
        let mut pie = pie();
        pie.probability = ONE / 2000;
        (pie.delay, pie.delay_before) = (Span::from_millis(31), Span::from_millis(31));
        pie.update();
        let parts_per_million = pie.probability * 1_000_000 / ONE;
        assert!((562..=563).contains(&parts_per_million), "{parts_per_million}");
    }

    fn with_waiting(packets: usize) -> Fifo {
        let mut fifo = Fifo::default();
        let packet = Packet::new(PacketKind::Data, 0, 0, WireSize::new(1500));
        (0..packets).for_each(|_| fifo.push(QueuedPacket { packet, since: Time::ZERO }));
        fifo
    }

    /// A packet takes 400 s at 30 bit/s. An update is due at each microsecond of it.
    #[test]
    fn few_updates_are_made_one_by_one() {
        for (probability, delay) in
            [(0, 0), (ONE, 0), (0, 1), (ONE / 3, 14), (0, 16), (ONE / 70_000, 20), (ONE, 10_000)]
        {
            for waiting in [0, 3] {
                let mut pie = pie();
                pie.spec.update = Span::from_micros(1);
                (pie.probability, pie.delay, pie.next_update) = (probability, Span::from_millis(delay), Time::ZERO);
                let made = pie.catch_up(Time::ZERO + Span::from_secs(400), &with_waiting(waiting));
                assert!(made < 2_000, "{made} from {probability} at {delay} ms");
            }
        }
    }

    proptest! {
        #[test]
        fn updates_at_once_are_those_one_by_one(
            probability in prop_oneof![Just(0), Just(ONE), 0..ONE, 0..ONE / 500_000],
            delay in prop_oneof![Just(0u64), Just(15_000_000), 0..100_000_000u64, 14_990_000..15_010_000u64],
            before in prop_oneof![Just(0u64), 0..100_000_000u64],
            burst_left in 0..150_000_000u64,
            target in prop_oneof![Just(1u64), Just(15_000_000)],
            due in 1..5_000u64,
            waiting in 0..2usize,
        ) {
            let mut at_once = pie();
            at_once.spec.target = Span::from_nanos(target);
            at_once.spec.update = Span::from_micros(1);
            (at_once.probability, at_once.burst_left) = (probability, Span::from_nanos(burst_left));
            (at_once.delay, at_once.delay_before) = (Span::from_nanos(delay), Span::from_nanos(before));
            at_once.next_update = Time::from_nanos(1_000);
            let mut one_by_one = at_once.clone();
            let fifo = with_waiting(waiting);
            at_once.catch_up(Time::from_nanos(1_000 * due), &fifo);
            for update in 1..=due {
                one_by_one.catch_up(Time::from_nanos(1_000 * update), &fifo);
            }
            let state = |pie: &Pie| (pie.probability, pie.delay, pie.delay_before, pie.burst_left, pie.next_update);
            prop_assert_eq!(state(&at_once), state(&one_by_one));
        }
    }
}

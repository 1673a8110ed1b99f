//! PIE (RFC 8033): drops or marks on arrival with a probability that a controller steers by the waiting time.

use vegas_core::units::{Span, Time};

use super::{Backlog, Fifo, Verdict, Waiting};
use crate::rng::Stream;
use crate::scenario::PieSpec;

/// Probability 1, in the fixed point used here.
const ONE: i128 = 1 << 60;
const NANOS_PER_SECOND: i128 = 1_000_000_000;
/// RFC 8033, section 4.1: below two packets of this size nothing is dropped.
const MEAN_PACKET_BYTES: u64 = 1500;
/// RFC 8033, section 5.1: packets are marked below this probability, and dropped from it on.
const MARKS_BELOW: i128 = ONE / 10;

/// The controller's state; probabilities in units of 2^-60.
#[derive(Clone, Debug)]
pub(crate) struct Pie {
    spec: PieSpec,
    stream: Stream,
    probability: i128,
    /// How long the packet taken last had waited; 0 with an empty queue (RFC 8033, section 4.2, by time stamps).
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

    /// RFC 8033, section 4.1: what becomes of a packet that arrives.
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

    pub(super) fn take(&mut self, now: Time, fifo: &mut Fifo) -> Option<Waiting> {
        self.catch_up(now, fifo);
        let taken = fifo.pop();
        self.delay = taken.map_or(Span::ZERO, |waiting| now.since(waiting.since));
        taken
    }

    /// Makes the updates that are due. Nothing happened to the queue in between, so they see it as it is.
    fn catch_up(&mut self, now: Time, fifo: &Fifo) {
        while self.next_update <= now {
            if fifo.packets.is_empty() {
                self.delay = Span::ZERO;
            }
            self.update();
            self.next_update = self.next_update + self.spec.update;
            if self.is_at_rest() {
                let missed = now.since(self.next_update).as_nanos() / self.spec.update.as_nanos();
                self.next_update = self.next_update + self.spec.update.times(missed);
            }
        }
    }

    /// Another update without packets would change nothing.
    fn is_at_rest(&self) -> bool {
        self.probability == 0 && self.delay == Span::ZERO && self.delay_before == Span::ZERO
    }

    /// RFC 8033, section 4.2, with alpha = 1/8 and beta = 5/4 a second, and the cap of section 5.5.
    fn update(&mut self) {
        let nanos = |span: Span| i128::from(span.as_nanos());
        let (delay, before, target) = (nanos(self.delay), nanos(self.delay_before), nanos(self.spec.target));
        let step = ((delay - target) * ONE / 8 + (delay - before) * ONE / 4 * 5) / NANOS_PER_SECOND;
        let step = step / self.scale();
        let step = if self.probability >= ONE / 10 { step.min(ONE / 50) } else { step };
        self.probability += step;
        if delay == 0 && before == 0 {
            self.probability = self.probability / 50 * 49;
        }
        // a rest below 2^-30 is none, so that an idle queue comes to rest
        self.probability = if self.probability < ONE >> 30 { 0 } else { self.probability.min(ONE) };
        self.burst_left = Span::from_nanos(self.burst_left.as_nanos().saturating_sub(self.spec.update.as_nanos()));
        if self.probability == 0 && delay < target / 2 && before < target / 2 {
            self.burst_left = self.spec.max_burst;
        }
        self.delay_before = self.delay;
    }

    /// The smaller the probability, the smaller its steps.
    fn scale(&self) -> i128 {
        match ONE / self.probability.max(1) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, PacketKind};

    fn pie() -> Pie {
        let spec = PieSpec {
            target: Span::from_millis(15),
            update: Span::from_millis(15),
            max_burst: Span::from_millis(150),
            ecn: true,
        };
        Pie::new(spec, Stream::named(1, "test"))
    }

    /// At 20 % and a waiting time that went from 25 to 35 ms: 0.125 x 0.020 + 1.25 x 0.010 = 1.5 % more; then steady at
    /// 35 ms 0.25 % more; then down to 15 ms 2.5 % less. A jump to a second would be 111 % more, but the cap is 2 %.
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

    /// RFC 8033, section 5.1: below 10 % what is picked may be marked, from there on it is dropped.
    #[test]
    fn marks_only_while_they_are_few() {
        for (percent, verdict) in [(9, Verdict::MarkOrDrop), (10, Verdict::Drop), (30, Verdict::Drop)] {
            let mut pie = pie();
            let mut fifo = Fifo::default();
            let packet = Packet::new(PacketKind::Data, 0, 0, 1500);
            (0..9).for_each(|_| fifo.push(Waiting { packet, since: Time::ZERO }));
            pie.probability = ONE * percent / 100;
            (pie.delay_before, pie.burst_left) = (Span::from_millis(15), Span::ZERO);
            let verdicts: Vec<Verdict> = (0..10_000).map(|_| pie.judge(Time::ZERO, &fifo)).collect();
            let picked: Vec<&Verdict> = verdicts.iter().filter(|seen| **seen != Verdict::Accept).collect();
            assert!(picked.iter().all(|seen| **seen == verdict), "at {percent} %");
            assert!((picked.len() as i128 - 100 * percent).abs() < 150, "{} at {percent} %", picked.len());
        }
    }

    /// Begun at 0.05 %, steps are a 32nd: a steady delay of 31 ms adds 0.125 x 0.016 / 32 = 0.00625 %.
    #[test]
    fn small_probabilities_move_slowly() {
        let mut pie = pie();
        pie.probability = ONE / 2000;
        (pie.delay, pie.delay_before) = (Span::from_millis(31), Span::from_millis(31));
        pie.update();
        let parts_per_million = pie.probability * 1_000_000 / ONE;
        assert!((562..=563).contains(&parts_per_million), "{parts_per_million}");
    }
}

//! RED (S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993), gentle (S. Floyd,
//! "Recommendation on using the gentle_ variant of RED", 2000): drops or marks packets on arrival by the average length
//! of the queue.

use vegas_core::units::{Rate, Time};

use super::{Fifo, Verdict};
use crate::packet::{Packet, WireSize};
use crate::scenario::RedSpec;
use crate::util::random::Stream;

/// Probability 1, or an average queue of one packet, in the fixed point used here.
const ONE: i128 = 1 << 32;
const MILLION: i128 = 1_000_000;

/// The state of RED: the average length of the queue, and the number of packets since the last drop.
#[derive(Clone, Debug)]
pub(crate) struct Red {
    spec: RedSpec,
    rate: Rate,
    stream: Stream,
    /// The average length of the queue, in units of 2^-32 packets.
    average: i128,
    /// The packets accepted since the last drop, while the average was above the lower threshold; -1 just after a drop.
    count: i128,
    idle_since: Option<Time>,
}

impl Red {
    pub(super) fn new(spec: RedSpec, rate: Rate, stream: Stream) -> Self {
        Red { spec, rate, stream, average: 0, count: -1, idle_since: Some(Time::ZERO) }
    }

    /// Returns what becomes of a packet that arrives (the paper's figure 2).
    pub(super) fn judge(&mut self, now: Time, fifo: &Fifo, packet: &Packet) -> Verdict {
        self.average_in(now, fifo.packets.len(), packet.wire());
        let probability = self.probability();
        if probability == 0 {
            self.count = -1;
            return Verdict::Accept;
        }
        match self.draw(probability) {
            false => Verdict::Accept,
            true if self.may_mark() => Verdict::MarkOrDrop,
            true => Verdict::Drop,
        }
    }

    /// Returns whether a packet may be marked. Above the upper threshold packets are dropped instead (RFC 3168, section
    /// 7).
    fn may_mark(&self) -> bool {
        self.spec.ecn && self.average < i128::from(self.spec.max_packets) * ONE
    }

    /// Returns whether the packet is picked. The paper's figure 2 resets the count to 0 here, and so never reaches the
    /// gap of 1/p that its section 7 derives. With -1, as at the start, the gaps are those of section 7.
    fn draw(&mut self, probability: i128) -> bool {
        self.count += 1;
        let is_dropped = i128::from(self.stream.below(ONE as u64)) < self.spread(probability);
        if is_dropped {
            self.count = -1;
        }
        is_dropped
    }

    pub(super) fn note_taken(&mut self, now: Time, fifo: &Fifo) {
        if fifo.packets.is_empty() {
            self.idle_since.get_or_insert(now);
        }
    }

    /// Averages in the length of the queue. An empty queue counts once for each packet like this one that could have
    /// been sent while it was empty.
    fn average_in(&mut self, now: Time, length: usize, wire: WireSize) {
        let weight = i128::from(self.spec.weight_ppm);
        if let Some(since) = self.idle_since.take() {
            let one = wire.transmission(self.rate).as_nanos().max(1);
            let mut left = now.since(since).as_nanos() / one;
            while left > 0 && self.average > 0 {
                self.average -= (self.average * weight + MILLION - 1) / MILLION;
                left -= 1;
            }
        }
        self.average += (length as i128 * ONE - self.average) * weight / MILLION;
    }

    /// Returns the probability by the curve: 0 up to the lower threshold, then a straight line to `max_probability` at
    /// the upper threshold, then a straight line to 1 at twice the upper threshold.
    fn probability(&self) -> i128 {
        let (min, max) = (i128::from(self.spec.min_packets) * ONE, i128::from(self.spec.max_packets) * ONE);
        let most = i128::from(self.spec.max_probability_ppm) * ONE / MILLION;
        match self.average {
            average if average < min => 0,
            average if average < max => most * (average - min) / (max - min),
            average if average < 2 * max => most + (ONE - most) * (average - max) / max,
            _ => ONE,
        }
    }

    /// Returns the probability that spreads drops evenly: the number of packets from one drop to the next is uniform
    /// from 1 to 1/p (the paper's section 7, method 2).
    fn spread(&self, probability: i128) -> i128 {
        match ONE - self.count * probability {
            rest if rest <= probability => ONE,
            rest => probability * ONE / rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, PacketKind};

    fn red(average_packets: i128) -> Red {
        let spec =
            RedSpec { min_packets: 10, max_packets: 30, max_probability_ppm: 100_000, weight_ppm: 2_000, ecn: true };
        let mut red = Red::new(spec, Rate::from_bits_per_second(8_000_000), Stream::named(1, "test"));
        red.average = average_packets * ONE;
        red
    }

    /// Thresholds of 10 and 30, and 10 % at the upper one: 0, 0, 5 %, 10 %, then a line to 100 % at 60; at 45, half
    /// way, 55 %.
    #[test]
    fn the_curve() {
        let curve = [(5, 0.), (10, 0.), (20, 0.05), (30, 0.1), (45, 0.55), (60, 1.), (90, 1.)];
        for (average, expected) in curve {
            let probability = red(average).probability() as f64 / ONE as f64;
            assert!((probability - expected).abs() < 1e-6, "{probability} at {average}");
        }
    }

    /// At p = 5 % the packets from one drop to the next are uniform from 1 to 20, with mean 10.5; at p = 10 % from 1 to
    /// 10, with mean 5.5.
    #[test]
    fn drops_are_spread_evenly() {
        for (average, most, mean) in [(20, 20, 10.5), (30, 10, 5.5)] {
            let mut red = red(average);
            let mut gaps = Vec::new();
            let mut gap = 0;
            for _ in 0..400_000 {
                let probability = red.probability();
                gap += 1;
                if red.draw(probability) {
                    gaps.push(std::mem::take(&mut gap));
                }
            }
            // the first gap does not begin with a drop
            let gaps = &gaps[1..];
            let mean_gap = f64::from(gaps.iter().sum::<i32>()) / gaps.len() as f64;
            assert!((mean_gap - mean).abs() < 0.02 * mean, "mean gap {mean_gap}, not {mean}");
            for length in 1..=most {
                let part = gaps.iter().filter(|gap| **gap == length).count() as f64 / gaps.len() as f64;
                assert!((part * f64::from(most) - 1.).abs() < 0.1, "gap {length}: {part}");
            }
        }
    }

    /// Returns the fraction of packets that are picked and their verdicts, with the average held at `packets`.
    fn picked(packets: i128, ecn: Ecn) -> (f64, Vec<Verdict>) {
        let mut red = red(packets);
        red.idle_since = None;
        let mut fifo = Fifo::default();
        let packet = Packet::new(PacketKind::Data, 0, 0, WireSize::new(1000)).with_ecn(ecn);
        (0..packets).for_each(|_| fifo.push(crate::network::queue::QueuedPacket { packet, since: Time::ZERO }));
        let verdicts: Vec<Verdict> = (0..200_000).map(|_| red.judge(Time::ZERO, &fifo, &packet)).collect();
        assert_eq!(red.average, packets * ONE);
        let picked: Vec<Verdict> = verdicts.into_iter().filter(|verdict| *verdict != Verdict::Accept).collect();
        (picked.len() as f64 / 200_000., picked)
    }

    /// With an average of q packets the curve of Floyd and Jacobson is p = 0.1 (q - 10) / (30 - 10), and evenly spread
    /// marks come every (1 + 1/p) / 2 packets: from 2/201 at q = 12 to 1/5.5 = 2/11 just below 30. Above 30 packets are
    /// dropped: p = 0.1 + 0.9 (q - 30) / 30.
    #[test]
    fn marks_follow_the_curve() {
        let (none, _) = picked(10, Ecn::ECT0);
        assert_eq!(none, 0.);
        for packets in [12, 15, 18, 21, 24, 27, 29, 33, 45] {
            let above = packets as f64;
            let curve = if packets < 30 { 0.1 * (above - 10.) / 20. } else { 0.1 + 0.9 * (above - 30.) / 30. };
            // The gaps are uniform from 1 to 1/p where 1/p is a whole number; else the last gap becomes certain
            // earlier.
            let mut spread = Vec::new();
            let mut left = 1.;
            for gap in 0.. {
                let chance = f64::min(1., curve / (1. - f64::from(gap) * curve).max(curve));
                spread.push(left);
                left *= 1. - chance;
                if left < 1e-12 {
                    break;
                }
            }
            let expected = 1. / spread.iter().sum::<f64>();
            let (part, verdicts) = picked(packets, Ecn::ECT0);
            assert!((part / expected - 1.).abs() < 0.03, "{part}, not {expected}, at {packets}");
            let verdict = if packets < 30 { Verdict::MarkOrDrop } else { Verdict::Drop };
            assert!(verdicts.iter().all(|seen| *seen == verdict), "at {packets}");
        }
    }

    /// After 100 transmission times without a packet 0.998^100 = 0.8186 of the average is left.
    #[test]
    fn the_average_falls_while_idle() {
        let mut red = red(20);
        red.idle_since = Some(Time::ZERO);
        red.average_in(Time::from_nanos(100_000_000), 0, WireSize::new(1000));
        let left = red.average as f64 / ONE as f64;
        assert!((left - 20. * 0.8186 * 0.998).abs() < 0.01, "{left}");
    }
}

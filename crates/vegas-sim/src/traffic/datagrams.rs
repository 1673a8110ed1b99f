//! Sources of datagrams at a constant rate, throughout or in periods that alternate with silence.
//!
//! The spacing of a source's packets is kept by a clock that runs only while the source is on, and that continues where
//! it stopped when the next period of sending begins. So the mean rate is exactly rate x on / (on + off), even if the
//! periods are shorter than the time between two packets. With whole packets a period is rounded to the nearest number
//! of packets, one at least, as ns-2's exponential and Pareto sources do: short periods then send more.

use vegas_core::units::{Span, Time};

use super::draw::draw_span;
use crate::packet::{Packet, PacketKind, WireSize};
use crate::scenario::{DatagramSpec, OnOff};
use crate::util::random::Stream;

/// The clock of a source of datagrams.
#[derive(Clone, Debug)]
pub(super) struct Datagrams {
    id: u32,
    wire: WireSize,
    /// The time between two packets while the source is on.
    interval: Span,
    on_off: Option<OnOff>,
    /// The rest of the period of sending.
    on_left: Span,
    stream: Stream,
}

impl Datagrams {
    /// Creates the datagrams of the source with number `id`.
    pub(super) fn new(id: u32, spec: &DatagramSpec, mut stream: Stream) -> Self {
        let interval = spec.rate.time_for(spec.packet);
        let on_left = match spec.on_off {
            None => Span::MAX,
            Some(on_off) => draw_on(on_off, interval, &mut stream),
        };
        Datagrams { id, wire: WireSize::of(spec.packet), interval, on_off: spec.on_off, on_left, stream }
    }

    /// Creates datagram number `number`.
    pub(super) fn packet(&self, number: u64) -> Packet {
        Packet::new(PacketKind::Datagram, self.id, number, self.wire)
    }

    /// Returns when the datagram after the one at `now` is due; if that is at or after `stop`, any time from `stop` on.
    pub(super) fn next_due(&mut self, now: Time, stop: Time) -> Time {
        let Some(on_off) = self.on_off else { return now + self.interval };
        let mut due = now;
        let mut wait = self.interval;
        while self.on_left <= wait && due < stop {
            wait = Span::from_nanos(wait.as_nanos() - self.on_left.as_nanos());
            due = due + self.on_left + draw_span(on_off.distribution, on_off.off, &mut self.stream);
            self.on_left = draw_on(on_off, self.interval, &mut self.stream);
        }
        self.on_left = Span::from_nanos(self.on_left.as_nanos().saturating_sub(wait.as_nanos()));
        due + wait
    }
}

/// Draws the length of a period of sending; the packets in it are `interval` apart.
fn draw_on(on_off: OnOff, interval: Span, stream: &mut Stream) -> Span {
    let length = draw_span(on_off.distribution, on_off.on, stream);
    if !on_off.whole_packets {
        return length;
    }
    let interval = interval.as_nanos();
    let packets = length.as_nanos().saturating_add(interval / 2) / interval;
    Span::from_nanos(packets.max(1) * interval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Distribution;
    use vegas_core::units::{Bytes, Rate};

    const END: Time = Time::from_nanos(3_600_000_000_000);
    /// The time that 1000 bytes take at 1 Mb/s.
    const INTERVAL_NS: u64 = 8_000_000;

    fn departures(distribution: Option<Distribution>, seed: u64) -> Vec<u64> {
        let on = Span::from_millis(400);
        departures_of(
            distribution.map(|distribution| OnOff { distribution, on, off: HALF_SECOND, whole_packets: false }),
            seed,
        )
    }

    fn departures_of(on_off: Option<OnOff>, seed: u64) -> Vec<u64> {
        let spec = DatagramSpec { rate: Rate::from_bits_per_second(1_000_000), packet: Bytes::new(1000), on_off };
        let mut datagrams = Datagrams::new(0, &spec, Stream::named(seed, "traffic 0"));
        let next = |time: &Time| Some(datagrams.next_due(*time, END)).filter(|next| *next <= END);
        std::iter::successors(Some(Time::ZERO), next).map(Time::as_nanos).collect()
    }

    const HALF_SECOND: Span = Span::from_millis(500);

    #[test]
    fn constant_rate_is_a_packet_an_interval() {
        let times = departures(None, 1);
        assert_eq!(times.len(), 450_001, "3600 s / 8 ms, and the one at the start");
        assert!(times.iter().enumerate().all(|(number, time)| *time == number as u64 * INTERVAL_NS));
    }

    /// 450,000 packets of on-time in an hour x 400 / 900 = 200,000. Over some 4000 periods of each kind the relative
    /// standard deviation of that is near 1 % for exponential periods.
    #[test]
    fn mean_rate_is_that_of_the_periods() {
        let count = departures(Some(Distribution::Exponential), 1).len();
        assert!((192_000..208_000).contains(&count), "{count}");
        let count = departures(Some(Distribution::Pareto { shape_milli: 3_000 }), 1).len();
        assert!((192_000..208_000).contains(&count), "{count}");
    }

    /// Exponential silences with a mean of 500 ms: e^-1 = 36.8 % of them exceed the mean, e^-2 = 13.5 % twice the mean.
    #[test]
    fn packets_come_in_bursts() {
        let times = departures(Some(Distribution::Exponential), 2);
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| *gap >= INTERVAL_NS));
        let silences: Vec<u64> = gaps.iter().map(|gap| gap - INTERVAL_NS).filter(|silence| *silence > 0).collect();
        assert!((3_700..4_300).contains(&silences.len()), "{} bursts in 3600 s / 900 ms", silences.len());
        let longer = |than| silences.iter().filter(|silence| **silence > than).count() as f64 / silences.len() as f64;
        assert!((0.34..0.40).contains(&longer(500_000_000)), "{}", longer(500_000_000));
        assert!((0.115..0.155).contains(&longer(1_000_000_000)), "{}", longer(1_000_000_000));
    }

    /// Bursts of whole packets with a mean of 12 ms, 1.5 packets, before rounding, and silences with a mean of 500 ms.
    /// A burst has n packets if the draw is from n - 1/2 to n + 1/2, and one if it is less than 3/2: so more than n
    /// with probability e^-((n + 1/2) / 1.5), 36.8 % more than one and 18.9 % more than two, on average
    /// 1 + 0.368 / (1 - e^-(1/1.5)) = 1.76.
    #[test]
    fn bursts_of_whole_packets_have_one_at_least() {
        let distribution = Distribution::Exponential;
        let on_off = OnOff { distribution, on: Span::from_millis(12), off: HALF_SECOND, whole_packets: true };
        let times = departures_of(Some(on_off), 3);
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let bursts: Vec<usize> =
            gaps.split(|gap| *gap > INTERVAL_NS).map(|gaps_in_burst| gaps_in_burst.len() + 1).collect();
        let count = bursts.len() as f64;
        let more_than = |packets| bursts.iter().filter(|burst| **burst > packets).count() as f64 / count;
        assert!((0.35..0.385).contains(&more_than(1)), "{}", more_than(1));
        assert!((0.175..0.205).contains(&more_than(2)), "{}", more_than(2));
        assert!((1.71..1.81).contains(&(times.len() as f64 / count)), "{}", times.len() as f64 / count);
        let silence_ns =
            gaps.iter().filter(|gap| **gap > INTERVAL_NS).map(|gap| (gap - INTERVAL_NS) as f64).sum::<f64>();
        let mean_ms = silence_ns / (count - 1.0) / 1e6;
        assert!((480.0..520.0).contains(&mean_ms), "between two bursts lie a packet's time and a silence: {mean_ms}");
    }

    /// Periods that are far shorter than the time of a packet have one packet each, as ns-2's Poisson source sends.
    #[test]
    fn the_shortest_bursts_are_one_packet() {
        let distribution = Distribution::Exponential;
        let on_off = OnOff { distribution, on: Span::from_nanos(1), off: HALF_SECOND, whole_packets: true };
        let times = departures_of(Some(on_off), 4);
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] > INTERVAL_NS));
        assert!((6_800..7_400).contains(&times.len()), "{} in 3600 s / 508 ms", times.len());
    }

    /// The sums are constants, so that a platform's own logarithm would show: the numbers are equal on every machine.
    #[test]
    fn departures_are_the_same_everywhere() {
        for (distribution, expected) in [
            (Distribution::Exponential, 17_137_369_793_572_941_568u64),
            (Distribution::Pareto { shape_milli: 1_500 }, 8_608_599_315_403_754_375u64),
        ] {
            let times = departures(Some(distribution), 1);
            let sum = times.iter().fold(0u64, |sum, time| sum.rotate_left(1) ^ time);
            assert_eq!(sum, expected, "{distribution:?}");
        }
    }
}

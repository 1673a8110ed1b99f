//! Sources of datagrams: constant rate, and periods of sending and silence.
//!
//! A source's packets are spaced by a clock that runs only while the source is on, and that goes on where it stood
//! when the next period of sending begins. So the mean rate is exactly rate x on / (on + off), however short the
//! periods are against the time between two packets. (ns-2 rounds each period to whole packets instead.)

use vegas_core::units::{Span, Time};

use super::draw::draw_span;
use crate::packet::{Packet, PacketKind};
use crate::rng::Stream;
use crate::scenario::{DatagramSpec, OnOff};

/// The clock of a source of datagrams.
#[derive(Clone, Debug)]
pub(super) struct Datagrams {
    id: u32,
    wire: u16,
    /// Between two packets, while on.
    interval: Span,
    on_off: Option<OnOff>,
    /// What is left of the period of sending.
    on_left: Span,
    stream: Stream,
}

impl Datagrams {
    /// Those of source number `id`.
    pub(super) fn new(id: u32, spec: &DatagramSpec, mut stream: Stream) -> Self {
        let on_left = match spec.on_off {
            None => Span::MAX,
            Some(OnOff { distribution, on, .. }) => draw_span(distribution, on, &mut stream),
        };
        Datagrams {
            id,
            wire: u16::try_from(spec.packet.get()).expect("validation bounds packet sizes"),
            interval: spec.rate.time_for(spec.packet),
            on_off: spec.on_off,
            on_left,
            stream,
        }
    }

    /// Datagram number `number`.
    pub(super) fn packet(&self, number: u64) -> Packet {
        Packet::new(PacketKind::Datagram, self.id, number, self.wire)
    }

    /// When the datagram after the one at `now` is due; some time from `stop` on if that is after it.
    pub(super) fn next_due(&mut self, now: Time, stop: Time) -> Time {
        let Some(OnOff { distribution, on, off }) = self.on_off else { return now + self.interval };
        let mut due = now;
        let mut wait = self.interval;
        while self.on_left <= wait && due < stop {
            wait = Span::from_nanos(wait.as_nanos() - self.on_left.as_nanos());
            due = due + self.on_left + draw_span(distribution, off, &mut self.stream);
            self.on_left = draw_span(distribution, on, &mut self.stream);
        }
        self.on_left = Span::from_nanos(self.on_left.as_nanos().saturating_sub(wait.as_nanos()));
        due + wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Distribution;
    use vegas_core::units::{Bytes, Rate};

    const END: Time = Time::from_nanos(3_600_000_000_000);
    /// 1000 bytes at 1 Mb/s.
    const INTERVAL_NS: u64 = 8_000_000;

    fn departures(distribution: Option<Distribution>, seed: u64) -> Vec<u64> {
        let on_off =
            distribution.map(|distribution| OnOff { distribution, on: Span::from_millis(400), off: HALF_SECOND });
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

    /// 450,000 packets of on-time in an hour x 400 / 900 = 200,000; over some 4000 periods of each kind the relative
    /// deviation of that is near 1 % for exponential periods.
    #[test]
    fn mean_rate_is_that_of_the_periods() {
        let count = departures(Some(Distribution::Exponential), 1).len();
        assert!((192_000..208_000).contains(&count), "{count}");
        let count = departures(Some(Distribution::Pareto { shape_milli: 3_000 }), 1).len();
        assert!((192_000..208_000).contains(&count), "{count}");
    }

    /// Exponential silences of mean 500 ms: e^-1 = 36.8 % of them are longer than the mean, e^-2 = 13.5 % than two.
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

    /// The same numbers on every machine: noted down once, so that a platform's own logarithm would show.
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

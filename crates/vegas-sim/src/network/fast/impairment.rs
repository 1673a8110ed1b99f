//! The impairments of a link, by chance or by script. They are kept apart from the link, so that links without
//! impairments do not pay for them.
//!
//! Losses and policing happen to a packet that is offered. Jitter, batches, reordering and duplication happen at the
//! far end: a packet that has crossed the link is held back there, so that the link itself stays a queue of constant
//! delay.

use std::collections::BinaryHeap;

use vegas_core::units::{Rate, Span, Time};

use crate::packet::{Packet, PacketKind, WireSize};
use crate::scenario::{GilbertElliott, Impairments, Jitter, Policer};
use crate::util::random::Stream;

/// The random and scripted impairments of one direction of a link, and the packets that they hold back.
#[derive(Clone, Debug)]
pub(crate) struct Impaired {
    spec: Impairments,
    stream: Stream,
    data_offered: u64,
    /// Whether the channel of `spec.burst_loss` is in its bad state.
    is_bad: bool,
    bucket: Option<TokenBucket>,
    held: BinaryHeap<Held>,
    held_count: u64,
    /// The time at which the last packet comes out that was held back in order.
    in_order_until: Option<Time>,
}

/// The packet that comes out of a link at one instant, if one does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrivals {
    pub(crate) packet: Option<Packet>,
    /// Whether the packet comes out twice.
    pub(crate) twice: bool,
}

impl Impaired {
    pub(crate) fn new(spec: Impairments, stream: Stream) -> Self {
        Impaired {
            stream,
            data_offered: 0,
            is_bad: false,
            bucket: spec.policer.map(TokenBucket::new),
            spec,
            held: BinaryHeap::new(),
            held_count: 0,
            in_order_until: None,
        }
    }

    /// Returns the memory that the impairments take, themselves included, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Impaired>()
            + self.held.capacity() * size_of::<Held>()
            + size_of_val(&self.spec.drop_data[..])
            + size_of_val(self.spec.delay_schedule.points())
    }

    /// Returns whether a packet that is offered is lost.
    pub(crate) fn loses(&mut self, now: Time, packet: &Packet) -> bool {
        self.loses_by_fault(packet.kind() == PacketKind::Data)
            || self.bucket.as_mut().is_some_and(|bucket| !bucket.passes(now, packet.wire()))
    }

    pub(crate) fn set_loss(&mut self, loss_ppm: u32) {
        self.spec.loss_ppm = loss_ppm;
    }

    fn loses_by_fault(&mut self, is_data: bool) -> bool {
        if is_data {
            self.data_offered += 1;
            if self.spec.drop_data.binary_search(&self.data_offered).is_ok() {
                return true;
            }
        }
        self.stream.happens(self.spec.loss_ppm) || self.loses_to_burst()
    }

    /// Returns whether a channel with two states loses the packet. Each state has a loss rate of its own, and the state
    /// may change before each packet (E. O. Elliott, "Estimates of Error Rates for Codes on Burst-Noise Channels",
    /// 1963).
    fn loses_to_burst(&mut self) -> bool {
        let Some(GilbertElliott { good_to_bad_ppm, bad_to_good_ppm, loss_good_ppm, loss_bad_ppm }) =
            self.spec.burst_loss
        else {
            return false;
        };
        let change_ppm = if self.is_bad { bad_to_good_ppm } else { good_to_bad_ppm };
        self.is_bad ^= self.stream.happens(change_ppm);
        self.stream.happens(if self.is_bad { loss_bad_ppm } else { loss_good_ppm })
    }

    /// Takes a packet that has crossed the link. Returns it if it comes out now; else holds it back.
    pub(crate) fn pass(&mut self, now: Time, packet: Packet) -> Arrivals {
        let packet = packet.with_field(self.spec.ecn_field);
        let twice = self.stream.happens(self.spec.duplicate_ppm);
        if self.stream.happens(self.spec.reorder_ppm) {
            self.hold(now + self.spec.reorder_delay, packet, false);
            return Arrivals::default();
        }
        let late = self.jitter() + self.spec.delay_schedule.delay_at(now);
        let due = self.end_of_batch(now + late);
        match self.in_order_until.filter(|before| *before >= due) {
            None if due == now => return Arrivals { packet: Some(packet), twice },
            before => self.hold_in_order(before.unwrap_or(due), packet, twice),
        }
        Arrivals::default()
    }

    fn hold_in_order(&mut self, due: Time, packet: Packet, twice: bool) {
        self.in_order_until = Some(due);
        self.hold(due, packet, twice);
    }

    /// Takes a packet that will have crossed the link at `arrival`, even if the link's delay changes until then.
    pub(crate) fn carry(&mut self, arrival: Time, packet: Packet) {
        let arrivals = self.pass(arrival, packet);
        if let Some(packet) = arrivals.packet {
            self.hold_in_order(arrival, packet, arrivals.twice);
        }
    }

    fn jitter(&mut self) -> Span {
        match self.spec.jitter {
            Jitter::Uniform(Span::ZERO) => Span::ZERO,
            Jitter::Uniform(most) => Span::from_nanos(self.stream.below(most.as_nanos() + 1)),
            Jitter::Wifi(mean) => self.wifi_delay(mean),
        }
    }

    /// Returns the delay of a packet by the model of draft-huitema-ccwg-c4-test, "Handling of High Jitter
    /// Environments": slots of 1 ms that the station defers, less a part of one, and for some of the packets
    /// retransmissions of 7.5 ms.
    fn wifi_delay(&mut self, mean: Span) -> Span {
        const SLOT_NS: u64 = 1_000_000;
        const RETRANSMISSION_NS: u64 = 7_500_000;
        const RETRANSMISSIONS_MEAN: f64 = 12.0;
        let retransmitted_ppm = (mean.as_nanos().saturating_sub(SLOT_NS) / 90).min(1_000_000) as u32;
        let slots = self.stream.poisson(1.0);
        let saved_ns = if slots > 0 { self.stream.below(SLOT_NS + 1) } else { 0 };
        let retransmissions =
            if self.stream.happens(retransmitted_ppm) { self.stream.poisson(RETRANSMISSIONS_MEAN) } else { 0 };
        Span::from_nanos(slots * SLOT_NS - saved_ns + retransmissions * RETRANSMISSION_NS)
    }

    fn end_of_batch(&self, due: Time) -> Time {
        match self.spec.batch.as_nanos() {
            0 => due,
            batch_ns => Time::from_nanos(due.as_nanos().next_multiple_of(batch_ns)),
        }
    }

    fn hold(&mut self, due: Time, packet: Packet, twice: bool) {
        self.held_count += 1;
        self.held.push(Held { due, order: self.held_count, packet, twice });
    }

    /// Returns when the next packet that is held back comes out.
    pub(crate) fn next_held(&self) -> Option<Time> {
        self.held.peek().map(|held| held.due)
    }

    /// Removes and returns the packet that was held back until `now`.
    pub(crate) fn release(&mut self, now: Time) -> Arrivals {
        let held = self.held.pop().expect("a held packet is due");
        debug_assert_eq!(held.due, now);
        Arrivals { packet: Some(held.packet), twice: held.twice }
    }

    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }
}

/// The tokens of a [`Policer`]. A token is a bit divided by 10^9, so that a nanosecond adds the rate in bits per
/// second: nothing is rounded.
#[derive(Clone, Debug)]
struct TokenBucket {
    rate: Rate,
    depth: u128,
    tokens: u128,
    filled: Time,
}

impl TokenBucket {
    fn new(policer: Policer) -> Self {
        let depth = Self::tokens_for(policer.burst.get());
        TokenBucket { rate: policer.rate, depth, tokens: depth, filled: Time::ZERO }
    }

    fn tokens_for(bytes: u64) -> u128 {
        u128::from(bytes) * 8 * 1_000_000_000
    }

    fn passes(&mut self, now: Time, wire: WireSize) -> bool {
        let came = u128::from(self.rate.as_bits_per_second()) * u128::from(now.since(self.filled).as_nanos());
        self.tokens = self.depth.min(self.tokens + came);
        self.filled = now;
        let left = self.tokens.checked_sub(Self::tokens_for(u64::from(wire)));
        self.tokens = left.unwrap_or(self.tokens);
        left.is_some()
    }
}

#[derive(Clone, Copy, Debug)]
struct Held {
    due: Time,
    order: u64,
    packet: Packet,
    twice: bool,
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        (self.due, self.order) == (other.due, other.order)
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    /// Compares in reverse, so that the max-heap yields the earliest packet.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.due, other.order).cmp(&(self.due, self.order))
    }
}

#[cfg(test)]
mod tests {
    use vegas_core::units::Bytes;

    use super::*;

    fn impaired(spec: Impairments) -> Impaired {
        Impaired::new(spec, Stream::named(1, "test"))
    }

    fn packet(sequence: u64) -> Packet {
        Packet::new(PacketKind::Data, 0, sequence, WireSize::new(1000))
    }

    /// The channel goes from good to bad once in 100 packets, and back once in 4: it is bad 0.01 / (0.01 + 0.25) = 1/26
    /// of the time, for 4 packets on average. It loses half of the packets in the bad state and 0.1 % of the others:
    /// 1/26 x 0.5 + 25/26 x 0.001 = 2.019 % of all.
    #[test]
    fn burst_losses_follow_the_two_states() {
        let burst_loss = GilbertElliott {
            good_to_bad_ppm: 10_000,
            bad_to_good_ppm: 250_000,
            loss_good_ppm: 1_000,
            loss_bad_ppm: 500_000,
        };
        let mut channel = impaired(Impairments { burst_loss: Some(burst_loss), ..Impairments::default() });
        let (mut lost, mut bad, mut occupancy) = (0u32, 0u32, 0u32);
        for _ in 0..1_000_000 {
            let was_bad = channel.is_bad;
            lost += u32::from(channel.loses_by_fault(true));
            bad += u32::from(channel.is_bad);
            occupancy += u32::from(!was_bad && channel.is_bad);
        }
        assert!((19_500..20_900).contains(&lost), "{lost} of a million lost, 20190 expected");
        assert!((37_300..39_600).contains(&bad), "{bad} of a million met the bad state, 38462 expected");
        let mean_stay = f64::from(bad) / f64::from(occupancy);
        assert!((3.9..4.1).contains(&mean_stay), "{mean_stay} packets in the bad state, 4 expected");
    }

    /// Gilbert's own case: the bad state loses every packet and the good state none, so that losses come in runs of
    /// mean length 1 / 0.2 = 5, and 0.2 of the runs are of length 1.
    #[test]
    fn runs_of_losses_are_geometric() {
        let burst_loss = GilbertElliott {
            good_to_bad_ppm: 20_000,
            bad_to_good_ppm: 200_000,
            loss_good_ppm: 0,
            loss_bad_ppm: 1_000_000,
        };
        let mut channel = impaired(Impairments { burst_loss: Some(burst_loss), ..Impairments::default() });
        let mut runs = Vec::new();
        let mut run = 0u32;
        for _ in 0..500_000 {
            match channel.loses_by_fault(true) {
                true => run += 1,
                false if run > 0 => runs.push(std::mem::take(&mut run)),
                false => {}
            }
        }
        let mean = f64::from(runs.iter().sum::<u32>()) / runs.len() as f64;
        let single = runs.iter().filter(|run| **run == 1).count() as f64 / runs.len() as f64;
        assert!((4.8..5.2).contains(&mean), "mean run of {mean}");
        assert!((0.18..0.22).contains(&single), "{single} of the runs are single losses");
    }

    /// Packets that are far apart keep their own draws: uniform from 0 to 8 ms, with mean 4 ms and variance 64 / 12 =
    /// 5.33 ms^2.
    #[test]
    fn jitter_is_uniform() {
        let mut channel =
            impaired(Impairments { jitter: Jitter::Uniform(Span::from_millis(8)), ..Impairments::default() });
        let count = 100_000u64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for number in 1..=count {
            let now = Time::ZERO + Span::from_millis(20 * number);
            let late = match channel.pass(now, packet(number)).packet {
                Some(_) => Span::ZERO,
                None => {
                    let due = channel.next_held().expect("held back");
                    channel.release(due);
                    due.since(now)
                }
            };
            let late_ms = late.as_nanos() as f64 / 1e6;
            assert!(late_ms <= 8.0);
            sum += late_ms;
            squares += late_ms * late_ms;
        }
        let mean = sum / count as f64;
        let variance = squares / count as f64 - mean * mean;
        assert!((3.96..4.04).contains(&mean), "mean {mean} ms");
        assert!((5.25..5.42).contains(&variance), "variance {variance} ms^2");
    }

    /// 8 Mb/s are a byte in a microsecond. The first two packets of 1000 bytes leave 500 of a bucket of 2500 bytes. 499
    /// us later the third packet lacks a byte, and takes nothing; 1 us later it passes. After a second the bucket is
    /// full, and holds no more than 2500 bytes.
    #[test]
    fn a_policer_passes_its_burst_and_its_rate() {
        let policer = Policer { rate: Rate::from_bits_per_second(8_000_000), burst: Bytes::new(2500) };
        let mut link = impaired(Impairments { policer: Some(policer), ..Impairments::default() });
        let at_us = [0, 0, 0, 499, 500, 1_000_000, 1_000_000, 1_000_000, 1_000_501];
        let lost = at_us.map(|us| link.loses(Time::ZERO + Span::from_micros(us), &packet(1)));
        assert_eq!(lost, [false, false, true, true, false, false, false, true, false]);
    }

    /// Packets at 0, 1, 10 and 11 ms come out at 0, 10, 10 and 20 ms.
    #[test]
    fn a_batch_comes_out_at_multiples_of_its_time() {
        let mut link = impaired(Impairments { batch: Span::from_millis(10), ..Impairments::default() });
        let mut out_ms = Vec::new();
        for ms in [0, 1, 10, 11] {
            let now = Time::ZERO + Span::from_millis(ms);
            out_ms.extend(link.pass(now, packet(ms)).packet.map(|_| ms));
        }
        while let Some(due) = link.next_held() {
            link.release(due);
            out_ms.push(due.as_nanos() / 1_000_000);
        }
        assert_eq!(out_ms, [0, 10, 10, 20]);
    }

    /// The mean is 10 ms, so one packet in ten is retransmitted: 1 ms of slots on average, less 0.5 ms for the 1 - 1/e
    /// = 0.632 of the packets that defer, and 0.1 x 12 x 7.5 ms = 9 ms: 9.684 ms.
    #[test]
    fn wifi_has_its_mean_and_its_spikes() {
        let mut link = impaired(Impairments { jitter: Jitter::Wifi(Span::from_millis(10)), ..Impairments::default() });
        let late_ms: Vec<f64> = (0..200_000).map(|_| link.jitter().as_nanos() as f64 / 1e6).collect();
        let mean = late_ms.iter().sum::<f64>() / late_ms.len() as f64;
        let spikes = late_ms.iter().filter(|late| **late > 20.0).count() as f64 / late_ms.len() as f64;
        assert!((9.5..9.9).contains(&mean), "mean {mean} ms");
        // a retransmitted packet takes less than 20 ms only with 2 retransmissions or fewer, of 12 on average: 0.05 %
        assert!((0.097..0.103).contains(&spikes), "{spikes} of the packets later than 20 ms");
        let mut calm = impaired(Impairments { jitter: Jitter::Wifi(Span::from_millis(1)), ..Impairments::default() });
        assert!((0..10_000).all(|_| calm.jitter() < Span::from_millis(15)));
    }

    /// Packets that are close together wait for the packet before them.
    #[test]
    fn jitter_keeps_the_order() {
        let mut channel =
            impaired(Impairments { jitter: Jitter::Uniform(Span::from_millis(5)), ..Impairments::default() });
        let mut out = Vec::new();
        for number in 0..1000 {
            let now = Time::ZERO + Span::from_micros(100 * number);
            while let Some(due) = channel.next_held().filter(|due| *due <= now) {
                out.push(channel.release(due).packet.expect("one packet").sequence);
            }
            out.extend(channel.pass(now, packet(number)).packet.map(|packet| packet.sequence));
        }
        assert!(out.len() > 900, "most have come out by now");
        assert!(out.is_sorted(), "out of order");
    }
}

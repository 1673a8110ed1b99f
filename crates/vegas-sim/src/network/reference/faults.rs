//! The impairments of a link: losses at its entry; at its far end packets that are held back, reordered or duplicated.
//!
//! `docs/networks.md` describes them, with the order in which random numbers are drawn.

use vegas_core::units::Time;

use crate::packet::{Packet, PacketKind};
use crate::scenario::{GilbertElliott, Impairments, Jitter};
use crate::util::random::Stream;

/// The impairments of one direction of a link.
#[derive(Debug)]
pub(super) struct Faults {
    pub(super) spec: Impairments,
    stream: Stream,
    /// The number of data packets offered up to now.
    data: u64,
    /// Whether the channel with burst losses is in its bad state.
    is_bad: bool,
    /// What the policer has let pass and its rate has not yet made good, in bits of a second times 10^9.
    excess: u128,
    excess_at: Time,
    /// The time at which the last packet that was held back in order comes out.
    in_order_until: Option<Time>,
}

impl Faults {
    pub(super) fn new(spec: Impairments, stream: Stream) -> Self {
        Faults { spec, stream, data: 0, is_bad: false, excess: 0, excess_at: Time::ZERO, in_order_until: None }
    }

    /// Returns whether a packet that comes to the link is lost.
    pub(super) fn loses(&mut self, now: Time, packet: &Packet) -> bool {
        let is_data = packet.kind() == PacketKind::Data;
        self.data += u64::from(is_data);
        let is_chosen = is_data && self.spec.drop_data.contains(&self.data);
        is_chosen || self.stream.happens(self.spec.loss_ppm) || self.loses_in_burst() || self.exceeds(now, packet)
    }

    /// Returns whether the policer's bucket has too few tokens for a packet.
    fn exceeds(&mut self, now: Time, packet: &Packet) -> bool {
        let Some(policer) = self.spec.policer else { return false };
        let in_excess = |bytes: u64| 8_000_000_000 * u128::from(bytes);
        let elapsed_ns = u128::from(now.since(self.excess_at).as_nanos());
        let made_good = u128::from(policer.rate.as_bits_per_second()) * elapsed_ns;
        (self.excess, self.excess_at) = (self.excess.saturating_sub(made_good), now);
        let with_packet = self.excess + in_excess(packet.wire().into());
        let passes = with_packet <= in_excess(policer.burst.get());
        self.excess = if passes { with_packet } else { self.excess };
        !passes
    }

    fn loses_in_burst(&mut self) -> bool {
        let Some(channel) = self.spec.burst_loss else { return false };
        let GilbertElliott { good_to_bad_ppm, bad_to_good_ppm, loss_good_ppm, loss_bad_ppm } = channel;
        if self.stream.happens(if self.is_bad { bad_to_good_ppm } else { good_to_bad_ppm }) {
            self.is_bad = !self.is_bad;
        }
        self.stream.happens(if self.is_bad { loss_bad_ppm } else { loss_good_ppm })
    }

    /// Returns what happens to a packet that has come to the far end: until when it is held back there, if it is, and
    /// whether it comes out twice.
    pub(super) fn cross(&mut self, now: Time) -> (Option<Time>, bool) {
        let twice = self.stream.happens(self.spec.duplicate_ppm);
        if self.stream.happens(self.spec.reorder_ppm) {
            return (Some(now + self.spec.reorder_delay), false);
        }
        let late_ns = self.jitter_ns() + self.spec.delay_schedule.delay_at(now).as_nanos();
        let (due_ns, batch_ns) = (now.as_nanos() + late_ns, self.spec.batch.as_nanos().max(1));
        let due = Time::from_nanos(due_ns.div_ceil(batch_ns) * batch_ns);
        let before = self.in_order_until.filter(|before| *before >= due);
        let until = before.or((due > now).then_some(due));
        self.in_order_until = until.or(self.in_order_until);
        (until, twice)
    }

    fn jitter_ns(&mut self) -> u64 {
        match self.spec.jitter {
            Jitter::Uniform(most) if most.as_nanos() == 0 => 0,
            Jitter::Uniform(most) => self.stream.below(most.as_nanos() + 1),
            Jitter::Wifi(mean) => {
                let deferrals = self.stream.poisson(1.0);
                let early_ns = if deferrals > 0 { self.stream.below(1_000_001) } else { 0 };
                let mut delay_ns = deferrals * 1_000_000 - early_ns;
                let above_ns = mean.as_nanos().saturating_sub(1_000_000);
                if self.stream.happens((above_ns / 90).min(1_000_000) as u32) {
                    delay_ns += self.stream.poisson(12.0) * 7_500_000;
                }
                delay_ns
            }
        }
    }

    /// Returns when a packet comes out that will come to the far end at `arrival`, and whether it comes out twice.
    pub(super) fn cross_later(&mut self, arrival: Time) -> (Time, bool) {
        let (until, twice) = self.cross(arrival);
        self.in_order_until = if until.is_some() { self.in_order_until } else { Some(arrival) };
        (until.unwrap_or(arrival), twice)
    }
}

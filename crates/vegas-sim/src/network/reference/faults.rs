//! What goes wrong on a link: losses at its entry; at its far end packets held back, out of order, and twice.
//!
//! In `docs/networks.md`, with the order in which random numbers are drawn.

use vegas_core::units::Time;

use crate::scenario::{GilbertElliott, Impairments};
use crate::util::random::Stream;

/// The faults of one direction of a link.
#[derive(Debug)]
pub(super) struct Faults {
    spec: Impairments,
    stream: Stream,
    /// Data packets offered so far.
    data: u64,
    /// The state of the channel with losses in bursts.
    is_bad: bool,
    /// When the last packet comes out that was held back, but keeps its place in the order.
    in_order_until: Option<Time>,
}

/// What becomes of a packet at the far end.
pub(super) enum Crossed {
    Now { twice: bool },
    Held { until: Time, twice: bool },
}

impl Faults {
    pub(super) fn new(spec: Impairments, stream: Stream) -> Self {
        Faults { spec, stream, data: 0, is_bad: false, in_order_until: None }
    }

    /// Whether a packet that comes to the link is lost.
    pub(super) fn loses(&mut self, is_data: bool) -> bool {
        self.data += u64::from(is_data);
        if is_data && self.spec.drop_data.contains(&self.data) {
            return true;
        }
        self.stream.happens(self.spec.loss_ppm) || self.loses_in_burst()
    }

    fn loses_in_burst(&mut self) -> bool {
        let Some(channel) = self.spec.burst_loss else { return false };
        let GilbertElliott { good_to_bad_ppm, bad_to_good_ppm, loss_good_ppm, loss_bad_ppm } = channel;
        if self.stream.happens(if self.is_bad { bad_to_good_ppm } else { good_to_bad_ppm }) {
            self.is_bad = !self.is_bad;
        }
        self.stream.happens(if self.is_bad { loss_bad_ppm } else { loss_good_ppm })
    }

    /// A packet has come to the far end.
    pub(super) fn cross(&mut self, now: Time) -> Crossed {
        let twice = self.stream.happens(self.spec.duplicate_ppm);
        if self.stream.happens(self.spec.reorder_ppm) {
            return Crossed::Held { until: now + self.spec.reorder_delay, twice: false };
        }
        let jitter_ns = self.spec.jitter.as_nanos();
        let late = if jitter_ns > 0 { self.stream.below(jitter_ns + 1) } else { 0 };
        let due = Time::from_nanos(now.as_nanos() + late);
        match self.in_order_until.filter(|before| *before >= due) {
            None if due == now => Crossed::Now { twice },
            before => {
                let until = before.unwrap_or(due);
                self.in_order_until = Some(until);
                Crossed::Held { until, twice }
            }
        }
    }

    /// A packet will come to the far end at `arrival`: when it comes out, and whether twice.
    pub(super) fn cross_later(&mut self, arrival: Time) -> (Time, bool) {
        match self.cross(arrival) {
            Crossed::Held { until, twice } => (until, twice),
            Crossed::Now { twice } => {
                self.in_order_until = Some(arrival);
                (arrival, twice)
            }
        }
    }
}

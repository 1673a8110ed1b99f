//! The router's lateness, and whether it may have changed the results.

use serde_json::{Value, json};
use vegas_core::units::Span;

/// How late the router delivered packets. Deliveries to senders decide, because round-trip times and windows depend on
/// them. A receiver's immediate answer is taken to be sent when the delivery was due, so lateness towards receivers
/// goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lateness {
    /// The median lateness of deliveries to senders.
    pub median: Span,
    /// The 99th percentile of the lateness of deliveries to senders.
    pub p99: Span,
    /// The greatest lateness of a delivery to a sender.
    pub greatest: Span,
    /// The greatest lateness of a delivery to a receiver.
    pub greatest_to_receivers: Span,
    /// The greatest lateness that cannot be taken for a queue: half the transmission time of a full packet on the
    /// slowest link that carries a flow.
    pub bound: Span,
}

impl Lateness {
    /// Computes the lateness from all deliveries to senders and to receivers.
    pub(crate) fn of(mut to_senders: Vec<Span>, to_receivers: &[Span], bound: Span) -> Self {
        to_senders.sort_unstable();
        let last = to_senders.len().saturating_sub(1);
        let at = |part: usize| to_senders.get((to_senders.len() * part / 100).min(last)).copied().unwrap_or_default();
        let greatest_to_receivers = to_receivers.iter().max().copied().unwrap_or_default();
        Lateness { median: at(50), p99: at(99), greatest: at(100), greatest_to_receivers, bound }
    }

    /// Returns whether the delays are close enough to the simulated ones.
    pub fn is_trustworthy(&self) -> bool {
        self.greatest <= self.bound
    }

    /// Returns the fields for manifest and summary.
    pub fn to_json(&self) -> Value {
        let micros = |span: Span| span.as_nanos() as f64 / 1e3;
        json!({
            "lateness_median_us": micros(self.median),
            "lateness_p99_us": micros(self.p99),
            "lateness_max_us": micros(self.greatest),
            "lateness_to_receivers_max_us": micros(self.greatest_to_receivers),
            "lateness_bound_us": micros(self.bound),
            "trustworthy": self.is_trustworthy(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand: of 1 to 200 us, the 101st value is the median, and the 199th is at 99 %.
    #[test]
    fn lateness_in_order() {
        let late = (1..=200).rev().map(Span::from_micros).collect();
        let lateness = Lateness::of(late, &[Span::from_micros(7), Span::from_micros(900)], Span::from_micros(150));
        let all = [lateness.median, lateness.p99, lateness.greatest, lateness.greatest_to_receivers];
        assert_eq!(all.map(|span| span.as_nanos() / 1000), [101, 199, 200, 900]);
        assert!(!lateness.is_trustworthy());
        assert!(Lateness::of(Vec::new(), &[], Span::ZERO).is_trustworthy());
    }
}

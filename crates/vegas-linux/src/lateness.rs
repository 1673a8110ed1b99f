//! How late the router was, and whether its run can be trusted.

use serde_json::{Value, json};
use vegas_core::units::Span;

/// How late packets were delivered. Those to senders count: their round-trip times and windows depend on it. What a receiver
/// answers at once is taken to be sent when it was due, so that lateness there goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lateness {
    /// Half of those to senders were later.
    pub median: Span,
    /// One in a hundred was.
    pub p99: Span,
    /// The latest.
    pub greatest: Span,
    /// The latest to a receiver.
    pub greatest_to_receivers: Span,
    /// Half the time that a full packet takes on the slowest link that carries a flow: more lateness could be taken for
    /// a queue.
    pub bound: Span,
}

impl Lateness {
    /// Of all deliveries to senders and to receivers.
    pub(crate) fn of(mut to_senders: Vec<Span>, to_receivers: &[Span], bound: Span) -> Self {
        to_senders.sort_unstable();
        let last = to_senders.len().saturating_sub(1);
        let at = |part: usize| to_senders.get((to_senders.len() * part / 100).min(last)).copied().unwrap_or_default();
        let greatest_to_receivers = to_receivers.iter().max().copied().unwrap_or_default();
        Lateness { median: at(50), p99: at(99), greatest: at(100), greatest_to_receivers, bound }
    }

    /// Whether delays are near enough to those simulated.
    pub fn is_trustworthy(&self) -> bool {
        self.greatest <= self.bound
    }

    /// For manifest and summary.
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

    /// By hand: of 1 to 200 us, the hundred-and-first is the median, the 199th is at 99 %.
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

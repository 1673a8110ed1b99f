//! Sized transfers that arrive in a Poisson process: the times between two starts are exponential.

use vegas_core::units::{Bytes, Span, Time};

use super::draw::{draw_size, draw_span};
use crate::engine::Flow;
use crate::outcome::{CompletionTimes, TransferOutcome};
use crate::recorder::{mbps, seconds_of};
use crate::rng::Stream;
use crate::scenario::{Distribution, FlowSpec, TransferSpec};

/// A source of transfers.
#[derive(Clone, Debug)]
pub(super) struct Transfers {
    interarrival: Span,
    size: Bytes,
    distribution: Option<Distribution>,
    /// The connection opened last; each has its own start and size.
    connection: FlowSpec,
    stream: Stream,
    started: u64,
    delivered_bytes: u64,
    completion_times: Vec<Span>,
}

impl Transfers {
    pub(super) fn new(spec: &TransferSpec, stream: Stream) -> Self {
        Transfers {
            interarrival: spec.interarrival,
            size: spec.size,
            distribution: spec.distribution,
            connection: (*spec.connection).clone(),
            stream,
            started: 0,
            delivered_bytes: 0,
            completion_times: Vec::new(),
        }
    }

    /// When the transfer after the one at `now` arrives.
    pub(super) fn next_arrival(&mut self, now: Time) -> Time {
        now + draw_span(Distribution::Exponential, self.interarrival, &mut self.stream)
    }

    /// A transfer that starts now.
    pub(super) fn open(&mut self, now: Time) -> &FlowSpec {
        self.started += 1;
        self.connection.start = now;
        self.connection.size = Some(match self.distribution {
            None => self.size,
            Some(distribution) => draw_size(distribution, self.size, &mut self.stream),
        });
        &self.connection
    }

    /// A connection is over, or the run is.
    pub(super) fn close(&mut self, flow: &Flow) {
        self.delivered_bytes += flow.receiver.next_expected();
        if let Some(completed) = flow.sender.stats.completed {
            self.completion_times.push(completed.since(flow.start));
        }
    }

    pub(super) fn outcome(&self, active: Span) -> TransferOutcome {
        let mut times = self.completion_times.clone();
        times.sort_unstable();
        let completion = (!times.is_empty()).then(|| CompletionTimes {
            p50_s: seconds_of(percentile(&times, 50)),
            p90_s: seconds_of(percentile(&times, 90)),
            p99_s: seconds_of(percentile(&times, 99)),
        });
        TransferOutcome {
            started: self.started,
            completed: times.len() as u64,
            goodput_mbps: mbps(self.delivered_bytes, active),
            completion,
        }
    }
}

/// The least of the times, ascending, that `percent` of them do not exceed.
fn percentile(times: &[Span], percent: usize) -> Span {
    times[(times.len() * percent).div_ceil(100) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let times: Vec<Span> = (1..=10).map(Span::from_secs).collect();
        let of = |percent| percentile(&times, percent).as_nanos() / 1_000_000_000;
        assert_eq!((of(50), of(90), of(99)), (5, 9, 10));
        assert_eq!(percentile(&times[..1], 50), times[0]);
        assert_eq!(percentile(&times[..2], 50), times[0]);
        assert_eq!(percentile(&times[..3], 50), times[1]);
    }
}

//! Transfers: sized ones and conversations that start in a Poisson process, of which the times between two starts are
//! exponential; and connections that a trace describes.

use std::sync::Arc;

use vegas_core::units::{Bytes, Span, Time};

use super::draw::{draw_size, draw_span};
use super::{Writes, tcplib};
use crate::endpoint::Flow;
use crate::measure::outcome::{CompletionTimes, TransferOutcome};
use crate::measure::recorder::{mbps, seconds_of};
use crate::scenario::{ConnectionTrace, Distribution, FlowSpec};
use crate::util::random::Stream;

/// A source of transfers.
#[derive(Clone, Debug)]
pub(super) struct Transfers {
    arrivals: Arrivals,
    /// When the run ends.
    end: Time,
    /// The specification of the newest connection; each has its own start and size.
    connection: FlowSpec,
    stream: Stream,
    started: u64,
    completed: u64,
    delivered_bytes: u64,
    completion_times: Vec<Span>,
}

/// When connections start, and what they carry.
#[derive(Clone, Debug)]
pub(super) enum Arrivals {
    /// In a Poisson process with this mean time between two.
    Poisson(Span, Work),
    /// As the trace says, which begins at `start`. The times of the first `announced` connections were given.
    Traced { trace: Arc<ConnectionTrace>, start: Time, announced: usize },
}

/// The work of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// An amount of data to send: its mean, and its distribution.
    Sizes(Bytes, Option<Distribution>),
    /// A conversation of tcplib; its number of items, if given.
    Conversations(Option<u32>),
}

impl Transfers {
    pub(super) fn new(arrivals: Arrivals, connection: &FlowSpec, run: Span, stream: Stream) -> Self {
        Transfers {
            arrivals,
            end: Time::ZERO + run,
            connection: connection.clone(),
            stream,
            started: 0,
            completed: 0,
            delivered_bytes: 0,
            completion_times: Vec::new(),
        }
    }

    /// Returns when the transfer after the one at `now` starts; `Time::NEVER` after the last.
    pub(super) fn next_arrival(&mut self, now: Time) -> Time {
        match &mut self.arrivals {
            Arrivals::Poisson(mean, _) => now + draw_span(Distribution::Exponential, *mean, &mut self.stream),
            Arrivals::Traced { trace, start, announced } => {
                *announced += 1;
                trace.connections().get(*announced - 1).map_or(Time::NEVER, |next| *start + next.start)
            }
        }
    }

    /// Returns a transfer or a conversation that starts now.
    pub(super) fn open(&mut self, now: Time) -> (&FlowSpec, Writes) {
        let (size, writes) = match &self.arrivals {
            Arrivals::Poisson(_, Work::Sizes(size, None)) => (Some(*size), Writes::AllAtOnce),
            Arrivals::Poisson(_, Work::Sizes(mean, Some(distribution))) => {
                (Some(draw_size(*distribution, *mean, &mut self.stream)), Writes::AllAtOnce)
            }
            Arrivals::Poisson(_, Work::Conversations(items)) => self.converse(*items, now),
            Arrivals::Traced { trace, .. } => {
                let connection = &trace.connections()[self.started as usize];
                (None, Writes::Awaited(Arc::clone(&connection.epochs)))
            }
        };
        self.started += 1;
        self.connection.start = now;
        self.connection.size = size;
        (&self.connection, writes)
    }

    fn converse(&mut self, items: Option<u32>, now: Time) -> (Option<Bytes>, Writes) {
        let application = tcplib::Application::draw(&mut self.stream);
        match application.size(items, &mut self.stream) {
            Some(size) => (Some(size), Writes::AllAtOnce),
            None => {
                let payload_max = self.connection.packet.get() - self.connection.header.get();
                (None, tcplib::telnet(now, self.end, payload_max, &mut self.stream))
            }
        }
    }

    /// Takes in the totals of a connection that is over, or that the run's end cuts short.
    pub(super) fn close(&mut self, flow: &Flow, now: Time) {
        let (delivered_bytes, completed) = flow.ending(now);
        self.delivered_bytes += delivered_bytes;
        let Some(completed) = completed else { return };
        self.completed += 1;
        if let Some(waited) = flow.sender.waited() {
            self.completion_times.push(completed.since(flow.start).less(waited));
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
            completed: self.completed,
            goodput_mbps: mbps(self.delivered_bytes, active),
            completion,
        }
    }
}

/// The least of the times, which are ascending, that `percent` % of them do not exceed.
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

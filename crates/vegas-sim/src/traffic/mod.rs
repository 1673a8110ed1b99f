//! The sources of background traffic during a run.

mod datagrams;
mod draw;
mod tcplib;
mod transfers;

use std::sync::Arc;

use datagrams::Datagrams;
use transfers::{Arrivals, Transfers, Work};

use vegas_core::units::{Span, Time};

use crate::endpoint::Flow;
use crate::measure::outcome::TrafficOutcome;
use crate::measure::recorder::{mbps, seconds};
use crate::packet::Packet;
use crate::scenario::{ConversationSpec, Epoch, FlowSpec, Load, ReplaySpec, TrafficSpec, TransferSpec};
use crate::util::random::Stream;

/// A source of traffic.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    start: Time,
    /// When the source stops to begin datagrams and connections.
    stop: Time,
    load: Kind,
    /// The number of connections begun so far.
    connections: u64,
    counts: Counts,
}

#[derive(Clone, Debug)]
enum Kind {
    Datagrams(Box<Datagrams>),
    Transfers(Box<Transfers>),
}

/// The numbers of data packets, and of their bytes on the wire.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent_packets: u64,
    sent_bytes: u64,
    delivered_packets: u64,
    delivered_bytes: u64,
    lost_packets: u64,
}

/// What a source begins at a time.
pub(crate) enum Begin<'a> {
    /// A datagram to send.
    Datagram(Packet),
    /// A connection to open, what its application writes, and the connection's number among those of the source, from
    /// 1.
    Connection(&'a FlowSpec, Writes, u64),
}

/// The writes of an application.
pub(crate) enum Writes {
    /// All data at the start.
    AllAtOnce,
    /// Segments that end at the bytes `ends`, each written at its time.
    Timed { times: Vec<Time>, ends: Vec<u64> },
    /// Epochs, each of which waits for the delivery of the one before.
    Awaited(Arc<[Epoch]>),
}

impl Source {
    /// Creates the source with number `id`, in a run of length `duration`.
    pub(crate) fn new(id: u32, spec: &TrafficSpec, duration: Span, stream: Stream) -> Self {
        let load = match &spec.load {
            Load::Datagrams(datagrams) => Kind::Datagrams(Box::new(Datagrams::new(id, datagrams, stream))),
            Load::Transfers(TransferSpec { interarrival, size, distribution, connection }) => {
                let arrivals = Arrivals::Poisson(*interarrival, Work::Sizes(*size, *distribution));
                Kind::Transfers(Box::new(Transfers::new(arrivals, connection, duration, stream)))
            }
            Load::Conversations(ConversationSpec { interarrival, items, connection }) => {
                let arrivals = Arrivals::Poisson(*interarrival, Work::Conversations(*items));
                Kind::Transfers(Box::new(Transfers::new(arrivals, connection, duration, stream)))
            }
            Load::Replay(ReplaySpec { trace, connection }) => {
                let arrivals = Arrivals::Traced { trace: Arc::clone(trace), start: spec.start, announced: 0 };
                Kind::Transfers(Box::new(Transfers::new(arrivals, connection, duration, stream)))
            }
        };
        Source {
            start: spec.start,
            stop: spec.stop.unwrap_or(Time::NEVER).min(Time::ZERO + duration + Span::from_nanos(1)),
            load,
            connections: 0,
            counts: Counts::default(),
        }
    }

    /// Returns when the source begins its first datagram or connection; `None` if never.
    pub(crate) fn first(&mut self) -> Option<Time> {
        let first = match &mut self.load {
            Kind::Datagrams(_) => self.start,
            Kind::Transfers(transfers) => transfers.next_arrival(self.start),
        };
        (first < self.stop).then_some(first)
    }

    /// Returns the datagram or connection that begins at `now`, and when the next one begins; `None` if never.
    pub(crate) fn begin(&mut self, now: Time) -> (Begin<'_>, Option<Time>) {
        let stop = self.stop;
        let (begin, next) = match &mut self.load {
            Kind::Datagrams(datagrams) => {
                let packet = datagrams.packet(self.counts.sent_packets);
                self.counts.sent(&packet);
                (Begin::Datagram(packet), datagrams.next_due(now, stop))
            }
            Kind::Transfers(transfers) => {
                let next = transfers.next_arrival(now);
                let (connection, writes) = transfers.open(now);
                self.connections += 1;
                (Begin::Connection(connection, writes, self.connections), next)
            }
        };
        (begin, (next < stop).then_some(next))
    }

    /// Counts a data packet that one of the source's connections sends.
    pub(crate) fn on_sent(&mut self, packet: &Packet) {
        self.counts.sent(packet);
    }

    pub(crate) fn on_delivered(&mut self, packet: &Packet) {
        self.counts.delivered_packets += 1;
        self.counts.delivered_bytes += u64::from(packet.wire());
    }

    pub(crate) fn on_lost(&mut self) {
        self.counts.lost_packets += 1;
    }

    /// Takes in the totals of one of the source's connections, which is over, or which the run's end cuts short.
    pub(crate) fn close(&mut self, flow: &Flow, now: Time) {
        if let Kind::Transfers(transfers) = &mut self.load {
            transfers.close(flow, now);
        }
    }

    /// The totals at the run's end.
    pub(crate) fn outcome(&self, run_end: Time) -> TrafficOutcome {
        let active = self.stop.min(run_end).since(self.start);
        TrafficOutcome {
            start_s: seconds(self.start),
            sent_packets: self.counts.sent_packets,
            delivered_packets: self.counts.delivered_packets,
            lost_packets: self.counts.lost_packets,
            sent_mbps: mbps(self.counts.sent_bytes, active),
            throughput_mbps: mbps(self.counts.delivered_bytes, active),
            transfers: match &self.load {
                Kind::Datagrams(_) => None,
                Kind::Transfers(transfers) => Some(transfers.outcome(active)),
            },
        }
    }
}

impl Counts {
    fn sent(&mut self, packet: &Packet) {
        self.sent_packets += 1;
        self.sent_bytes += u64::from(packet.wire());
    }
}

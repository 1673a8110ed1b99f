//! The `[[traffic]]` tables: background traffic.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Bytes, Rate, Span};

use super::{Flow, Link};
use crate::scenario::document::scalar::{Name, Named, Shape};
use crate::scenario::model::Side;
use crate::scenario::read::field::{Field, Table};

/// A source of background traffic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Traffic {
    /// What the source sends.
    pub(in crate::scenario) kind: Field<TrafficKind>,
    /// When the source begins. Default: "0s".
    pub(in crate::scenario) start: Option<Field<Span>>,
    /// When the source sends nothing new any more. Default: never.
    pub(in crate::scenario) stop: Option<Field<Span>>,
    /// constant, on-off: bits on the wire a second while the source is on.
    pub(in crate::scenario) rate: Option<Field<Rate>>,
    /// constant, on-off: a datagram on the wire, headers included, 1 to 65535 bytes. Default: "1000b".
    pub(in crate::scenario) packet: Option<Field<Bytes>>,
    /// on-off: mean length of a period of sending.
    pub(in crate::scenario) on: Option<Field<Span>>,
    /// on-off: mean length of a period of silence.
    pub(in crate::scenario) off: Option<Field<Span>>,
    /// on-off: whether each period of sending is rounded to whole packets, one at least, as in ns-2. Default: false.
    pub(in crate::scenario) whole_packets: Option<bool>,
    /// pareto-on-off, Pareto sizes: the shape of the Pareto distribution, 1.01 to 100. Default: 1.5, as in ns-2.
    pub(in crate::scenario) shape: Option<Field<Shape>>,
    /// poisson-transfers, tcplib: mean time between the starts of two transfers or conversations.
    pub(in crate::scenario) interarrival: Option<Field<Span>>,
    /// poisson-transfers: payload of a transfer, the mean where it is random.
    pub(in crate::scenario) size: Option<Field<Bytes>>,
    /// poisson-transfers: how the sizes are distributed. Default: "fixed".
    pub(in crate::scenario) size_distribution: Option<Field<SizeDistribution>>,
    /// connection-trace: a CSV file, relative to the scenario file: the line
    /// `start_s,request_bytes,response_bytes,think_s`, then an epoch on each line; one without a start continues the
    /// connection above.
    pub(in crate::scenario) trace: Option<String>,
    /// connection-trace: which of the trace's bytes the source sends. Default: "responses".
    pub(in crate::scenario) side: Option<Field<Side>>,
    /// poisson-transfers, tcplib, connection-trace: every connection, as a flow without times, size and path.
    pub(in crate::scenario) flow: Option<Table<Flow>>,
    /// The traffic's user, for queues that isolate users. Default: one of its own.
    pub(in crate::scenario) user: Option<Field<Name>>,
    /// dumbbell: which way the traffic crosses the bottleneck. Default: "forward".
    pub(in crate::scenario) direction: Option<Field<Direction>>,
    /// dumbbell, parking-lot: the source's own access links, instead of the topology's.
    pub(in crate::scenario) access: Option<Table<Link>>,
    /// graph: the sender's node.
    pub(in crate::scenario) from: Option<Field<Name>>,
    /// graph: the receiver's node.
    pub(in crate::scenario) to: Option<Field<Name>>,
    /// graph: nodes to pass on the way, in order. Default: none, the path of least delay.
    pub(in crate::scenario) via: Option<Vec<Field<Name>>>,
    /// parking-lot: the router of the sender. Default: the first.
    pub(in crate::scenario) enter: Option<Field<Name>>,
    /// parking-lot: the router of the receiver. Default: the last.
    pub(in crate::scenario) leave: Option<Field<Name>>,
}

/// A kind of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum TrafficKind {
    Constant,
    ExponentialOnOff,
    ParetoOnOff,
    PoissonTransfers,
    Tcplib,
    ConnectionTrace,
}

impl Named for TrafficKind {
    const WHAT: &'static str = "a kind of traffic";
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("constant", TrafficKind::Constant),
        ("exponential-on-off", TrafficKind::ExponentialOnOff),
        ("pareto-on-off", TrafficKind::ParetoOnOff),
        ("poisson-transfers", TrafficKind::PoissonTransfers),
        ("tcplib", TrafficKind::Tcplib),
        ("connection-trace", TrafficKind::ConnectionTrace),
    ];
}

/// The distribution of the sizes of transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum SizeDistribution {
    Fixed,
    Exponential,
    Pareto,
}

impl Named for SizeDistribution {
    const WHAT: &'static str = "a distribution of sizes";
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("fixed", SizeDistribution::Fixed),
        ("exponential", SizeDistribution::Exponential),
        ("pareto", SizeDistribution::Pareto),
    ];
}

impl Named for Side {
    const WHAT: &'static str = "a side of connections";
    const CHOICES: &'static [(&'static str, Self)] = &[("responses", Side::Responses), ("requests", Side::Requests)];
}

/// The direction in which traffic crosses a dumbbell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum Direction {
    Forward,
    Backward,
}

impl Named for Direction {
    const WHAT: &'static str = "a direction";
    const CHOICES: &'static [(&'static str, Self)] =
        &[("forward", Direction::Forward), ("backward", Direction::Backward)];
}

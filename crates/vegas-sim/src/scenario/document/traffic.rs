//! The `[[traffic]]` tables: background traffic.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Bytes, Rate, Span};

use super::{Flow, Link};
use crate::scenario::document::scalar::{Name, Named, Shape, Whole};
use crate::scenario::model::Side;
use crate::scenario::read::field::{Field, Table};

/// A source of background traffic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Traffic {
    /// The kind of traffic.
    pub(in crate::scenario) kind: Field<TrafficKind>,
    /// The start of the source; before the run ends. Default: `"0s"`.
    pub(in crate::scenario) start: Option<Field<Span>>,
    /// The time from which the source sends no new data; after `start`. Default: never.
    pub(in crate::scenario) stop: Option<Field<Span>>,
    /// constant, on-off: bits on the wire a second while the source is on, 1 bit/s to 1 Tbit/s. Required in constant
    /// and on-off.
    pub(in crate::scenario) rate: Option<Field<Rate>>,
    /// constant, on-off: a datagram on the wire, headers included; 65535 bytes at most. Default: `"1000b"`.
    pub(in crate::scenario) packet: Option<Field<Bytes>>,
    /// on-off: mean length of a period of sending; not below the time between two packets unless `whole_packets` is
    /// true, 1 h at most. Required in on-off.
    pub(in crate::scenario) on: Option<Field<Span>>,
    /// on-off: mean length of a period of silence; above 0, 1 h at most. Required in on-off.
    pub(in crate::scenario) off: Option<Field<Span>>,
    /// on-off: whether each period of sending is rounded to [whole
    /// packets](traffic.md#datagrams-constant-exponential-on-off-pareto-on-off), one at least, as in ns-2. Default:
    /// `false`.
    pub(in crate::scenario) whole_packets: Option<bool>,
    /// pareto-on-off, Pareto sizes: the shape of the Pareto distribution, in steps of 0.001. Default: `1.5`.
    pub(in crate::scenario) shape: Option<Field<Shape>>,
    /// poisson-transfers, tcplib: mean time between the starts of two transfers or conversations; above 0, 1 h at most.
    /// Required in poisson-transfers and tcplib.
    pub(in crate::scenario) interarrival: Option<Field<Span>>,
    /// tcplib: number of items in each conversation of FTP and NNTP, 1 to 1000. Default: drawn from tcplib's tables.
    pub(in crate::scenario) items: Option<Field<Whole<1, 1000>>>,
    /// poisson-transfers: payload of a transfer, the mean where it is random. Required in poisson-transfers.
    pub(in crate::scenario) size: Option<Field<Bytes>>,
    /// poisson-transfers: the distribution of the sizes. Default: `"fixed"`.
    pub(in crate::scenario) size_distribution: Option<Field<SizeDistribution>>,
    /// connection-trace: a CSV file, relative to the scenario file: the line
    /// `start_s,request_bytes,response_bytes,think_s`, then an
    /// [epoch](traffic.md#connections-of-a-trace-connection-trace) on each line; one without a start continues the
    /// connection above. Required in connection-trace.
    pub(in crate::scenario) trace: Option<String>,
    /// connection-trace: which of the trace's bytes the source sends. Default: `"responses"`.
    pub(in crate::scenario) side: Option<Field<Side>>,
    /// poisson-transfers, tcplib, connection-trace: every connection, with the keys of a [`[[flow]]`](#flow) except
    /// `start`, `stop`, `size` and those of its path. Those of poisson-transfers may have `transport = "quic"`.
    /// Required in poisson-transfers, tcplib and connection-trace.
    pub(in crate::scenario) flow: Option<Table<Flow>>,
    /// The user of all traffic of the source, for [queues that isolate users](networks.md#a-queue-for-each-user).
    /// Default: one of its own.
    pub(in crate::scenario) user: Option<Field<Name>>,
    /// dumbbell: the direction in which the traffic crosses the bottleneck; backward is from `r2` to `r1`. Default:
    /// `"forward"`.
    pub(in crate::scenario) direction: Option<Field<Direction>>,
    /// dumbbell, parking-lot: the source's own access links, both sides. Default: the topology's `access`.
    pub(in crate::scenario) access: Option<Table<Link>>,
    /// graph: the sender's node. Required in graph.
    pub(in crate::scenario) from: Option<Field<Name>>,
    /// graph: the receiver's node. Required in graph.
    pub(in crate::scenario) to: Option<Field<Name>>,
    /// graph: nodes to pass on the way, in order.
    pub(in crate::scenario) via: Option<Vec<Field<Name>>>,
    /// parking-lot: the sender's router. Default: `"r1"`.
    pub(in crate::scenario) enter: Option<Field<Name>>,
    /// parking-lot: the receiver's router. Default: the last.
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

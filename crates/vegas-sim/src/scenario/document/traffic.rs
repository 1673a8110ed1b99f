//! The `[[traffic]]` tables: background traffic.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Bytes, Rate, Span};

use super::Link;
use crate::scenario::field::{Field, Table};
use crate::scenario::scalar::{Name, Named, Shape};

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
    /// pareto-on-off: the shape of the Pareto distribution, 1.01 to 100. Default: 1.5, as in ns-2.
    pub(in crate::scenario) shape: Option<Field<Shape>>,
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
}

impl Named for TrafficKind {
    const WHAT: &'static str = "a kind of traffic";
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("constant", TrafficKind::Constant),
        ("exponential-on-off", TrafficKind::ExponentialOnOff),
        ("pareto-on-off", TrafficKind::ParetoOnOff),
    ];
}

/// Which way traffic crosses a dumbbell.
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

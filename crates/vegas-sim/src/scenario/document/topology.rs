//! The `[topology]` table and the links in it.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Bytes, Rate, Span};

use crate::scenario::document::scalar::{Kind, Name, Probability, Whole};
use crate::scenario::model::EcnField;
use crate::scenario::read::field::{Either, Field, Table};

use super::delay::{DelaySchedule, LinkDelay};
use super::jitter::Jitter;
use super::loss::Loss;
use super::queue::LinkQueue;
use super::rate::LinkRate;

/// The most links between routers in a row: far more than any path of the Internet has.
const HOPS_MAX: u64 = 1000;

/// The network: its kind, and the keys that this kind needs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Topology {
    /// The shape of the network.
    pub(in crate::scenario) kind: Field<Kind>,
    /// dumbbell, parking-lot: the link between each host and its router, on both sides. Required in dumbbell and
    /// parking-lot.
    pub(in crate::scenario) access: Option<Table<Link>>,
    /// dumbbell, parking-lot: the link between two routers; its `queue` is required. Required in dumbbell; in
    /// parking-lot unless `bottlenecks`.
    pub(in crate::scenario) bottleneck: Option<Table<Link>>,
    /// parking-lot: the links between the routers one by one, instead of `bottleneck`.
    pub(in crate::scenario) bottlenecks: Option<Vec<Table<Link>>>,
    /// parking-lot: the number of links between the routers. Default: the number of `bottlenecks`.
    pub(in crate::scenario) hops: Option<Field<Whole<1, HOPS_MAX>>>,
    /// graph: the nodes. Required in graph.
    pub(in crate::scenario) nodes: Option<Vec<Field<Name>>>,
    /// graph: the links: [`[[topology.link]]`](#topologylink). Required in graph.
    pub(in crate::scenario) link: Option<Vec<Table<GraphLink>>>,
}

/// Defines the table of a kind of link: its own keys, and those of the impairments, which all kinds have.
macro_rules! link_table {
    ($(#[$attribute:meta])* $name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(in crate::scenario) struct $name {
            $($(#[$meta])* pub(in crate::scenario) $field: $type,)*
            /// The probability that a packet offered to the link is lost; or losses in bursts: [`loss`](#loss).
            /// Default: `0`.
            pub(in crate::scenario) loss: Option<Either<Loss>>,
            /// Loses the packets that exceed a rate: [`policer`](#policer).
            pub(in crate::scenario) policer: Option<Table<Policer>>,
            /// Additional delay of each packet, uniform from 0 to this; a packet that would overtake waits for the one
            /// before it. 1 h at most. Or by a model: [`jitter`](#jitter). Default: `"0s"`.
            pub(in crate::scenario) jitter: Option<Either<Jitter>>,
            /// Additional delay that changes at given times: [`delay_schedule`](#delay_schedule).
            pub(in crate::scenario) delay_schedule: Option<Table<DelaySchedule>>,
            /// Packets leave the link together, at multiples of this time from the beginning of the run, as on a link
            /// that aggregates; 1 h at most. Default: `"0s"`.
            pub(in crate::scenario) batch: Option<Field<Span>>,
            /// The probability that a delivered packet is delivered twice. Default: `0`.
            pub(in crate::scenario) duplicate: Option<Field<Probability>>,
            /// Packets are delayed so that later ones overtake them: [`reorder`](#reorder).
            pub(in crate::scenario) reorder: Option<Table<Reorder>>,
            /// The ECN field with which ECN-capable packets leave the link; a mark stays one unless this is
            /// `"not-ect"`: [bleached and mangled marks](networks.md#bleached-and-mangled-marks). Default: as it came.
            pub(in crate::scenario) ecn_field: Option<Field<EcnField>>,
            /// Data packets to lose, counted from 1 in the order in which they are offered to the link; ascending.
            pub(in crate::scenario) drop: Option<Vec<Field<Whole<1, { u64::MAX }>>>>,
        }

        impl $name {
            pub(in crate::scenario) fn faults(&self) -> Faults<'_> {
                Faults {
                    loss: self.loss.as_ref().map(|loss| &loss.0),
                    policer: self.policer.as_ref(),
                    jitter: self.jitter.as_ref().map(|jitter| &jitter.0),
                    delay_schedule: self.delay_schedule.as_deref(),
                    batch: self.batch,
                    duplicate: self.duplicate,
                    reorder: self.reorder.as_ref(),
                    ecn_field: self.ecn_field,
                    drop: self.drop.as_deref().unwrap_or_default(),
                }
            }
        }
    };
}

/// The impairments in a link's table.
pub(in crate::scenario) struct Faults<'a> {
    pub(in crate::scenario) loss: Option<&'a Loss>,
    pub(in crate::scenario) policer: Option<&'a Table<Policer>>,
    pub(in crate::scenario) jitter: Option<&'a Jitter>,
    pub(in crate::scenario) delay_schedule: Option<&'a DelaySchedule>,
    pub(in crate::scenario) batch: Option<Field<Span>>,
    pub(in crate::scenario) duplicate: Option<Field<Probability>>,
    pub(in crate::scenario) reorder: Option<&'a Table<Reorder>>,
    pub(in crate::scenario) ecn_field: Option<Field<EcnField>>,
    pub(in crate::scenario) drop: &'a [Field<Whole<1, { u64::MAX }>>],
}

link_table! {
    /// A link between two nodes; the reverse direction is the same, without the impairments, unless said.
    Link {
        /// Transmission rate, 1 bit/s to 1 Tbit/s; or a recorded one that varies: [`rate`](#rate).
        rate: Either<LinkRate>,
        /// Propagation delay, one way; 1 h at most; or a recorded one that varies: [`delay`](#delay).
        delay: Either<LinkDelay>,
        /// The capacity of the drop-tail queue, of a dumbbell's bottleneck also in
        /// [bandwidth-delay products](#base-rtt-and-bandwidth-delay-product); the packet in transmission counts. Or a
        /// managed queue: [`queue`](#queue). Unlimited is a host's own interface, which blocks its sender instead of
        /// dropping. Default: `"unlimited"` for `access`, else required.
        queue: Option<Either<LinkQueue>>,
        /// Whether it stamps its queueing time into the packets of flows that request it, as
        /// [`rovegas`](algorithms/rovegas.md) does. Default: `false`.
        aqt: Option<bool>,
        /// The differences in the reverse direction: [`backward`](#backward). Default: as forward.
        backward: Option<Table<Backward>>,
    }
}

link_table! {
    /// The reverse direction of a link: what is left out is as in the forward direction, impairments excepted.
    Backward {
        /// Transmission rate: [`rate`](#rate). Default: as forward.
        rate: Option<Either<LinkRate>>,
        /// Propagation delay, one way: [`delay`](#delay). Default: as forward.
        delay: Option<Either<LinkDelay>>,
        /// The capacity of the queue: [`queue`](#queue). Default: as forward.
        queue: Option<Either<LinkQueue>>,
        /// Whether it stamps. Default: as forward.
        aqt: Option<bool>,
    }
}

link_table! {
    /// A link of a graph.
    GraphLink {
        /// The nodes; forward is from the first to the second.
        #[schemars(length(equal = 2))]
        between: Vec<Field<Name>>,
        /// Transmission rate, 1 bit/s to 1 Tbit/s; or a recorded one that varies: [`rate`](#rate).
        rate: Either<LinkRate>,
        /// Propagation delay, one way; 1 h at most; or a recorded one that varies: [`delay`](#delay).
        delay: Either<LinkDelay>,
        /// The capacity of the queue; the packet in transmission counts: [`queue`](#queue).
        queue: Either<LinkQueue>,
        /// Whether it stamps its queueing time into the packets of flows that request it, as
        /// [`rovegas`](algorithms/rovegas.md) does. Default: `false`.
        aqt: Option<bool>,
        /// The differences in the reverse direction: [`backward`](#backward). Default: as forward.
        backward: Option<Table<Backward>>,
    }
}

/// A token bucket that drops the packets which find too few tokens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Policer {
    /// The rate at which tokens arrive.
    pub(in crate::scenario) rate: Field<Rate>,
    /// The number of bytes that may pass at once: the depth of the bucket, which is full at the beginning; above 0. A
    /// larger packet never passes.
    pub(in crate::scenario) burst: Field<Bytes>,
}

/// Packets held back so that later ones overtake them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Reorder {
    /// The probability that a packet is delayed.
    pub(in crate::scenario) probability: Field<Probability>,
    /// The length of the delay; above 0, 1 h at most.
    pub(in crate::scenario) delay: Field<Span>,
}

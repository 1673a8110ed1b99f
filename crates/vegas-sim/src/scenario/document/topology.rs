//! The `[topology]` table and the links in it.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Bytes, Rate, Span};

use crate::scenario::document::scalar::{Kind, Name, Probability, Whole};
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
    /// dumbbell, parking-lot: the link between each host and its router, on both sides.
    pub(in crate::scenario) access: Option<Table<Link>>,
    /// dumbbell, parking-lot: the link between two routers.
    pub(in crate::scenario) bottleneck: Option<Table<Link>>,
    /// parking-lot: the links between the routers one by one, instead of `bottleneck`.
    pub(in crate::scenario) bottlenecks: Option<Vec<Table<Link>>>,
    /// parking-lot: how many links there are between the routers. Default: the number of `bottlenecks`.
    pub(in crate::scenario) hops: Option<Field<Whole<1, HOPS_MAX>>>,
    /// graph: the names of the nodes.
    pub(in crate::scenario) nodes: Option<Vec<Field<Name>>>,
    /// graph: the links, one table each.
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
            /// Probability that a packet is lost, or a model of losses in bursts; in this direction only. Default: 0.
            pub(in crate::scenario) loss: Option<Either<Loss>>,
            /// What exceeds a rate is lost; in this direction only. Default: none.
            pub(in crate::scenario) policer: Option<Table<Policer>>,
            /// Extra delay, uniform from 0 to this, or by a model, packets kept in order; in this direction only. Default: "0s".
            pub(in crate::scenario) jitter: Option<Either<Jitter>>,
            /// Additional delay that changes at given times, packets kept in order; in this direction only. Default: none.
            pub(in crate::scenario) delay_schedule: Option<Table<DelaySchedule>>,
            /// Packets come out together, at multiples of this time; in this direction only. Default: "0s".
            pub(in crate::scenario) batch: Option<Field<Span>>,
            /// Probability that a packet is delivered twice, in this direction only. Default: 0.
            pub(in crate::scenario) duplicate: Option<Field<Probability>>,
            /// Packets held back so that later ones overtake them, in this direction only. Default: none.
            pub(in crate::scenario) reorder: Option<Table<Reorder>>,
            /// Data packets to lose, counted from 1 in their order on the link, ascending. Default: none.
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
    pub(in crate::scenario) drop: &'a [Field<Whole<1, { u64::MAX }>>],
}

link_table! {
    /// A link between two nodes; the reverse direction is the same, without the impairments, unless said.
    Link {
        /// Transmission rate.
        rate: Either<LinkRate>,
        /// Propagation delay, one way.
        delay: Either<LinkDelay>,
        /// How much the queue holds, with the packet being sent; required between routers. Default: "unlimited".
        queue: Option<Either<LinkQueue>>,
        /// Whether it stamps its queueing time into the packets of flows that ask for it, as `rovegas` does. Default: false.
        aqt: Option<bool>,
        /// What differs in the reverse direction.
        backward: Option<Table<Backward>>,
    }
}

link_table! {
    /// The reverse direction of a link: what is left out is as in the forward direction, impairments excepted.
    Backward {
        /// Transmission rate. Default: the link's.
        rate: Option<Either<LinkRate>>,
        /// Propagation delay, one way. Default: the link's.
        delay: Option<Either<LinkDelay>>,
        /// How much the queue holds, with the packet being sent. Default: the link's.
        queue: Option<Either<LinkQueue>>,
        /// Whether it stamps its queueing time into the packets of flows that ask for it, as `rovegas` does. Default: as the link.
        aqt: Option<bool>,
    }
}

link_table! {
    /// A link of a graph.
    GraphLink {
        /// The two nodes; forward is from the first to the second.
        #[schemars(length(equal = 2))]
        between: Vec<Field<Name>>,
        /// Transmission rate.
        rate: Either<LinkRate>,
        /// Propagation delay, one way.
        delay: Either<LinkDelay>,
        /// How much the queue holds, with the packet being sent.
        queue: Either<LinkQueue>,
        /// Whether it stamps its queueing time into the packets of flows that ask for it, as `rovegas` does. Default: false.
        aqt: Option<bool>,
        /// What differs in the reverse direction.
        backward: Option<Table<Backward>>,
    }
}

/// A token bucket that drops the packets which find too few tokens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Policer {
    /// At what rate tokens come.
    pub(in crate::scenario) rate: Field<Rate>,
    /// How many bytes may pass at once: the depth of the bucket, which is full at the beginning.
    pub(in crate::scenario) burst: Field<Bytes>,
}

/// Packets held back so that later ones overtake them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Reorder {
    /// Probability that a packet is held back.
    pub(in crate::scenario) probability: Field<Probability>,
    /// For how long.
    pub(in crate::scenario) delay: Field<Span>,
}

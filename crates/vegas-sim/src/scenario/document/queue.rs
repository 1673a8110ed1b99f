//! A link's `queue`: a limit, or a table that names a discipline.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::Span;

use crate::scenario::document::scalar::{Capacity, Chance, Named, Whole};
use crate::scenario::model::{Discipline, DisciplineKind, Isolation};
use crate::scenario::read::field::{Field, ScalarOrTable};

/// A link's queue.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum LinkQueue {
    /// A drop-tail queue of this capacity.
    DropTail(Capacity),
    /// A queue with a discipline.
    Managed(Box<ManagedQueue>),
}

/// A queue with a discipline, and its parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ManagedQueue {
    /// The discipline.
    pub(in crate::scenario) kind: Field<DisciplineKind>,
    /// The capacity of the queue; the packet in transmission counts.
    pub(in crate::scenario) limit: Field<Capacity>,
    /// red, codel, pie, fq-codel: packets of flows with `ecn` are [marked instead of
    /// dropped](networks.md#marks-instead-of-drops). Default: `false`.
    pub(in crate::scenario) ecn: Option<bool>,
    /// codel, fq-codel, pie, dualpi2: the targeted waiting time; above 0, 1 min at most, as all times here. Default:
    /// `"5ms"`; `"15ms"` with pie and dualpi2.
    pub(in crate::scenario) target: Option<Field<Span>>,
    /// codel, fq-codel: the time for which packets wait above the target before the first drop. Default: `"100ms"`.
    pub(in crate::scenario) interval: Option<Field<Span>>,
    /// codel, fq-codel: the waiting time above which each packet of a flow with `ecn` is marked; dualpi2: that of
    /// [the L queue](networks.md#two-queues-dualpi2). Default: none; `"1ms"` with dualpi2.
    pub(in crate::scenario) ce_threshold: Option<Field<Span>>,
    /// pie: the time between two updates of the probability. Default: `"15ms"`.
    pub(in crate::scenario) update: Option<Field<Span>>,
    /// pie: a burst of this length passes undropped. Default: `"150ms"`.
    pub(in crate::scenario) max_burst: Option<Field<Span>>,
    /// fq-codel: the number of queues. Default: `1024`.
    pub(in crate::scenario) queues: Option<Field<Whole<1, 65_536>>>,
    /// fq-codel: bytes that a queue sends in a turn. Default: `1514`.
    pub(in crate::scenario) quantum: Option<Field<Whole<1, 1_000_000>>>,
    /// fq-codel: what has a queue of its own: each direction of a connection, or [each
    /// user](networks.md#a-queue-for-each-user). Default: `"flows"`.
    pub(in crate::scenario) isolate: Option<Field<Isolation>>,
    /// red: the average queue in packets from which packets are dropped; step: the waiting packets above which a packet
    /// that arrives is marked. Default: `5`; `65` with step.
    pub(in crate::scenario) min: Option<Field<Whole<1, 1_000_000>>>,
    /// red: the average queue in packets at which `max_probability` is reached; above `min`. Default: three times
    /// `min`.
    pub(in crate::scenario) max: Option<Field<Whole<2, 3_000_000>>>,
    /// red: the probability of a drop at `max`. Default: `0.1`.
    pub(in crate::scenario) max_probability: Option<Field<Chance>>,
    /// red: the weight of one packet in the average; above 0. dualpi2: the part of the link that the classic queue has
    /// while both queues have packets. Default: `0.002`; `0.1` with dualpi2.
    pub(in crate::scenario) weight: Option<Field<Chance>>,
}

impl Named for DisciplineKind {
    const WHAT: &'static str = "a queue discipline";
    const CHOICES: &'static [(&'static str, Self)] = Discipline::KINDS;
}

impl Named for Isolation {
    const WHAT: &'static str = "an isolation";
    const CHOICES: &'static [(&'static str, Self)] = &[("flows", Isolation::Flows), ("users", Isolation::Users)];
}

impl ScalarOrTable for LinkQueue {
    type Scalar = Capacity;
    type Table = ManagedQueue;

    const EXPECTED: &'static str = "a queue such as \"100p\"";
    const NAME: &'static str = "LinkQueue";
    const DESCRIPTION: &'static str = "How much the queue holds, or a discipline.";

    fn of_scalar(capacity: Capacity) -> Self {
        LinkQueue::DropTail(capacity)
    }

    fn of_table(queue: ManagedQueue) -> Self {
        LinkQueue::Managed(Box::new(queue))
    }
}

//! A link's `queue`: a limit, or a table that names a discipline.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use vegas_core::units::Span;

use crate::scenario::field::{Field, FromGiven, Given};
use crate::scenario::model::QueueLimit;
use crate::scenario::scalar::{Chance, QueueKind, Whole};

/// A queue.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum LinkQueue {
    /// Drop-tail.
    Limit(QueueLimit),
    /// By a discipline.
    Managed(ManagedQueue),
}

/// A queue with a discipline, and its parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ManagedQueue {
    /// The discipline.
    pub(in crate::scenario) kind: Field<QueueKind>,
    /// How much the queue holds, with the packet being sent.
    pub(in crate::scenario) limit: Field<QueueLimit>,
    /// all but drop-tail: packets of flows with `ecn` are marked instead of dropped. Default: false.
    pub(in crate::scenario) ecn: Option<bool>,
    /// codel, fq-codel, pie: the waiting time to hold. Default: "5ms"; with pie "15ms".
    pub(in crate::scenario) target: Option<Field<Span>>,
    /// codel, fq-codel: how long packets wait above the target before the first drop. Default: "100ms".
    pub(in crate::scenario) interval: Option<Field<Span>>,
    /// pie: the time between two updates of the probability. Default: "15ms".
    pub(in crate::scenario) update: Option<Field<Span>>,
    /// pie: a burst of this length passes undropped. Default: "150ms".
    pub(in crate::scenario) max_burst: Option<Field<Span>>,
    /// fq-codel: the number of queues. Default: 1024.
    pub(in crate::scenario) queues: Option<Field<Whole<1, 65_536>>>,
    /// fq-codel: bytes that a queue sends in a turn. Default: 1514.
    pub(in crate::scenario) quantum: Option<Field<Whole<1, 1_000_000>>>,
    /// red: the average queue in packets from which packets are dropped. Default: 5.
    pub(in crate::scenario) min: Option<Field<Whole<1, 1_000_000>>>,
    /// red: the average queue in packets at which `max_probability` is reached. Default: three times `min`.
    pub(in crate::scenario) max: Option<Field<Whole<2, 3_000_000>>>,
    /// red: the probability of a drop at `max`. Default: 0.1.
    pub(in crate::scenario) max_probability: Option<Field<Chance>>,
    /// red: the weight of one packet in the average. Default: 0.002.
    pub(in crate::scenario) weight: Option<Field<Chance>>,
}

struct QueueVisitor;

impl QueueVisitor {
    fn limit<E: Error>(given: Given<'_>) -> Result<LinkQueue, E> {
        QueueLimit::from_given(given).map(LinkQueue::Limit).map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for QueueVisitor {
    type Value = LinkQueue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a queue such as \"100p\"")
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<LinkQueue, E> {
        Self::limit(Given::Switch(switch))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<LinkQueue, E> {
        Self::limit(Given::Whole(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<LinkQueue, E> {
        Self::limit(Given::Whole(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<LinkQueue, E> {
        Self::limit(Given::Fraction(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LinkQueue, E> {
        Self::limit(Given::Text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LinkQueue, A::Error> {
        ManagedQueue::deserialize(MapAccessDeserializer::new(map)).map(LinkQueue::Managed)
    }
}

impl<'de> Deserialize<'de> for LinkQueue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QueueVisitor)
    }
}

impl JsonSchema for LinkQueue {
    fn schema_name() -> Cow<'static, str> {
        "LinkQueue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": "How much the queue holds, or a discipline.",
            "anyOf": [generator.subschema_for::<Field<QueueLimit>>(), generator.subschema_for::<ManagedQueue>()],
        })
    }
}

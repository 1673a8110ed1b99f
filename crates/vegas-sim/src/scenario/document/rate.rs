//! A link's `rate`: a quantity, or a table that names a trace.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use vegas_core::units::Rate;

use crate::scenario::field::{Field, FromGiven, Given};

/// How fast a link sends.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum LinkRate {
    /// Always the same.
    Constant(Rate),
    /// As recorded.
    Trace(TraceRate),
}

/// A rate that varies as recorded in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct TraceRate {
    /// A file in Mahimahi's format, relative to the scenario file: on each line the time in ms of an opportunity to
    /// send 1500 bytes, ascending; it begins anew at its end.
    pub(in crate::scenario) trace: String,
}

struct RateVisitor;

impl RateVisitor {
    fn quantity<E: Error>(given: Given<'_>) -> Result<LinkRate, E> {
        Rate::from_given(given).map(LinkRate::Constant).map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for RateVisitor {
    type Value = LinkRate;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rate such as \"50mbit\"")
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<LinkRate, E> {
        Self::quantity(Given::Switch(switch))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<LinkRate, E> {
        Self::quantity(Given::Whole(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<LinkRate, E> {
        Self::quantity(Given::Whole(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<LinkRate, E> {
        Self::quantity(Given::Fraction(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LinkRate, E> {
        Self::quantity(Given::Text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LinkRate, A::Error> {
        TraceRate::deserialize(MapAccessDeserializer::new(map)).map(LinkRate::Trace)
    }
}

impl<'de> Deserialize<'de> for LinkRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RateVisitor)
    }
}

impl JsonSchema for LinkRate {
    fn schema_name() -> Cow<'static, str> {
        "LinkRate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": "A rate, or a trace of a varying one.",
            "anyOf": [generator.subschema_for::<Field<Rate>>(), generator.subschema_for::<TraceRate>()],
        })
    }
}

//! A link's `loss`: a probability, or a table that names a model.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use crate::scenario::field::{Field, FromGiven, Given};
use crate::scenario::scalar::{Chance, LossModel, Probability};

/// How packets are lost.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum Loss {
    /// Each by itself.
    Random(Probability),
    /// In bursts.
    Burst(BurstLoss),
}

/// Losses in bursts: a channel with a good and a bad state, which may change before each packet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct BurstLoss {
    /// The model's name.
    #[allow(dead_code, reason = "there is one model so far; the key says which one a file means")]
    pub(in crate::scenario) model: Field<LossModel>,
    /// Probability that the good state turns bad.
    pub(in crate::scenario) good_to_bad: Field<Chance>,
    /// Probability that the bad state turns good; above 0.
    pub(in crate::scenario) bad_to_good: Field<Chance>,
    /// Probability that a packet is lost in the good state. Default: 0.
    pub(in crate::scenario) loss_good: Option<Field<Probability>>,
    /// Probability that a packet is lost in the bad state. Default: 1.
    pub(in crate::scenario) loss_bad: Option<Field<Chance>>,
}

struct LossVisitor;

impl LossVisitor {
    fn probability<E: Error>(given: Given<'_>) -> Result<Loss, E> {
        Probability::from_given(given).map(Loss::Random).map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for LossVisitor {
    type Value = Loss;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a probability such as 0.01 or \"1%\", or a table with a model")
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<Loss, E> {
        Self::probability(Given::Switch(switch))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Loss, E> {
        Self::probability(Given::Whole(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Loss, E> {
        Self::probability(Given::Whole(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Loss, E> {
        Self::probability(Given::Fraction(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Loss, E> {
        Self::probability(Given::Text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Loss, A::Error> {
        BurstLoss::deserialize(MapAccessDeserializer::new(map)).map(Loss::Burst)
    }
}

impl<'de> Deserialize<'de> for Loss {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LossVisitor)
    }
}

impl JsonSchema for Loss {
    fn schema_name() -> Cow<'static, str> {
        "Loss".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": "A probability, or a model of losses in bursts.",
            "anyOf": [generator.subschema_for::<Field<Probability>>(), generator.subschema_for::<BurstLoss>()],
        })
    }
}

//! A link's `jitter`: a time, or a table that names a model.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::Span;

use crate::scenario::document::scalar::JitterModel;
use crate::scenario::read::field::{Field, ScalarOrTable};

/// The distribution of a packet's extra delay.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum Jitter {
    /// Uniform from 0 to this time.
    Uniform(Span),
    /// The distribution of a model.
    Model(ModelledJitter),
}

/// Extra delay of packets by a model.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ModelledJitter {
    /// The model's name.
    #[allow(dead_code, reason = "there is one model so far; the key says which one a file means")]
    pub(in crate::scenario) model: Field<JitterModel>,
    /// The mean of the model, 1 ms to 91 ms; values below or above count as these.
    pub(in crate::scenario) mean: Field<Span>,
}

impl ScalarOrTable for Jitter {
    type Scalar = Span;
    type Table = ModelledJitter;

    const EXPECTED: &'static str = "a time such as \"5ms\", or a table with a model";
    const NAME: &'static str = "Jitter";
    const DESCRIPTION: &'static str = "The most of a uniform delay, or a model.";

    fn of_scalar(most: Span) -> Self {
        Jitter::Uniform(most)
    }

    fn of_table(model: ModelledJitter) -> Self {
        Jitter::Model(model)
    }
}

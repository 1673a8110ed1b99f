//! A link's `loss`: a probability, or a table that names a model.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::scenario::document::scalar::{Chance, LossModel, Probability};
use crate::scenario::read::field::{Field, ScalarOrTable};

/// The distribution of losses.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum Loss {
    /// Each packet is lost independently with this probability.
    Random(Probability),
    /// Packets are lost in bursts.
    Burst(BurstLoss),
}

/// Losses in bursts: a channel with a good and a bad state, which may change before each packet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct BurstLoss {
    /// The model's name.
    #[allow(dead_code, reason = "there is one model so far; the key says which one a file means")]
    pub(in crate::scenario) model: Field<LossModel>,
    /// The probability that the good state turns bad.
    pub(in crate::scenario) good_to_bad: Field<Chance>,
    /// The probability that the bad state turns good; above 0.
    pub(in crate::scenario) bad_to_good: Field<Chance>,
    /// The probability that a packet is lost in the good state. Default: `0`.
    pub(in crate::scenario) loss_good: Option<Field<Probability>>,
    /// The probability that a packet is lost in the bad state. Default: `1`.
    pub(in crate::scenario) loss_bad: Option<Field<Chance>>,
}

impl ScalarOrTable for Loss {
    type Scalar = Probability;
    type Table = BurstLoss;

    const EXPECTED: &'static str = "a probability such as 0.01 or \"1%\", or a table with a model";
    const NAME: &'static str = "Loss";
    const DESCRIPTION: &'static str = "A probability, or a model of losses in bursts.";

    fn of_scalar(probability: Probability) -> Self {
        Loss::Random(probability)
    }

    fn of_table(model: BurstLoss) -> Self {
        Loss::Burst(model)
    }
}

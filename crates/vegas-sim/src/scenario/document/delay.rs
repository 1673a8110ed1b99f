//! A `delay_schedule`, of a link or of a flow.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::Span;

use crate::scenario::read::field::Field;

/// An additional delay that changes at given times; packets are kept in order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct DelaySchedule {
    /// The greatest delay that a point may have.
    pub(in crate::scenario) limit: Field<Span>,
    /// Pairs of a time and the delay from then on, ascending; before the first there is none.
    #[schemars(inner(length(equal = 2)))]
    pub(in crate::scenario) points: Vec<Vec<Field<Span>>>,
    /// flow: whether acknowledgements are held instead of data. Default: false.
    pub(in crate::scenario) backward: Option<bool>,
}

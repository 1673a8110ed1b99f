//! A `[[change]]` table.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Rate, Span};

use crate::scenario::document::scalar::{Chance, Name, Whole};
use crate::scenario::model::QueueLimit;
use crate::scenario::read::field::Field;

/// Something that changes during the run: a link's values, or a flow's route.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Change {
    /// When, before the run ends.
    pub(in crate::scenario) at: Field<Span>,
    /// The link, one direction, by its name in results, such as "r1->r2".
    pub(in crate::scenario) link: Option<String>,
    /// link: the rate from then on.
    pub(in crate::scenario) rate: Option<Field<Rate>>,
    /// link: the propagation delay from then on.
    pub(in crate::scenario) delay: Option<Field<Span>>,
    /// link: how much the queue holds from then on.
    pub(in crate::scenario) queue: Option<Field<QueueLimit>>,
    /// link: the probability that a packet is lost from then on; 1 is a black hole.
    pub(in crate::scenario) loss: Option<Field<Chance>>,
    /// graph: the flow that takes another route, counted from 0.
    pub(in crate::scenario) flow: Option<Field<Whole<0, { u32::MAX as u64 }>>>,
    /// flow: nodes to pass on the way from then on, in order; an empty list for the path of least delay.
    pub(in crate::scenario) via: Option<Vec<Field<Name>>>,
}

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
    /// The time of the change; before the run ends.
    pub(in crate::scenario) at: Field<Span>,
    /// The link, by its name in results (`"r1->r2"`): one direction. Either this or `flow`.
    pub(in crate::scenario) link: Option<String>,
    /// link: the rate from then on; not for a link that follows a trace. Default: as before.
    pub(in crate::scenario) rate: Option<Field<Rate>>,
    /// link: the propagation delay from then on. Default: as before.
    pub(in crate::scenario) delay: Option<Field<Span>>,
    /// link: the capacity of the queue from then on. Default: as before.
    pub(in crate::scenario) queue: Option<Field<QueueLimit>>,
    /// link: the probability that a packet is lost from then on; 1 is a black hole. Losses in bursts continue beside
    /// it. Default: as before.
    pub(in crate::scenario) loss: Option<Field<Chance>>,
    /// graph: the flow that takes another route, counted from 0.
    pub(in crate::scenario) flow: Option<Field<Whole<0, { u32::MAX as u64 }>>>,
    /// flow: nodes to pass on the way from then on, as in `[[flow]]`; `[]` for the path of least delay. Required with
    /// `flow`.
    pub(in crate::scenario) via: Option<Vec<Field<Name>>>,
}

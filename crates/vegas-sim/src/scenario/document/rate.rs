//! A link's `rate`: a quantity, or a table that names a trace.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::{Rate, Span};

use crate::scenario::read::field::{Field, ScalarOrTable};

/// A link's rate.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum LinkRate {
    /// A constant rate.
    Constant(Rate),
    /// A rate that follows a trace.
    Trace(TraceRate),
}

/// A rate that varies as recorded in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct TraceRate {
    /// A file, relative to the scenario file (to the working folder if the scenario is no file): in Mahimahi's format,
    /// on each line the time in ms of an opportunity to send 1500 bytes, ascending; or
    /// [a table of times and rates](networks.md#tables-of-rates). It begins again at its end.
    pub(in crate::scenario) trace: String,
    /// For a file with one rate a line, in Mb/s: the time that each holds.
    pub(in crate::scenario) step: Option<Field<Span>>,
}

impl ScalarOrTable for LinkRate {
    type Scalar = Rate;
    type Table = TraceRate;

    const EXPECTED: &'static str = "a rate such as \"50mbit\"";
    const NAME: &'static str = "LinkRate";
    const DESCRIPTION: &'static str = "A rate, or a trace of a varying one.";

    fn of_scalar(rate: Rate) -> Self {
        LinkRate::Constant(rate)
    }

    fn of_table(trace: TraceRate) -> Self {
        LinkRate::Trace(trace)
    }
}

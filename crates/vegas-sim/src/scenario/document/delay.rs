//! A link's `delay`: a time, or a table that names a trace; and a `delay_schedule`, of a link or of a flow.

use schemars::JsonSchema;
use serde::Deserialize;
use vegas_core::units::Span;

use crate::scenario::read::field::{Field, ScalarOrTable};

/// An additional delay that changes at given times; packets are kept in order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct DelaySchedule {
    /// The greatest delay that a point may have; 1 h at most.
    pub(in crate::scenario) limit: Field<Span>,
    /// A time, and the delay from then on; the times ascend. Before the first point there is no delay.
    #[schemars(inner(length(equal = 2)))]
    pub(in crate::scenario) points: Vec<Vec<Field<Span>>>,
    /// From the first point on, the points begin again after each such time; longer than from the first point to the
    /// last. Without it they are gone through once.
    pub(in crate::scenario) every: Option<Field<Span>>,
    /// flow: whether acknowledgements are delayed instead of data. A link's schedule stands in the table of its
    /// direction. Default: `false`.
    pub(in crate::scenario) backward: Option<bool>,
}

/// A link's propagation delay.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum LinkDelay {
    /// A constant delay.
    Constant(Span),
    /// A delay that follows a trace.
    Trace(TraceDelay),
}

/// A delay that varies as recorded in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct TraceDelay {
    /// A CSV file, relative to the scenario file: the line `time_s,delay_ms`, then on each line a time and the one-way
    /// delay from then on, ascending from 0; at the last time it begins again. Or
    /// [another table of times and delays](networks.md#delay-traces).
    pub(in crate::scenario) trace: String,
    /// For a file with one delay a line, in ms: the time that each holds.
    pub(in crate::scenario) step: Option<Field<Span>>,
}

impl ScalarOrTable for LinkDelay {
    type Scalar = Span;
    type Table = TraceDelay;

    const EXPECTED: &'static str = "a time such as \"48ms\", or a table with a trace";
    const NAME: &'static str = "LinkDelay";
    const DESCRIPTION: &'static str = "A delay, or a trace of a varying one.";

    fn of_scalar(delay: Span) -> Self {
        LinkDelay::Constant(delay)
    }

    fn of_table(trace: TraceDelay) -> Self {
        LinkDelay::Trace(trace)
    }
}

//! Measurements of a run: when rows are due, the totals that they are made from, and the outcome.

pub(crate) mod delay_histogram;
pub(crate) mod link_totals;
pub mod outcome;
pub(crate) mod recorder;
pub(crate) mod sampling;
pub(crate) mod totals;

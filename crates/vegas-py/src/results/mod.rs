//! Results: of a run, their folder, and tables.

pub(crate) mod outcome;
pub(crate) mod place;
pub(crate) mod table;

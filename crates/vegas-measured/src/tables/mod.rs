//! The tables of a measurement, and what is recorded into them.

pub mod columns;
mod histogram;
mod recorder;
pub mod rows;
mod writer;

pub(crate) use histogram::Histogram;
pub(crate) use recorder::{FLOWS_MAX, Recorded, Recorder, Step};

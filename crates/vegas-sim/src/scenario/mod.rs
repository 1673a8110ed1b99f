//! Scenarios: the file a user writes, its validation, and what the engine takes.
mod model;
pub use model::*;

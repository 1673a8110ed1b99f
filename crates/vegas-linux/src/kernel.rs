//! The kernel side: its objects and maps, and what it reports.

pub(crate) mod maps;
pub mod object;
pub(crate) mod observer;
pub mod option;
pub(crate) mod plain;
pub mod reading;
pub mod records;
pub mod trace;

pub use maps::PROOF_STEPS;

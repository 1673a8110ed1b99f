//! The simulator as a WebAssembly module, which the playground's worker calls. It imports the reader's own algorithms,
//! and the functions that the standard library requires from a host.
//!
//! [`Laboratory`] is the module as a Rust object, which tests use. `abi` exports it as functions of numbers, and passes
//! texts and tables through the module's memory (`docs/playground.md`).

#![deny(unsafe_code)]

pub mod abi;
mod describe;
mod edit;
mod failure;
mod laboratory;
mod own;
mod rows;
mod steered;

pub use edit::edit;
pub use failure::Failure;
pub use laboratory::Laboratory;
pub use rows::{FLOW_COLUMNS, LINK_COLUMNS};

//! The simulator as a WebAssembly module without imports: what the playground's worker calls.
//!
//! [`Laboratory`] is the module as a Rust object, which tests use; `abi` exports it as functions of numbers, with texts and
//! tables passed through the module's memory (`docs/playground.md`).

#![deny(unsafe_code)]

pub mod abi;
mod describe;
mod edit;
mod laboratory;
mod rows;
mod steered;

pub use edit::edit;
pub use laboratory::{Failure, Laboratory};
pub use rows::{FLOW_COLUMNS, LINK_COLUMNS};

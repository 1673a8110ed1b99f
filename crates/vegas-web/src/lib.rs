//! The simulator as a WebAssembly module: what the playground's worker calls. It imports the reader's own algorithms, and
//! what the standard library asks of a host.
//!
//! [`Laboratory`] is the module as a Rust object, which tests use; `abi` exports it as functions of numbers, with texts and
//! tables passed through the module's memory (`docs/playground.md`).

#![deny(unsafe_code)]

pub mod abi;
mod describe;
mod edit;
mod laboratory;
mod own;
mod rows;
mod steered;

pub use edit::edit;
pub use laboratory::{Failure, Laboratory};
pub use rows::{FLOW_COLUMNS, LINK_COLUMNS};

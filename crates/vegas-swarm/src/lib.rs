//! A swarm: random networks, each checked by what must hold in all of them.
//!
//! A network is a document, made from the swarm's seed and the network's number ([`generate`]). The simulator reads it
//! as it reads a user's file, and its run is bounded by events ([`run`]). The outcome is checked by what must hold of
//! one run ([`invariants`]), and by what must hold between related runs ([`relations`]). A document that fails is
//! shrunk: it is made smaller while it fails ([`document::shrink`]). Verdicts are functions of seed and number; there
//! is no clock in them.

#![forbid(unsafe_code)]

pub mod document;
pub mod draw;
pub mod examine;
pub mod generate;
pub mod invariants;
pub mod network;
pub mod panics;
pub mod relations;
pub mod run;
pub mod traces;

pub use examine::{Failure, Verdict, examine};

//! Random networks, each checked by what must hold in all of them: a swarm.
//!
//! A network is a document, made from the swarm's seed and the network's number ([`generate`]). It goes into the simulator as
//! a user's file would, its run is bounded by events ([`run`]), and what comes out is checked: by what must hold of one
//! run ([`invariants`]), and by what must hold between runs that are related ([`relations`]). A document that fails is made
//! smaller while it fails ([`shrink`]). Verdicts are functions of seed and number: there is no clock in them.

#![forbid(unsafe_code)]

pub mod document;
pub mod draw;
pub mod examine;
pub mod generate;
pub mod invariants;
pub mod network;
pub mod panics;
mod quantity;
pub mod relations;
pub mod run;
pub mod shrink;
pub mod traces;

pub use examine::{Failure, Verdict, examine};

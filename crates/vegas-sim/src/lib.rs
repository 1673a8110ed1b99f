//! A deterministic packet-level simulator for TCP congestion control.
//!
//! A run is a pure function of its [`scenario::Scenario`] (the seed is part of it) and of this crate's version:
//! the same bytes out on every machine. Time is integer nanoseconds; events are ordered by time and component.

#![deny(unsafe_code)]

mod apart;
pub mod batch;
mod chains;
mod engine;
mod event_queue;
pub mod foreign;
mod hop;
mod impairment;
mod lanes;
mod link;
mod links;
mod looks;
mod managed;
pub mod outcome;
mod packet;
mod passage;
mod pool;
mod prefetch;
mod queue;
mod recorder;
pub mod results;
mod ring;
mod rng;
mod routes;
pub mod scenario;
mod stays;
mod tcp;
mod traffic;
mod transmitter;
mod waiting;

pub use engine::{Carried, Carrier, Delivery, Direction, Progress, Simulation, run};

//! A deterministic packet-level simulator for TCP congestion control.
//!
//! A run is a pure function of its [`scenario::Scenario`] (the seed is part of it) and of this crate's version:
//! the same bytes out on every machine. Time is integer nanoseconds; events are ordered by time and component.

#![deny(unsafe_code)]

mod endpoint;
mod engine;
mod measure;
mod network;
mod packet;
pub mod scenario;
mod tcp;
mod traffic;
mod util;

pub use endpoint::{driven, external};
pub use engine::{Carried, Carrier, Delivery, Direction, Engine, Progress, Simulation, run, run_within};
pub use measure::outcome;
pub use packet::WireSize;
pub use util::watch::{Limits, Stop, Stopped, Watch};

/// The engine's version, which is part of every run's identity.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

//! QUIC flows in the simulator: both ends are quinn-proto's, without sockets, and their packets cross the simulator's
//! network in its time.
//!
//! What the network sees is real QUIC: handshake, packet sizes, acknowledgements, loss recovery and pacing are quinn's.
//! Only the cryptography is not (`null_crypto.rs`): it is left out, at its sizes, so that a run needs no randomness from the
//! operating system. All that quinn draws comes from the scenario's seed.
//!
//! ```
//! use vegas_sim::scenario::Scenario;
//!
//! let scenario = Scenario::from_toml(
//!     r#"
//!     name = "quic"
//!     duration = "20s"
//!     topology.kind = "dumbbell"
//!     topology.access = { rate = "1gbit", delay = "1ms" }
//!     topology.bottleneck = { rate = "10mbit", delay = "23ms", queue = "100p" }
//!     flow = [{ algorithm = "gallop", transport = "quic", size = "1mb" }]
//!     "#,
//!     "quic.toml",
//!     &[],
//! )?;
//! let outcome = vegas_quic_sim::run(&scenario);
//! assert_eq!(outcome.flows[0].delivered_bytes, 1_000_000);
//! # Ok::<(), vegas_sim::scenario::ScenarioError>(())
//! ```

#![forbid(unsafe_code)]

mod connection;
mod datagrams;
mod end;
mod null_crypto;
mod pattern;
mod tap;
mod writer;

use vegas_core::units::Time;
use vegas_sim::Simulation;
use vegas_sim::external::{Connection, Stack};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{FlowSpec, Scenario};

/// quinn, for [`Simulation::with_stack`].
#[derive(Clone, Copy, Debug)]
pub struct Quic;

impl Stack for Quic {
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection> {
        Box::new(connection::Quic::new(spec, flow, seed))
    }
}

/// Runs a scenario to its end, with TCP and QUIC flows.
pub fn run(scenario: &Scenario) -> Outcome {
    let mut simulation = Simulation::with_stack(scenario, Some(&Quic));
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish()
}

/// quinn's instants, counted from one that means nothing: only differences reach a result.
#[derive(Clone, Copy, Debug)]
struct Clock {
    origin: std::time::Instant,
}

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "an origin for quinn's instants; only differences are ever looked at"
    )]
    fn new() -> Self {
        Clock { origin: std::time::Instant::now() }
    }

    fn instant(self, time: Time) -> std::time::Instant {
        self.origin + std::time::Duration::from_nanos(time.as_nanos())
    }

    fn time(self, instant: std::time::Instant) -> Time {
        let nanos = instant.saturating_duration_since(self.origin).as_nanos();
        Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

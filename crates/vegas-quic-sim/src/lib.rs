//! QUIC flows in the simulator: both ends are quinn-proto's, without sockets, and their packets cross the simulator's
//! network in simulated time.
//!
//! The network carries real QUIC: handshake, packet sizes, acknowledgements, loss recovery and pacing are quinn's. Only
//! the cryptography is left out, at unchanged sizes (`null_crypto.rs`), so that a run needs no randomness from the
//! operating system. All random numbers that quinn draws come from the scenario's seed.
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

mod arrivals;
mod connection;
mod datagrams;
mod end;
mod external;
mod null_crypto;
mod pattern;
#[cfg(feature = "s2n")]
mod s2n;
mod steering;
mod tap;
mod writer;

use std::sync::Arc;

use vegas_core::units::Time;
use vegas_sim::Simulation;
use vegas_sim::external::{Connection, Stack};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{FlowSpec, Scenario};

pub use external::{Call, Factory, Listener};
#[cfg(feature = "s2n")]
pub use s2n::S2nBy;
pub use steering::Told;

/// quinn with a controller of another crate in every flow, whatever algorithm the scenario names.
///
/// ```
/// use std::sync::Arc;
/// use quinn_proto::congestion::BbrConfig;
/// use vegas_quic_sim::QuicBy;
/// # use vegas_sim::scenario::Scenario;
/// # let text = r#"
/// #     name = "quic"
/// #     duration = "20s"
/// #     topology.kind = "dumbbell"
/// #     topology.access = { rate = "1gbit", delay = "1ms" }
/// #     topology.bottleneck = { rate = "10mbit", delay = "23ms", queue = "100p" }
/// #     flow = [{ algorithm = "reno", transport = "quic", size = "1mb" }]
/// # "#;
/// # let scenario = Scenario::from_toml(text, "quic.toml", &[])?;
///
/// let outcome = vegas_quic_sim::run_by(&scenario, &QuicBy::new(Arc::new(BbrConfig::default())));
/// assert_eq!(outcome.flows[0].delivered_bytes, 1_000_000);
/// # Ok::<(), vegas_sim::scenario::ScenarioError>(())
/// ```
#[derive(Clone)]
pub struct QuicBy {
    factory: Factory,
    listener: Option<Arc<dyn Listener>>,
}

impl QuicBy {
    /// With the controllers of `factory`.
    pub fn new(factory: Factory) -> Self {
        QuicBy { factory, listener: None }
    }

    /// With something that hears of each call.
    pub fn heard_by(self, listener: Arc<dyn Listener>) -> Self {
        QuicBy { listener: Some(listener), ..self }
    }
}

impl std::fmt::Debug for QuicBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuicBy").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl Stack for QuicBy {
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection> {
        let make = |_| connection::Made { factory: Arc::clone(&self.factory), steering: None };
        Box::new(connection::Quic::by(spec, flow, seed, make, self.listener.as_ref()))
    }

    fn kept(&self) -> Option<Box<dyn Stack>> {
        Some(Box::new(self.clone()))
    }
}

/// quinn, for [`Simulation::with_stack`].
#[derive(Clone, Copy, Debug)]
pub struct Quic;

impl Stack for Quic {
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection> {
        Box::new(connection::Quic::new(spec, flow, seed))
    }

    fn kept(&self) -> Option<Box<dyn Stack>> {
        Some(Box::new(*self))
    }
}

/// Runs a scenario to its end, with TCP and QUIC flows.
pub fn run(scenario: &Scenario) -> Outcome {
    run_by(scenario, &Quic)
}

/// Likewise, with the ends of QUIC flows from `stack`.
pub fn run_by(scenario: &Scenario, stack: &dyn Stack) -> Outcome {
    let mut simulation = Simulation::with_stack(scenario, Some(stack));
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish()
}

/// quinn's instants, counted from an arbitrary origin: only differences reach a result.
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

//! Any controller of s2n-quic's interface, without a change of its code: an adapter makes its calls of quinn's.
//!
//! | s2n-quic's call | made of |
//! |---|---|
//! | `on_packet_sent` | each datagram; the host knows whether the application has more |
//! | `on_rtt_update`, `on_ack` | quinn's acknowledged packets, together where they come with one acknowledgement |
//! | `on_packet_lost` | all that left before the newest lost one, and are not acknowledged: quinn's thresholds (RFC 9002, section 6.1) leave none out |
//! | `on_explicit_congestion` | quinn's event without lost bytes, as one mark |
//! | `on_packet_discarded` | bytes that quinn no longer counts as in flight: acknowledgements alone, and keys of the handshake |
//! | `earliest_departure_time` | the host asks quinn for no datagram before it, to the millisecond, as s2n-quic's timers have it |
//!
//! quinn names packets by the instant at which they left; so each leaves at an instant of its own, a nanosecond after
//! the one before it. quinn's pacer is off. An acknowledgement's packets come before the losses that it shows. Delays
//! that the peer tells of are 0.

mod adapter;
mod outstanding;

use std::fmt;
use std::sync::Arc;

use s2n_quic_core::recovery::congestion_controller::Endpoint;
use vegas_sim::external::{Connection, Stack};
use vegas_sim::scenario::FlowSpec;

use crate::connection::{Made, Quic, seed_of};
use crate::external::Listener;

/// quinn with controllers of s2n-quic's interface in every flow, whatever algorithm the scenario names.
///
/// ```
/// use s2n_quic_core::recovery::bbr;
/// use vegas_quic_sim::S2nBy;
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
/// let outcome = vegas_quic_sim::run_by(&scenario, &S2nBy::new(bbr::Endpoint::default));
/// assert_eq!(outcome.flows[0].delivered_bytes, 1_000_000);
/// # Ok::<(), vegas_sim::scenario::ScenarioError>(())
/// ```
pub struct S2nBy<F> {
    endpoint: F,
    listener: Option<Arc<dyn Listener>>,
}

impl<E: Endpoint, F: Fn() -> E + Send + Sync> S2nBy<F> {
    /// With the controllers of an endpoint, which is made for each flow.
    pub fn new(endpoint: F) -> Self {
        S2nBy { endpoint, listener: None }
    }

    /// With something that hears of each call.
    pub fn heard_by(self, listener: Arc<dyn Listener>) -> Self {
        S2nBy { listener: Some(listener), ..self }
    }
}

impl<F> fmt::Debug for S2nBy<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S2nBy").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl<E: Endpoint, F: Fn() -> E + Send + Sync> Stack for S2nBy<F> {
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection> {
        /// Of the controller's random numbers; 1 and 2 are the ends'.
        const DRAWS: u8 = 3;
        let make = |clock| {
            let (factory, steering) = adapter::factory((self.endpoint)(), seed_of(seed, flow, DRAWS), clock);
            Made { factory, steering: Some(steering) }
        };
        Box::new(Quic::by(spec, flow, seed, make, self.listener.as_ref()))
    }
}

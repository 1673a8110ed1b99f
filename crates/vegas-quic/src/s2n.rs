//! The algorithms for s2n-quic, with the Cargo feature `s2n`.
//!
//! s2n-quic's controller interface (its feature `unstable-congestion-controller`) takes a departure time beside the window,
//! so what needs pacing runs here: every algorithm that quinn carries, and Streak Doubling.
//!
//! ```
//! use vegas_quic::VegasQuic;
//!
//! let streak = VegasQuic::preset("streak")?.build_s2n()?;
//! // s2n_quic::Server::builder().with_congestion_controller(streak)?
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How s2n-quic's events become the core's
//!
//! As quinn's do (see the crate's documentation), but for this:
//!
//! - **Packets** are known by what this controller has said of each when it left; none has to be found by its send time.
//! - **Thinned acknowledgements** are the rule: s2n-quic answers every second packet, and does not ask its peer for more.
//! - **Marks** come without the marked packet's send time; the newest packet's of the acknowledgement is taken.
//! - **Another path** has another controller.
//! - **Bursts.** An algorithm's own rate spaces each packet. Where it has none, packets are spaced at 1.25 windows a round
//!   trip with ten at once, as quinn's pacer does (RFC 9002, section 7.7). s2n-quic looks at departure times to the
//!   millisecond, so that what is due within one leaves together: on a fast path several packets, at the same rate.

mod controller;
mod pacer;

use s2n_quic_core::recovery::congestion_controller::{Endpoint, PathInfo};
use vegas_core::units::Span;
use vegas_core::{Host, HostCapabilities, Refusal};

pub use controller::{S2nController, Sent};

use crate::VegasQuic;
use crate::builder::carried_by;
use crate::path::Choice;

/// Makes an [`S2nController`] for each path: what [`VegasQuic::build_s2n`] gives, for s2n-quic's
/// `with_congestion_controller`.
#[derive(Clone, Debug)]
pub struct S2nEndpoint {
    choice: Choice,
    host_noise: Span,
}

impl Endpoint for S2nEndpoint {
    type CongestionController = S2nController;

    fn new_congestion_controller(&mut self, path: PathInfo<'_>) -> S2nController {
        S2nController::new(self.choice.clone(), self.host_noise, path.max_datagram_size)
    }
}

impl VegasQuic {
    /// The names of the presets that s2n-quic can carry.
    pub fn s2n_presets() -> impl Iterator<Item = &'static str> {
        carried_by(Host::S2n)
    }

    /// The algorithm for s2n-quic. A refusal names the part or number that is to blame, and the host where the host is.
    pub fn build_s2n(self) -> Result<S2nEndpoint, Refusal> {
        let (choice, host_noise) = self.check(&HostCapabilities::S2N)?;
        Ok(S2nEndpoint { choice, host_noise })
    }
}

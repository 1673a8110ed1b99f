//! The algorithms for s2n-quic, with the Cargo feature `s2n`.
//!
//! s2n-quic's controller interface (its feature `unstable-congestion-controller`) takes a departure time beside the
//! window, so algorithms that pace run here: every algorithm that quinn carries, and Streak Doubling.
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
//! - **Packets** carry a record that this controller makes when each leaves; none has to be found by its send time.
//! - **Thinned acknowledgements** are the rule: s2n-quic answers every second packet, and does not ask its peer for
//!   more.
//! - **Marks** come without the marked packet's send time; the newest packet's of the acknowledgement is taken.
//! - **Another path** has another controller.
//! - **Bursts.** An algorithm's own rate spaces each packet. Without one, packets leave at 1.25 windows a round trip in
//!   bursts of ten at most, as quinn's pacer has it (RFC 9002, section 7.7). s2n-quic compares departure times in whole
//!   milliseconds, so packets that are due within one millisecond leave together: several on a fast path, at an
//!   unchanged rate.

mod controller;
mod pacer;

use s2n_quic_core::recovery::congestion_controller::{Endpoint, PathInfo};
use vegas_core::units::Span;
use vegas_core::{Host, HostCapabilities, Refusal};

pub use controller::{S2nController, Sent};

use crate::VegasQuic;
use crate::builder::carried_by;
use crate::path::Choice;

/// Makes an [`S2nController`] for each path. [`VegasQuic::build_s2n`] returns it; s2n-quic's
/// `with_congestion_controller` takes it.
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

    /// Builds the algorithm for s2n-quic. The error names the part or number that cannot run, and the host if the host
    /// is the reason.
    pub fn build_s2n(self) -> Result<S2nEndpoint, Refusal> {
        let (choice, host_noise) = self.check(&HostCapabilities::S2N)?;
        Ok(S2nEndpoint { choice, host_noise })
    }
}

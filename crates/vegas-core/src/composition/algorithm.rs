//! An algorithm: a checked composition with its numbers.

use crate::composition::parts::signal::Dialect;
use crate::composition::{Composition, Refusal};
use crate::contract::parameters::Parameters;
use crate::units::Segments;

/// A checked composition with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    composition: Composition,
    parameters: Parameters,
    /// The window grows for each acknowledged segment, not for each acknowledgement.
    grows_by_segments: bool,
    /// Slow start grows the window only while that limits the sender; so does congestion avoidance.
    slow_start_heeds_limit: bool,
    avoidance_heeds_limit: bool,
    counts_marks: bool,
}

impl Algorithm {
    /// Checks that the parts go together and the numbers make sense.
    pub fn new(composition: Composition, parameters: Parameters) -> Result<Self, Refusal> {
        composition.check(&parameters)?;
        let asks = !has_own_rule(&composition);
        Ok(Algorithm {
            composition,
            parameters,
            grows_by_segments: false,
            slow_start_heeds_limit: asks && composition.slow_start.needs().window_limited,
            avoidance_heeds_limit: asks && composition.avoidance.needs().window_limited,
            counts_marks: composition.loss.cut.needs().accurate_ecn,
        })
    }

    /// This algorithm on a host that lets windows grow only while they limit the sender, as the kernel's Reno does
    /// (`tcp_reno_cong_avoid`).
    #[inline(always)]
    pub fn heeding_limit(mut self) -> Self {
        let asks = !has_own_rule(&self.composition);
        (self.slow_start_heeds_limit, self.avoidance_heeds_limit) = (asks, asks);
        self
    }

    /// This algorithm with growth for each segment acknowledged: QUIC's receivers choose how many packets they
    /// acknowledge at once, and its windows grow by what is acknowledged (RFC 9002, appendix B.5). Papers count
    /// acknowledgements.
    pub fn growing_by_segments(self) -> Self {
        Algorithm { grows_by_segments: true, ..self }
    }

    /// The parts.
    #[inline(always)]
    pub fn composition(&self) -> &Composition {
        &self.composition
    }

    /// The numbers.
    #[inline(always)]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    #[inline(always)]
    pub(crate) fn grows_by_segments(&self) -> bool {
        self.grows_by_segments
    }

    /// Whether a window grows only while it limits the sender; `opens` in slow start.
    #[inline(always)]
    pub(crate) fn heeds_limit(&self, opens: bool) -> bool {
        if opens { self.slow_start_heeds_limit } else { self.avoidance_heeds_limit }
    }

    /// Whether a part asks for the number of marks.
    #[inline(always)]
    pub(crate) fn counts_marks(&self) -> bool {
        self.counts_marks
    }

    /// The slow-start threshold before the first loss; none: unbounded.
    pub(crate) fn first_threshold(&self) -> Option<Segments> {
        let default = self.composition.slow_start.first_threshold().map(|most| most.min(self.parameters.max_window));
        self.parameters.ssthresh.or(default)
    }
}

/// Whether its parts ask themselves what limits the sender: Vegas of the kernel does, where it calls Reno's growth.
fn has_own_rule(composition: &Composition) -> bool {
    composition.signal.dialect() == Dialect::Linux
}

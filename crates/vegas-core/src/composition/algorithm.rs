//! An algorithm: a checked composition with its numbers.

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
}

impl Algorithm {
    /// Checks that the parts go together and the numbers make sense.
    pub fn new(composition: Composition, parameters: Parameters) -> Result<Self, Refusal> {
        composition.check(&parameters)?;
        Ok(Algorithm { composition, parameters, grows_by_segments: false })
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

    /// The slow-start threshold before the first loss; none: unbounded.
    pub(crate) fn first_threshold(&self) -> Option<Segments> {
        let default = self.composition.slow_start.first_threshold().map(|most| most.min(self.parameters.max_window));
        self.parameters.ssthresh.or(default)
    }
}

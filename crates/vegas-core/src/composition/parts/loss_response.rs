//! The response to a loss: how far the window is cut, and how often.

use crate::composition::parts::cut::Cut;

/// How the window answers a loss that was found without the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossResponse {
    /// How far the window is cut.
    pub cut: Cut,
    /// E of "Revisited": cut only if what was lost had been sent after the last cut.
    pub once_per_window: bool,
    /// When slow start ends, if the cut finds the sender in it.
    pub slow_start_ends: SlowStartEnds,
}

/// When a cut ends slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStartEnds {
    /// With the cut itself (RFC 5681, section 3.2, step 2).
    AtCut,
    /// With the next new acknowledgement, which deflates the window (ns-2's Vegas).
    AtNextAck,
}

//! The response to a loss: how far the window is cut, and how often.

use crate::algorithm::Control;
use crate::contract::Loss;
use crate::units::{Segments, Time, Window};

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

/// How far the window is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// To half (RFC 5681, section 3.1, equation 4).
    Half,
    /// F of "Revisited": to three quarters; to half if what was lost is a retransmission; 3 and less to 2.
    ThreeQuarters,
}

impl Cut {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, Cut)] = &[("half", Cut::Half), ("three-quarters", Cut::ThreeQuarters)];
}

/// The least window after a loss (RFC 5681, equation 4).
const LEAST: Segments = Segments(2);

impl LossResponse {
    /// Whether this loss cuts the window, with the last cut made at `last_cut`.
    pub(crate) fn cuts(&self, loss: &Loss, last_cut: Time) -> bool {
        !self.once_per_window || loss.sent > last_cut
    }

    /// The window after the cut.
    pub(crate) fn window_after(&self, control: &Control, loss: &Loss) -> Window {
        let window = control.window;
        let least = Window::whole(LEAST);
        match self.cut {
            Cut::Half => window.scaled(1, 2).max(least),
            Cut::ThreeQuarters => {
                let whole = window.floor();
                let cut = match () {
                    () if whole.0 <= 3 => LEAST,
                    () if loss.retransmission => Segments(whole.0 / 2),
                    () => Segments(whole.0 - whole.0 / 4),
                };
                Window::whole(cut)
            }
        }
    }
}

/// The slow-start threshold after a timeout: half the window, at least 2 (RFC 5681, equation 4).
pub(crate) fn ssthresh_after_timeout(window: Window) -> Segments {
    window.scaled(1, 2).floor().max(LEAST)
}

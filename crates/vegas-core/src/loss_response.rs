//! The response to a loss: how far the window is cut, and how often.

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
    /// F of "Revisited", in whole segments: less a quarter, itself rounded down; to half, rounded down, if what was
    /// lost is a retransmission; 3 and less to 2.
    ThreeQuarters,
    /// To 717/1024, the 0.7 of CUBIC as Linux has it (RFC 9438, section 4.6); also after a timeout.
    Cubic,
    /// To the threshold, or by one segment where that lowers the window more; also after a timeout (ns-3's Vegas, whose
    /// congestion avoidance keeps the threshold near the window).
    VegasNs3,
}

impl Cut {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, Cut)] = &[
        ("half", Cut::Half),
        ("three-quarters", Cut::ThreeQuarters),
        ("cubic", Cut::Cubic),
        ("vegas-ns3", Cut::VegasNs3),
    ];
}

/// The least window after a loss (RFC 5681, equation 4).
const LEAST: Segments = Segments(2);

impl LossResponse {
    /// Whether this loss cuts the window, with the last cut made at `last_cut`.
    pub(crate) fn cuts(&self, loss: &Loss, last_cut: Time) -> bool {
        !self.once_per_window || loss.sent > last_cut
    }

    /// The window after the cut, at least 2; `ssthresh` is the threshold before it.
    pub(crate) fn window_after(&self, window: Window, ssthresh: Segments, loss: &Loss) -> Window {
        match self.cut {
            Cut::Half => window.half().max(Window::whole(LEAST)),
            Cut::Cubic => seven_tenths(window).max(Window::whole(LEAST)),
            Cut::VegasNs3 => one_less(window, ssthresh).max(Window::whole(LEAST)),
            Cut::ThreeQuarters => Window::whole(three_quarters(window.floor(), loss.retransmission)),
        }
    }

    /// The slow-start threshold after a timeout: half the window, at least 2 (RFC 5681, equation 4); CUBIC's share of
    /// it where the cut is CUBIC's (RFC 9438, section 4.8). `ssthresh` is the threshold before it.
    pub(crate) fn ssthresh_after_timeout(&self, window: Window, ssthresh: Segments) -> Segments {
        let threshold = match self.cut {
            Cut::Half | Cut::ThreeQuarters => window.half(),
            Cut::Cubic => seven_tenths(window),
            Cut::VegasNs3 => one_less(window, ssthresh),
        };
        threshold.floor().max(LEAST)
    }
}

/// 717/1024 of a window of 2^24 segments at most: 2^52 x 717 fits 64 bits.
fn seven_tenths(window: Window) -> Window {
    Window::from_raw(window.as_raw() * 717 / 1024)
}

/// ns-3's `TcpVegas::GetSsThresh`.
fn one_less(window: Window, ssthresh: Segments) -> Window {
    window.minus(Window::ONE).min(Window::whole(ssthresh))
}

fn three_quarters(window: Segments, retransmission: bool) -> Segments {
    if window <= Segments(3) {
        LEAST
    } else if retransmission {
        Segments(window.0 / 2)
    } else {
        Segments(window.0 - window.0 / 4)
    }
}

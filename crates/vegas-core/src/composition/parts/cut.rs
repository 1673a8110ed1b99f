//! How far a loss cuts the window.

pub(crate) mod alpha;
mod cubic;
mod half;
mod scalable;
mod three_quarters;
mod vegas_ns3;
mod whole;

use crate::composition::parts::avoidance::Avoidance;
use crate::composition::parts::part::{Share, choice};
use crate::contract::{Loss, Needs};
use crate::units::{Segments, Window};
use alpha::Alpha;

/// A cut: the window after a loss. It has no state but the part of packets that were marked, which is counted for one
/// that asks for their number; `ssthresh` is the threshold before the loss.
pub(crate) trait CutPart {
    /// The page of its rule, in `docs/algorithms`.
    const PAGE: &'static str;
    /// What the host must give.
    const NEEDS: Needs = Needs::NONE;
    /// The window after a loss that the retransmission timer did not find; the caller raises it to two segments.
    fn window_after(window: Window, ssthresh: Segments, loss: &Loss, alpha: &Alpha) -> Window;

    /// The slow-start threshold after a timeout: half the window (RFC 5681, equation 4), in whole segments.
    fn ssthresh_after_timeout(window: Window, _ssthresh: Segments) -> Window {
        window.half()
    }

    /// That threshold as a share of the window, which the conformance suite checks.
    const SHARE_AFTER_TIMEOUT: Share = Share::Of1024(512);
    /// A loss may leave the window at the threshold.
    const TO_THRESHOLD: bool = false;
    /// The only congestion avoidance that it combines with, and the reason.
    const GOES_WITH: Option<(Avoidance, &'static str)> = None;
    /// The congestion control of Linux that has this part; the kernel's copy then leaves it out.
    const KERNELS_OWN: Option<&'static str> = None;
}

/// The macro [`choice!`] with the rules of the cuts.
macro_rules! cuts {
    ($($(#[doc = $doc:literal])+ $name:literal $variant:ident: $module:ident,)+) => {
        choice! {
            /// How far the window is cut.
            Cut of CutPart { $($(#[doc = $doc])+ $name $variant: $module,)+ }
            /// The page of its rule, in `docs/algorithms`.
            pub fn page -> &'static str = PAGE;
            /// What the host must give.
            pub fn needs -> Needs = NEEDS;
            /// The slow-start threshold after a timeout, as a share of the window.
            pub fn share_after_timeout -> Share = SHARE_AFTER_TIMEOUT;
            /// Whether a loss may leave the window at the threshold.
            pub fn to_threshold -> bool = TO_THRESHOLD;
            /// The only congestion avoidance that it combines with, and the reason.
            pub fn goes_with -> Option<(Avoidance, &'static str)> = GOES_WITH;
            /// The congestion control of Linux that has this part; the kernel's copy then leaves it out.
            pub fn kernels_own -> Option<&'static str> = KERNELS_OWN;
        }

        impl Cut {
            /// The window after a loss, at least 2.
            pub(crate) fn window_after(self, window: Window, ssthresh: Segments, loss: &Loss, alpha: &Alpha) -> Window {
                let after = match self {
                    $(Cut::$variant => <$module::$variant as CutPart>::window_after(window, ssthresh, loss, alpha),)+
                };
                after.max(Window::whole(LEAST))
            }

            /// The slow-start threshold after a timeout, at least 2.
            pub(crate) fn ssthresh_after_timeout(self, window: Window, ssthresh: Segments) -> Segments {
                let threshold = match self {
                    $(Cut::$variant => <$module::$variant as CutPart>::ssthresh_after_timeout(window, ssthresh),)+
                };
                threshold.floor().max(LEAST)
            }
        }
    };
}

cuts! {
    /// To half (RFC 5681, section 3.1, equation 4).
    "half" Half: half,
    /// To half of the whole segments, in whole segments (Linux's `tcp_reno_ssthresh`).
    "half-linux" HalfLinux: whole,
    /// A quarter less, itself rounded down; half, if what was lost is a retransmission (F of "Revisited").
    "three-quarters" ThreeQuarters: three_quarters,
    /// To 717/1024, also after a timeout: the 0.7 of CUBIC as Linux has it (RFC 9438, section 4.6).
    "cubic" Cubic: cubic,
    /// To the threshold, or by one segment where that is less; also after a timeout (ns-3's `TcpVegas`).
    "vegas-ns3" VegasNs3: vegas_ns3,
    /// After a mark by half of the part of packets that were marked, averaged over windows of data; to half after a
    /// loss (RFC 8257).
    "scalable" Scalable: scalable,
}

/// The least window after a loss (RFC 5681, equation 4).
const LEAST: Segments = Segments(2);

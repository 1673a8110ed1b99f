//! Cuts of Linux, where windows are whole segments: what a window has gathered towards the next segment
//! (`snd_cwnd_cnt`) is lost with the cut.

use super::CutPart;
use super::alpha::Alpha;
use super::cubic::seven_tenths;
use crate::composition::parts::part::Share;
use crate::contract::Loss;
use crate::units::{Segments, Window};

/// `tcp_reno_ssthresh`.
pub(crate) struct HalfLinux;

impl CutPart for HalfLinux {
    const PAGE: &'static str = "vegas-linux.md";

    fn window_after(window: Window, _ssthresh: Segments, _loss: &Loss, _alpha: &Alpha) -> Window {
        Window::whole(Segments(window.floor().0 / 2))
    }
}

/// `cubictcp_recalc_ssthresh`.
pub(crate) struct CubicLinux;

impl CutPart for CubicLinux {
    const PAGE: &'static str = "cubic.md";
    const SHARE_AFTER_TIMEOUT: Share = Share::OfWhole1024(717);
    const KERNELS_OWN: Option<&'static str> = Some("cubic");

    fn window_after(window: Window, _ssthresh: Segments, _loss: &Loss, _alpha: &Alpha) -> Window {
        whole_seven_tenths(window)
    }

    fn ssthresh_after_timeout(window: Window, _ssthresh: Segments) -> Window {
        whole_seven_tenths(window)
    }
}

fn whole_seven_tenths(window: Window) -> Window {
    Window::whole(seven_tenths(Window::whole(window.floor())).floor())
}

//! CUBIC's cut: to 717/1024, the 0.7 of RFC 9438, section 4.6, as Linux has it; also after a timeout (section 4.8).

use super::CutPart;
use super::alpha::Alpha;
use crate::composition::parts::part::Share;
use crate::contract::Loss;
use crate::units::{Segments, Window};

pub(crate) struct Cubic;

impl CutPart for Cubic {
    const PAGE: &'static str = "cubic.md";
    const SHARE_AFTER_TIMEOUT: Share = Share::Of1024(717);
    const KERNELS_OWN: Option<&'static str> = Some("cubic");

    fn window_after(window: Window, _ssthresh: Segments, _loss: &Loss, _alpha: &Alpha) -> Window {
        seven_tenths(window)
    }

    fn ssthresh_after_timeout(window: Window, _ssthresh: Segments) -> Window {
        seven_tenths(window)
    }
}

/// Of a window of 2^24 segments at most: 2^52 x 717 fits 64 bits.
pub(super) fn seven_tenths(window: Window) -> Window {
    Window::from_raw(window.as_raw() * 717 / 1024)
}

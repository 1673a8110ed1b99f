//! Cuts of Linux, where windows are whole segments: what a window has gathered towards the next segment
//! (`snd_cwnd_cnt`) is lost with the cut.

use super::CutPart;
use super::alpha::Alpha;
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

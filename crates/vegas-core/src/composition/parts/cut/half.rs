//! Reno's cut: to half the window (RFC 5681, section 3.1, equation 4).

use super::CutPart;
use super::alpha::Alpha;
use crate::contract::Loss;
use crate::units::{Segments, Window};

pub(crate) struct Half;

impl CutPart for Half {
    const PAGE: &'static str = "reno.md";
    fn window_after(window: Window, _ssthresh: Segments, _loss: &Loss, _alpha: &Alpha) -> Window {
        window.half()
    }
}

//! Vegas's cut, in whole segments (F of "Revisited"): less a quarter, itself rounded down; to half, rounded down, if
//! what was lost is a retransmission; 3 and less to 2.

use super::alpha::Alpha;
use super::{CutPart, LEAST};
use crate::contract::Loss;
use crate::units::{Segments, Window};

pub(crate) struct ThreeQuarters;

impl CutPart for ThreeQuarters {
    const PAGE: &'static str = "vegas.md";
    fn window_after(window: Window, _ssthresh: Segments, loss: &Loss, _alpha: &Alpha) -> Window {
        Window::whole(match window.floor() {
            window if window <= Segments(3) => LEAST,
            window if loss.retransmission => Segments(window.0 / 2),
            window => Segments(window.0 - window.0 / 4),
        })
    }
}

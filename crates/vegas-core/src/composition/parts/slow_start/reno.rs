//! Reno's slow start: one segment for each acknowledgement (RFC 5681, section 3.1).

use super::SlowStartPart;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::Parameters;
use crate::units::Window;

/// It has no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reno;

impl SlowStartPart for Reno {
    const PAGE: &'static str = "reno.md";
    fn start(_window: Window) -> Self {
        Reno
    }

    fn on_round(&mut self, control: &mut WindowControl, _end: &RoundEnd<'_>, _parameters: &Parameters) {
        control.grow_by(Window::ONE);
    }
}

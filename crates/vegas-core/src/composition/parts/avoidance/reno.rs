//! Reno's congestion avoidance: one segment a round (RFC 5681, section 3.1, equation 3).

use super::AvoidancePart;
use crate::composition::parts::signal::Round;
use crate::composition::parts::window::WindowControl;
use crate::contract::Ack;
use crate::contract::parameters::Parameters;

/// It has no state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reno;

impl AvoidancePart for Reno {
    const PAGE: &'static str = "reno.md";
    #[inline(always)]
    fn on_ack(&mut self, control: &mut WindowControl, _ack: &Ack, _round: &Round, _parameters: &Parameters) {
        control.grow_by(control.window.one_spread());
    }
}

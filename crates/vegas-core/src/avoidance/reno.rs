//! Reno's congestion avoidance: one segment a round (RFC 5681, section 3.1, equation 3).

use crate::algorithm::Control;

#[inline]
pub(crate) fn on_ack(control: &mut Control) {
    control.grow_by(control.window.one_spread());
}

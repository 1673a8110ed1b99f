//! Reno's slow start: one segment per acknowledgement (RFC 5681, section 3.1).

use crate::algorithm::Control;
use crate::units::Window;

pub(crate) fn on_round(control: &mut Control) {
    control.growth = Window::ONE;
}

pub(crate) fn on_timeout(control: &mut Control) {
    control.growth = Window::ONE;
}

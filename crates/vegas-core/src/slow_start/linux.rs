//! The slow start of Linux's Vegas: as Reno, one segment for each one acknowledged, until the backlog of a round
//! exceeds gamma; then down to what the path holds without a queue, plus one (`tcp_vegas.c`; design section 4.1).

use super::capped;
use crate::algorithm::Control;
use crate::composition::Parameters;
use crate::contract::Ack;
use crate::signal::Measured;
use crate::units::{Segments, Window};

/// A round that measured nothing, for it had two samples or less, is one of Reno's.
/// `three_quarters` is the least threshold for a window.
pub(crate) fn on_round(
    control: &mut Control,
    measured: Option<Measured>,
    parameters: &Parameters,
    three_quarters: fn(Window) -> Segments,
) {
    let Some(Measured { diff, target }) = measured else { return };
    if i64::from(diff) > parameters.gamma.as_i64() {
        control.grow_by(Window::default());
        control.shrink_to(Window::whole(Segments(target.0.saturating_add(1))));
        control.lower_threshold_below_window();
        control.growth_opens = false;
    }
    control.raise_threshold(three_quarters(control.window));
}

/// `tcp_slow_start`: as many as were acknowledged, up to the threshold.
pub(crate) fn growth(control: &Control, ack: &Ack) -> Window {
    capped(control, Window::whole(ack.acked))
}

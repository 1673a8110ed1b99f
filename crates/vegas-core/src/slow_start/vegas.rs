//! Vegas's slow start: one segment per acknowledgement in every second round, so that the round between measures
//! a window that did not change (Brakmo and Peterson 1995, section IV.C; design section 4.1).

use crate::algorithm::Control;
use crate::units::{Segments, Window};

/// Whether the round under way grows. The default rests in the first round: the first acknowledgement closes a round
/// without data and begins one that does not grow: 2, 2, 4, 4, 8, ...
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EverySecond {
    rested: bool,
}

impl EverySecond {
    /// The test is made only when about to grow: a backlog above gamma ends slow start and takes 1/8 off the window.
    pub(crate) fn on_round(&mut self, control: &mut Control, diff: i32, gamma: Segments) {
        let grows = self.rested;
        self.rested = !grows;
        if !grows {
            control.grow_by(Window::default());
        } else if i64::from(diff) > gamma.as_i64() {
            control.leave_slow_start();
            control.shrink_to(control.window.minus(control.window.eighth()));
            control.grow_by(Window::default());
        } else {
            control.grow_by(Window::ONE);
        }
    }
}

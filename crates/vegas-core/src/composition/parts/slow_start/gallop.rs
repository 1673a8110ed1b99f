//! Gallop-Vegas's slow start: the window grows by an increment that itself grows by one a round, spread over the
//! round's acknowledgements, so that bursts stay short (Ho, Chan and Chen, "Gallop-Vegas", section III; docs/design.md,
//! section 3.2).

use super::{SlowStart, SlowStartPart};
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::{Segments, Window};

/// The state from round to round. A connection, and a slow start after a timeout, begin with the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(Rust, packed)]
pub(crate) struct Gallop {
    /// The increment of the next round that grows.
    increment: Segments,
    /// The increment has grown by one since the last round added it.
    has_grown: bool,
    /// The last round's backlog was between gamma and beta, and halved the increment: the paper's status 1.
    halved: bool,
}

impl SlowStartPart for Gallop {
    const PAGE: &'static str = "gallop.md";
    const THRESHOLDS: Thresholds = Thresholds { beta: true, ..Thresholds::GAMMA };
    const PROMISE: SlowStartPromise = SlowStartPromise { steps_down: true, ..SlowStartPromise::RENO };
    const WITH_TEN_SEGMENTS: Option<SlowStart> = Some(SlowStart::GallopJoining);

    fn start(_window: Window) -> Self {
        Gallop::default()
    }

    /// Where the printed pseudocode's nesting and the prose differ, the prose decides; at the bounds, the pseudocode
    /// (docs/design.md, section 3.2).
    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        let (gamma, beta) = (parameters.gamma.as_i64(), parameters.beta.as_i64());
        match i64::from(end.backlog()) {
            diff if diff <= gamma => self.stretch(control),
            diff if diff < beta => self.slow_down(control),
            diff => self.leave(control, (diff - beta) as u32),
        }
    }
}

/// [`Gallop`], begun with the increment that belongs to the first window: Gallop's own, from two segments on, would
/// have it at that window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GallopJoining(Gallop);

impl SlowStartPart for GallopJoining {
    const PAGE: &'static str = "gallop.md#from-ten-segments-on";
    const THRESHOLDS: Thresholds = Gallop::THRESHOLDS;
    const PROMISE: SlowStartPromise = Gallop::PROMISE;

    fn start(window: Window) -> Self {
        GallopJoining(Gallop::joining(window.floor()))
    }

    fn on_round(&mut self, control: &mut WindowControl, end: &RoundEnd<'_>, parameters: &Parameters) {
        self.0.on_round(control, end, parameters);
    }
}

impl Gallop {
    /// Begins where the paper's row of windows, 2 + n (n - 1)/2 with the increment n, has reached `window`.
    fn joining(window: Segments) -> Self {
        let (mut increment, mut reached) = (Segments(1), Segments(2));
        while reached.0 + increment.0 <= window.0 {
            reached.0 += increment.0;
            increment.0 += 1;
        }
        // the paper's first round adds nothing
        let is_at_start = increment == Segments(1);
        Gallop { increment: if is_at_start { Segments(0) } else { increment }, ..Gallop::default() }
    }

    /// Room: the window grows by the increment, which grows by one as long as it is below the window.
    fn stretch(&mut self, control: &mut WindowControl) {
        let below_window = Window::whole(self.increment) < control.window;
        self.grow(control);
        self.increment = Segments(self.increment.0 + u32::from(below_window));
        self.has_grown = below_window;
        self.halved = false;
    }

    /// Nearly full: every second such round halves the increment. At 1 slow start is over once it has been added.
    fn slow_down(&mut self, control: &mut WindowControl) {
        self.halved = !self.halved;
        if self.halved {
            let halved = Segments(self.increment.0 / 2);
            self.increment = halved.max(Segments(1));
            if halved <= Segments(1) {
                control.leave_slow_start();
            }
        }
        self.grow(control);
    }

    /// Full: the last increment and what is above beta leave the queue again. The first round after it would still
    /// measure the window from before: it changes nothing (status 2).
    fn leave(&mut self, control: &mut WindowControl, surplus: u32) {
        let added = self.increment.0 - u32::from(self.has_grown);
        let less = Segments(added.saturating_add(surplus));
        control.leave_slow_start();
        control.shrink_to(control.window.minus(Window::whole(less)));
        control.grow_by(Window::default());
        control.skips_round = true;
    }

    fn grow(&mut self, control: &mut WindowControl) {
        control.grow_by(control.window.spread(Window::whole(self.increment)));
        self.has_grown = false;
    }
}

//! GAIMD (Yang and Lam, ICNP 2000): Reno with a slower increase and a smaller decrease, which takes as much of a path
//! as Reno does: 0.31 segments a window, and an eighth off.

use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Status};
use crate::composition::Host;
use crate::standalone::Preset;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window};
use crate::units::{Segments, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "gaimd",
    summary: "Reno with 0.31 segments a window, and an eighth off at a loss",
    source: "Yang and Lam 2000",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// The increase, in hundredths of a segment a window (the paper's section V).
const INCREASE_PERCENT: u32 = 31;
/// The part of the window that a loss costs: 2^-3.
const CUT_SHIFT: u32 = 3;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gaimd {
    window: RenoWindow,
}

impl Gaimd {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Gaimd { window: RenoWindow::new(parameters) }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn grow(&mut self, acked: Segments) {
        let left = if self.window.in_slow_start() { self.window.slow_start(acked) } else { acked };
        if left > Segments(0) {
            let per = u64::from(self.window.get()) * 100 / u64::from(INCREASE_PERCENT);
            self.window.add_one_per(per.min(u32::MAX.into()) as u32, left);
        }
    }
}

impl CongestionControl for Gaimd {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        if ack.may_grow() && ack.window_limited {
            self.grow(ack.acked);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.window.get();
        self.window.answer(loss, window - (window >> CUT_SHIFT));
    }

    fn status(&self) -> Status {
        self.window.status(UNKNOWN_US)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("counted_segments", self.window.counted().into());
    }
}

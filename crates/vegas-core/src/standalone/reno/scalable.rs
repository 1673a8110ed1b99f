//! Scalable TCP (Kelly, CCR 2003; Linux, `net/ipv4/tcp_scalable.c`): above 100 segments the window grows by a hundredth
//! of what is acknowledged, below as Reno's, and a loss costs an eighth. So the time between two losses does not depend
//! on the window.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Status};
use crate::standalone::Preset;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window};
use crate::units::{Segments, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "scalable",
    summary: "an increase by a hundredth of what is acknowledged, and an eighth off at a loss",
    source: "Kelly 2003; Linux, net/ipv4/tcp_scalable.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Acknowledged segments for one more, at most: the kernel's `TCP_SCALABLE_AI_CNT`.
const SEGMENTS_PER_INCREASE: u32 = 100;
/// The part of the window that a loss costs: 2^-3, the kernel's `TCP_SCALABLE_MD_SCALE`.
const CUT_SHIFT: u32 = 3;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalable {
    window: RenoWindow,
}

impl Scalable {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Scalable { window: RenoWindow::new(parameters) }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn grow(&mut self, acked: Segments) {
        let left = if self.window.in_slow_start() { self.window.slow_start(acked) } else { acked };
        if left > Segments(0) {
            self.window.add_one_per(self.window.get().min(SEGMENTS_PER_INCREASE), left);
        }
    }
}

impl CongestionControl for Scalable {
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

//! Reno as the Linux kernel has it (`net/ipv4/tcp_cong.c`): the window is a whole number of segments. What is
//! acknowledged towards the next segment is counted apart, and begins again with each cut, which halves the whole
//! window.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Status};
use crate::standalone::Preset;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window};
use crate::units::{Segments, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "reno-linux",
    summary: "Reno as the Linux kernel has it: whole segments, so that what is left of a window is lost at a cut",
    source: "Linux, net/ipv4/tcp_cong.c; RFC 5681",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RenoLinux {
    window: RenoWindow,
}

impl RenoLinux {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        RenoLinux { window: RenoWindow::new(parameters) }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }
}

impl CongestionControl for RenoLinux {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        if ack.may_grow() && ack.window_limited {
            self.window.reno(ack.acked);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.answer(loss, self.window.get() / 2);
    }

    fn status(&self) -> Status {
        self.window.status(UNKNOWN_US)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("counted_segments", self.window.counted().into());
    }
}

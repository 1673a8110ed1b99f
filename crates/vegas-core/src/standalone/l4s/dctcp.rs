//! DCTCP (RFC 8257; Linux, `net/ipv4/tcp_dctcp.c`): Reno that reduces its window by half of alpha once a window of
//! data with marks, where alpha is the averaged part of packets that were marked. A loss halves the window.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::composition::parts::cut::alpha::Alpha;
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Status};
use crate::standalone::Preset;
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window};
use crate::units::{Segments, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "dctcp",
    summary: "Reno that reduces its window by half of the part of packets that were marked",
    source: "RFC 8257; Linux, net/ipv4/tcp_dctcp.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dctcp {
    window: RenoWindow,
    alpha: Alpha,
}

impl Dctcp {
    pub(crate) const NEEDS: Needs = Needs { window_limited: true, every_ack: true, accurate_ecn: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Dctcp { window: RenoWindow::new(parameters), alpha: Alpha::ONE }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }
}

impl CongestionControl for Dctcp {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        self.alpha.on_ack(ack);
        if ack.may_grow() && ack.window_limited {
            self.window.reno(ack.acked);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.window.get();
        let less = match loss.kind {
            LossKind::Ecn => self.alpha.half_of(window.into()) as u32,
            LossKind::DuplicateAcks | LossKind::Timeout => window - window / 2,
        };
        self.window.answer(loss, window - less);
    }

    fn status(&self) -> Status {
        self.window.status(UNKNOWN_US)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("counted_segments", self.window.counted().into());
        out("alpha_ppm", self.alpha.ppm());
    }
}

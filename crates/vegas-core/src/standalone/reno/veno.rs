//! TCP Veno (Fu and Liew, IEEE JSAC 2003; Linux, `net/ipv4/tcp_veno.c`): Reno that asks Vegas's backlog whether a loss
//! was congestion. Above three segments of backlog the window grows every second round only; a loss below them is taken
//! for chance and costs a fifth.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Restart, Status};
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "veno",
    summary: "Reno that tells chance losses from congestion by Vegas's backlog: a fifth off below three segments",
    source: "Fu and Liew 2003; Linux, net/ipv4/tcp_veno.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Backlog that is congestion (the paper's beta, section III), in half segments as the kernel counts.
const BETA_HALVES: u32 = 3 << 1;
/// Samples before the backlog counts.
const SAMPLES_MIN: u32 = 2;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Veno {
    window: RenoWindow,
    base_rtt_us: u32,
    /// The samples since the last acknowledgement that let the window grow.
    least_rtt_us: u32,
    samples: u32,
    /// Backlog in half segments.
    diff_halves: u32,
    /// The next whole window acknowledged adds a segment.
    adds: bool,
    /// Nothing is known to be missing.
    is_open: bool,
}

impl Veno {
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Veno {
            window: RenoWindow::new(parameters),
            base_rtt_us: UNKNOWN_US,
            least_rtt_us: UNKNOWN_US,
            samples: 0,
            diff_halves: 0,
            adds: true,
            is_open: true,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn sample(&mut self, ack: &Ack) {
        let opens = ack.acked > Segments(0) && !ack.in_recovery;
        if let Some(rtt) = ack.rtt {
            // the kernel adds a microsecond, so that none is 0
            let rtt_us = micros(rtt).saturating_add(1).min(UNKNOWN_US - 1);
            self.base_rtt_us = self.base_rtt_us.min(rtt_us);
            self.least_rtt_us = self.least_rtt_us.min(rtt_us);
            self.samples = self.samples.saturating_add(1);
        }
        if opens && !self.is_open {
            self.least_rtt_us = UNKNOWN_US;
        }
        self.is_open = opens;
    }

    fn grow(&mut self, acked: Segments) {
        if self.samples <= SAMPLES_MIN || self.least_rtt_us == UNKNOWN_US {
            self.window.reno(acked);
            return;
        }
        self.diff_halves = self.backlog_halves();
        let left = if self.window.in_slow_start() { self.window.slow_start(acked) } else { acked };
        if left == Segments(0) {
            return;
        }
        if self.diff_halves < BETA_HALVES {
            self.window.add_one_per(self.window.get(), left);
        } else {
            self.grow_every_second_round(left);
        }
    }

    /// Section II.A: window less window x base RTT / RTT.
    fn backlog_halves(&self) -> u32 {
        let window = 2 * u64::from(self.window.get());
        let target = window * u64::from(self.base_rtt_us) / u64::from(self.least_rtt_us);
        window.saturating_sub(target) as u32
    }

    fn grow_every_second_round(&mut self, acked: Segments) {
        if self.window.counted() < self.window.get() {
            self.window.count(acked.0);
            return;
        }
        self.window.add(u32::from(self.adds));
        self.adds = !self.adds;
    }

    /// Section III.B.
    fn after_loss(&self) -> u32 {
        let window = self.window.get();
        if self.diff_halves < BETA_HALVES { (u64::from(window) * 4 / 5) as u32 } else { window / 2 }
    }
}

impl CongestionControl for Veno {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        self.sample(ack);
        if ack.may_grow() && ack.window_limited {
            self.grow(ack.acked);
            self.least_rtt_us = UNKNOWN_US;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        self.window.answer(loss, self.after_loss());
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.on_path_change(restart.next, restart.now);
    }

    fn on_lone_retransmission(&mut self, next: SendIndex, now: Time) {
        self.on_path_change(next, now);
    }

    fn on_path_change(&mut self, _next: SendIndex, _now: Time) {
        self.base_rtt_us = UNKNOWN_US;
        self.least_rtt_us = UNKNOWN_US;
        self.samples = 0;
        self.adds = true;
    }

    fn status(&self) -> Status {
        let diff = (self.samples > SAMPLES_MIN).then_some(self.diff_halves.div_ceil(2) as i32);
        Status { diff, ..self.window.status(self.base_rtt_us) }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("diff_half_segments", self.diff_halves.into());
        out("samples", self.samples.into());
        out("adds", self.adds.into());
    }
}

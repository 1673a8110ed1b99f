//! Tor-Vegas: congestion control of the Tor network (Tor proposal 324, section 3.3), where cells are the segments and
//! each 31 of them are acknowledged by one SENDME.
//!
//! The queue is what the window exceeds the path's product by: window x least RTT / smoothed RTT (section 3.1). In slow
//! start the window grows by one SENDME's cells each SENDME, above a cap less (RFC 3742), until the queue reaches
//! gamma. Then, once per window: down to delta where the queue is above it, one less above beta, one more below alpha.
//! Growth needs a window that was full since it was last looked at (section 3.4, `cwnd_is_full`).
//!
//! Tor's links lose nothing, so the proposal has no answer to loss; here it is Reno's (`docs/algorithms/tor-vegas.md`).

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Output, Phase, Status};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, Span, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "tor-vegas",
    summary: "Vegas of the Tor network: the queue by least and smoothed RTT, steered once per window of 31-cell SENDMEs",
    source: "Tor proposal 324, section 3.3",
    host: Host::Bsd,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(WINDOW_MIN), restart_window: Segments(2), ..RENO_PARAMETERS },
    standalone: None,
};

/// Cells that one SENDME acknowledges (section 5.3, `cc_sendme_inc`).
const SENDME_CELLS: u32 = 31;
/// The window at the start and the least that steering leaves (`cc_cwnd_init`, `cc_cwnd_min`).
const WINDOW_MIN: u32 = 4 * SENDME_CELLS;
/// Cells in a relay's output buffer, in which the queue is counted (section 6.5).
const BUFFER_CELLS: u32 = 62;
const ALPHA: u32 = 3 * BUFFER_CELLS;
const BETA: u32 = 4 * BUFFER_CELLS;
const DELTA: u32 = 5 * BUFFER_CELLS;
const GAMMA: u32 = 3 * BUFFER_CELLS;
/// Above this window slow start grows by less (`cc_sscap`).
const SLOW_START_CAP: u32 = 600;
/// Slow start ends here (`cc_ss_max`).
const SLOW_START_MAX: u32 = 5_000;
/// The window's step, and every how many of a window's SENDMEs it is taken (`cc_cwnd_inc`, `cc_cwnd_inc_rate`).
const STEP: u32 = 1;
const STEP_RATE: u32 = 31;
/// How many SENDMEs a full window may lack, and below how many percent in flight it is full no longer.
const FULL_GAP_SENDMES: u32 = 4;
const FULL_LEAST_PERCENT: u64 = 25;
/// Samples that smooth the RTT: in slow start, and at most later (`cc_ewma_ss`, `cc_ewma_max`).
const SMOOTHING_SLOW_START: u64 = 2;
const SMOOTHING_MAX: u64 = 10;
const SMOOTHING_PERCENT: u64 = 50;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TorVegas {
    window: u32,
    max_window: u32,
    restart_window: u32,
    /// Cells acknowledged towards the next SENDME.
    counted: u32,
    /// SENDMEs until the window may change.
    until_update: u32,
    /// SENDMEs until a whole window of them has come.
    until_window: u32,
    in_slow_start: bool,
    /// The window was full since it was last looked at.
    is_full: bool,
    /// The newest SENDME came with a signal of congestion.
    blocked: bool,
    /// 0 before the first sample.
    smoothed_us: u32,
    least_us: u32,
    /// Window x least / smoothed RTT at the newest SENDME.
    product: u32,
}

impl TorVegas {
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;
    pub(crate) const NEEDS: Needs = Needs::NONE;

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        TorVegas {
            window: parameters.initial_window.0,
            max_window: parameters.max_window.0,
            restart_window: parameters.restart_window.0,
            counted: 0,
            until_update: 1,
            until_window: 0,
            in_slow_start: parameters.ssthresh.is_none_or(|threshold| parameters.initial_window < threshold),
            is_full: false,
            blocked: false,
            smoothed_us: 0,
            least_us: 0,
            product: 0,
        }
    }

    /// 31 cells were acknowledged, with this RTT if it is known; `blocked` if with a signal of congestion.
    fn on_sendme(&mut self, rtt: Option<Span>, in_flight: Segments, blocked: bool) {
        if let Some(rtt) = rtt {
            self.sample(u32::try_from(rtt.as_nanos() / 1_000).unwrap_or(u32::MAX).max(1));
        }
        self.until_update = self.until_update.saturating_sub(1);
        self.until_window = self.until_window.saturating_sub(1);
        if blocked != self.blocked {
            self.until_update = 0;
            self.blocked = blocked;
        }
        if self.smoothed_us == 0 && !blocked {
            return;
        }
        self.product = match self.smoothed_us {
            0 => self.window,
            smoothed => {
                let product = u64::from(self.window) * u64::from(self.least_us) / u64::from(smoothed);
                product.min(self.max_window.into()) as u32
            }
        };
        let queue = self.window.saturating_sub(self.product);
        self.note_fullness(in_flight);
        if self.in_slow_start {
            self.open(queue);
        } else if self.until_update == 0 {
            self.steer(queue);
        }
        self.window = self.window.clamp(1, self.max_window);
        self.count_sendmes();
    }

    /// Section 2.1.2: an average over N samples; the newest one weighs 2 / (N + 1).
    fn sample(&mut self, rtt_us: u32) {
        let samples = match self.in_slow_start {
            true => SMOOTHING_SLOW_START,
            false => (u64::from(self.update_rate()) * SMOOTHING_PERCENT / 100).min(SMOOTHING_MAX),
        }
        .max(2);
        if self.smoothed_us == 0 {
            (self.smoothed_us, self.least_us) = (rtt_us, rtt_us);
            return;
        }
        let sum = 2 * u64::from(rtt_us) + (samples - 1) * u64::from(self.smoothed_us);
        self.smoothed_us = (sum / (samples + 1)) as u32;
        // section 2.1.1: at the least window the least RTT is measured again, as the queue is then not the circuit's
        // own
        let renews = self.window == WINDOW_MIN && !self.in_slow_start;
        self.least_us = if renews { self.smoothed_us.max(self.least_us) } else { self.smoothed_us.min(self.least_us) };
    }

    fn note_fullness(&mut self, in_flight: Segments) {
        if in_flight.0.saturating_add(FULL_GAP_SENDMES * SENDME_CELLS) >= self.window {
            self.is_full = true;
        } else if 100 * in_flight.as_u64() < FULL_LEAST_PERCENT * u64::from(self.window) {
            self.is_full = false;
        }
    }

    fn open(&mut self, queue: u32) {
        if queue >= GAMMA || self.blocked {
            self.window = self.product.saturating_add(GAMMA);
            self.in_slow_start = false;
        } else if self.is_full {
            let more = self.slow_start_step();
            self.window = self.window.saturating_add(more);
            // slower than later: slow start has nothing to add
            self.in_slow_start = more * self.sendmes_per_window() > STEP * STEP_RATE;
        }
        if self.window >= SLOW_START_MAX {
            self.window = SLOW_START_MAX;
            self.in_slow_start = false;
        }
    }

    /// RFC 3742, in cells a SENDME.
    fn slow_start_step(&self) -> u32 {
        if self.window <= SLOW_START_CAP {
            return SENDME_CELLS;
        }
        ((SENDME_CELLS * SLOW_START_CAP + self.window) / (2 * self.window)).max(1)
    }

    fn steer(&mut self, queue: u32) {
        if queue > DELTA {
            self.window = (self.product + DELTA).saturating_sub(STEP);
        } else if queue > BETA || self.blocked {
            self.window = self.window.saturating_sub(STEP).max(WINDOW_MIN);
        } else if self.is_full && queue < ALPHA {
            self.window = self.window.saturating_add(STEP);
        }
    }

    fn count_sendmes(&mut self) {
        if self.until_update == 0 {
            self.until_update = self.update_rate();
        }
        if self.until_window == 0 {
            self.until_window = self.sendmes_per_window();
        }
        if self.until_window == self.sendmes_per_window() {
            self.is_full = false;
        }
    }

    /// SENDMEs from one change of the window to the next (`CWND_UPDATE_RATE`).
    fn update_rate(&self) -> u32 {
        let per_step = STEP_RATE * SENDME_CELLS;
        if self.in_slow_start { 1 } else { (self.window + per_step / 2) / per_step }
    }

    fn sendmes_per_window(&self) -> u32 {
        (self.window + SENDME_CELLS / 2) / SENDME_CELLS
    }
}

impl CongestionControl for TorVegas {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.in_recovery {
            return;
        }
        self.counted = self.counted.saturating_add(ack.acked.0);
        if self.counted >= SENDME_CELLS {
            self.counted %= SENDME_CELLS;
            self.on_sendme(ack.rtt, ack.in_flight, ack.ce_marked > 0);
        }
    }

    /// Not the proposal's: half, or a new slow start (RFC 5681). A mark is a signal of congestion like any other.
    fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::Ecn => {}
            LossKind::DuplicateAcks => {
                self.window = (self.window / 2).max(2).min(self.window);
                self.in_slow_start = false;
            }
            LossKind::Timeout => {
                self.window = self.window.min(self.restart_window);
                self.in_slow_start = true;
            }
        }
        self.until_update = self.update_rate();
        self.until_window = self.sendmes_per_window();
    }

    fn output(&self) -> Output {
        Output { window: Window::whole(Segments(self.window)), pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status {
            window: Window::whole(Segments(self.window)),
            ssthresh: None,
            base_rtt: (self.least_us > 0).then_some(Span::from_micros(self.least_us.into())),
            diff: (self.smoothed_us > 0).then(|| self.window.saturating_sub(self.product) as i32),
            phase: if self.in_slow_start { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("smoothed_rtt_us", self.smoothed_us.into());
        out("least_rtt_us", self.least_us.into());
        out("product_segments", self.product.into());
        out("is_full", self.is_full.into());
        out("blocked", self.blocked.into());
    }
}

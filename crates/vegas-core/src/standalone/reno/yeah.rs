//! YeAH-TCP (Baiocchi, Castellani and Vacirca, PFLDnet 2007; Linux, `net/ipv4/tcp_yeah.c`): while the queue is short
//! the window grows as Scalable TCP's, one segment each 100 acknowledged; once it is longer, as Reno's, and a queue
//! beyond 80 segments is taken off before it is lost.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Restart, Status};
use crate::standalone::reno::reno_window::{RenoWindow, UNKNOWN_US, handed_to_window, micros};
use crate::standalone::{BaseRttHeld, Preset};
use crate::units::{Segments, SendIndex, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "yeah",
    summary: "Scalable's increase while the queue is short, Reno's while it is long, and a cut of the queue that was seen",
    source: "Baiocchi, Castellani and Vacirca 2007; Linux, net/ipv4/tcp_yeah.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Segments of queue that are taken off before a loss (the paper's Q_max, section III).
const QUEUE_MAX: u32 = 80;
/// The queueing delay above base RTT / 8 is a long queue (the paper's L_max, as phi).
const DELAY_PART: u32 = 8;
/// At most half of the window is taken off before a loss (epsilon), and an eighth at least after one (delta).
const EARLY_CUT_SHIFT: u32 = 1;
const CUT_SHIFT: u32 = 3;
/// Rounds in Reno's mode after which a loss costs half (rho): other Reno flows share the path.
const RENO_ROUNDS_MAX: u32 = 16;
/// Rounds in fast mode after which Reno's window is counted again (zeta).
const FAST_ROUNDS_MAX: u32 = 50;
/// Segments acknowledged for each added in fast mode (Scalable TCP's 0.01).
const SCALABLE: u32 = 100;
/// Samples before a round counts.
const SAMPLES_MIN: u32 = 2;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Yeah {
    window: RenoWindow,
    base_rtt_us: u32,
    /// The samples of the round.
    least_rtt_us: u32,
    samples: u32,
    /// The round ends when something beyond this is acknowledged.
    round_end: SendIndex,
    /// Segments that queued in the newest round.
    queue: u32,
    /// Rounds in Reno's mode; 0 in fast mode.
    reno_rounds: u32,
    /// The window that Reno would have by now, from half of one's own on.
    reno_window: u32,
    fast_rounds: u32,
    is_open: bool,
}

impl Yeah {
    pub(crate) const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld::MICROS;
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Yeah {
            window: RenoWindow::new(parameters),
            base_rtt_us: UNKNOWN_US,
            least_rtt_us: UNKNOWN_US,
            samples: 0,
            round_end: SendIndex(0),
            queue: 0,
            reno_rounds: 0,
            reno_window: 2,
            fast_rounds: 0,
            is_open: true,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    fn sample(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            // the kernel adds a microsecond, so that none is 0
            let rtt_us = micros(rtt).saturating_add(1).min(UNKNOWN_US - 1);
            self.base_rtt_us = self.base_rtt_us.min(rtt_us);
            self.least_rtt_us = self.least_rtt_us.min(rtt_us);
            self.samples = self.samples.saturating_add(1);
        }
        let opens = ack.acked > Segments(0) && !ack.in_recovery;
        if opens && !self.is_open {
            self.begin_round(ack.next);
        }
        self.is_open = opens;
    }

    fn begin_round(&mut self, next: SendIndex) {
        self.round_end = next;
        self.least_rtt_us = UNKNOWN_US;
        self.samples = 0;
    }

    fn grow(&mut self, acked: Segments) {
        let left = if self.window.in_slow_start() { self.window.slow_start(acked) } else { acked };
        if left == Segments(0) {
            return;
        }
        let window = self.window.get();
        let per = if self.reno_rounds == 0 { window.min(SCALABLE) } else { window };
        self.window.add_one_per(per, left);
    }

    fn end_round(&mut self) {
        if self.samples <= SAMPLES_MIN || self.least_rtt_us == UNKNOWN_US {
            return;
        }
        let (rtt_us, window) = (self.least_rtt_us, self.window.get());
        let delay_us = rtt_us - self.base_rtt_us.min(rtt_us);
        self.queue = (u64::from(window) * u64::from(delay_us) / u64::from(rtt_us)) as u32;
        if self.queue > QUEUE_MAX || delay_us > self.base_rtt_us / DELAY_PART {
            self.answer_long_queue();
        } else {
            self.fast_rounds += 1;
            if self.fast_rounds > FAST_ROUNDS_MAX {
                self.reno_window = 2;
                self.fast_rounds = 0;
            }
            self.reno_rounds = 0;
        }
    }

    fn answer_long_queue(&mut self) {
        let window = self.window.get();
        if self.queue > QUEUE_MAX && window > self.reno_window {
            let less = window - self.queue.min(window >> EARLY_CUT_SHIFT);
            let less = less.max(self.reno_window);
            self.window.steer(less, less);
        }
        self.reno_window = match self.reno_window {
            0..=2 => (self.window.get() / 2).max(2),
            reno => reno.saturating_add(1),
        };
        self.reno_rounds = self.reno_rounds.saturating_add(1);
    }

    /// Section III: less by the queue that was seen, between an eighth and a half.
    fn after_loss(&mut self) -> u32 {
        let window = self.window.get();
        let half = (window / 2).max(2);
        let less = match self.reno_rounds < RENO_ROUNDS_MAX {
            true => self.queue.min(half).max(window >> CUT_SHIFT),
            false => half,
        };
        self.fast_rounds = 0;
        self.reno_window = (self.reno_window / 2).max(2);
        window.saturating_sub(less)
    }
}

impl CongestionControl for Yeah {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        self.sample(ack);
        if !ack.may_grow() || !ack.window_limited {
            return;
        }
        self.grow(ack.acked);
        // the kernel compares what comes next
        if ack.newest.0.saturating_add(1) > self.round_end.0 {
            self.end_round();
            self.begin_round(ack.next);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        let window = if loss.threshold_holds { self.window.get() } else { self.after_loss() };
        self.window.answer(loss, window);
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.on_path_change(restart.next, restart.now);
    }

    fn on_lone_retransmission(&mut self, next: SendIndex, now: Time) {
        self.on_path_change(next, now);
    }

    fn on_path_change(&mut self, next: SendIndex, _now: Time) {
        self.base_rtt_us = UNKNOWN_US;
        self.begin_round(next);
    }

    fn status(&self) -> Status {
        let diff = (self.base_rtt_us != UNKNOWN_US).then_some(self.queue as i32);
        Status { diff, ..self.window.status(self.base_rtt_us) }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("queue_segments", self.queue.into());
        out("reno_rounds", self.reno_rounds.into());
        out("reno_window_segments", self.reno_window.into());
        out("fast_rounds", self.fast_rounds.into());
    }
}

//! BIC TCP (Xu, Harfoush and Rhee, INFOCOM 2004; Linux, `net/ipv4/tcp_bic.c` with its defaults): the window at the last
//! loss is a target, which a search by quarters approaches, at most 16 segments a round trip at once. Beyond it the
//! same steps come in reverse order. A loss costs a fifth.
//!
//! Times are in the kernel's ticks.

use crate::composition::Host;
use crate::composition::bases::{RENO_PARAMETERS, SACK};
use crate::contract::parameters::Parameters;
use crate::contract::ticks::Clock;
use crate::contract::{Ack, CongestionControl, Loss, LossKind, Needs, Status};
use crate::standalone::Preset;
use crate::standalone::cubic::growth::{Computed, ONE, UNLOST_PER_MAX, greatest_after_loss, share};
use crate::standalone::reno::reno_window::{InOrder, RenoWindow, UNKNOWN_US, handed_to_window};
use crate::units::{Segments, Time, Window};

pub(crate) const PRESET: Preset = Preset {
    name: "bic",
    summary: "a search for the window of the last loss, by quarters and at most 16 segments a round, and a fifth off",
    source: "Xu, Harfoush and Rhee 2004; Linux, net/ipv4/tcp_bic.c",
    host: Host::Linux,
    composition: SACK,
    parameters: Parameters { initial_window: Segments(10), ..RENO_PARAMETERS },
    standalone: None,
};

/// Segments a round at most: the paper's Smax.
const MAX_INCREMENT: u32 = 16;
/// Up to this window it is Reno.
const LOW_WINDOW: u32 = 14;
/// The search goes to a quarter of the distance.
const SEARCH_PART: u32 = 4;
/// Near the target a segment needs a quarter of these windows.
const SMOOTH_PART: u32 = 20;
/// Of a window a loss leaves 819 / 1024.
const BETA: u32 = 819;
/// What is acknowledged at once, in 16ths: 2 at first, and a smoothing of 1/16.
const ACK_SHIFT: u32 = 4;
const ACKED_FIRST: u32 = 2 << ACK_SHIFT;

/// The state of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bic {
    window: RenoWindow,
    clock: Clock,
    /// The window of the last loss, or less if that was below the one before; 0 before the first and after a timeout.
    target: u32,
    /// Acknowledged segments for one more.
    per: u32,
    computed: Computed,
    acknowledged: InOrder,
    /// Segments that an acknowledgement covers, in 16ths.
    acked_at_once: u32,
    /// Nothing was known to be missing before the next acknowledgement (`TCP_CA_Open`).
    is_open: bool,
}

impl Bic {
    pub(crate) const NEEDS: Needs = Needs { every_ack: true, window_limited: true, ..Needs::NONE };

    pub(crate) fn start(parameters: &Parameters, _seed: u64) -> Self {
        Bic {
            window: RenoWindow::new(parameters),
            clock: Clock::new(parameters.ticks_per_second),
            target: 0,
            per: 1,
            computed: Computed::default(),
            acknowledged: InOrder::default(),
            acked_at_once: ACKED_FIRST,
            is_open: true,
        }
    }

    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window.follow(window, threshold);
    }

    /// The first duplicate counts as an acknowledgement of nothing. Neither those after it count, nor what ends a
    /// recovery, which covers what waited at the receiver (`bictcp_acked`).
    fn count_at_once(&mut self, ack: &Ack) {
        let in_order = self.acknowledged.count(ack);
        if self.is_open {
            let smoothed = self.acked_at_once - (self.acked_at_once >> ACK_SHIFT);
            self.acked_at_once = smoothed + in_order.min(u16::MAX.into());
        }
        self.is_open = in_order > 0 && !ack.in_recovery;
    }

    fn grow(&mut self, acked: Segments, now: Time) {
        let left = if self.window.in_slow_start() { self.window.slow_start(acked) } else { acked };
        if left > Segments(0) {
            self.update(now);
            self.window.add_one_per(self.per, left);
        }
    }

    fn update(&mut self, now: Time) {
        let (window, now) = (self.window.get(), self.clock.at(now));
        if !self.computed.is_old(window, now, self.clock) {
            return;
        }
        self.computed = Computed::of(window, now);
        if window <= LOW_WINDOW {
            self.per = window;
            return;
        }
        let mut per = if window < self.target { self.per_below(window) } else { self.per_beyond(window) };
        if self.target == 0 {
            per = per.min(UNLOST_PER_MAX);
        }
        // a segment an acknowledgement, as the window would then grow without delayed ones
        self.per =
            ((u64::from(per) << ACK_SHIFT) / u64::from(self.acked_at_once.max(1))).clamp(1, u32::MAX.into()) as u32;
    }

    /// The paper's binary search increase, and its additive increase where the step would be too large.
    fn per_below(&self, window: u32) -> u32 {
        match (self.target - window) / SEARCH_PART {
            step if step > MAX_INCREMENT => window / MAX_INCREMENT,
            0 | 1 => smooth(window),
            step => window / step,
        }
    }

    /// The paper's max probing.
    fn per_beyond(&self, window: u32) -> u32 {
        let beyond = window - self.target;
        if beyond < SEARCH_PART {
            smooth(window)
        } else if beyond < MAX_INCREMENT * (SEARCH_PART - 1) {
            (u64::from(window) * u64::from(SEARCH_PART - 1) / u64::from(beyond)) as u32
        } else {
            window / MAX_INCREMENT
        }
    }

    fn after_loss(&mut self) -> u32 {
        let window = self.window.get();
        self.target = greatest_after_loss(window, self.target, BETA);
        if window <= LOW_WINDOW { window / 2 } else { share(window, BETA, ONE) }
    }
}

fn smooth(window: u32) -> u32 {
    share(window, SMOOTH_PART, SEARCH_PART)
}

impl CongestionControl for Bic {
    handed_to_window!();

    fn on_ack(&mut self, ack: &Ack) {
        self.count_at_once(ack);
        if ack.may_grow() && ack.window_limited {
            self.grow(ack.acked, ack.now);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.after_loss();
        self.window.answer(loss, window);
        if loss.kind == LossKind::Timeout {
            let Bic { window, clock, acknowledged, .. } = *self;
            *self = Bic { window, clock, acknowledged, ..Bic::start(&PRESET.parameters, 0) };
        }
        self.is_open = false;
    }

    fn status(&self) -> Status {
        self.window.status(UNKNOWN_US)
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        out("target_segments", self.target.into());
        out("segments_per_increase", self.per.into());
    }
}

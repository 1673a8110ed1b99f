//! A window in whole segments with Reno's growth, as the Linux kernel's congestion controls share it: `snd_cwnd`,
//! `snd_cwnd_cnt` and `snd_ssthresh` of `tcp_cong.c`.

use crate::contract::parameters::Parameters;
use crate::contract::{Ack, Loss, LossKind, Output, Phase, Status};
use crate::units::{Segments, SendIndex, Span, Window};

/// The least threshold (RFC 5681, equation 4).
const LEAST: u32 = 2;
const UNBOUNDED: u32 = u32::MAX;
/// No RTT yet.
pub(crate) const UNKNOWN_US: u32 = u32::MAX;

/// In whole microseconds, 1 at least, as the kernel's congestion controls have their RTTs.
pub(crate) fn micros(span: Span) -> u32 {
    u32::try_from(span.as_nanos() / 1_000).unwrap_or(UNKNOWN_US - 1).clamp(1, UNKNOWN_US - 1)
}

/// Counts what acknowledgements cover in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InOrder {
    /// The oldest segment that is not acknowledged.
    oldest: SendIndex,
}

impl InOrder {
    /// The segments in order that the acknowledgement is of, reported before or not: the kernel's `pkts_acked`.
    pub(crate) fn count(&mut self, ack: &Ack) -> u32 {
        let oldest = SendIndex(ack.newest.0.saturating_add(1));
        let count = oldest.since(self.oldest).0;
        self.oldest = oldest;
        count
    }
}

/// The events and the output that a rule hands on to the [`RenoWindow`] in its field `window`, within its
/// `impl CongestionControl`.
macro_rules! handed_to_window {
    () => {
        fn on_spurious(&mut self, before: &Self) {
            self.window.undo(&before.window);
        }

        fn on_unused(&mut self, most: $crate::units::Window) {
            self.window.unused(most);
        }

        fn output(&self) -> $crate::contract::Output {
            self.window.output()
        }
    };
}
pub(crate) use handed_to_window;

/// Window, threshold, and what was acknowledged towards the next segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RenoWindow {
    window: u32,
    ssthresh: u32,
    /// Segments acknowledged since the window grew last.
    counted: u32,
    max_window: u32,
    restart_window: u32,
}

impl RenoWindow {
    /// The state of a new connection.
    pub(crate) fn new(parameters: &Parameters) -> Self {
        RenoWindow {
            window: parameters.initial_window.0,
            ssthresh: parameters.ssthresh.map_or(UNBOUNDED, |threshold| threshold.0),
            counted: 0,
            max_window: parameters.max_window.0,
            restart_window: parameters.restart_window.0,
        }
    }

    pub(crate) fn get(&self) -> u32 {
        self.window
    }

    /// None while it is unbounded.
    pub(crate) fn ssthresh(&self) -> Option<Segments> {
        (self.ssthresh != UNBOUNDED).then_some(Segments(self.ssthresh))
    }

    pub(crate) fn in_slow_start(&self) -> bool {
        self.window < self.ssthresh
    }

    /// With a base RTT in us, or [`UNKNOWN_US`].
    pub(crate) fn status(&self, base_rtt_us: u32) -> Status {
        Status {
            window: Window::whole(Segments(self.window)),
            ssthresh: self.ssthresh(),
            base_rtt: (base_rtt_us != UNKNOWN_US).then(|| Span::from_micros(base_rtt_us.into())),
            diff: None,
            phase: if self.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance },
        }
    }

    pub(crate) fn output(&self) -> Output {
        Output { window: Window::whole(Segments(self.window)), pace: None, quantum: Segments(1) }
    }

    /// One segment for each acknowledged, up to the threshold; the acknowledged ones that are left over.
    pub(crate) fn slow_start(&mut self, acked: Segments) -> Segments {
        let grown = self.window.saturating_add(acked.0).min(self.ssthresh).max(self.window);
        let left = acked.0 - (grown - self.window);
        self.window = grown.min(self.max_window);
        Segments(left)
    }

    /// Slow start, then one segment a window (RFC 5681, section 3.1).
    pub(crate) fn reno(&mut self, acked: Segments) {
        let left = if self.in_slow_start() { self.slow_start(acked) } else { acked };
        if left > Segments(0) {
            self.add_one_per(self.window, left);
        }
    }

    /// Segments acknowledged since the window grew last.
    pub(crate) fn counted(&self) -> u32 {
        self.counted
    }

    /// Counts acknowledged segments towards the next growth.
    pub(crate) fn count(&mut self, acked: u32) {
        self.counted = self.counted.saturating_add(acked);
    }

    /// Adds segments, and counts again.
    pub(crate) fn add(&mut self, segments: u32) {
        self.window = self.window.saturating_add(segments).min(self.max_window);
        self.counted = 0;
    }

    /// Adds a segment if a window is counted, and keeps what is counted beyond it.
    pub(crate) fn add_counted_window(&mut self) {
        if self.counted >= self.window {
            self.counted -= self.window;
            self.window = self.window.saturating_add(1).min(self.max_window);
        }
    }

    /// One segment for each `per` acknowledged, at least 1.
    pub(crate) fn add_one_per(&mut self, per: u32, acked: Segments) {
        let per = per.max(1);
        // a divisor that has become smaller grows the window by one at most for what was counted before
        if self.counted >= per {
            self.counted = 0;
            self.window = self.window.saturating_add(1);
        }
        self.counted = self.counted.saturating_add(acked.0);
        if self.counted >= per {
            self.window = self.window.saturating_add(self.counted / per);
            self.counted %= per;
        }
        self.window = self.window.min(self.max_window);
    }

    /// Sets window and threshold apart from a loss; the threshold is at least 2, the window at least 1.
    pub(crate) fn steer(&mut self, window: u32, ssthresh: u32) {
        self.window = window.clamp(1, self.max_window);
        self.ssthresh = ssthresh.max(LEAST);
    }

    /// Another slow start steers the window to the threshold, or for good ([`crate::held::joined`]).
    pub(crate) fn follow(&mut self, window: Window, threshold: Option<Segments>) {
        self.window = window.floor().0.clamp(1, self.max_window);
        self.ssthresh = threshold.map_or(UNBOUNDED, |threshold| threshold.0.max(LEAST));
    }

    /// A loss, a mark or a timeout makes this of the window, or of the threshold after a timeout unless it holds.
    pub(crate) fn answer(&mut self, loss: &Loss, window: u32) {
        match loss.kind {
            LossKind::DuplicateAcks | LossKind::Ecn => self.cut_to(window),
            LossKind::Timeout if loss.threshold_holds => self.hold(),
            LossKind::Timeout => self.restart(window),
        }
    }

    /// A loss: threshold and window become this, at least 2, and a window of 1 stays.
    pub(crate) fn cut_to(&mut self, window: u32) {
        self.ssthresh = window.max(LEAST);
        self.window = self.window.min(self.ssthresh);
        self.counted = 0;
    }

    /// A timeout: the threshold becomes this, at least 2, and the window what a restart has.
    pub(crate) fn restart(&mut self, ssthresh: u32) {
        self.ssthresh = ssthresh.max(LEAST);
        self.window = self.window.min(self.restart_window);
        self.counted = 0;
    }

    /// A timeout that leaves the threshold as it is ([`Loss::threshold_holds`]).
    pub(crate) fn hold(&mut self) {
        self.restart(self.ssthresh);
    }

    /// The window was not used ([`crate::contract::CongestionControl::on_unused`]).
    pub(crate) fn unused(&mut self, most: Window) {
        self.ssthresh = self.ssthresh.max(self.window / 2 + self.window / 4);
        self.window = self.window.min(most.floor().0.max(1));
    }

    /// A loss was spurious: window and threshold become at least what they were.
    pub(crate) fn undo(&mut self, before: &RenoWindow) {
        self.window = self.window.max(before.window);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }
}

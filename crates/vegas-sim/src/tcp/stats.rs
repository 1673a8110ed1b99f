//! The counters and measurements of a sender, for tables and summaries.

use vegas_core::units::{Span, Time, Window};
use vegas_core::{CongestionControl, Phase};

use super::Outbox;
use super::control::WindowChange;
use super::sender::Sender;
use crate::measure::outcome::IncidentKind;
use crate::measure::totals::{RttTotals, segments_f64};

/// The counters and measurements of a sender.
#[derive(Clone, Debug, Default)]
pub(crate) struct SenderStats {
    pub(crate) segments_sent: u64,
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    /// The number of window reductions that answered marks.
    pub(crate) ecn_reductions: u64,
    rtt_sum_ns: u128,
    rtt_samples: u64,
    /// The least round-trip time; [`Span::MAX`] before the first sample, when `rtt_newest` is meaningless.
    rtt_min: Span,
    rtt_newest: Span,
    /// The time of the first exit from slow start, and the window before the cut.
    pub(crate) slow_start_exit: Option<(Time, Window)>,
    /// When the flow was complete; [`Time::NEVER`] until then.
    pub(super) completed: Time,
    /// The integral of the window over time, in raw window units x ns, up to `window_since`.
    window_integral: u128,
    window_since: Time,
}

impl SenderStats {
    pub(super) fn new() -> Self {
        SenderStats { rtt_min: Span::MAX, completed: Time::NEVER, ..SenderStats::default() }
    }

    /// Begins the measurements at the flow's start.
    pub(super) fn begin(&mut self, now: Time) {
        self.window_since = now;
    }

    /// When the flow was complete.
    pub(crate) fn completed(&self) -> Option<Time> {
        (self.completed != Time::NEVER).then_some(self.completed)
    }

    /// The sender's round-trip samples.
    pub(crate) fn rtt(&self) -> RttTotals {
        let known = |rtt| (self.rtt_samples > 0).then_some(rtt);
        RttTotals {
            newest: known(self.rtt_newest),
            least: known(self.rtt_min),
            sum_ns: self.rtt_sum_ns,
            samples: self.rtt_samples,
        }
    }
}

impl Sender {
    /// The mean of the window since the start, segments.
    pub(crate) fn mean_window(&self, start: Time, end: Time) -> f64 {
        let open = u128::from(end.since(self.stats.window_since).as_nanos())
            * u128::from(self.control.output().window.as_raw());
        let span = end.since(start).as_nanos();
        if span == 0 {
            return segments_f64(self.control.output().window);
        }
        (self.stats.window_integral + open) as f64 / span as f64 / Window::ONE.as_raw() as f64
    }

    /// Records the change of the window and the phase from their values before an event.
    #[inline]
    pub(super) fn note_change(&mut self, now: Time, before: (Window, Phase), out: &mut Outbox) {
        self.note_window(now, WindowChange::since(before, &self.control), out);
    }

    #[inline(always)]
    pub(super) fn note_window(&mut self, now: Time, change: WindowChange, out: &mut Outbox) {
        let stats = &mut self.stats;
        if change.after != change.before {
            let held = u128::from(now.since(stats.window_since).as_nanos());
            stats.window_integral += held * u128::from(change.before.as_raw());
            stats.window_since = now;
        }
        if change.left_slow_start {
            self.note_exit(now, change.before, out);
        }
    }

    #[inline(never)]
    fn note_exit(&mut self, now: Time, window: Window, out: &mut Outbox) {
        self.stats.slow_start_exit.get_or_insert((now, window));
        out.incidents.push((IncidentKind::SlowStartExit, self.rules.layout.first_byte(self.board.una())));
    }

    #[inline(always)]
    pub(super) fn note_rtt(&mut self, rtt: Span) {
        let stats = &mut self.stats;
        stats.rtt_min = stats.rtt_min.min(rtt);
        stats.rtt_sum_ns += u128::from(rtt.as_nanos());
        stats.rtt_samples += 1;
        stats.rtt_newest = rtt;
    }
}

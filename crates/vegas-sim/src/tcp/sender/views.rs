//! What the engine and the tables see of a sender.

use std::sync::Arc;

use vegas_core::Status;
use vegas_core::units::{Segments, Span, Time, Window};

use super::Sender;
use crate::measure::outcome::MediaFrame;
use crate::measure::totals::RttTotals;
use crate::tcp::layout::Layout;

impl Sender {
    /// The division of the payload into segments.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.rules.layout
    }

    /// Returns whether the control asks for one-way delays.
    pub(crate) fn measures_delays(&self) -> bool {
        self.congestion.measures_delays()
    }

    /// When the first of the timers expires, but for the pacing timer; [`Time::NEVER`] if none runs.
    pub(crate) fn timer(&self) -> Time {
        self.recovery.due().map_or(self.timer.due(), |due| self.timer.due().min(due))
    }

    /// As [`Sender::timer`], of a plain sender.
    pub(crate) fn timer_of_plain(&self) -> Time {
        self.timer.due()
    }

    /// When the pacing timer expires; `None` while no segment is held back.
    pub(crate) fn pacing_due(&self) -> Option<Time> {
        self.pacer.due()
    }

    /// When the application next acts by itself.
    pub(crate) fn next_write(&self) -> Option<Time> {
        self.queue.next_action().filter(|_| self.stats.completed().is_none())
    }

    /// Returns how much of the time until the end of the transfer the application has waited by itself; `None` if it
    /// writes segments over time, so that the end does not measure the network.
    pub(crate) fn waited(&self) -> Option<Span> {
        self.queue.waited()
    }

    /// Returns the frames of media that the application of flow `id` has made by `now`.
    pub(crate) fn media(&self, id: u32, now: Time) -> Vec<MediaFrame> {
        self.queue.media_frames(id, now, self.rules.layout.first_byte(self.board.max()))
    }

    /// The window, the threshold and the control's other values for the tables.
    pub(crate) fn status(&self) -> Status {
        self.congestion.status()
    }

    /// The mean of the window since the start, segments.
    pub(crate) fn mean_window(&self, start: Time, end: Time) -> f64 {
        self.congestion.mean_window(start, end)
    }

    /// The time of the first exit from slow start, and the window before the cut.
    pub(crate) fn slow_start_exit(&self) -> Option<(Time, Window)> {
        self.congestion.slow_start_exit()
    }

    /// Returns whether the flow has begun and is not complete.
    pub(crate) fn is_active(&self) -> bool {
        self.started && self.stats.completed().is_none()
    }

    pub(crate) fn in_recovery(&self) -> bool {
        self.recovery.is_active()
    }

    /// The number of segments in flight: by the pipe estimate with SACK, else by sequence number.
    pub(crate) fn in_flight(&self) -> Segments {
        match self.rules.by_pipe {
            true => Segments(self.board.pipe() as u32),
            false => self.board.unacknowledged(),
        }
    }

    /// Returns whether the last byte of a sized transfer was acknowledged.
    pub(crate) fn is_whole(&self) -> bool {
        self.rules.layout.segments().is_some_and(|segments| self.board.una() >= segments)
    }

    /// The number of payload bytes acknowledged.
    pub(crate) fn acked_bytes(&self) -> u64 {
        self.rules.layout.first_byte(self.board.una())
    }

    /// The sender's round-trip samples.
    pub(crate) fn rtt(&self) -> RttTotals {
        self.rtt.totals()
    }
}

//! The counters of a sender, for tables and summaries.

use vegas_core::units::Time;

/// The counters of a sender.
#[derive(Clone, Debug)]
pub(crate) struct SenderStats {
    pub(crate) segments_sent: u64,
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u32,
    /// The number of window reductions that answered marks.
    pub(crate) ecn_reductions: u32,
    /// When the flow was complete; [`Time::NEVER`] until then.
    pub(super) completed: Time,
}

impl SenderStats {
    pub(super) fn new() -> Self {
        SenderStats { segments_sent: 0, retransmitted: 0, timeouts: 0, ecn_reductions: 0, completed: Time::NEVER }
    }

    /// When the flow was complete.
    pub(crate) fn completed(&self) -> Option<Time> {
        (self.completed != Time::NEVER).then_some(self.completed)
    }
}

//! A sender of a stream: its owner writes bytes at any time, sets the window that the peer offers, and reads the state.

use std::sync::Arc;

use vegas_core::units::{Segments, Span, Time};

use super::{Sender, UNLIMITED};
use crate::tcp::Outbox;
use crate::tcp::recovery::Recovery;
use crate::tcp::sending::SendQueue;

/// The state of a sender, by the names that Linux has for it (`struct tcp_info`). Counts are segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderState {
    /// Where recovery stands.
    pub recovery: RecoveryState,
    /// The number of segments that may be in flight.
    pub window: u64,
    /// The slow-start threshold; `None` before the first.
    pub ssthresh: Option<Segments>,
    /// The segments sent and not acknowledged.
    pub unacknowledged: u64,
    /// Those of them that were reported received, or are assumed received where acknowledgements are not selective.
    pub sacked: u64,
    /// Those that were found lost.
    pub lost: u64,
    /// Those that were retransmitted.
    pub retransmitted: u64,
    /// By how many segments one may be late, and the number of duplicates that show a loss (`tp->reordering`).
    pub reordering: u64,
    /// The segments written and not sent.
    pub unsent: u64,
    /// Whether only the window that the peer offers holds them back.
    pub is_held_by_peer: bool,
    /// All segments retransmitted so far.
    pub retransmitted_in_all: u64,
    /// All timeouts so far.
    pub timeouts: u64,
    /// The smoothed round-trip time of a Linux host; `None` before the first sample.
    pub smoothed_rtt: Option<Span>,
    /// The least round-trip time of data; `None` before the first sample.
    pub least_rtt: Option<Span>,
    /// The retransmission timeout.
    pub timeout: Span,
}

/// Where the recovery of a sender stands (Linux's `tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryState {
    /// Nothing is missing.
    Open,
    /// Segments were reported received, and an older one was not.
    Disorder,
    /// The window answers a mark.
    Reduced,
    /// Lost segments are retransmitted.
    Recovery,
    /// A timeout is being repaired.
    Loss,
}

impl Sender {
    /// Makes the sender one of a stream, before anything is written. Its owner has the windows that the peer offers.
    pub(crate) fn make_stream(&mut self) {
        self.queue = SendQueue::of_stream();
    }

    /// Sets how often the SYN is repeated without a longer timeout each time.
    pub(crate) fn set_linear_syns(&mut self, count: u32) {
        self.rules.linear_syns = count.try_into().unwrap_or(u8::MAX);
    }

    /// Sets the payload of a full segment, bytes, before anything is written.
    pub(crate) fn set_payload(&mut self, payload: u64) {
        let layout = Arc::make_mut(&mut self.rules.layout);
        layout.set_payload(payload);
        self.congestion.on_segment_size(layout.full_payload());
    }

    /// Writes `bytes` more, and sends what may leave. They fill up a short segment that waits, if they `join` it.
    pub(crate) fn append(&mut self, now: Time, bytes: u64, joins: bool, out: &mut Outbox) {
        let sent = self.board.max();
        let was_idle = self.board.outstanding() == 0 && sent > 0;
        self.queue.extend(Arc::make_mut(&mut self.rules.layout).append(sent, bytes, joins));
        if was_idle {
            self.restart(now);
        }
        self.send(now, UNLIMITED, out);
        self.arm_probe(now);
    }

    /// Writes the last byte, which stands for the end of the data. The congestion control does not hold it back where
    /// only it is left to send (Linux: `tcp_cwnd_test`).
    pub(crate) fn append_end(&mut self, now: Time, joins: bool, out: &mut Outbox) {
        self.append(now, 1, joins, out);
        if let Some(last) = self.new_segment()
            && last + 1 == self.queue.written()
            && self.rules.layout.payload(last) == 1
        {
            self.transmit(now, last, out);
        }
    }

    /// Sets the window that the peer offers beyond byte `next`. What has left stays within it.
    pub(crate) fn set_receive_window(&mut self, next: u64, bytes: u64) {
        let layout = &self.rules.layout;
        let una = layout.segments_until(next).clamp(self.board.una(), self.board.max());
        let outstanding = self.board.max() - una;
        let window = (bytes / layout.full_payload().get()).max(outstanding);
        self.rules.receive_window = Segments(u32::try_from(window).unwrap_or(u32::MAX));
    }

    /// Sends what may leave now.
    pub(crate) fn resume(&mut self, now: Time, out: &mut Outbox) {
        self.send(now, UNLIMITED, out);
    }

    /// Returns the number of segments that would be reported as received for the first time by an acknowledgement of
    /// everything before byte `next` and these blocks, and their payload.
    pub(crate) fn delivered_by(&self, next: u64, blocks: &[(u64, u64)]) -> (u32, u32) {
        let layout = &self.rules.layout;
        let is_reported = |segment: u64| {
            let (from, to) = (layout.first_byte(segment), layout.first_byte(segment) + layout.payload(segment));
            to <= next || blocks.iter().any(|(first, end)| *first <= from && to <= *end)
        };
        let is_news =
            |segment: &u64| self.board.entry(*segment).is_some_and(|entry| !entry.is_sacked()) && is_reported(*segment);
        let news = (self.board.una()..self.board.max()).filter(is_news);
        news.fold((0, 0), |(count, bytes), segment| (count + 1, bytes + layout.payload(segment) as u32))
    }

    /// The state, for a look from outside.
    pub(crate) fn state(&self) -> SenderState {
        let status = self.congestion.status();
        let (lost, retransmitted) = self.board.lost_and_retransmitted();
        let unsent = self.queue.written() - self.board.next();
        SenderState {
            recovery: self.recovery_state(),
            window: self.recovery.window().unwrap_or(status.window.floor().as_u64()),
            ssthresh: status.ssthresh,
            unacknowledged: self.board.outstanding(),
            sacked: self.received_beyond_hole(),
            lost,
            retransmitted,
            reordering: match &self.recovery {
                Recovery::Linux(linux) => linux.reordering(),
                Recovery::Bsd(_) => self.rules.host.dupack_threshold.into(),
            },
            unsent,
            is_held_by_peer: unsent > 0 && self.new_segment().is_none() && !self.is_held_by_control(),
            retransmitted_in_all: self.stats.retransmitted,
            timeouts: self.stats.timeouts.into(),
            smoothed_rtt: self.rtt.smoothed_linux(),
            least_rtt: self.rtt.totals().least,
            timeout: self.rtt.timeout(),
        }
    }

    /// Returns whether the congestion control allows no more segments in flight.
    fn is_held_by_control(&self) -> bool {
        u64::from(self.in_flight().0) >= self.congestion.output().window.floor().as_u64()
    }

    /// The number of segments that were reported or are assumed received, in front of which one is missing.
    fn received_beyond_hole(&self) -> u64 {
        self.board.sacked() + self.recovery.assumed_received()
    }

    fn recovery_state(&self) -> RecoveryState {
        if let Recovery::Linux(linux) = &self.recovery {
            if linux.is_after_timeout() {
                return RecoveryState::Loss;
            }
            if linux.is_in_cwr() {
                return RecoveryState::Reduced;
            }
        }
        if self.in_recovery() {
            RecoveryState::Recovery
        } else if self.received_beyond_hole() > 0 {
            RecoveryState::Disorder
        } else {
            RecoveryState::Open
        }
    }
}

//! What the sender is doing about losses, as far as a capture shows it, and which silence is a timeout.

use super::again::Again;

/// Linux's least addition to the smoothed RTT, `TCP_RTO_MIN`, ns.
const ADDED_LEAST_NS: i64 = 200_000_000;
/// The timeout before the first sample (RFC 6298, 2.1), ns.
const INITIAL_NS: i64 = 1_000_000_000;
/// A host's timer is as coarse as its clock of ticks, and its samples are not quite those of the capture: this part of
/// the estimate, in percent, counts as a timeout.
const ENOUGH_PERCENT: i64 = 85;

/// The estimator of RFC 6298, with Linux's least timeout.
#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    smoothed: Option<i64>,
    variation: i64,
}

impl Timer {
    fn sample(&mut self, rtt: i64) {
        match self.smoothed {
            None => (self.smoothed, self.variation) = (Some(rtt), rtt / 2),
            Some(smoothed) => {
                self.variation += ((rtt - smoothed).abs() - self.variation) / 4;
                self.smoothed = Some(smoothed + (rtt - smoothed) / 8);
            }
        }
    }

    /// Whether nothing was acknowledged for the time in which something was expected.
    fn is_silence(&self, waited: i64) -> bool {
        self.smoothed.is_none_or(|smoothed| waited >= smoothed)
    }

    /// Whether a segment that leaves after a silence of `waited` leaves because the timer has run out.
    fn runs_out_within(&self, waited: i64) -> bool {
        let added = self.variation.saturating_mul(4).max(ADDED_LEAST_NS);
        let timeout = self.smoothed.map_or(INITIAL_NS, |smoothed| smoothed.saturating_add(added));
        waited >= timeout / 100 * ENOUGH_PERCENT
    }
}

/// The sender's recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recovery {
    timer: Timer,
    /// When the acknowledged edge last moved.
    advanced_at: i64,
    /// Acknowledgements of nothing new since.
    pub(super) duplicates: u32,
    /// Until when retransmissions follow a timeout: the highest sequence number sent before it.
    lost_until: i64,
    /// Until when retransmissions follow duplicate acknowledgements: the highest sequence number sent before the first.
    recovering_until: i64,
}

/// A segment that is retransmitted, before it is known why.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// The acknowledged edge.
    pub(super) acked: i64,
    /// Whether it is the first that is not acknowledged, and whether it is the last one sent.
    pub(super) is_head: bool,
    pub(super) is_tail: bool,
    /// Whether the receiver has later ones, by its SACK blocks.
    pub(super) has_sacked: bool,
    /// The time since the first one was last sent, and now, at the sender, ns.
    pub(super) since_head: i64,
    pub(super) at: i64,
}

impl Recovery {
    /// Takes a sample of the whole RTT, ns.
    pub(super) fn sample(&mut self, rtt: i64) {
        self.timer.sample(rtt);
    }

    /// Notes that the acknowledged edge has moved.
    pub(super) fn advance(&mut self, at: i64) {
        (self.advanced_at, self.duplicates) = (at, 0);
    }

    /// Notes a retransmission, before which `next` was the highest sequence number.
    pub(super) fn begin(&mut self, again: Again, acked: i64, next: i64) {
        match again {
            Again::Timeout => self.lost_until = next,
            Again::Fast if acked >= self.recovering_until => self.recovering_until = next,
            _ => {}
        }
    }

    /// Tells what made the sender retransmit a segment.
    pub(super) fn retransmission(&self, doubt: Doubt) -> Again {
        let has_evidence = self.duplicates > 0 || doubt.has_sacked || doubt.acked < self.recovering_until;
        let waited = doubt.since_head.min(doubt.at - self.advanced_at);
        if doubt.is_head && self.timer.runs_out_within(waited) {
            return Again::Timeout;
        }
        if doubt.acked < self.lost_until {
            return Again::AfterTimeout;
        }
        // without a silence it was an acknowledgement that showed the loss: of a segment sent later (RFC 8985)
        match (has_evidence || !self.timer.is_silence(waited), doubt.is_tail) {
            (true, _) => Again::Fast,
            (false, true) => Again::Probe,
            (false, false) if doubt.is_head => Again::Timeout,
            (false, false) => Again::Fast,
        }
    }
}

//! The signal: once a round, how many segments of the window are backlog.
//!
//! diff = window - sent x baseRTT / RTT, rounded half up, with RTT the mean of the round's samples (Brakmo and
//! Peterson 1995, section IV; "Vegas slow start", section 2, for the rounding; design section 4.1).

use crate::contract::Ack;
use crate::units::{Segments, SendIndex, Span, Time};

/// How the backlog is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Not at all (Reno).
    None,
    /// From round-trip times alone.
    EndToEnd {
        /// What counts as the window.
        in_transit: InTransit,
        /// A round of a single segment sets the base RTT to its own RTT ("Revisited", section VII.B: a defect).
        reset_base_after_single: bool,
    },
}

impl Signal {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, Signal)] = &[
        ("none", Signal::None),
        ("end-to-end", Signal::EndToEnd { in_transit: InTransit::BeforeAck, reset_base_after_single: false }),
        ("end-to-end-ns2", Signal::EndToEnd { in_transit: InTransit::AfterAckPlusOne, reset_base_after_single: true }),
    ];
}

/// What counts as the window in the backlog, and when the next round begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTransit {
    /// What is in flight before the acknowledgement is counted ("Revisited", section VII.C, corrected).
    BeforeAck,
    /// What is in flight after it, plus one: ns-2's `t_seqno_ - last_ack_`, which differs for an acknowledgement
    /// of more than one segment.
    AfterAckPlusOne,
}

/// The running measurement of one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The round ends when this index is acknowledged.
    end: SendIndex,
    /// When it began.
    began: Time,
    /// Sum of its samples.
    rtt_sum: Span,
    /// Count of its samples.
    samples: u32,
    /// Least RTT ever seen; [`Span::MAX`] before the first sample.
    base_rtt: Span,
}

impl Round {
    pub(crate) const NEW: Round =
        Round { end: SendIndex(0), began: Time::ZERO, rtt_sum: Span::ZERO, samples: 0, base_rtt: Span::MAX };

    pub(crate) fn base_rtt(&self) -> Option<Span> {
        (self.base_rtt != Span::MAX).then_some(self.base_rtt)
    }

    /// Forgets the round under way: the next one ends when `next` is acknowledged.
    pub(crate) fn restart(&mut self, next: SendIndex, now: Time) {
        *self = Round { end: next, began: now, rtt_sum: Span::ZERO, samples: 0, base_rtt: self.base_rtt };
    }

    pub(crate) fn ended_by(&self, ack: &Ack) -> bool {
        ack.newest >= self.end
    }

    /// Closes the round that `ack` ends and begins the next one. Returns the backlog in segments, or none where
    /// nothing was measured yet.
    pub(crate) fn close(&mut self, signal: &Signal, ack: &Ack) -> Option<i32> {
        let Signal::EndToEnd { in_transit, reset_base_after_single } = *signal else {
            self.restart(after(ack), ack.now);
            return None;
        };
        let next = match in_transit {
            InTransit::BeforeAck => ack.next,
            InTransit::AfterAckPlusOne => after(ack),
        };
        let sent = next.since(self.end);
        let rtt = self.mean_rtt(ack.now);
        let single = reset_base_after_single && sent <= Segments(1);
        if self.base_rtt != Span::MAX && (rtt < self.base_rtt || single) {
            self.base_rtt = rtt;
        }
        let diff = self.base_rtt().map(|base| backlog(in_flight(in_transit, ack), sent, base, rtt));
        self.restart(after(ack), ack.now);
        diff
    }

    /// Adds the acknowledgement's own sample; it belongs to the round that follows the one it ends.
    pub(crate) fn sample(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.rtt_sum += rtt;
            self.samples = self.samples.saturating_add(1);
            self.base_rtt = self.base_rtt.min(rtt);
        }
    }

    /// Mean of the round's samples, or its length where every segment of it was a retransmission.
    fn mean_rtt(&self, now: Time) -> Span {
        match self.samples {
            0 => now.since(self.began),
            n => Span::from_nanos(self.rtt_sum.as_nanos() / u64::from(n)),
        }
    }
}

/// What is in flight, in the sense of the dialect; also the measure of mechanism I.
pub(crate) fn in_flight(in_transit: InTransit, ack: &Ack) -> Segments {
    match in_transit {
        InTransit::BeforeAck => ack.in_flight,
        InTransit::AfterAckPlusOne => Segments(ack.in_flight.0.saturating_sub(ack.acked.0).saturating_add(1)),
    }
}

/// The next send index once `ack` is counted.
fn after(ack: &Ack) -> SendIndex {
    SendIndex(ack.next.0.max(ack.newest.0.saturating_add(1)))
}

/// diff = window - sent x base / rtt, rounded half up; within i32.
///
/// Spans are cut to 2^40 ns (18 minutes), so that every product stays within 2^63: window and sent are below 2^22
/// here by the same cut.
fn backlog(window: Segments, sent: Segments, base: Span, rtt: Span) -> i32 {
    const SPAN_MAX: u64 = 1 << 40;
    const SEGMENTS_MAX: u32 = 1 << 21;
    let rtt = rtt.as_nanos().clamp(1, SPAN_MAX) as i64;
    let base = base.as_nanos().min(SPAN_MAX) as i64;
    let window = i64::from(window.0.min(SEGMENTS_MAX));
    let sent = i64::from(sent.0.min(SEGMENTS_MAX));
    let doubled = 2 * (window * rtt - sent * base) + rtt;
    let diff = doubled.div_euclid(2 * rtt);
    diff.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: 10 - 10 x 100/160 = 3.75, so 4; 2.5 goes up to 3; 2.49 down to 2.
    #[test]
    fn backlog_rounds_half_up() {
        let of = |window, sent, base_us, rtt_us| {
            backlog(Segments(window), Segments(sent), Span::from_micros(base_us), Span::from_micros(rtt_us))
        };
        assert_eq!(of(10, 10, 100_000, 160_000), 4);
        assert_eq!(of(10, 10, 75_000, 100_000), 3);
        assert_eq!(of(10, 10, 75_100, 100_000), 2);
        assert_eq!(of(2, 2, 100_000, 100_000), 0);
        assert_eq!(of(2, 6, 100_000, 100_000), -4);
    }

    #[test]
    fn backlog_survives_extremes() {
        let far = Span::MAX;
        assert!(backlog(Segments(u32::MAX), Segments(0), far, Span::from_nanos(1)) > 0);
        assert!(backlog(Segments(0), Segments(u32::MAX), far, Span::from_nanos(1)) < 0);
    }
}

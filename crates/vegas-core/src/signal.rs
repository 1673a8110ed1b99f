//! The signal: once a round, how many segments of the window are backlog.
//!
//! diff = window - sent x baseRTT / RTT, rounded half up, with RTT the mean of the round's samples (Brakmo and
//! Peterson 1995, section IV; "Vegas slow start", section 2, for the rounding; design section 4.1).

use crate::contract::Ack;
use crate::units::{Segments, SendIndex, Span, Time, Window};

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

/// What counts as the window in the backlog, when the next round begins, and what a round without a sample tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTransit {
    /// What is in flight before the acknowledgement is counted ("Revisited", section VII.C, corrected). Only samples
    /// lower the base RTT, and the backlog is never negative while the host counts as in flight all it has sent
    /// that is not acknowledged.
    BeforeAck,
    /// What is in flight after it, plus one: ns-2's `t_seqno_ - last_ack_`, which differs for an acknowledgement
    /// of more than one segment. The length of a round without a sample can lower the base RTT, and a negative
    /// backlog is rounded towards zero, as C converts to an integer.
    AfterAckPlusOne,
}

/// The running measurement of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        self.update_base(rtt, in_transit, reset_base_after_single && sent <= Segments(1));
        let diff = self.base_rtt().map(|base| backlog(in_transit, in_flight(in_transit, ack), sent, base, rtt));
        self.restart(after(ack), ack.now);
        diff
    }

    fn update_base(&mut self, rtt: Span, in_transit: InTransit, single: bool) {
        if self.base_rtt == Span::MAX || rtt == Span::ZERO {
            return;
        }
        let shorter = in_transit == InTransit::AfterAckPlusOne && rtt < self.base_rtt;
        if shorter || single {
            self.base_rtt = rtt;
        }
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

/// diff = window - sent x base / rtt, rounded half up as the dialect does; within plus or minus `i32::MAX`.
///
/// Spans are cut to 2^37 ns (137 s) and counts to the largest window, 2^24 segments, so that twice every product
/// stays within 2^62. In a round that was shorter than the base RTT its length was no round-trip time (an
/// acknowledgement of what had been sent before a timeout ended it): there the corrected dialect takes the base.
fn backlog(in_transit: InTransit, window: Segments, sent: Segments, base: Span, rtt: Span) -> i32 {
    const SPAN_MAX: u64 = 1 << 37;
    const SEGMENTS_MAX: Segments = Window::MAX.floor();
    let base = base.as_nanos().clamp(1, SPAN_MAX) as i64;
    let rtt = rtt.as_nanos().clamp(1, SPAN_MAX) as i64;
    let window = i64::from(window.min(SEGMENTS_MAX).0);
    let sent = i64::from(sent.min(SEGMENTS_MAX).0);
    let twice_plus_half = |rtt: i64| 2 * (window * rtt - sent * base) + rtt;
    let diff = match in_transit {
        InTransit::BeforeAck => twice_plus_half(rtt.max(base)).div_euclid(2 * rtt.max(base)),
        InTransit::AfterAckPlusOne => twice_plus_half(rtt) / (2 * rtt),
    };
    diff.clamp(i64::from(-i32::MAX), i64::from(i32::MAX)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(in_transit: InTransit, window: u32, sent: u32, base_us: u64, rtt_us: u64) -> i32 {
        backlog(in_transit, Segments(window), Segments(sent), Span::from_micros(base_us), Span::from_micros(rtt_us))
    }

    /// Worked by hand: 10 - 10 x 100/160 = 3.75, so 4; 2.5 goes up to 3; 2.49 down to 2.
    #[test]
    fn backlog_rounds_half_up() {
        for in_transit in [InTransit::BeforeAck, InTransit::AfterAckPlusOne] {
            assert_eq!(of(in_transit, 10, 10, 100_000, 160_000), 4);
            assert_eq!(of(in_transit, 10, 10, 75_000, 100_000), 3);
            assert_eq!(of(in_transit, 10, 10, 75_100, 100_000), 2);
            assert_eq!(of(in_transit, 2, 2, 100_000, 100_000), 0);
        }
    }

    /// Worked by hand: 2 - 6 = -4, to which half is added: -3.5, down to -4 or towards zero to -3.
    #[test]
    fn a_negative_backlog_rounds_as_the_dialect_does() {
        assert_eq!(of(InTransit::BeforeAck, 2, 6, 100_000, 100_000), -4);
        assert_eq!(of(InTransit::AfterAckPlusOne, 2, 6, 100_000, 100_000), -3);
    }

    /// Worked by hand: 8 - 8 x 100/50 = -8, to which half is added, towards zero: -7; with 100/100 there is none.
    #[test]
    fn a_round_shorter_than_the_base_is_no_round_trip_time() {
        assert_eq!(of(InTransit::AfterAckPlusOne, 8, 8, 100_000, 50_000), -7);
        assert_eq!(of(InTransit::BeforeAck, 8, 8, 100_000, 50_000), 0);
    }

    #[test]
    fn the_largest_window_on_the_longest_path_is_exact() {
        let window = Window::MAX.floor();
        let (base, rtt) = (Span::from_secs(60), Span::from_secs(120));
        assert_eq!(backlog(InTransit::BeforeAck, window, window, base, rtt), 1 << 23);
    }

    #[test]
    fn backlog_survives_extremes() {
        let (most, far, near) = (Segments(u32::MAX), Span::MAX, Span::from_nanos(1));
        for in_transit in [InTransit::BeforeAck, InTransit::AfterAckPlusOne] {
            assert!(backlog(in_transit, most, Segments(0), far, near) > 0);
            assert!(backlog(in_transit, Segments(0), most, far, near) < 0);
            assert_eq!(backlog(in_transit, most, most, near, Span::ZERO), 0);
        }
    }
}

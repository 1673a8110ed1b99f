//! Delivery rate estimation (draft-cheng-iccrg-delivery-rate-estimation-02): how fast segments arrive, from what was
//! delivered between the sending of a segment and its acknowledgement.
//!
//! A host keeps one [`RateEstimator`] a connection and one [`Snapshot`] for each segment in flight, and only for
//! congestion controls that ask for rate samples. It calls [`RateEstimator::on_sent`] for each segment that leaves,
//! also again; [`RateEstimator::on_delivered`] for each that an acknowledgement reports for the first time; and
//! [`RateEstimator::sample`] at the acknowledgement's end.

use crate::contract::{LostSegment, RateSample};
use crate::units::{Segments, Span, Time, Window};

/// What a connection counts for rate samples (section 3.1 of the draft, its state `C`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateEstimator {
    /// Segments delivered so far.
    delivered: u64,
    /// When the newest of them was reported.
    delivered_at: Time,
    /// The send time of the segment that the newest sample comes from; the next sample's send interval begins here.
    first_sent: Time,
    /// Segments found lost so far.
    lost: u64,
    /// Segments sent while this many are not yet delivered are application-limited; 0: none are.
    limited_until: u64,
    /// What the current acknowledgement reports.
    newest: Option<Newest>,
}

/// The record of a segment that leaves (section 3.1.2, `P`): 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    delivered_at: Time,
    first_sent: Time,
    /// The low halves of the counts; at most 2^32 segments are delivered while one is in flight.
    delivered: u32,
    lost: u32,
    in_flight: u32,
    limited: bool,
}

const _: () = assert!(size_of::<Snapshot>() <= 32);

/// The newest segment that an acknowledgement reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Newest {
    sent: Time,
    snapshot: Snapshot,
}

impl RateSample {
    /// Segments a second, in fixed point; rounded down, and [`Window::MAX`] at most.
    pub fn per_second(&self) -> Window {
        // in two steps, without 128 bits: a rest below 2^43 ns (2.4 hours) has room for 20 more
        let nanos = self.interval.as_nanos().clamp(1, 1 << 43);
        let whole = self.delivered.as_u64() * 1_000_000_000;
        let (quotient, rest) = (whole / nanos, whole % nanos);
        let fraction = ((rest << 20) / nanos) << (Window::FRACTION_BITS - 20);
        Window::whole(Segments(quotient.min(u64::from(Window::MAX.floor().0)) as u32)).plus(Window::from_raw(fraction))
    }
}

impl RateEstimator {
    /// The state before the first segment.
    pub fn new() -> Self {
        RateEstimator::default()
    }

    /// Records that a segment leaves while `others` are in flight; the host keeps the returned snapshot with it. It
    /// `begins` a flight if everything sent before is acknowledged (section 3.2). What counts as lost may still arrive:
    /// a host that took it for delivered would make samples too short after a timeout (Linux: `tcp_rate_skb_sent` asks
    /// `packets_out`).
    pub fn on_sent(&mut self, now: Time, others: Segments, begins: bool) -> Snapshot {
        if begins {
            self.first_sent = now;
            self.delivered_at = now;
        }
        Snapshot {
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            delivered: self.delivered as u32,
            lost: self.lost as u32,
            in_flight: others.0.saturating_add(1),
            limited: self.limited_until != 0,
        }
    }

    /// Records that a segment was reported received for the first time; `sent` is when it last left.
    pub fn on_delivered(&mut self, now: Time, sent: Time, snapshot: Snapshot) {
        self.delivered += 1;
        self.delivered_at = now;
        let is_newest = self.newest.is_none_or(|newest| sent >= newest.sent);
        if is_newest {
            self.first_sent = sent;
            self.newest = Some(Newest { sent, snapshot });
        }
    }

    /// Counts an acknowledgement of `acked` segments without SACK, which were recorded, as `arrivals`: duplicates stand
    /// for arrivals before what they stand for is acknowledged (Linux: `tcp_add_reno_sack`, `tcp_remove_reno_sacks`).
    pub fn on_arrivals(&mut self, now: Time, acked: u64, arrivals: u64) {
        self.delivered = (self.delivered + arrivals).saturating_sub(acked);
        self.delivered_at = now;
    }

    /// Counts segments that were found lost.
    pub fn on_lost(&mut self, segments: Segments) {
        self.lost += segments.as_u64();
    }

    /// Describes a segment that was just found lost; the counts include it.
    pub fn lost_segment(&self, snapshot: Snapshot) -> LostSegment {
        LostSegment {
            in_flight: Segments(snapshot.in_flight),
            lost: Segments((self.lost as u32).wrapping_sub(snapshot.lost)),
            app_limited: snapshot.limited,
        }
    }

    /// The sender has nothing more to send although the window has room (section 3.4).
    pub fn on_app_limited(&mut self, in_flight: Segments) {
        self.limited_until = (self.delivered + in_flight.as_u64()).max(1);
    }

    /// The sample at an acknowledgement's end; none if it reported nothing new, or if it is too short to be right:
    /// shorter than `least_rtt`, which only happens after a retransmission of a segment that did arrive (section 3.3).
    pub fn sample(&mut self, least_rtt: Span) -> Option<RateSample> {
        if self.limited_until != 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let Newest { sent, snapshot } = self.newest.take()?;
        let sending = sent.since(snapshot.first_sent);
        let acknowledging = self.delivered_at.since(snapshot.delivered_at);
        let interval = sending.max(acknowledging);
        if interval < least_rtt || interval == Span::ZERO {
            return None;
        }
        Some(RateSample {
            delivered: Segments((self.delivered as u32).wrapping_sub(snapshot.delivered)),
            interval,
            lost: Segments((self.lost as u32).wrapping_sub(snapshot.lost)),
            in_flight: Segments(snapshot.in_flight),
            prior_delivered: snapshot.delivered,
            total: self.delivered as u32,
            app_limited: snapshot.limited,
        })
    }
}

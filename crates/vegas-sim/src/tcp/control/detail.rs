//! The events and measurements beyond acknowledgements of new data and losses that a congestion control may ask for:
//! rate samples, acknowledgements in recovery, segments sent, values stamped by routers. A sender keeps this only if
//! its control asks for one of them ([`Needs`]).

use vegas_core::rate::{RateEstimator, Snapshot};
use vegas_core::units::{Segments, Span, Time};
use vegas_core::{LostSegment, Needs, RateSample, RouterFeedback};

use crate::util::ring::Ring;

/// The state that a sender keeps for a control that asks for more than acknowledgements of new data and losses.
#[derive(Clone, Debug)]
pub(super) struct Detail {
    pub(super) needs: Needs,
    rates: RateEstimator,
    /// The snapshots of the segments in flight, from `oldest` on; empty unless the control asks for rate samples or
    /// losses.
    snapshots: Ring<Snapshot>,
    oldest: u64,
    least_rtt: Span,
    /// The values that routers stamped on the newest acknowledged data packet and on its acknowledgement.
    pub(super) feedback: Option<RouterFeedback>,
    /// When the newest acknowledged data packet arrived at the receiver, if the control asks for one-way delays; else
    /// [`Time::ZERO`].
    pub(super) arrived: Time,
    /// Segments delivered since the previous acknowledgement.
    delivered: u32,
    /// The number of segments found lost up to the newest event.
    lost_by_then: u32,
}

/// The measurements that an acknowledgement adds to the segments that it acknowledges.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    pub(super) delivered: Segments,
    pub(super) lost: Segments,
    pub(super) rate: Option<RateSample>,
    pub(super) feedback: Option<RouterFeedback>,
    pub(super) one_way_delay: Option<Span>,
}

impl Detail {
    /// Returns `None` if `needs` asks for nothing that a `Detail` keeps.
    pub(super) fn new(needs: Needs) -> Option<Box<Self>> {
        let asks = needs.every_ack || needs.sent || needs.routers || needs.one_way_delay;
        (asks || needs.keeps_departures()).then(|| {
            Box::new(Detail {
                needs,
                rates: RateEstimator::new(),
                snapshots: Ring::default(),
                oldest: 0,
                least_rtt: Span::MAX,
                feedback: None,
                arrived: Time::ZERO,
                delivered: 0,
                lost_by_then: 0,
            })
        })
    }

    /// Returns the memory in use, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Detail>() + self.snapshots.memory_bytes()
    }

    /// Records that a segment leaves, for the first time or again, with `others` in flight; it `begins` a flight if
    /// everything before it is acknowledged.
    pub(super) fn on_send(&mut self, segment: u64, now: Time, others: Segments, begins: bool) {
        if !self.needs.keeps_departures() {
            return;
        }
        let snapshot = self.rates.on_sent(now, others, begins);
        let at = (segment - self.oldest) as usize;
        match self.snapshots.get_mut(at) {
            Some(place) => *place = snapshot,
            None => self.snapshots.push_back(snapshot),
        }
    }

    /// Records that a segment was reported received for the first time; `sent` is its newest departure.
    pub(super) fn on_delivered(&mut self, segment: u64, now: Time, sent: Time) {
        self.delivered += 1;
        let kept = segment.checked_sub(self.oldest).and_then(|at| self.snapshots.get(at as usize));
        if let Some(snapshot) = kept {
            self.rates.on_delivered(now, sent, *snapshot);
        }
    }

    /// Counts an acknowledgement of `acked` segments without SACK, which were recorded, as `arrivals`.
    pub(super) fn on_arrivals(&mut self, now: Time, acked: u64, arrivals: u64) {
        self.delivered = (u64::from(self.delivered) + arrivals).saturating_sub(acked) as u32;
        self.rates.on_arrivals(now, acked, arrivals);
    }

    /// Discards the snapshots of all segments before `una`, which are acknowledged.
    pub(super) fn on_ack(&mut self, una: u64) {
        while self.oldest < una {
            self.snapshots.drop_front();
            self.oldest += 1;
        }
    }

    pub(super) fn on_rtt(&mut self, rtt: Span) {
        self.least_rtt = self.least_rtt.min(rtt);
    }

    /// Records that the window has room while the application has nothing to send.
    pub(super) fn on_app_limited(&mut self, in_flight: Segments) {
        self.rates.on_app_limited(in_flight);
    }

    /// Returns the number of segments found lost since the previous event; `lost` counts them from the beginning.
    pub(super) fn newly_lost(&mut self, lost: u32) -> Segments {
        let new = Segments(lost.wrapping_sub(self.lost_by_then));
        self.lost_by_then = lost;
        if !self.needs.each_loss {
            self.rates.on_lost(new);
        }
        new
    }

    /// Records that a segment was found lost; returns its description for a control that asks which segments are lost.
    pub(super) fn on_lost(&mut self, segment: u64) -> Option<LostSegment> {
        self.rates.on_lost(Segments(1));
        let snapshot = *self.snapshots.get(segment.checked_sub(self.oldest)? as usize)?;
        Some(self.rates.lost_segment(snapshot))
    }

    /// Returns the one-way delay of the newest acknowledged segment, the one that gives the round-trip sample. Both
    /// ends have the simulator's clock, so the delay is the sample less the time since the segment's arrival, which the
    /// acknowledgement took.
    fn one_way_delay(&self, now: Time, rtt: Option<Span>) -> Option<Span> {
        let known = self.needs.one_way_delay && self.arrived != Time::ZERO;
        rtt.filter(|_| known).map(|rtt| rtt.less(now.since(self.arrived)))
    }

    /// Takes the measurements at the end of an acknowledgement; `lost` counts the segments found lost from the
    /// beginning.
    pub(super) fn take_news(&mut self, now: Time, rtt: Option<Span>, lost: u32) -> News {
        let least_rtt = if self.least_rtt == Span::MAX { Span::ZERO } else { self.least_rtt };
        News {
            lost: self.newly_lost(lost),
            delivered: Segments(std::mem::take(&mut self.delivered)),
            rate: self.rates.sample(least_rtt).filter(|_| self.needs.rate),
            feedback: self.feedback,
            one_way_delay: self.one_way_delay(now, rtt),
        }
    }
}

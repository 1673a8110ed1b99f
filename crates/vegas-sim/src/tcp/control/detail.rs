//! What a congestion control hears beyond acknowledgements of new data and losses: rate samples, acknowledgements in
//! recovery, segments sent, what routers stamped. A sender has this only if its control asks for any of it ([`Needs`]).

use vegas_core::rate::{RateEstimator, Snapshot};
use vegas_core::units::{Segments, Span, Time};
use vegas_core::{LostSegment, Needs, RateSample, RouterFeedback};

use crate::util::ring::Ring;

/// What a sender keeps for a control that asks for more.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Detail {
    pub(in crate::tcp) needs: Needs,
    rates: RateEstimator,
    /// Of the segments in flight, from `oldest` on; empty unless rate samples are asked for.
    snapshots: Ring<Snapshot>,
    oldest: u64,
    least_rtt: Span,
    /// What the routers stamped on the newest data packet acknowledged and on its acknowledgement.
    pub(in crate::tcp) feedback: Option<RouterFeedback>,
    /// When the newest data packet acknowledged had arrived, where one-way delays are asked for; else [`Time::ZERO`].
    pub(in crate::tcp) arrived: Time,
    /// Segments delivered since the acknowledgement before.
    delivered: u32,
    /// Segments that had been found lost by the newest event.
    lost_by_then: u32,
}

/// What an acknowledgement tells besides.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct News {
    pub(in crate::tcp) delivered: Segments,
    pub(in crate::tcp) lost: Segments,
    pub(in crate::tcp) rate: Option<RateSample>,
    pub(in crate::tcp) feedback: Option<RouterFeedback>,
    pub(in crate::tcp) one_way_delay: Option<Span>,
}

impl Detail {
    /// None if `needs` asks for nothing that this keeps.
    pub(in crate::tcp) fn new(needs: Needs) -> Option<Box<Self>> {
        let asks = needs.rate || needs.every_ack || needs.sent || needs.routers || needs.one_way_delay;
        asks.then(|| {
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

    /// What it holds, bytes.
    pub(in crate::tcp) fn memory_bytes(&self) -> usize {
        size_of::<Detail>() + self.snapshots.memory_bytes()
    }

    /// A segment leaves, for the first time or again, with `others` in flight.
    pub(in crate::tcp) fn on_send(&mut self, segment: u64, now: Time, others: Segments) {
        if !self.needs.rate {
            return;
        }
        let snapshot = self.rates.on_sent(now, others);
        let at = (segment - self.oldest) as usize;
        match self.snapshots.get_mut(at) {
            Some(place) => *place = snapshot,
            None => self.snapshots.push_back(snapshot),
        }
    }

    /// A segment was reported received for the first time; `sent` is when it last left.
    pub(in crate::tcp) fn on_delivered(&mut self, segment: u64, now: Time, sent: Time) {
        self.delivered += 1;
        let kept = segment.checked_sub(self.oldest).and_then(|at| self.snapshots.get(at as usize));
        if let Some(snapshot) = kept {
            self.rates.on_delivered(now, sent, *snapshot);
        }
    }

    /// Everything before `una` is acknowledged.
    pub(in crate::tcp) fn on_ack(&mut self, una: u64) {
        while self.oldest < una {
            self.snapshots.drop_front();
            self.oldest += 1;
        }
    }

    pub(in crate::tcp) fn on_rtt(&mut self, rtt: Span) {
        self.least_rtt = self.least_rtt.min(rtt);
    }

    /// The window has room, and there is nothing to send.
    pub(in crate::tcp) fn on_app_limited(&mut self, in_flight: Segments) {
        self.rates.on_app_limited(in_flight);
    }

    /// Segments found lost since the newest event; `lost` counts them from the beginning.
    pub(in crate::tcp) fn newly_lost(&mut self, lost: u32) -> Segments {
        let new = Segments(lost.wrapping_sub(self.lost_by_then));
        self.lost_by_then = lost;
        if !self.needs.each_loss {
            self.rates.on_lost(new);
        }
        new
    }

    /// A segment was found lost, for a control that asks which.
    pub(in crate::tcp) fn on_lost(&mut self, segment: u64) -> Option<LostSegment> {
        self.rates.on_lost(Segments(1));
        let snapshot = *self.snapshots.get(segment.checked_sub(self.oldest)? as usize)?;
        Some(self.rates.lost_segment(snapshot))
    }

    /// Both ends have the simulator's clock. The segment that gives the round-trip sample is the newest one acknowledged;
    /// what the acknowledgement itself took is its own.
    fn one_way_delay(&self, now: Time, rtt: Option<Span>) -> Option<Span> {
        let known = self.needs.one_way_delay && self.arrived != Time::ZERO;
        rtt.filter(|_| known).map(|rtt| rtt.less(now.since(self.arrived)))
    }

    /// At an acknowledgement's end, with the segments found lost so far.
    pub(in crate::tcp) fn take_news(&mut self, now: Time, rtt: Option<Span>, lost: u32) -> News {
        let least_rtt = if self.least_rtt == Span::MAX { Span::ZERO } else { self.least_rtt };
        News {
            lost: self.newly_lost(lost),
            delivered: Segments(std::mem::take(&mut self.delivered)),
            rate: self.rates.sample(least_rtt),
            feedback: self.feedback,
            one_way_delay: self.one_way_delay(now, rtt),
        }
    }
}

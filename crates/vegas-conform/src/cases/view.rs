//! A run as it shows from outside, for controls that do not report their state.
//!
//! STARTUP shows by growth that ends without losses, DRAIN and PROBE_DOWN by a number of packets in flight that falls
//! to the bandwidth-delay product, PROBE_UP by a number that rises above it for a while, and PROBE_RTT by one that
//! falls to half of it. The times at which states begin are not known, so a case that changes the path in a certain
//! state has no counterpart here unless the effect shows in any state.

use vegas_core::units::{Span, Time};

use super::look::QUANTUM_SEGMENTS;
use crate::case::{Miss, Stage};
use crate::grid::Point;
use crate::network::Network;
use crate::observed::{LossAt, Moment};

/// A run, as a judge from outside reads it.
pub(super) struct View {
    moments: Vec<Moment>,
    pub(super) losses: Vec<LossAt>,
    end: Time,
    pub(super) point: Point,
    /// The bottleneck's rate, packets a second.
    pub(super) per_second: f64,
    /// The capacity of the path, packets.
    pub(super) holds: f64,
    /// C.send_quantum in packets, at the path's rate.
    quantum: f64,
}

impl View {
    pub(super) fn of(stage: &mut Stage<'_>, network: &Network) -> Result<Self, Miss> {
        let (point, packet_bytes) = (network.point, network.packet_bytes);
        let observed = stage.run(network)?;
        let per_second = point.rate_bps as f64 / 8.0 / packet_bytes as f64;
        let quantum_most = QUANTUM_SEGMENTS.max((64 << 10) / packet_bytes) as f64;
        let view = View {
            moments: observed.moments.clone(),
            losses: observed.losses.clone(),
            end: at(network.duration),
            point,
            per_second,
            holds: per_second * point.rtt.as_nanos() as f64 / 1e9,
            quantum: (per_second / 1_000.0).ceil().clamp(2.0, quantum_most),
        };
        if view.moments.len() < 2 {
            return Err(Miss::failed("nothing was acknowledged", "packets are acknowledged"));
        }
        Ok(view)
    }

    /// Inflight(1.0) of the path: its BDP, three send quanta, or four packets; plus a packet for the rounding of
    /// each.
    pub(super) fn one(&self) -> f64 {
        self.holds.ceil().max(3.0 * self.quantum).max(4.0) + 1.0
    }

    /// The limit for a flow that cruises or has drained: Inflight(1.0), plus a twentieth.
    pub(super) fn low(&self) -> f64 {
        1.05 * self.one()
    }

    /// The packets in flight that PROBE_RTT leaves: BBR.ProbeRTTCwndGain of the BDP, or four packets; plus a packet
    /// for the rounding of each.
    pub(super) fn half(&self) -> f64 {
        (self.holds / 2.0).ceil().max(4.0) + 1.0
    }

    pub(super) fn between(&self, from: Time, to: Time) -> &[Moment] {
        let place = |at: Time| self.moments.partition_point(|moment| moment.at < at);
        &self.moments[place(from)..place(to).max(place(from))]
    }

    pub(super) fn end(&self) -> Time {
        self.end
    }

    /// The numbers of packets delivered and of packets found lost by a time.
    pub(super) fn counts(&self, at: Time) -> (u64, u64) {
        let place = self.moments.partition_point(|moment| moment.at <= at);
        place.checked_sub(1).map_or((0, 0), |place| (self.moments[place].delivered, self.moments[place].lost))
    }

    /// The delivery rate between two times, as a fraction of the path's rate.
    pub(super) fn part(&self, from: Time, to: Time) -> f64 {
        let delivered = self.counts(to).0 - self.counts(from).0;
        delivered as f64 / (to.since(from).as_nanos() as f64 / 1e9) / self.per_second
    }

    /// The number of packets found lost between two times.
    pub(super) fn lost(&self, from: Time, to: Time) -> u64 {
        self.counts(to).1 - self.counts(from).1
    }

    /// The most packets in flight between two times, and the time of it.
    pub(super) fn peak(&self, from: Time, to: Time) -> (Time, f64) {
        let most = self.between(from, to).iter().max_by_key(|moment| (moment.in_flight, std::cmp::Reverse(moment.at)));
        most.map_or((from, 0.0), |moment| (moment.at, moment.in_flight.into()))
    }

    /// The fewest packets in flight between two times, and the time of it.
    pub(super) fn dip(&self, from: Time, to: Time) -> (Time, f64) {
        let least = self.between(from, to).iter().min_by_key(|moment| (moment.in_flight, moment.at));
        least.map_or((from, f64::INFINITY), |moment| (moment.at, moment.in_flight.into()))
    }

    /// The median of the packets in flight between two times.
    pub(super) fn median(&self, from: Time, to: Time) -> f64 {
        let mut flights: Vec<u32> = self.between(from, to).iter().map(|moment| moment.in_flight).collect();
        flights.sort_unstable();
        flights.get(flights.len() / 2).copied().unwrap_or(0).into()
    }

    /// The time at which the path is first full: the end of a round trip in which it delivers 0.95 of its rate.
    pub(super) fn full_at(&self, from: Time) -> Option<Time> {
        let round = self.point.rounds(1);
        let later = self.moments.iter().filter(|moment| moment.at >= from + round);
        later.map(|moment| moment.at).find(|at| self.part(earlier(*at, round), *at) >= FULL)
    }

    /// The growth at the start, which ends within six round trips of a full path (three of a plateau, and the queue
    /// makes them longer).
    pub(super) fn growth(&self) -> Result<Growth, Miss> {
        let expected = "0.95 of the path's rate in a round trip";
        let full_at = self.full_at(Time::ZERO).ok_or_else(|| Miss::failed("the path is never full", expected))?;
        let (peak_at, peak) = self.peak(Time::ZERO, full_at + self.point.rounds(12));
        Ok(Growth { full_at, peak_at, peak })
    }
}

/// The growth at the start.
pub(super) struct Growth {
    pub(super) full_at: Time,
    pub(super) peak_at: Time,
    pub(super) peak: f64,
}

/// A time between two PROBE_RTT, after the start.
pub(super) fn calm(point: Point) -> Result<Span, Miss> {
    between_probe_rtts(point, 12)?;
    let from = point.rounds(24);
    Ok(if from + point.rounds(12) < Span::from_secs(5) { from } else { Span::from_secs(7) })
}

/// The fraction of the path's rate from which the path counts as full.
const FULL: f64 = 0.95;

/// A time of the run.
pub(super) fn at(span: Span) -> Time {
    Time::ZERO + span
}

/// The time earlier by a span.
pub(super) fn earlier(time: Time, span: Span) -> Time {
    Time::from_nanos(time.as_nanos().saturating_sub(span.as_nanos()))
}

/// Not applicable where PROBE_RTT, every five seconds, leaves a case too little time in between, because round trips
/// are long.
pub(super) fn between_probe_rtts(point: Point, rounds: u64) -> Result<(), Miss> {
    match point.rounds(rounds) <= Span::from_secs(4) {
        true => Ok(()),
        false => {
            Err(Miss::not_applicable("from outside: PROBE_RTT, every five seconds, leaves too few round trips between"))
        }
    }
}

//! The controller for s2n-quic: it translates s2n-quic's calls into the core's events.

#[cfg(test)]
mod tests;

use std::time::Duration;

use s2n_quic_core::event::builder::SlowStartExitCause;
use s2n_quic_core::random;
use s2n_quic_core::recovery::RttEstimator;
use s2n_quic_core::recovery::congestion_controller::{CongestionController, Publisher};
use s2n_quic_core::time::Timestamp;
use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{Algorithm, LossKind, Phase, Status};

use super::pacer::{Pacer, Spacing};
use crate::detail::{Batch, Lost};
use crate::path::{Choice, Path};

/// The algorithm of one connection on one path.
#[derive(Clone, Debug)]
pub struct S2nController {
    path: Path,
    mtu: u16,
    /// The instant at which the core's time is zero: when the first packet leaves.
    origin: Option<Timestamp>,
    bytes_in_flight: u32,
    /// Whether the window, and not the application, stopped the sender after the newest packet.
    window_limited: bool,
    /// A packet may leave at once, whatever the window says: the first of a recovery period.
    may_retransmit: bool,
    /// The send time of the newest packet that gave a round-trip time.
    newest_sent: Time,
    pacer: Pacer,
}

/// What the controller records of a packet until it is acknowledged or lost.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    index: SendIndex,
    at: Time,
}

/// RFC 9002, section 7.7: bursts of the first window at most.
const BURST_PACKETS: u32 = 10;
/// s2n-quic takes a departure time for reached when it is nearer than this (RFC 9002's kGranularity).
const GRANULARITY: Duration = Duration::from_millis(1);

impl S2nController {
    pub(super) fn new(choice: Choice, host_noise: Span, mtu: u16) -> Self {
        S2nController {
            path: Path::new(choice, host_noise, mtu),
            mtu,
            origin: None,
            bytes_in_flight: 0,
            window_limited: false,
            may_retransmit: false,
            newest_sent: Time::ZERO,
            pacer: Pacer::default(),
        }
    }

    /// Window, slow-start threshold, base RTT and backlog, in the core's units.
    pub fn status(&self) -> Status {
        self.path.status()
    }

    /// Parts and numbers.
    pub fn algorithm(&self) -> &Algorithm {
        self.path.algorithm()
    }

    fn time(&self, at: Timestamp) -> Time {
        let since = self.origin.map_or(Duration::ZERO, |origin| at.saturating_duration_since(origin));
        Time::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Converts the window to bytes; nothing else does.
    fn bytes(&self, segments: Segments) -> u32 {
        segments.0.saturating_mul(self.mtu.into())
    }

    /// A number of bytes in packets; a last packet that is not full counts as one.
    fn packets(&self, bytes: u32) -> Segments {
        Segments(bytes.div_ceil(self.mtu.max(1).into()))
    }

    /// The algorithm's own rate, or 1.25 windows a round trip (RFC 9002, section 7.7); nothing before the first sample.
    fn spacing(&self, bytes: usize, rtt: &RttEstimator) -> Spacing {
        match self.path.output().pace {
            Some(pace) => {
                let nanos = pace.spacing().as_nanos().saturating_mul(bytes as u64) / u64::from(self.mtu.max(1));
                Spacing { between: Duration::from_nanos(nanos), burst: 1 }
            }
            None if rtt.first_rtt_sample().is_none() => Spacing::default(),
            None => Spacing { between: rtt.smoothed_rtt() * 4 / 5 / self.path.window().0, burst: BURST_PACKETS },
        }
    }

    fn announce<P: Publisher>(&self, before: Phase, cause: SlowStartExitCause, publisher: &mut P) {
        if before == Phase::SlowStart && self.status().phase == Phase::Avoidance {
            publisher.on_slow_start_exited(cause, self.congestion_window());
        }
    }
}

impl CongestionController for S2nController {
    type PacketInfo = Sent;

    /// s2n-quic sends while a whole packet more fits into the window.
    fn congestion_window(&self) -> u32 {
        self.bytes(self.path.window())
    }

    fn bytes_in_flight(&self) -> u32 {
        self.bytes_in_flight
    }

    fn is_congestion_limited(&self) -> bool {
        self.congestion_window().saturating_sub(self.bytes_in_flight) < u32::from(self.mtu)
    }

    fn requires_fast_retransmission(&self) -> bool {
        self.may_retransmit
    }

    /// A packet without counted bytes holds acknowledgements only; no window counts it.
    fn on_packet_sent<P: Publisher>(
        &mut self,
        now: Timestamp,
        bytes: usize,
        app_limited: Option<bool>,
        rtt: &RttEstimator,
        _publisher: &mut P,
    ) -> Sent {
        self.origin.get_or_insert(now);
        let at = self.time(now);
        if bytes == 0 {
            return Sent { index: self.path.newest(), at };
        }
        let others = self.packets(self.bytes_in_flight);
        let spacing = self.spacing(bytes, rtt);
        self.pacer.on_sent(now, spacing);
        self.bytes_in_flight = self.bytes_in_flight.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.may_retransmit = false;
        // s2n-quic does not report it for packets of the handshake
        self.window_limited = self.is_congestion_limited() || app_limited == Some(false);
        Sent { index: self.path.send(at, 1, others), at }
    }

    fn on_rtt_update<P: Publisher>(
        &mut self,
        sent: Timestamp,
        _now: Timestamp,
        _rtt: &RttEstimator,
        _publisher: &mut P,
    ) {
        self.newest_sent = self.time(sent);
    }

    fn on_ack<P: Publisher>(
        &mut self,
        _newest_sent: Timestamp,
        bytes: usize,
        newest: Sent,
        _rtt: &RttEstimator,
        _random: &mut dyn random::Generator,
        now: Timestamp,
        publisher: &mut P,
    ) {
        let before = self.status().phase;
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.bytes_in_flight = self.bytes_in_flight.saturating_sub(bytes);
        let packets = self.packets(bytes).as_u64().max(1);
        let sent = newest.at;
        let newest = Some((newest.index, newest.at)).filter(|_| !self.path.is_overtaken(newest.index));
        let (last_sent, left_in_flight) = (Some(sent), self.packets(self.bytes_in_flight));
        let batch = Batch { packets, bytes: bytes.into(), newest, last_sent, left_in_flight };
        self.path.acknowledge(self.time(now), batch, self.window_limited);
        self.announce(before, SlowStartExitCause::Rtt, publisher);
    }

    fn on_packet_lost<P: Publisher>(
        &mut self,
        bytes: u32,
        lost: Sent,
        persistent_congestion: bool,
        _new_loss_burst: bool,
        _random: &mut dyn random::Generator,
        now: Timestamp,
        publisher: &mut P,
    ) {
        self.bytes_in_flight = self.bytes_in_flight.saturating_sub(bytes);
        let kind = if persistent_congestion { LossKind::Timeout } else { LossKind::DuplicateAcks };
        let before = self.status().phase;
        let lost = Lost { packets: Segments(1), sent: lost.at, index: Some(lost.index) };
        if self.path.on_loss(self.time(now), kind, lost) {
            // RFC 9002, section 7.3.2: one packet may be retransmitted before the window allows it
            self.may_retransmit = !persistent_congestion;
        }
        self.announce(before, SlowStartExitCause::PacketLoss, publisher);
    }

    fn on_explicit_congestion<P: Publisher>(&mut self, _ce_count: u64, now: Timestamp, publisher: &mut P) {
        let before = self.status().phase;
        let marked = Lost { packets: Segments(0), sent: self.newest_sent, index: None };
        self.path.on_loss(self.time(now), LossKind::Ecn, marked);
        self.announce(before, SlowStartExitCause::Ecn, publisher);
    }

    fn on_mtu_update<P: Publisher>(&mut self, mtu: u16, _publisher: &mut P) {
        self.mtu = mtu;
        self.path.on_mtu(mtu);
    }

    fn on_packet_discarded<P: Publisher>(&mut self, bytes: usize, _publisher: &mut P) {
        self.bytes_in_flight = self.bytes_in_flight.saturating_sub(u32::try_from(bytes).unwrap_or(u32::MAX));
    }

    fn earliest_departure_time(&self) -> Option<Timestamp> {
        self.pacer.earliest()
    }

    fn send_quantum(&self) -> Option<usize> {
        Some(self.pacer.at_once(GRANULARITY) as usize * usize::from(self.mtu))
    }
}

//! The contract's other side: quinn's calls, translated into the core's events.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use vegas_core::units::{Segments, SendIndex, Span, Time, Window};
use vegas_core::{Ack, Algorithm, Loss, LossKind, State};

use crate::observer::{Event, Observer};
use crate::sends::SendLog;

/// Makes a [`VegasController`] for each path of a connection: what `VegasQuic::build` gives, to be put into quinn's
/// `TransportConfig`.
#[derive(Clone, Debug)]
pub struct VegasFactory {
    pub(crate) algorithm: Algorithm,
    pub(crate) host_noise: Span,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl VegasFactory {
    /// Parts and numbers.
    pub fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// The same, with somebody who looks on.
    pub fn observed(&self, observer: Arc<dyn Observer>) -> Arc<Self> {
        Arc::new(VegasFactory { observer: Some(observer), ..self.clone() })
    }
}

impl ControllerFactory for VegasFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let controller = VegasController::new(&self, now, current_mtu);
        controller.tell_observer(now, Event::Started);
        Box::new(controller)
    }
}

/// The algorithm of one connection on one path.
#[derive(Clone, Debug)]
pub struct VegasController {
    algorithm: Algorithm,
    /// What of a round-trip time above the least is taken for the hosts' own doing.
    host_noise: Span,
    observer: Option<Arc<dyn Observer>>,
    /// The path's least round-trip time.
    least_rtt: Option<Span>,
    state: State,
    /// The core's time is counted from here.
    origin: Instant,
    /// What was sent before is of an earlier path.
    path_began: Instant,
    mtu: u16,
    sends: SendLog,
    /// Everything below this index is acknowledged, or was overtaken by what is.
    oldest: u64,
    /// The acknowledgement that is being read.
    batch: Batch,
    /// When the window was last cut: what was sent until then does not cut it again (RFC 9002, section 7.3.2).
    recovery_began: Option<Time>,
    /// A copy for another path, which has not sent on it yet.
    moves: bool,
}

/// Packets that one acknowledgement covers.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    packets: u64,
    bytes: u64,
    /// Index and send time.
    newest: Option<(SendIndex, Time)>,
}

impl Batch {
    /// Of the newest packet.
    fn rtt(&self, now: Time) -> Option<Span> {
        self.newest.map(|(_, sent)| now.since(sent)).filter(|rtt| *rtt > Span::ZERO)
    }
}

/// RFC 9002, section 7.2: the least window.
const LEAST: Segments = Segments(2);

impl VegasController {
    fn new(factory: &VegasFactory, now: Instant, mtu: u16) -> Self {
        let VegasFactory { algorithm, host_noise, observer } = factory.clone();
        VegasController {
            algorithm,
            host_noise,
            observer,
            least_rtt: None,
            state: algorithm.start(),
            origin: now,
            path_began: now,
            mtu,
            sends: SendLog::default(),
            oldest: 0,
            batch: Batch::default(),
            recovery_began: None,
            moves: false,
        }
    }

    /// Window, slow-start threshold, base RTT and backlog, in the core's units.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Packets sent after the newest one acknowledged, whether they are lost or not.
    pub fn in_flight(&self) -> Segments {
        self.sends.next().since(SendIndex(self.oldest))
    }

    /// Parts and numbers.
    pub fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// The path's largest UDP payload, bytes: what a segment of the window counts.
    pub fn mtu(&self) -> u16 {
        self.mtu
    }

    fn time(&self, instant: Instant) -> Time {
        let nanos = instant.saturating_duration_since(self.origin).as_nanos();
        Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The one place that converts. quinn sends while what is in flight and the next packet together stay *below* the
    /// window, so the window of n packets is a byte more than their bytes.
    fn bytes(&self, segments: Segments) -> u64 {
        segments.max(LEAST).as_u64() * u64::from(self.mtu) + 1
    }

    fn tell_observer(&self, now: Instant, event: Event) {
        if let Some(observer) = &self.observer {
            observer.on_event(now, event, self);
        }
    }

    fn begin_path(&mut self, now: Instant) {
        self.state.on_path_change(self.sends.next(), self.time(now));
        self.oldest = self.sends.next().0;
        self.least_rtt = None;
        self.path_began = now;
        self.moves = false;
    }

    /// A packet that the acknowledgement under way covers; quinn names them in the order of sending.
    fn on_packet(&mut self, sent: Instant, bytes: u64) {
        self.batch.bytes += bytes;
        if sent < self.path_began {
            return;
        }
        let sent = self.time(sent);
        self.batch.packets += 1;
        if let Some(index) = self.sends.acknowledged(sent) {
            self.batch.newest = Some((index, sent));
        }
    }

    /// A sample without the noise of hosts; never below the least one.
    fn sample(&mut self, rtt: Span) -> Span {
        let least = self.least_rtt.map_or(rtt, |least| least.min(rtt));
        self.least_rtt = Some(least);
        rtt.less(self.host_noise).max(least)
    }

    /// One acknowledgement is what the receiver sends; one that covers several packets is the last of those that it
    /// left out, which are given back here: the algorithm sees each packet acknowledged, and a sample only of the
    /// newest, whose arrival made the receiver answer. See the crate's documentation for what that does to the backlog.
    fn acknowledge(&mut self, now: Time, batch: Batch, window_limited: bool) {
        let newest = batch.newest.map_or(self.oldest.saturating_sub(1), |(index, _)| index.0);
        let next = self.sends.next();
        let sample = batch.rtt(now).map(|rtt| self.sample(rtt));
        for left in (0..batch.packets).rev() {
            let reached = newest.saturating_sub(left).clamp(self.oldest.min(newest), newest);
            self.tell(&Ack {
                now,
                rtt: sample.filter(|_| left == 0),
                acked: Segments(1),
                in_flight: next.since(SendIndex(self.oldest)).max(Segments(1)),
                newest: SendIndex(reached),
                next,
                window_limited,
                ce_marked: 0,
                feedback: None,
            });
            self.oldest = self.oldest.max(reached + 1).min(next.0);
        }
    }

    fn on_loss(&mut self, now: Time, sent: Time, kind: LossKind) {
        if kind != LossKind::Timeout && self.recovery_began.is_some_and(|began| sent <= began) {
            return;
        }
        self.recovery_began = Some(now);
        let (next, in_flight) = (self.sends.next(), self.in_flight());
        // QUIC never sends a packet twice: what is sent again has a new number
        self.algorithm.on_loss(&mut self.state, &Loss { now, kind, sent, retransmission: false, in_flight, next });
    }

    /// RFC 9002, section 7.8: a window that does not limit the sender does not grow.
    fn tell(&mut self, ack: &Ack) {
        let before = self.state.window();
        self.algorithm.on_ack(&mut self.state, ack);
        if !ack.window_limited {
            self.state.hold_to(before);
        }
    }
}

impl Controller for VegasController {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        if self.moves {
            self.begin_path(now);
        }
        // what leaves in one call is whole packets and a last one
        let packets = bytes.div_ceil(u64::from(self.mtu)).max(1);
        self.sends.sent(self.time(now), packets);
        self.tell_observer(now, Event::Sent { packets });
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.on_packet(sent, bytes);
    }

    fn on_end_acks(&mut self, now: Instant, _in_flight: u64, app_limited: bool, _largest_packet_number: Option<u64>) {
        let batch = std::mem::take(&mut self.batch);
        self.acknowledge(self.time(now), batch, !app_limited);
        self.tell_observer(now, Event::Acked { bytes: batch.bytes, rtt: batch.rtt(self.time(now)) });
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        let kind = match (is_persistent_congestion, lost_bytes) {
            (true, _) => LossKind::Timeout,
            (false, 0) => LossKind::Ecn,
            (false, _) => LossKind::DuplicateAcks,
        };
        let before = self.state.window();
        if sent >= self.path_began {
            self.on_loss(self.time(now), self.time(sent), kind);
        }
        let cut = self.state.window() < before;
        self.tell_observer(now, Event::Congested { kind, bytes: lost_bytes, cut });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu;
    }

    fn window(&self) -> u64 {
        self.bytes(self.state.window().floor())
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = self.state.ssthresh().map(|ssthresh| self.bytes(ssthresh));
        metrics
    }

    /// quinn copies a controller when the peer's port has changed and its address has not (a NAT's rebinding): the window
    /// stays, the base RTT is measured anew, as the way may be another.
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(VegasController { moves: true, ..self.clone() })
    }

    fn initial_window(&self) -> u64 {
        self.bytes(Window::whole(self.algorithm.parameters().initial_window).floor())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

//! The controller for quinn: it translates quinn's calls into the core's events.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use vegas_core::units::{Segments, Span, Time};
use vegas_core::{Algorithm, CongestionControl, LossKind, Status};

use crate::detail::{Batch, Lost};
use crate::event::Event;
use crate::path::{Choice, Path};
use crate::sends::SendLog;

/// Makes a [`VegasController`] for each path of a connection. `VegasQuic::build` returns it; quinn's `TransportConfig`
/// takes it.
#[derive(Clone, Debug)]
pub struct VegasFactory {
    pub(crate) choice: Choice,
    pub(crate) host_noise: Span,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl VegasFactory {
    /// Parts and numbers.
    pub fn algorithm(&self) -> &Algorithm {
        &self.choice.algorithm
    }

    /// The status that tables show before the connection begins.
    pub fn status(&self) -> Status {
        self.choice.start().status()
    }

    /// Adds an observer to this configuration.
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

/// Receives each call that quinn makes, after the controller has processed it: for logs, pictures and tests.
///
/// The connection waits while the observer runs, so the observer should return quickly.
pub trait Observer: fmt::Debug + Send + Sync {
    /// `event` happened at `now`; the controller has the state after it.
    fn on_event(&self, now: Instant, event: Event, controller: &VegasController);
}

/// The algorithm of one connection on one path.
#[derive(Clone, Debug)]
pub struct VegasController {
    path: Path,
    observer: Option<Arc<dyn Observer>>,
    /// The instant at which the core's time is zero.
    origin: Instant,
    /// Packets that were sent before this instant belong to an earlier path.
    path_began: Instant,
    mtu: u16,
    sends: SendLog,
    /// Packets in flight as far as the controller knows: a packet that holds acknowledgements only counts until the
    /// next acknowledgement arrives.
    bytes_in_flight: u64,
    /// The acknowledgement that quinn is reporting.
    batch: Batch,
    /// A copy for another path, on which nothing has been sent yet.
    moves: bool,
    /// By which quinn's pacer makes a rate of the window.
    smoothed_rtt: Span,
}

impl VegasController {
    fn new(factory: &VegasFactory, now: Instant, mtu: u16) -> Self {
        VegasController {
            path: Path::new(factory.choice.clone(), factory.host_noise, mtu),
            observer: factory.observer.clone(),
            origin: now,
            path_began: now,
            mtu,
            sends: SendLog::default(),
            bytes_in_flight: 0,
            batch: Batch::default(),
            moves: false,
            smoothed_rtt: Span::ZERO,
        }
    }

    /// Window, slow-start threshold, base RTT and backlog, in the core's units.
    pub fn status(&self) -> Status {
        self.path.status()
    }

    /// The algorithm at work: its state's name and what it reports of itself, for tests and pictures.
    pub fn control(&self) -> &dyn CongestionControl {
        self.path.control()
    }

    /// Packets sent after the newest one acknowledged, whether they are lost or not.
    pub fn in_flight(&self) -> Segments {
        self.path.in_flight()
    }

    /// Whether the window lets a full packet leave, as quinn reckons: what is in flight and the packet stay below it.
    pub fn has_room(&self) -> bool {
        self.bytes_in_flight + u64::from(self.mtu) < Controller::window(self)
    }

    /// Parts and numbers.
    pub fn algorithm(&self) -> &Algorithm {
        self.path.algorithm()
    }

    /// The path's largest UDP payload, bytes: what a segment of the window counts.
    pub fn mtu(&self) -> u16 {
        self.mtu
    }

    fn time(&self, instant: Instant) -> Time {
        let nanos = instant.saturating_duration_since(self.origin).as_nanos();
        Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Converts the window to bytes; nothing else does. quinn sends while what is in flight and the next packet
    /// together stay *below* the window, so the window of n packets is a byte more than their bytes.
    fn bytes(&self, segments: Segments) -> u64 {
        segments.as_u64() * u64::from(self.mtu) + 1
    }

    /// A number of bytes in packets; a last packet that is not full counts as one.
    fn packets(&self, bytes: u64) -> Segments {
        Segments(u32::try_from(bytes.div_ceil(u64::from(self.mtu.max(1)))).unwrap_or(u32::MAX))
    }

    fn tell_observer(&self, now: Instant, event: Event) {
        if let Some(observer) = &self.observer {
            observer.on_event(now, event, self);
        }
    }

    fn begin_path(&mut self, now: Instant) {
        self.path.begin_anew(self.time(now));
        self.path_began = now;
        self.moves = false;
        self.smoothed_rtt = Span::ZERO;
    }

    /// Adds a packet to the acknowledgement that quinn is reporting; quinn reports packets in the order of sending.
    fn on_packet(&mut self, sent: Instant, bytes: u64) {
        self.batch.bytes += bytes;
        if sent < self.path_began {
            return;
        }
        let sent = self.time(sent);
        self.batch.packets += 1;
        self.batch.last_sent = self.batch.last_sent.max(Some(sent));
        self.path.settle(sent);
        if let Some(index) = self.sends.acknowledged(sent) {
            self.batch.newest = Some((index, sent));
        }
    }
}

impl Controller for VegasController {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        if self.moves {
            self.begin_path(now);
        }
        // one call sends full packets and a last one that may be shorter
        let packets = bytes.div_ceil(u64::from(self.mtu)).max(1);
        let time = self.time(now);
        let first = self.path.send(time, packets, self.packets(self.bytes_in_flight));
        self.bytes_in_flight += bytes;
        self.sends.sent(time, first, packets);
        self.tell_observer(now, Event::Sent { packets });
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, rtt: &RttEstimator) {
        self.smoothed_rtt = Span::from_nanos(u64::try_from(rtt.get().as_nanos()).unwrap_or(u64::MAX));
        self.on_packet(sent, bytes);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest_packet_number: Option<u64>) {
        self.bytes_in_flight = in_flight;
        let batch = Batch { left_in_flight: self.packets(in_flight), ..std::mem::take(&mut self.batch) };
        let time = self.time(now);
        self.path.acknowledge(time, batch, !app_limited);
        self.tell_observer(now, Event::Acked { bytes: batch.bytes, rtt: batch.rtt(time) });
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        let kind = match (is_persistent_congestion, lost_bytes) {
            (true, _) => LossKind::Timeout,
            (false, 0) => LossKind::Ecn,
            (false, _) => LossKind::DuplicateAcks,
        };
        self.bytes_in_flight = self.bytes_in_flight.saturating_sub(lost_bytes);
        let is_here = sent >= self.path_began;
        let lost = Lost { packets: self.packets(lost_bytes), sent: self.time(sent), index: None };
        let cut = is_here && self.path.on_loss(self.time(now), kind, lost);
        self.tell_observer(now, Event::Congested { kind, bytes: lost_bytes, cut });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu;
        self.path.on_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.bytes(self.path.window_keeping_pace(self.smoothed_rtt))
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = self.status().ssthresh.map(|ssthresh| self.bytes(ssthresh));
        metrics
    }

    /// quinn copies a controller when the peer's port has changed and its address has not (a NAT's rebinding). The
    /// window stays; the base RTT is measured again, because the route may have changed.
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(VegasController { moves: true, ..self.clone() })
    }

    fn initial_window(&self) -> u64 {
        self.bytes(self.path.initial_window())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

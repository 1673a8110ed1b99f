//! Any controller of quinn's interface, without a change of its code: one that forwards every call stands between quinn
//! and it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use vegas_core::units::{Segments, Span, Time, Window};
use vegas_core::{LossKind, Phase, Status};
use vegas_quic::Event;

use crate::Clock;
use crate::steering::{Steering, Told};
use crate::tap::Tap;

/// Makes controllers: what quinn's `TransportConfig::congestion_controller_factory` takes.
pub type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// Hears of each call of quinn's after the controller has dealt with it.
pub trait Listener: fmt::Debug + Send + Sync {
    /// What was called, and the controller after it.
    fn on_call(&self, call: &Call<'_>);
}

/// A call, and what is known after it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// When.
    pub now: Time,
    /// Which.
    pub event: Event,
    /// What it was set to.
    pub controller: &'a dyn Controller,
    /// The path's largest UDP payload, bytes.
    pub mtu: u16,
    /// Bytes that were sent, and neither acknowledged nor lost.
    pub in_flight_bytes: u64,
    /// What quinn said with the newest acknowledgement.
    pub app_limited: bool,
    /// What the controller has reported of itself.
    pub told: Told,
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("now", &self.now).field("event", &self.event).finish_non_exhaustive()
    }
}

/// A factory, and what looks on.
pub(crate) struct Watching {
    pub(crate) factory: Factory,
    pub(crate) listener: Option<Arc<dyn Listener>>,
    pub(crate) tap: Tap,
    pub(crate) clock: Clock,
    /// Of controllers that decide about departures themselves.
    pub(crate) steering: Option<Arc<Steering>>,
}

impl ControllerFactory for Watching {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let watched = Watched {
            inner: Arc::clone(&self.factory).build(now, current_mtu),
            listener: self.listener.clone(),
            tap: self.tap.clone(),
            clock: self.clock,
            steering: self.steering.clone(),
            path: PathSeen { mtu: current_mtu, in_flight: 0, app_limited: false, least_rtt: None },
            batch: Batch::default(),
        };
        watched.tell(now, Event::Started);
        Box::new(watched)
    }
}

/// A controller, and what is seen of it from outside.
struct Watched {
    inner: Box<dyn Controller>,
    listener: Option<Arc<dyn Listener>>,
    tap: Tap,
    clock: Clock,
    steering: Option<Arc<Steering>>,
    path: PathSeen,
    batch: Batch,
}

#[derive(Clone, Copy)]
struct PathSeen {
    mtu: u16,
    /// Bytes.
    in_flight: u64,
    app_limited: bool,
    least_rtt: Option<Span>,
}

/// The acknowledgement that is being read.
#[derive(Clone, Copy, Default)]
struct Batch {
    bytes: u64,
    newest_sent: Option<Instant>,
}

impl Watched {
    fn tell(&self, now: Instant, event: Event) {
        let has_room = self.path.in_flight + u64::from(self.path.mtu) <= self.inner.window();
        self.tap.told(now, event, self.status(), self.segments(self.path.in_flight), has_room);
        if let Some(listener) = &self.listener {
            let PathSeen { mtu, in_flight: in_flight_bytes, app_limited, .. } = self.path;
            let (now, controller) = (self.clock.time(now), self.inner.as_ref());
            let told = self.steering.as_ref().map(|steering| steering.lock().told).unwrap_or_default();
            listener.on_call(&Call { now, event, controller, mtu, in_flight_bytes, app_limited, told });
        }
    }

    /// As far as quinn's interface shows it: slow start is what is below a threshold.
    fn status(&self) -> Status {
        let metrics = self.inner.metrics();
        let ssthresh = metrics.ssthresh.filter(|ssthresh| *ssthresh < u64::MAX / 2);
        let window = self.inner.window();
        Status {
            window: self.window(window),
            ssthresh: ssthresh.map(|ssthresh| self.segments(ssthresh)),
            base_rtt: self.path.least_rtt,
            diff: None,
            phase: if ssthresh.is_some_and(|ssthresh| window >= ssthresh) {
                Phase::Avoidance
            } else {
                Phase::SlowStart
            },
        }
    }

    fn window(&self, bytes: u64) -> Window {
        let raw = u128::from(bytes) * u128::from(Window::ONE.as_raw()) / u128::from(self.path.mtu.max(1));
        Window::from_raw(u64::try_from(raw).unwrap_or(u64::MAX)).min(Window::MAX)
    }

    /// A last packet that is not full counts as one.
    fn segments(&self, bytes: u64) -> Segments {
        Segments(u32::try_from(bytes.div_ceil(u64::from(self.path.mtu.max(1)))).unwrap_or(u32::MAX))
    }
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.inner.on_sent(now, bytes, last_packet_number);
        self.path.in_flight += bytes;
        self.tell(now, Event::Sent { packets: bytes.div_ceil(u64::from(self.path.mtu.max(1))) });
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
        self.batch.bytes += bytes;
        self.batch.newest_sent = self.batch.newest_sent.max(Some(sent));
        let least = u64::try_from(rtt.min().as_nanos()).unwrap_or(u64::MAX);
        self.path.least_rtt = Some(Span::from_nanos(least));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest_packet_num_acked: Option<u64>) {
        self.inner.on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
        (self.path.in_flight, self.path.app_limited) = (in_flight, app_limited);
        let Batch { bytes, newest_sent } = std::mem::take(&mut self.batch);
        let rtt = newest_sent.map(|sent| self.clock.time(now).since(self.clock.time(sent)));
        self.tell(now, Event::Acked { bytes, rtt: rtt.filter(|rtt| *rtt > Span::ZERO) });
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        let before = self.inner.window();
        self.inner.on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
        self.path.in_flight = self.path.in_flight.saturating_sub(lost_bytes);
        let kind = match (is_persistent_congestion, lost_bytes) {
            (true, _) => LossKind::Timeout,
            (false, 0) => LossKind::Ecn,
            (false, _) => LossKind::DuplicateAcks,
        };
        self.tell(now, Event::Congested { kind, bytes: lost_bytes, cut: self.inner.window() < before });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
        self.path.mtu = new_mtu;
    }

    fn window(&self) -> u64 {
        self.steering.as_ref().map_or_else(|| self.inner.window(), |steering| steering.window())
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Watched {
            inner: self.inner.clone_box(),
            listener: self.listener.clone(),
            tap: self.tap.clone(),
            steering: self.steering.clone(),
            ..*self
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}

//! What the results need to know of a congestion controller, which lives inside quinn's connection: written down beside it
//! at each call.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use vegas_core::units::{Segments, Time, Window};
use vegas_core::{Phase, State};
use vegas_quic::{VegasController, VegasFactory};
use vegas_sim::foreign::RttTotals;

use crate::Clock;

/// A window on the controller from outside of quinn.
#[derive(Clone, Debug)]
pub(crate) struct Tap(Arc<Mutex<Seen>>);

/// What was seen so far.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) state: State,
    pub(crate) in_flight: Segments,
    pub(crate) acked_bytes: u64,
    pub(crate) persistent_congestion: u64,
    pub(crate) ecn_reductions: u64,
    pub(crate) rtt: RttTotals,
    pub(crate) slow_start_exit: Option<(Time, Window)>,
    /// Integral of the window over time, raw window units x ns, up to `window_since`.
    window_integral: u128,
    window_since: Time,
}

impl Tap {
    /// Before the connection begins.
    pub(crate) fn new(state: State) -> Self {
        Tap(Arc::new(Mutex::new(Seen {
            state,
            in_flight: Segments(0),
            acked_bytes: 0,
            persistent_congestion: 0,
            ecn_reductions: 0,
            rtt: RttTotals::default(),
            slow_start_exit: None,
            window_integral: 0,
            window_since: Time::ZERO,
        })))
    }

    /// One run has one thread: nobody waits here.
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Mean window from `start` to `end`, segments.
    pub(crate) fn mean_window(&self, start: Time, end: Time) -> f64 {
        let raw = u128::from(self.state.window().as_raw());
        let span = end.since(start).as_nanos();
        if span == 0 {
            return raw as f64 / Window::ONE.as_raw() as f64;
        }
        let integral = self.window_integral + u128::from(end.since(self.window_since).as_nanos()) * raw;
        integral as f64 / span as f64 / Window::ONE.as_raw() as f64
    }

    fn note(&mut self, now: Time, controller: &VegasController) {
        let (before, after) = (self.state, *controller.state());
        self.in_flight = controller.in_flight();
        self.window_integral +=
            u128::from(now.since(self.window_since).as_nanos()) * u128::from(before.window().as_raw());
        self.window_since = now;
        if before.phase() == Phase::SlowStart && after.phase() == Phase::Avoidance {
            self.slow_start_exit.get_or_insert((now, before.window()));
        }
        self.state = after;
    }
}

/// Makes tapped controllers.
pub(crate) struct TappedFactory {
    pub(crate) factory: Arc<VegasFactory>,
    pub(crate) tap: Tap,
    pub(crate) clock: Clock,
}

impl ControllerFactory for TappedFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let controller = vegas(Arc::clone(&self.factory).build(now, current_mtu));
        self.tap.seen().window_since = self.clock.time(now);
        Box::new(Tapped { controller, tap: self.tap.clone(), clock: self.clock, newest_sent: None })
    }
}

fn vegas(controller: Box<dyn Controller>) -> Box<VegasController> {
    controller.into_any().downcast().expect("the factory makes them")
}

/// A controller that is looked at after each call.
struct Tapped {
    controller: Box<VegasController>,
    tap: Tap,
    clock: Clock,
    /// Of the acknowledgement under way.
    newest_sent: Option<Instant>,
}

impl fmt::Debug for Tapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.controller.fmt(f)
    }
}

impl Tapped {
    fn note(&self, now: Instant) {
        self.tap.seen().note(self.clock.time(now), &self.controller);
    }
}

impl Controller for Tapped {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.controller.on_sent(now, bytes, last_packet_number);
        self.note(now);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.controller.on_ack(now, sent, bytes, app_limited, rtt);
        self.newest_sent = Some(sent);
        self.tap.seen().acked_bytes += bytes;
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.controller.on_end_acks(now, in_flight, app_limited, largest);
        if let Some(sent) = self.newest_sent.take() {
            let sample = self.clock.time(now).since(self.clock.time(sent));
            let rtt = &mut self.tap.seen().rtt;
            rtt.newest = Some(sample);
            rtt.least = Some(rtt.least.map_or(sample, |least| least.min(sample)));
            rtt.sum_ns += u128::from(sample.as_nanos());
            rtt.samples += 1;
        }
        self.note(now);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost_bytes: u64) {
        let before = self.controller.state().window();
        self.controller.on_congestion_event(now, sent, persistent, lost_bytes);
        let reduced = self.controller.state().window() < before;
        let mut seen = self.tap.seen();
        seen.persistent_congestion += u64::from(persistent);
        seen.ecn_reductions += u64::from(reduced && !persistent && lost_bytes == 0);
        drop(seen);
        self.note(now);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.controller.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.controller.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.controller.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let controller = vegas(self.controller.clone_box());
        Box::new(Tapped { controller, tap: self.tap.clone(), clock: self.clock, newest_sent: None })
    }

    fn initial_window(&self) -> u64 {
        self.controller.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

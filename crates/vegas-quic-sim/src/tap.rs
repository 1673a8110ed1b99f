//! The results' view of a congestion controller: the controller lives inside quinn's connection, so an observer records
//! its state at each call.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use vegas_core::units::{Segments, Span, Time, Window};
use vegas_core::{LossKind, Phase, Status};
use vegas_quic::{Event, Observer, VegasController};
use vegas_sim::external::RttTotals;

use crate::Clock;

/// An observer of the controller, with the record that it shares with the connection.
#[derive(Clone, Debug)]
pub(crate) struct Tap {
    seen: Arc<Mutex<Seen>>,
    clock: Clock,
}

/// The record of a controller's state and events.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) status: Status,
    pub(crate) in_flight: Segments,
    /// Whether the window lets another packet leave.
    pub(crate) has_room: bool,
    pub(crate) acked_bytes: u64,
    pub(crate) persistent_congestion: u64,
    pub(crate) ecn_reductions: u64,
    pub(crate) rtt: RttTotals,
    pub(crate) slow_start_exit: Option<(Time, Window)>,
    /// The integral of the window over time, in raw window units x ns, up to `window_since`.
    window_integral: u128,
    window_since: Time,
}

impl Tap {
    /// Creates the record before the connection begins.
    pub(crate) fn new(status: Status, clock: Clock) -> Self {
        let seen = Seen {
            status,
            in_flight: Segments(0),
            has_room: true,
            acked_bytes: 0,
            persistent_congestion: 0,
            ecn_reductions: 0,
            rtt: RttTotals::default(),
            slow_start_exit: None,
            window_integral: 0,
            window_since: Time::ZERO,
        };
        Tap { seen: Arc::new(Mutex::new(seen)), clock }
    }

    /// Returns the record. A run has one thread, so the lock is always free.
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Tap {
    fn on_event(&self, now: Instant, event: Event, controller: &VegasController) {
        self.told(now, event, controller.status(), controller.in_flight(), controller.has_room());
    }
}

impl Tap {
    /// Of any controller: its event, and what it shows after it.
    pub(crate) fn told(&self, now: Instant, event: Event, status: Status, in_flight: Segments, has_room: bool) {
        let now = self.clock.time(now);
        let mut seen = self.seen();
        match event {
            Event::Started => seen.window_since = now,
            Event::Acked { bytes, rtt } => {
                seen.acked_bytes += bytes;
                seen.sample(rtt);
            }
            Event::Congested { kind, cut, .. } => {
                seen.persistent_congestion += u64::from(kind == LossKind::Timeout);
                seen.ecn_reductions += u64::from(kind == LossKind::Ecn && cut);
            }
            _ => {}
        }
        seen.has_room = has_room;
        seen.note(now, status, in_flight);
    }
}

impl Seen {
    /// The mean window from `start` to `end`, segments.
    pub(crate) fn mean_window(&self, start: Time, end: Time) -> f64 {
        let raw = u128::from(self.status.window.as_raw());
        let span = end.since(start).as_nanos();
        if span == 0 {
            return raw as f64 / Window::ONE.as_raw() as f64;
        }
        let integral = self.window_integral + u128::from(end.since(self.window_since).as_nanos()) * raw;
        integral as f64 / span as f64 / Window::ONE.as_raw() as f64
    }

    fn sample(&mut self, sample: Option<Span>) {
        let Some(sample) = sample else { return };
        let rtt = &mut self.rtt;
        rtt.newest = Some(sample);
        rtt.least = Some(rtt.least.map_or(sample, |least| least.min(sample)));
        rtt.sum_ns += u128::from(sample.as_nanos());
        rtt.samples += 1;
    }

    fn note(&mut self, now: Time, after: Status, in_flight: Segments) {
        let before = self.status;
        self.in_flight = in_flight;
        self.window_integral +=
            u128::from(now.since(self.window_since).as_nanos()) * u128::from(before.window.as_raw());
        self.window_since = now;
        if before.phase == Phase::SlowStart && after.phase == Phase::Avoidance {
            self.slow_start_exit.get_or_insert((now, before.window));
        }
        self.status = after;
    }
}

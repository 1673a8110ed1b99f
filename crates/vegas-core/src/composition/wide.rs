//! A composition with a slow start that remembers more than the kernel's private area holds: beside the state of every
//! composition it has a [`History`]. Hosts keep it behind a box, as they keep standalone algorithms.

use core::ops::Deref;

use crate::composition::algorithm::{Algorithm, State};
use crate::composition::composed::Composed;
use crate::composition::parts::history::History;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Output, Phase, Status};
use crate::units::{Segments, SendIndex, Time, Window};

/// The composition on one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    composed: Composed<Own>,
    first: First,
}

/// The first slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Watches(History),
    /// Between its own test and its end.
    Drains(Drain),
    /// A loss or its own test has ended it.
    Over,
}

/// Slow start takes back what it has put into the network beyond what the path holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Drain {
    target: Segments,
    /// Acknowledged since a segment was let out for them.
    acked: u32,
}

/// Segments acknowledged for each one that leaves while it drains (SEARCH_DRAIN_ACKEDSEG_THRESH of SEARCH 4.0).
const ACKED_PER_SEGMENT: u32 = 3;

/// The algorithm, held by value and not shared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own(Algorithm);

impl Deref for Own {
    type Target = Algorithm;

    fn deref(&self) -> &Algorithm {
        &self.0
    }
}

impl Wide {
    /// The state of a new connection.
    pub(crate) fn new(algorithm: Algorithm) -> Self {
        Wide { composed: Composed::new(Own(algorithm)), first: First::Watches(History::NEW) }
    }

    /// Continues slow start from this window to this threshold.
    pub(crate) fn go_on_from(&mut self, window: Window, threshold: Option<Segments>) {
        self.composed.go_on_from(window, threshold);
    }

    /// The state of the composition's parts, for a control that measures or sets the window beside them.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        self.composed.state_mut()
    }

    fn opens(&self) -> bool {
        self.composed.state().phase() == Phase::SlowStart
    }

    fn is_over(&mut self, ack: &Ack) -> bool {
        let test = self.composed.algorithm().composition().slow_start.ends_by_history();
        match (&mut self.first, test) {
            (First::Watches(history), Some(test)) => test(history, ack),
            _ => false,
        }
    }

    /// What is in flight has filled the path: the window goes no further, and back to what the path holds if the part
    /// says so.
    fn end(&mut self, ack: &Ack) {
        let target = self.composed.algorithm().composition().slow_start.drains_by_history();
        match (self.first, target) {
            (First::Watches(history), Some(target)) => {
                self.first = First::Drains(Drain { target: target(&history), acked: 0 });
                self.hold(ack, self.composed.state().window());
            }
            _ => self.finish(ack),
        }
    }

    fn finish(&mut self, ack: &Ack) {
        self.first = First::Over;
        self.composed.end_slow_start();
        self.composed.on_ack(ack);
    }

    /// The window is no more than this after the acknowledgement.
    fn hold(&mut self, ack: &Ack, most: Window) {
        self.composed.on_ack(ack);
        self.composed.hold_to(most);
    }

    fn drain(&mut self, drain: Drain, ack: &Ack) {
        let acked = drain.acked.saturating_add(ack.acked.0);
        let in_flight = ack.in_flight.0.saturating_sub(ack.acked.0).saturating_add(acked / ACKED_PER_SEGMENT);
        let window = Window::whole(Segments(in_flight)).min(self.composed.state().window());
        if window <= Window::whole(drain.target) {
            self.composed.hold_to(Window::whole(drain.target));
            return self.finish(ack);
        }
        self.first = First::Drains(Drain { acked: acked % ACKED_PER_SEGMENT, ..drain });
        self.hold(ack, window);
    }
}

impl CongestionControl for Wide {
    fn needs(&self) -> Needs {
        self.composed.needs()
    }

    /// The test reads the window before the acknowledgement and does not change it.
    fn on_ack(&mut self, ack: &Ack) {
        let opens = !ack.in_recovery && ack.acked > Segments(0) && self.opens();
        if let First::Drains(drain) = self.first
            && opens
        {
            self.drain(drain, ack);
        } else if opens && self.is_over(ack) {
            self.end(ack);
        } else {
            self.composed.on_ack(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.first = First::Over;
        self.composed.on_loss(loss);
    }

    fn on_recovered(&mut self, now: Time) {
        self.composed.on_recovered(now);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        if let First::Watches(history) = &mut self.first {
            *history = History::NEW;
        }
        self.composed.on_path_change(next, now);
    }

    fn hold_to(&mut self, most: Window) {
        self.composed.hold_to(most);
    }

    fn output(&self) -> Output {
        self.composed.output()
    }

    fn status(&self) -> Status {
        self.composed.status()
    }
}

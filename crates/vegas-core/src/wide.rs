//! A composition with a slow start that remembers more than the kernel's private area holds: beside the state of every composition
//! it has a [`History`]. Hosts keep it behind a box, as they keep standalone algorithms.

use core::ops::Deref;

use crate::algorithm::Algorithm;
use crate::composed::Composed;
use crate::contract::{Ack, CongestionControl, Loss, Needs, Output, Phase, Status};
use crate::history::History;
use crate::units::{Segments, SendIndex, Time, Window};

/// The composition at work on one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    composed: Composed<Own>,
    /// None once a loss or its own test has ended the first slow start.
    history: Option<History>,
}

/// The algorithm, in its place and not shared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own(Algorithm);

impl Deref for Own {
    type Target = Algorithm;

    fn deref(&self) -> &Algorithm {
        &self.0
    }
}

impl Wide {
    /// Of a new connection.
    pub(crate) fn new(algorithm: Algorithm) -> Self {
        Wide { composed: Composed::new(Own(algorithm)), history: Some(History::NEW) }
    }

    /// Slow start goes on from this window to this threshold.
    pub(crate) fn go_on_from(&mut self, window: Window, threshold: Option<Segments>) {
        self.composed.go_on_from(window, threshold);
    }

    fn is_over(&mut self, ack: &Ack) -> bool {
        let test = self.composed.algorithm().composition().slow_start.ends_by_history();
        let opens = self.composed.state().phase() == Phase::SlowStart;
        match (&mut self.history, test) {
            (Some(history), Some(test)) if opens => test(history, ack),
            _ => false,
        }
    }
}

impl CongestionControl for Wide {
    fn needs(&self) -> Needs {
        self.composed.needs()
    }

    /// The test is made of the window that the acknowledgement finds, and leaves it as it is.
    fn on_ack(&mut self, ack: &Ack) {
        let is_usual = !ack.in_recovery && ack.acked > Segments(0);
        if is_usual && self.is_over(ack) {
            self.history = None;
            self.composed.end_slow_start();
        }
        self.composed.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.history = None;
        self.composed.on_loss(loss);
    }

    fn on_recovered(&mut self, now: Time) {
        self.composed.on_recovered(now);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.history = self.history.map(|_| History::NEW);
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

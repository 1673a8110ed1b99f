//! A composition of parts as one congestion control: the [`Algorithm`], which any number of connections share, and the
//! [`State`] of one.

use core::ops::Deref;

use crate::composition::algorithm::{Algorithm, State};
use crate::contract::{Ack, CongestionControl, Loss, Needs, Output, Status};
use crate::units::{Segments, SendIndex, Time, Window};

/// A composition at work on one connection. `A` leads to the algorithm: `&Algorithm`, or an `Arc` where connections
/// share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed<A> {
    algorithm: A,
    state: State,
}

impl<A: Deref<Target = Algorithm>> Composed<A> {
    /// The state of a new connection.
    pub fn new(algorithm: A) -> Self {
        let state = algorithm.start();
        Composed { algorithm, state }
    }

    /// Parts and numbers.
    pub fn algorithm(&self) -> &A {
        &self.algorithm
    }

    /// Another reference to the algorithm, which connections share.
    pub fn algorithm_mut(&mut self) -> &mut A {
        &mut self.algorithm
    }

    /// A test beside the composition ends slow start where the window is, at the next acknowledgement.
    pub(crate) fn end_slow_start(&mut self) {
        self.state.end_slow_start();
    }

    /// Another control has set window and threshold.
    pub(crate) fn go_on_from(&mut self, window: Window, threshold: Option<Segments>) {
        self.state.go_on_from(window, threshold);
    }

    /// What the connection remembers, for a control that measures or sets the window beside the composition.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// What the connection remembers.
    #[inline(always)]
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl<A: Deref<Target = Algorithm> + Clone> CongestionControl for Composed<A> {
    fn needs(&self) -> Needs {
        self.algorithm.composition().needs()
    }

    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack) {
        match !ack.in_recovery && ack.acked > Segments(0) {
            true => self.algorithm.on_ack(&mut self.state, ack),
            false => self.algorithm.on_other_ack(&mut self.state, *ack),
        }
    }

    fn on_recovered(&mut self, _now: Time) {
        self.algorithm.on_recovered(&mut self.state);
    }

    #[inline]
    fn on_loss(&mut self, loss: &Loss) {
        self.algorithm.on_loss(&mut self.state, loss);
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        self.state.on_path_change(next, now);
    }

    fn hold_to(&mut self, most: Window) {
        self.state.hold_to(most);
    }

    #[inline(always)]
    fn output(&self) -> Output {
        Output { window: self.state.window(), pace: self.state.pacing_rate(), quantum: Segments(1) }
    }

    #[inline(always)]
    fn status(&self) -> Status {
        let state = &self.state;
        Status {
            window: state.window(),
            ssthresh: state.ssthresh(),
            base_rtt: state.base_rtt(),
            diff: state.diff(),
            phase: state.phase(),
        }
    }
}

//! The congestion control of a connection, of either kind: hosts hold it, and each event is dispatched once.

use core::ops::{Deref, DerefMut};

use crate::composition::algorithm::Algorithm;
use crate::composition::composed::Composed;
use crate::composition::wide::Wide;
use crate::contract::{Ack, CongestionControl, Loss, LostSegment, Needs, Output, Restart, Sent, Status};
use crate::held::joined::Joined;
use crate::standalone::{Standalone, StandaloneControl};
use crate::units::{SendIndex, Span, Time, Window};

/// A composition of parts, or any other congestion control. `A` refers to the composition's algorithm, as in
/// [`Composed`]. `S` holds the other kind: a [`Joined`](crate::Joined) or a type of the host's own, in a `Box` where it
/// may be larger than a composition's state.
#[derive(Clone, Debug)]
pub enum Controller<A, S> {
    /// A composition of parts.
    Composed(Composed<A>),
    /// A standalone algorithm.
    Standalone(S),
}

impl<A, S> Controller<A, S>
where
    A: Deref<Target = Algorithm> + Clone,
    S: DerefMut<Target: CongestionControl> + Clone,
{
    /// Of a new connection: the standalone algorithm if there is one, with the composition's slow start unless that is
    /// Reno's, else the composition. `seed` begins its random numbers, where it draws any.
    pub fn start(algorithm: A, standalone: Option<Standalone>, seed: u64) -> Self
    where
        S: From<Joined>,
    {
        match standalone {
            Some(which) => Controller::Standalone(Joined::start(which, &algorithm, seed).into()),
            None if algorithm.composition().drains() => {
                Controller::Standalone(Joined::from(StandaloneControl::of_composition(&algorithm)).into())
            }
            None if algorithm.composition().slow_start.is_wide() => {
                let wide = StandaloneControl::Wide(Wide::new(*algorithm));
                Controller::Standalone(Joined::from(wide).into())
            }
            None => Controller::Composed(Composed::new(algorithm)),
        }
    }

    /// The reference to the composition's algorithm, which connections may share; none for a standalone algorithm.
    pub fn algorithm_mut(&mut self) -> Option<&mut A> {
        match self {
            Controller::Composed(composed) => Some(composed.algorithm_mut()),
            Controller::Standalone(_) => None,
        }
    }

    /// Read access to the algorithm.
    pub fn algorithm(&self) -> Option<&A> {
        match self {
            Controller::Composed(composed) => Some(composed.algorithm()),
            Controller::Standalone(_) => None,
        }
    }
}

/// The composition's branch is inlined into the caller; the standalone branch is a function call.
impl<A, S> CongestionControl for Controller<A, S>
where
    A: Deref<Target = Algorithm> + Clone,
    S: DerefMut<Target: CongestionControl> + Clone,
{
    fn needs(&self) -> Needs {
        match self {
            Controller::Composed(composed) => composed.needs(),
            Controller::Standalone(control) => control.needs(),
        }
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        match self {
            Controller::Composed(composed) => composed.on_handshake(now, rtt),
            Controller::Standalone(control) => control.on_handshake(now, rtt),
        }
    }

    fn on_sent(&mut self, sent: &Sent) {
        match self {
            Controller::Composed(composed) => composed.on_sent(sent),
            Controller::Standalone(control) => control.on_sent(sent),
        }
    }

    fn on_segment_lost(&mut self, lost: &LostSegment) {
        match self {
            Controller::Composed(composed) => composed.on_segment_lost(lost),
            Controller::Standalone(control) => control.on_segment_lost(lost),
        }
    }

    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack) {
        match self {
            Controller::Composed(composed) => composed.on_ack(ack),
            Controller::Standalone(control) => standalone_ack(&mut **control, *ack),
        }
    }

    #[inline]
    fn on_loss(&mut self, loss: &Loss) {
        match self {
            Controller::Composed(composed) => composed.on_loss(loss),
            Controller::Standalone(control) => control.on_loss(loss),
        }
    }

    fn on_recovered(&mut self, now: Time) {
        match self {
            Controller::Composed(composed) => composed.on_recovered(now),
            Controller::Standalone(control) => control.on_recovered(now),
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        match (self, before) {
            (Controller::Composed(composed), Controller::Composed(before)) => composed.on_spurious(before),
            (Controller::Standalone(control), Controller::Standalone(before)) => control.on_spurious(before),
            // a state of the other kind belongs to another connection
            _ => {}
        }
    }

    fn on_restart(&mut self, restart: &Restart) {
        match self {
            Controller::Composed(composed) => composed.on_restart(restart),
            Controller::Standalone(control) => control.on_restart(restart),
        }
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        match self {
            Controller::Composed(composed) => composed.on_path_change(next, now),
            Controller::Standalone(control) => control.on_path_change(next, now),
        }
    }

    fn hold_to(&mut self, most: Window) {
        match self {
            Controller::Composed(composed) => composed.hold_to(most),
            Controller::Standalone(control) => control.hold_to(most),
        }
    }

    #[inline(always)]
    fn output(&self) -> Output {
        match self {
            Controller::Composed(composed) => composed.output(),
            Controller::Standalone(control) => standalone_output(&**control),
        }
    }

    #[inline(always)]
    fn status(&self) -> Status {
        match self {
            Controller::Composed(composed) => composed.status(),
            Controller::Standalone(control) => standalone_status(&**control),
        }
    }

    fn state_name(&self) -> Option<&'static str> {
        match self {
            Controller::Composed(composed) => composed.state_name(),
            Controller::Standalone(control) => control.state_name(),
        }
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        match self {
            Controller::Composed(composed) => composed.report(out),
            Controller::Standalone(control) => control.report(out),
        }
    }
}

/// Takes the acknowledgement by value, so that the composition's branch need not store it in memory.
#[cold]
#[inline(never)]
fn standalone_ack(control: &mut impl CongestionControl, ack: Ack) {
    control.on_ack(&ack);
}

#[cold]
#[inline(never)]
fn standalone_output(control: &impl CongestionControl) -> Output {
    control.output()
}

#[cold]
#[inline(never)]
fn standalone_status(control: &impl CongestionControl) -> Status {
    control.status()
}

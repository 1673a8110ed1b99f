//! The congestion control of a connection as a host holds it: a composition in line, anything else behind a pointer.
//!
//! A host calls the control that it leads to, [`CongestionControl`], and so an event passes nothing here.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::composition::Composition;
use crate::composition::algorithm::Algorithm;
use crate::composition::composed::Composed;
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Needs, Output, Status};
use crate::held::joined::Joined;
use crate::standalone::{Follow, Standalone, VegasNext, WithChosen};

/// A congestion control of any type.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "most flows have a composition, and a pointer costs instructions")]
pub enum Controller {
    /// A composition of parts.
    Composed(Composed),
    /// A standalone algorithm, or one from outside.
    Boxed(Boxed),
}

/// A congestion control behind a pointer.
#[derive(Debug)]
pub struct Boxed {
    control: Box<dyn AnyControl>,
    /// What it holds beside itself, bytes.
    beside_bytes: usize,
}

/// A congestion control of any type, for a table of functions.
trait AnyControl: CongestionControl + Any + fmt::Debug + Send + Sync {
    fn copy(&self) -> Box<dyn AnyControl>;
    fn undo(&mut self, before: &dyn Any);
}

impl<C: CongestionControl + Any + Clone + fmt::Debug + Send + Sync> AnyControl for C {
    fn copy(&self) -> Box<dyn AnyControl> {
        Box::new(self.clone())
    }

    fn undo(&mut self, before: &dyn Any) {
        // a state of another type belongs to another connection
        if let Some(before) = before.downcast_ref() {
            self.on_spurious(before);
        }
    }
}

impl Controller {
    /// Of a new connection: the standalone algorithm if there is one, with the composition's slow start unless that is
    /// Reno's, else the composition. `seed` begins its random numbers, where it draws any.
    pub fn start(algorithm: Algorithm, standalone: Option<Standalone>, seed: u64) -> Self {
        match standalone {
            Some(which) => which.chosen_with(&algorithm, Start { which, algorithm: &algorithm, seed }),
            None if algorithm.composition().drains() => Controller::boxed(VegasNext::with_parts(&algorithm, false), 0),
            None => Controller::Composed(Composed::new(algorithm)),
        }
    }

    /// A control of any type; `beside_bytes` is what it holds beside itself.
    pub fn boxed<C>(control: C, beside_bytes: usize) -> Self
    where
        C: CongestionControl + Clone + fmt::Debug + Send + Sync + 'static,
    {
        Controller::Boxed(Boxed { control: Box::new(control), beside_bytes })
    }

    /// What the control that [`Controller::start`] makes asks of its host.
    pub fn needs(composition: &Composition, standalone: Option<Standalone>) -> Needs {
        standalone.map_or_else(|| composition.needs(), |which| which.needs_with(composition))
    }

    /// The newest congestion event was spurious; `before` is the control before it.
    pub fn on_spurious(&mut self, before: &Self) {
        match (self, before) {
            (Controller::Composed(control), Controller::Composed(before)) => control.on_spurious(before),
            (Controller::Boxed(control), Controller::Boxed(before)) => control.control.undo(&*before.control),
            // a state of the other kind belongs to another connection
            _ => {}
        }
    }

    /// The memory in use beyond `size_of::<Self>()`, bytes.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Controller::Composed(_) => 0,
            Controller::Boxed(control) => size_of_val(&*control.control) + control.beside_bytes,
        }
    }
}

/// What hosts call most, without a table of functions for a composition.
impl Controller {
    /// An acknowledgement arrives.
    #[inline(always)]
    pub fn on_ack(&mut self, ack: &Ack) {
        match self {
            Controller::Composed(control) => control.on_ack(ack),
            Controller::Boxed(control) => control.on_ack(ack),
        }
    }

    /// What the host may send now.
    #[inline(always)]
    pub fn output(&self) -> Output {
        match self {
            Controller::Composed(control) => control.output(),
            Controller::Boxed(control) => boxed_output(control),
        }
    }

    /// The values that tables and pictures show.
    #[inline(always)]
    pub fn status(&self) -> Status {
        match self {
            Controller::Composed(control) => control.status(),
            Controller::Boxed(control) => boxed_status(control),
        }
    }
}

#[cold]
#[inline(never)]
fn boxed_output(control: &Boxed) -> Output {
    control.output()
}

#[cold]
#[inline(never)]
fn boxed_status(control: &Boxed) -> Status {
    control.status()
}

impl Deref for Controller {
    type Target = dyn CongestionControl;

    fn deref(&self) -> &Self::Target {
        match self {
            Controller::Composed(control) => control,
            Controller::Boxed(control) => &**control,
        }
    }
}

impl DerefMut for Controller {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Controller::Composed(control) => control,
            Controller::Boxed(control) => &mut **control,
        }
    }
}

impl Deref for Boxed {
    type Target = dyn CongestionControl;

    fn deref(&self) -> &Self::Target {
        &*self.control
    }
}

impl DerefMut for Boxed {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.control
    }
}

impl Clone for Boxed {
    fn clone(&self) -> Self {
        Boxed { control: self.control.copy(), ..*self }
    }
}

/// Begins a connection with a standalone algorithm.
struct Start<'a> {
    which: Standalone,
    algorithm: &'a Algorithm,
    seed: u64,
}

impl WithChosen for Start<'_> {
    type Answer = Controller;

    fn with<C>(self, start: impl Fn(&Parameters, u64) -> C, follow: Option<Follow<C>>) -> Controller
    where
        C: CongestionControl + Clone + fmt::Debug + PartialEq + Send + Sync + 'static,
    {
        let Start { which, algorithm, seed } = self;
        let control = start(algorithm.parameters(), seed);
        match follow.filter(|_| which.is_opened_by(algorithm.composition())) {
            Some(follow) => {
                let asks_what_limits = which.needs().window_limited;
                Controller::boxed(Joined::new(control, follow, asks_what_limits, algorithm), 0)
            }
            None => Controller::boxed(control, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::held::heard::{ALL, Heard, tell_all};

    #[test]
    fn a_pointer_loses_no_event() {
        let mut control = Controller::boxed(Heard::default(), 0);
        let before = control.clone();
        tell_all(&mut *control);
        control.on_spurious(&before);
        let expected: Vec<_> = ALL.into_iter().chain(["on_spurious"]).collect();
        assert_eq!(std::format!("{control:?}"), std::format!("{:?}", Controller::boxed(Heard(expected), 0)));
    }
}

//! Congestion controls that are no compositions of parts: vegas-core's standalone ones, and those of the user.

use vegas_core::units::{SendIndex, Span, Time, Window};
use vegas_core::{Ack, CongestionControl, Joined, Loss, LostSegment, Needs, Output, Restart, Sent, Status};

use crate::scenario::OwnControl;

/// A congestion control that is no composition of parts.
#[allow(clippy::large_enum_variant, reason = "the sender boxes it, and nearly all are of the large kind")]
#[derive(Clone, Debug)]
pub(in crate::tcp) enum Special {
    /// A standalone algorithm of vegas-core.
    Standalone(Joined),
    /// An algorithm of the user.
    Own(OwnControl),
}

impl From<Joined> for Box<Special> {
    fn from(control: Joined) -> Self {
        Box::new(Special::Standalone(control))
    }
}

impl Special {
    /// Returns the memory in use, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let beside = match self {
            Special::Standalone(_) => 0,
            Special::Own(control) => control.memory_bytes(),
        };
        size_of::<Special>() + beside
    }
}

/// Makes one call on the control of either kind.
macro_rules! either {
    ($special:expr, $control:ident => $call:expr) => {
        match $special {
            Special::Standalone($control) => $call,
            Special::Own($control) => $call,
        }
    };
}

impl CongestionControl for Special {
    fn needs(&self) -> Needs {
        either!(self, control => control.needs())
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        either!(self, control => control.on_handshake(now, rtt));
    }

    fn on_sent(&mut self, sent: &Sent) {
        either!(self, control => control.on_sent(sent));
    }

    fn on_segment_lost(&mut self, lost: &LostSegment) {
        either!(self, control => control.on_segment_lost(lost));
    }

    fn on_ack(&mut self, ack: &Ack) {
        either!(self, control => control.on_ack(ack));
    }

    fn on_loss(&mut self, loss: &Loss) {
        either!(self, control => control.on_loss(loss));
    }

    fn on_recovered(&mut self, now: Time) {
        either!(self, control => control.on_recovered(now));
    }

    fn on_spurious(&mut self, before: &Self) {
        match (self, before) {
            (Special::Standalone(control), Special::Standalone(before)) => control.on_spurious(before),
            (Special::Own(control), Special::Own(before)) => control.on_spurious(before),
            // a control saved by another kind is not this control's past
            _ => {}
        }
    }

    fn on_restart(&mut self, restart: &Restart) {
        either!(self, control => control.on_restart(restart));
    }

    fn on_path_change(&mut self, next: SendIndex, now: Time) {
        either!(self, control => control.on_path_change(next, now));
    }

    fn hold_to(&mut self, most: Window) {
        either!(self, control => control.hold_to(most));
    }

    fn output(&self) -> Output {
        either!(self, control => control.output())
    }

    fn status(&self) -> Status {
        either!(self, control => control.status())
    }

    fn state_name(&self) -> Option<&'static str> {
        either!(self, control => control.state_name())
    }

    fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
        either!(self, control => control.report(out));
    }
}

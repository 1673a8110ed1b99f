//! What a script needs of a host under test.

use vegas_core::units::Time;

use crate::script::{Action, Call, Expression, Returned};
use crate::segment::Segment;
use crate::shell::Setting;

/// A host that is driven segment by segment and call by call, in time that its driver keeps. It sends at the times of
/// calls, of segments that arrive, and of its timers, and at no other.
///
/// A host may model less than TCP is. What it lacks, it names before the script begins.
pub trait Host {
    /// Says what of an action the host does not model, such as `fast open`; `None` if it can carry out all of it.
    fn lacks(&self, action: &Action) -> Option<String>;

    /// Returns whether the host knows a value of the connection's state by this name, such as `tcpi_snd_cwnd`.
    fn knows(&self, name: &str) -> bool;

    /// Says why the host cannot take a setting; `None` if it can.
    fn lacks_setting(&self, setting: &Setting) -> Option<String>;

    /// Takes a setting.
    fn set(&mut self, setting: &Setting);

    /// Carries out a system call.
    fn call(&mut self, now: Time, call: &Call) -> Reply;

    /// Returns what the call that waits returns, once it does.
    fn resume(&mut self, now: Time) -> Option<Reply>;

    /// Takes a segment that arrives.
    fn receive(&mut self, now: Time, segment: &Segment);

    /// When the next timer runs out.
    fn timer(&self) -> Option<Time>;

    /// Handles the timers that have run out.
    fn on_timer(&mut self, now: Time);

    /// Takes the next segment that the host sends now.
    fn transmit(&mut self, now: Time) -> Option<Segment>;

    /// Returns a value of the connection's state; `None` without a connection, or if the host does not know it.
    fn value(&self, now: Time, name: &str) -> Option<i64>;
}

/// The answer to a system call.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The call returns.
    Done {
        /// What it returns.
        returned: Returned,
        /// What it writes where an argument points to, by the argument's index.
        written: Vec<(usize, Expression)>,
    },
    /// The call waits.
    Waits,
}

impl Reply {
    /// Returns a value.
    pub fn value(value: i64) -> Reply {
        Reply::Done { returned: Returned { value, error: None }, written: Vec::new() }
    }

    /// Returns an error.
    pub fn error(name: &str) -> Reply {
        Reply::Done { returned: Returned { value: -1, error: Some(name.to_owned()) }, written: Vec::new() }
    }
}

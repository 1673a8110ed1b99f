//! A system call that has not returned, and what it returns in the end.

use vegas_core::units::{Span, Time};

use super::{PATIENCE, Stop, Walk};
use crate::host::Reply;
use crate::script::{Call, Event, Expression, Returned};
use crate::verdict::{Failure, seconds};

/// A system call that waits.
#[derive(Clone, Debug)]
pub(super) struct Blocked {
    line: u32,
    began: Time,
    call: Call,
}

impl Blocked {
    pub(super) fn new(line: u32, began: Time, call: &Call) -> Self {
        Blocked { line, began, call: call.clone() }
    }
}

impl Walk<'_> {
    /// Takes what a call that waits returns, if it does now.
    pub(super) fn resume(&mut self, event: &Event) -> Result<(), Stop> {
        if self.blocked.is_none() {
            return Ok(());
        }
        match self.host.resume(self.now) {
            Some(reply) => self.reply(event, reply),
            None => Ok(()),
        }
    }

    /// Compares what the newest call returns with what the script expects.
    pub(super) fn reply(&mut self, event: &Event, reply: Reply) -> Result<(), Stop> {
        let Some(blocked) = self.blocked.take() else { return Ok(()) };
        let Reply::Done { returned, written } = reply else {
            return match blocked.call.takes {
                Some(_) => {
                    self.blocked = Some(blocked);
                    Ok(())
                }
                None => self.fail(event, format!("{} waits; it is expected to return at once", blocked.call)),
            };
        };
        let call = &blocked.call;
        let message = late(&blocked, self.now, self.tolerance.after(call.takes.unwrap_or_default()))
            .or_else(|| difference(call, &returned, &written));
        match message {
            None => Ok(()),
            Some(message) => {
                let failure = Failure { line: blocked.line, at: self.now, message, expected_and_actual: None };
                Err(Stop::Failed(failure))
            }
        }
    }

    /// Waits until a call that waits has returned.
    pub(super) fn finish_call(&mut self, event: &Event) -> Result<(), Stop> {
        let latest = self.now + PATIENCE;
        while let Some(blocked) = &self.blocked {
            let line = blocked.line;
            match self.host.timer().filter(|due| *due <= latest) {
                Some(due) => self.run_timer(due, event)?,
                None => {
                    let message = "the system call does not return".to_owned();
                    let failure = Failure { line, at: self.now, message, expected_and_actual: None };
                    return Err(Stop::Failed(failure));
                }
            }
        }
        Ok(())
    }
}

fn late(blocked: &Blocked, now: Time, slack: Span) -> Option<String> {
    let due = blocked.began + blocked.call.takes?;
    let apart = now.max(due).since(now.min(due));
    let says = || format!("{} returns at {} s; expected at {} s", blocked.call, seconds(now), seconds(due));
    (apart > slack).then(says)
}

fn difference(call: &Call, returned: &Returned, written: &[(usize, Expression)]) -> Option<String> {
    let expected = &call.returns;
    // an error without a name may be any
    let is_error = expected.value < 0 && expected.error.is_none() && returned.value < 0;
    if expected != returned && !is_error {
        return Some(format!("{call} returns {returned}; expected {expected}"));
    }
    written.iter().find_map(|(at, value)| match call.arguments.get(*at) {
        Some(expected) if expected != value && *expected != Expression::Any => {
            Some(format!("{call} writes {value}; expected {expected}"))
        }
        _ => None,
    })
}

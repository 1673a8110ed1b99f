//! Limits of a run, and the watch: long phases ask it now and then whether to go on, and whether there is memory for
//! the next step.

use std::fmt;

use vegas_core::units::Time;

/// The limits of a run; a run ends at the same point on every machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The greatest number of events that the engine handles.
    pub events: Option<u64>,
    /// The greatest memory of the run, bytes, as [`crate::Simulation::memory_bytes`] counts it, with what its results
    /// will need.
    pub memory_bytes: Option<u64>,
}

/// The reason why a run ended before its time, in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped(pub String);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Stopped {}

/// Ends a run that reaches a limit or is asked to stop, in each phase from the reading of its scenario to its results.
pub struct Watch<'a> {
    limits: Limits,
    stop: &'a mut (dyn FnMut(Time) -> Option<String> + 'a),
    /// The simulated time reached.
    now: Time,
    steps: u32,
    stopped: Option<Stopped>,
}

/// The number of steps between looks: fewer than take some milliseconds.
const STEPS: u32 = 256;

impl<'a> Watch<'a> {
    /// Returns a watch. It calls `stop` every few milliseconds with the simulated time reached; `stop` returns a reason
    /// if the run should end before its time.
    pub fn new(limits: Limits, stop: &'a mut (dyn FnMut(Time) -> Option<String> + 'a)) -> Self {
        Watch { limits, stop, now: Time::ZERO, steps: 0, stopped: None }
    }

    /// Calls `work` with a watch that stops nothing.
    pub fn without_limits<T>(work: impl FnOnce(&mut Watch<'_>) -> T) -> T {
        work(&mut Watch::new(Limits::default(), &mut |_| None))
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns why the watch has stopped the run, if it has.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.stopped.as_ref()
    }

    /// Notes a step of a long phase with many steps: a flow, a link, a row. Looks now and then whether to go on.
    #[inline]
    pub fn step(&mut self) -> Result<(), Stopped> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(STEPS) { self.look() } else { Ok(()) }
    }

    /// Asks whether to go on.
    pub fn look(&mut self) -> Result<(), Stopped> {
        match (self.stop)(self.now) {
            Some(why) => self.end(why),
            None => Ok(()),
        }
    }

    /// Notes that the run has come to `now`.
    pub fn reach(&mut self, now: Time) {
        self.now = now;
    }

    /// Ends the loop if `events` events reach the limit.
    pub fn check_events(&mut self, events: u64) -> Result<(), Stopped> {
        match self.limits.events.filter(|most| events >= *most) {
            Some(most) => self.end(format!("limit of {most} events reached")),
            None => Ok(()),
        }
    }

    /// Ends the loop if the bytes that are held, or are about to be taken, reach the limit.
    pub fn check_memory(&mut self, bytes: u64) -> Result<(), Stopped> {
        match self.limits.memory_bytes.filter(|most| bytes >= *most) {
            Some(most) => self.end(format!("memory limit of {most} bytes reached")),
            None => Ok(()),
        }
    }

    fn end(&mut self, why: String) -> Result<(), Stopped> {
        let stopped = Stopped(why);
        self.stopped = Some(stopped.clone());
        Err(stopped)
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("limits", &self.limits).field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

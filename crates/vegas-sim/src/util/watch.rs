//! Limits of a run, and the watch: long phases ask it now and then whether to go on, and whether there is memory for
//! the next step.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

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

/// Returns a reason if a run should end before its time. It is given the simulated time reached.
pub type Stop = Arc<dyn Fn(Time) -> Option<String> + Send + Sync>;

/// What holds in the middle of an event, which may send very many segments.
#[derive(Clone, Default)]
pub(crate) struct Midway {
    memory_bytes: Option<u64>,
    stop: Option<Stop>,
}

impl Midway {
    pub(crate) fn of_memory(memory_bytes: u64) -> Self {
        Midway { memory_bytes: Some(memory_bytes), stop: None }
    }

    /// Ends the run if it holds, or is about to take, `memory_bytes` above the limit, or is asked to stop: unwinds to
    /// the caller that advances the simulation.
    pub(crate) fn look(&self, now: Time, memory_bytes: impl FnOnce() -> u64) {
        let over = self.memory_bytes.filter(|most| memory_bytes() >= *most).map(memory_limit_reached);
        let asked = || self.stop.as_ref().and_then(|stop| stop(now));
        if let Some(why) = over.or_else(asked) {
            Stopped(why).end_event();
        }
    }
}

impl fmt::Debug for Midway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Midway").field("memory_bytes", &self.memory_bytes).finish_non_exhaustive()
    }
}

impl Stopped {
    /// Ends the event in progress, and the run, for this reason.
    pub(crate) fn end_event(self) -> ! {
        resume_unwind(Box::new(self))
    }
}

fn memory_limit_reached(most: u64) -> String {
    format!("memory limit of {most} bytes reached")
}

/// Ends a run that reaches a limit or is asked to stop, in each phase from the reading of its scenario to its results.
pub struct Watch<'a> {
    limits: Limits,
    stop: Asked<'a>,
    /// The simulated time reached.
    now: Time,
    steps: u32,
    stopped: Option<Stopped>,
}

enum Asked<'a> {
    Between(&'a mut (dyn FnMut(Time) -> Option<String> + 'a)),
    Within(Stop),
}

/// The number of steps between looks: fewer than take some milliseconds.
const STEPS: u32 = 256;

impl<'a> Watch<'a> {
    /// Returns a watch. It calls `stop` every few milliseconds with the simulated time reached; `stop` returns a reason
    /// if the run should end before its time.
    pub fn new(limits: Limits, stop: &'a mut (dyn FnMut(Time) -> Option<String> + 'a)) -> Self {
        Watch { limits, stop: Asked::Between(stop), now: Time::ZERO, steps: 0, stopped: None }
    }

    /// Returns a watch that asks `stop` in the middle of long events, too.
    pub fn within_events(limits: Limits, stop: Stop) -> Watch<'static> {
        Watch { limits, stop: Asked::Within(stop), now: Time::ZERO, steps: 0, stopped: None }
    }

    /// Returns what holds in the middle of an event.
    pub(crate) fn midway(&self) -> Midway {
        let stop = match &self.stop {
            Asked::Between(_) => None,
            Asked::Within(stop) => Some(Arc::clone(stop)),
        };
        Midway { memory_bytes: self.limits.memory_bytes, stop }
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
        let why = match &mut self.stop {
            Asked::Between(stop) => stop(self.now),
            Asked::Within(stop) => stop(self.now),
        };
        why.map_or(Ok(()), |why| Err(self.end(Stopped(why))))
    }

    /// Notes that the run has come to `now`.
    pub fn reach(&mut self, now: Time) {
        self.now = now;
    }

    /// Ends the loop if `events` events reach the limit.
    pub fn check_events(&mut self, events: u64) -> Result<(), Stopped> {
        match self.limits.events.filter(|most| events >= *most) {
            Some(most) => Err(self.end(Stopped(format!("limit of {most} events reached")))),
            None => Ok(()),
        }
    }

    /// Ends the loop if the bytes that are held, or are about to be taken, reach the limit.
    pub fn check_memory(&mut self, bytes: u64) -> Result<(), Stopped> {
        match self.limits.memory_bytes.filter(|most| bytes >= *most) {
            Some(most) => Err(self.end(Stopped(memory_limit_reached(most)))),
            None => Ok(()),
        }
    }

    /// Notes why the run ends.
    pub(crate) fn end(&mut self, stopped: Stopped) -> Stopped {
        self.stopped = Some(stopped.clone());
        stopped
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("limits", &self.limits).field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

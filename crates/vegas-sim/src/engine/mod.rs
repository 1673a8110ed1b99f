//! The engine: one event after another, in the order of (time, component), until the scenario's end.

mod background;
mod carried;
mod carrier;
mod components;
mod event_loop;
mod external;
mod external_flows;
mod hosts;
mod memory;
mod segments;

pub use carried::{Carried, Delivery, Direction};
pub use carrier::Carrier;
use event_loop::EventLoop;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use vegas_core::units::Time;

use crate::endpoint::external::Stack;
use crate::measure::outcome::{FlowSeries, LinkSeries, Outcome};
use crate::network::{Fast, Reference};
use crate::scenario::{Failure, Scenario};
use crate::util::watch::{Midway, Stopped, Watch};

/// The number of events between two checks of the limits: some milliseconds of work. As many segments that leave in
/// bursts lie between two checks, too.
const SLICE_EVENTS: u64 = 20_000;

/// The implementation of the network. Both give the same results; they differ in the number of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Computes the positions of packets ahead of time, as far as it can.
    #[default]
    Fast,
    /// An event for each packet and link: slow, and simple enough to be read beside the documentation.
    Reference,
}

impl Engine {
    /// All engines.
    pub const ALL: [Engine; 2] = [Engine::Fast, Engine::Reference];

    /// Returns the name: `fast`, `reference`.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Fast => "fast",
            Engine::Reference => "reference",
        }
    }
}

/// A run in progress.
#[derive(Debug)]
pub struct Simulation(Kind);

#[derive(Debug)]
enum Kind {
    Fast(Box<EventLoop<Fast>>),
    Reference(Box<EventLoop<Reference>>),
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The simulated time reached.
    pub now: Time,
    /// Whether the scenario's end is reached.
    pub finished: bool,
}

/// Runs a scenario of TCP flows to its end.
pub fn run(scenario: &Scenario) -> Outcome {
    let mut simulation = Simulation::new(scenario);
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish()
}

/// Runs a scenario to its end, unless the watch stops it or the user's own algorithm fails.
pub fn run_within(
    engine: Engine,
    scenario: &Scenario,
    stack: Option<&dyn Stack>,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Stopped> {
    let ran = catch_unwind(AssertUnwindSafe(|| run_to_end(engine, scenario, stack, watch)));
    ran.unwrap_or_else(|panic| match panic.downcast::<Failure>() {
        Ok(failure) => Err(Stopped(failure.0)),
        Err(panic) => Err(watch.end(stopped_midway(panic))),
    })
}

/// Returns why a run ended in the middle of an event.
fn stopped_midway(panic: Box<dyn Any + Send>) -> Stopped {
    panic.downcast::<Stopped>().map_or_else(|panic| resume_unwind(panic), |stopped| *stopped)
}

fn run_to_end(
    engine: Engine,
    scenario: &Scenario,
    stack: Option<&dyn Stack>,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Stopped> {
    let mut simulation = Simulation::watched(engine, scenario, stack, watch)?;
    watch.check_memory(simulation.memory_to_end_bytes())?;
    simulation.hold(watch.midway());
    let mut looks_at_memory_from = 0;
    loop {
        let events_left = watch.limits().events.map_or(SLICE_EVENTS, |most| most - simulation.events());
        let reached = simulation.advance(events_left.min(SLICE_EVENTS));
        watch.reach(reached.now);
        if reached.finished {
            break;
        }
        watch.check_events(simulation.events())?;
        if simulation.events() >= looks_at_memory_from {
            watch.check_memory(simulation.memory_to_end_bytes())?;
            looks_at_memory_from = simulation.events() + simulation.events_between_looks();
        }
        watch.look()?;
    }
    watch.check_memory(simulation.memory_to_end_bytes())?;
    watch.look()?;
    Ok(simulation.finish())
}

/// Makes a call on the event loop of either kind.
macro_rules! either {
    ($simulation:expr, $event_loop:ident => $call:expr) => {
        match $simulation {
            Kind::Fast($event_loop) => $call,
            Kind::Reference($event_loop) => $call,
        }
    };
}

impl Simulation {
    /// Sets up a run of TCP flows, at time 0. Panics if a flow is not TCP.
    pub fn new(scenario: &Scenario) -> Self {
        Simulation::with_stack(scenario, None)
    }

    /// Sets up a run; `stack` makes the ends of the flows that are not TCP. Panics if there is such a flow and no
    /// stack.
    pub fn with_stack(scenario: &Scenario, stack: Option<&dyn Stack>) -> Self {
        Simulation::with_engine(Engine::Fast, scenario, stack)
    }

    /// Sets up a run on `engine`; see [`Simulation::with_stack`].
    pub fn with_engine(engine: Engine, scenario: &Scenario, stack: Option<&dyn Stack>) -> Self {
        Watch::without_limits(|watch| Simulation::watched(engine, scenario, stack, watch)).expect("nothing stops it")
    }

    /// Sets up a run, unless the watch stops it.
    pub fn watched(
        engine: Engine,
        scenario: &Scenario,
        stack: Option<&dyn Stack>,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Stopped> {
        Ok(Simulation(match engine {
            Engine::Fast => Kind::Fast(Box::new(EventLoop::new(scenario, stack, true, watch)?)),
            Engine::Reference => Kind::Reference(Box::new(EventLoop::new(scenario, stack, true, watch)?)),
        }))
    }

    /// Handles at most `events` events. Callers that must stay responsive call it in slices.
    pub fn advance(&mut self, events: u64) -> Progress {
        either!(&mut self.0, event_loop => event_loop.advance(events))
    }

    /// Handles at most `events` events, unless the run would hold more than `memory_bytes`: then it ends, in the middle
    /// of an event if need be, and only [`Simulation::now`] still means something.
    pub fn advance_within(&mut self, events: u64, memory_bytes: u64) -> Result<Progress, Stopped> {
        self.hold(Midway::of_memory(memory_bytes));
        catch_unwind(AssertUnwindSafe(|| self.advance(events))).map_err(stopped_midway)
    }

    /// Makes these limits hold in the middle of events.
    fn hold(&mut self, midway: Midway) {
        either!(&mut self.0, event_loop => event_loop.checks.midway = midway);
    }

    /// Returns the rows of flows and of links up to now. If there is a row at every change, those of links are in order
    /// only at the end.
    pub fn series(&self) -> (&FlowSeries, &LinkSeries) {
        either!(&self.0, event_loop => event_loop.series())
    }

    /// Returns the simulated time reached.
    pub fn now(&self) -> Time {
        either!(&self.0, event_loop => event_loop.now)
    }

    /// Returns the number of events handled.
    pub fn events(&self) -> u64 {
        either!(&self.0, event_loop => event_loop.events())
    }

    /// Ends the run, which has come to its end, and returns what it measured.
    ///
    /// # Panics
    /// Panics if the run has not come to its end: what it knows ahead of time cannot be taken back.
    pub fn finish(self) -> Outcome {
        either!(self.0, event_loop => event_loop.finish())
    }

    /// Returns about how much memory the run holds, bytes.
    pub fn memory_bytes(&self) -> u64 {
        either!(&self.0, event_loop => event_loop.memory_bytes())
    }

    /// Returns about how much memory the run holds with what it is about to take, or at the end if that is more: the
    /// rows still to come and the results, bytes.
    fn memory_to_end_bytes(&self) -> u64 {
        either!(&self.0, event_loop => event_loop.memory_to_end_bytes())
    }

    /// Returns the number of events that may pass between checks of the memory: a check takes as long as there are
    /// flows and links.
    fn events_between_looks(&self) -> u64 {
        either!(&self.0, event_loop => event_loop.events_between_looks())
    }
}

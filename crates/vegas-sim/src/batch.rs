//! One run of many: a failure in it does not affect the others.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arrow_array::RecordBatch;
use serde_json::{Map, Value};
use vegas_core::units::Time;

use crate::endpoint::external::Stack;
use crate::engine::{Engine, Simulation};
use crate::measure::outcome::Outcome;
use crate::results::Rows;
use crate::scenario::{Failure, Scenario, Template};
pub use crate::util::watch::Limits;
use crate::util::watch::{Stopped, Watch};

/// The number of events between two checks of the limits: some milliseconds of work.
const SLICE_EVENTS: u64 = 20_000;

/// Runs a template with some values replaced; returns the totals as one row of `rows`, or one line with the reason for
/// the failure: a bad value, a limit, a panic.
///
/// `stack` has the ends of flows that are not TCP. The run calls `stop` every few milliseconds; a reason from it ends
/// the run early. The run omits captures, and the time series that `rows` do not contain: no total depends on them.
pub fn run_row(
    template: &Template,
    replaced: &Map<String, Value>,
    seed: u64,
    limits: Limits,
    rows: &Rows,
    stack: Option<&dyn Stack>,
    mut stop: impl FnMut() -> Option<String>,
) -> Result<RecordBatch, String> {
    let mut stop = |_: Time| stop();
    guarded(|| {
        let watch = &mut Watch::new(limits, &mut stop);
        let read = template.read(replaced, seed, watch);
        let mut scenario =
            read.map_err(|error| watch.stopped().map_or_else(|| error.to_string(), Stopped::to_string))?;
        rows.restrict(&mut scenario).map_err(|error| error.to_string())?;
        watch
            .check_memory(scenario.memory_bytes() + rows.memory_bytes(&scenario))
            .map_err(|stopped| stopped.to_string())?;
        let outcome = run_within(Engine::Fast, &scenario, stack, watch).map_err(|stopped| stopped.to_string())?;
        rows.row(&scenario, &outcome, watch).map_err(|error| error.to_string())
    })
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
        Err(panic) => resume_unwind(panic),
    })
}

fn run_to_end(
    engine: Engine,
    scenario: &Scenario,
    stack: Option<&dyn Stack>,
    watch: &mut Watch<'_>,
) -> Result<Outcome, Stopped> {
    let mut simulation = Simulation::watched(engine, scenario, stack, watch)?;
    watch.check_memory(simulation.memory_to_end_bytes())?;
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

/// Runs `work`; turns a panic into an error with its message.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let line = text.unwrap_or_default().replace('\n', " ");
        Err(format!("a fault of the simulator, please report it: {line}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_the_failure_of_its_run() {
        let nothing = 0_usize;
        let failed: Result<(), String> = guarded(|| panic!("index {nothing}\nout of range"));
        assert_eq!(failed, Err("a fault of the simulator, please report it: index 0 out of range".into()));
    }
}

//! One of many runs: whatever goes wrong in it stays its own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use serde_json::{Map, Value};

use crate::engine::Simulation;
use crate::foreign::Stack;
use crate::outcome::Outcome;
use crate::results::Rows;
use crate::scenario::{Scenario, Template};

/// Events between looks at the limits: some milliseconds' worth.
const SLICE_EVENTS: u64 = 20_000;

/// How far a run may go; the same run ends at the same event on every machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Most events that the engine handles.
    pub events: Option<u64>,
    /// Most memory that the run holds, bytes, as [`Simulation::memory_bytes`] counts.
    pub memory_bytes: Option<u64>,
}

/// Runs a template with some values replaced; gives the totals as one row of `rows`, or one line that says why there is
/// none: a bad value, a limit, a panic.
///
/// `stack` has the ends of flows that are not TCP. `stop` is asked every few milliseconds whether the run should end
/// before its time, and why. Captures that the scenario asks for are not kept, nor time series that `rows` are without:
/// no total depends on them.
pub fn run_row(
    template: &Template,
    replaced: &Map<String, Value>,
    seed: u64,
    limits: Limits,
    rows: &Rows,
    stack: Option<&dyn Stack>,
    stop: impl FnMut() -> Option<String>,
) -> Result<RecordBatch, String> {
    guarded(|| {
        let mut scenario = template.scenario(replaced, seed).map_err(|error| error.to_string())?;
        rows.restrict(&mut scenario).map_err(|error| error.to_string())?;
        let outcome = simulate(&scenario, limits, stack, stop)?;
        rows.row(&scenario, &outcome).map_err(|error| error.to_string())
    })
}

fn simulate(
    scenario: &Scenario,
    limits: Limits,
    stack: Option<&dyn Stack>,
    mut stop: impl FnMut() -> Option<String>,
) -> Result<Outcome, String> {
    let mut simulation = Simulation::with_stack(scenario, stack);
    loop {
        let events_left = limits.events.map_or(SLICE_EVENTS, |most| most - simulation.events());
        if simulation.advance(events_left.min(SLICE_EVENTS)).finished {
            break;
        }
        if let Some(why) = over(&simulation, limits).or_else(&mut stop) {
            return Err(why);
        }
    }
    Ok(simulation.finish())
}

fn over(simulation: &Simulation, limits: Limits) -> Option<String> {
    let reached = |most: Option<u64>, is: u64| most.filter(|most| is >= *most);
    if let Some(most) = reached(limits.events, simulation.events()) {
        return Some(format!("limit of {most} events reached"));
    }
    reached(limits.memory_bytes, simulation.memory_bytes()).map(|most| format!("memory limit of {most} bytes reached"))
}

/// Runs `work`; a panic becomes its message.
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

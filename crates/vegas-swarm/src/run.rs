//! Runs bounded by events, so that no network takes long and each verdict is equal on every machine.

use serde_json::Value;
use vegas_quic_sim::Quic;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{Scenario, ScenarioError};
use vegas_sim::{Engine, Limits, Simulation, Watch};

use crate::document::quantity;

/// The number of events between looks at the memory held.
const SLICE_EVENTS: u64 = 2_000;
/// The most memory that a run may hold.
const MEMORY_MAX_BYTES: u64 = 256 << 20;
/// The part of a run's duration that is tried where the whole has no room.
const SHORTER: u64 = 16;
/// The number of runs of a scenario, each shorter than the one before, after which it counts as too long.
const ATTEMPTS: usize = 8;

/// The end of a bounded run.
#[derive(Debug)]
pub enum Run {
    /// The run came to the scenario's end.
    Done(Box<Outcome>),
    /// The run came to the bound, at this time, ns.
    Over(u64),
}

/// A scenario that came to its end.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The document as given; shortened if its run took too long.
    pub document: Value,
    /// The file beside which files that the document names are looked for.
    pub source: &'a str,
    /// The scenario that was read from the document.
    pub scenario: Scenario,
    /// The outcome of the run.
    pub outcome: Outcome,
}

/// Runs a scenario for at most `events` events.
pub fn bounded(scenario: &Scenario, events: u64) -> Run {
    bounded_on(Engine::Fast, scenario, events)
}

/// Runs a scenario as [`bounded`], on this engine.
pub fn bounded_on(engine: Engine, scenario: &Scenario, events: u64) -> Run {
    let limits = Limits { memory_bytes: Some(MEMORY_MAX_BYTES), ..Limits::default() };
    let mut never = |_| None;
    let mut watch = Watch::new(limits, &mut never);
    let Ok(mut simulation) = Simulation::watched(engine, scenario, Some(&Quic), &mut watch) else {
        // its rows alone take too much: a much shorter run has room for them
        return Run::Over(scenario.duration.as_nanos() / SHORTER);
    };
    loop {
        let slice = SLICE_EVENTS.min(events + 1 - simulation.events().min(events));
        let Ok(progress) = simulation.advance_within(slice, MEMORY_MAX_BYTES) else {
            return Run::Over(simulation.now().as_nanos());
        };
        if progress.finished {
            return Run::Done(Box::new(simulation.finish()));
        }
        if simulation.events() > events || simulation.memory_bytes() > MEMORY_MAX_BYTES {
            return Run::Over(progress.now.as_nanos());
        }
    }
}

/// Runs a document, shortened until its run takes at most `events` events; none if it takes more however short it is.
pub fn fitted(mut document: Value, source: &str, events: u64) -> Result<Option<Case<'_>>, ScenarioError> {
    for _ in 0..ATTEMPTS {
        let scenario = Scenario::from_json(&document.to_string(), source, &[])?;
        match bounded(&scenario, events) {
            Run::Done(outcome) => return Ok(Some(Case { document, source, scenario, outcome: *outcome })),
            Run::Over(0..4) => break,
            // somewhat before the time reached, as what is done ahead of time counts too
            Run::Over(reached_ns) => shorten(&mut document, reached_ns - reached_ns / 4),
        }
    }
    Ok(None)
}

/// Ends the scenario at this time, made an even number of ns, and leaves out what would begin later.
fn shorten(document: &mut Value, duration_ns: u64) {
    let duration_ns = duration_ns & !1;
    document["duration"] = format!("{duration_ns}ns").into();
    for (list, key) in [("flow", "start"), ("traffic", "start"), ("change", "at")] {
        if let Some(tables) = document.get_mut(list).and_then(Value::as_array_mut) {
            let begins = |table: &Value| quantity::nanos(&table[key]).is_none_or(|time| time < duration_ns);
            match list {
                // flows stay, as the changes name flows by number
                "flow" => {
                    tables.iter_mut().filter(|table| !begins(table)).for_each(|table| table[key] = "0s".into());
                    tables.iter_mut().for_each(stop_after_start);
                }
                _ => tables.retain(begins),
            }
        }
    }
}

fn stop_after_start(flow: &mut Value) {
    if flow.get("stop").is_some_and(|stop| quantity::nanos(stop) == Some(0)) {
        flow["stop"] = "1ns".into();
    }
}

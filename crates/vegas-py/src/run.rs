//! Runs: the engine's loop with the interpreter released, signals looked at between slices.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use vegas_quic_sim::Quic;
use vegas_sim::Simulation;

use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// Wall time between looks at signals, and between calls of `progress`.
const SLICE: Duration = Duration::from_millis(50);
/// Events between looks at the clock: some milliseconds' worth.
const BATCH_EVENTS: u64 = 20_000;

/// Runs a scenario to its end, or until a signal handler raises (Ctrl-C: `KeyboardInterrupt`).
/// `progress`, if given, is called about 20 times a second with the simulated time reached, in s.
#[pyfunction]
#[pyo3(signature = (scenario, progress=None))]
pub(crate) fn run(py: Python<'_>, scenario: &Scenario, progress: Option<Bound<'_, PyAny>>) -> PyResult<Outcome> {
    let scenario = Arc::clone(&scenario.inner);
    let started = now();
    let mut simulation = py.detach(|| Simulation::with_stack(&scenario, Some(&Quic)));
    loop {
        let reached = py.detach(|| advance_one_slice(&mut simulation));
        py.check_signals()?;
        if reached.finished {
            break;
        }
        if let Some(progress) = &progress {
            progress.call1((reached.now.as_nanos() as f64 / 1e9,))?;
        }
    }
    let outcome = py.detach(|| simulation.finish());
    Ok(Outcome::new(scenario, outcome, started.elapsed().as_secs_f64()))
}

fn advance_one_slice(simulation: &mut Simulation) -> vegas_sim::Progress {
    let slice_started = now();
    loop {
        let reached = simulation.advance(BATCH_EVENTS);
        if reached.finished || slice_started.elapsed() >= SLICE {
            return reached;
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "paces signal checks and gives wall_s; the simulation never sees it")]
fn now() -> Instant {
    Instant::now()
}

//! Runs: the engine's loop with the interpreter released.

use std::sync::Arc;
use std::time::Instant;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use vegas_quic_sim::Quic;
use vegas_sim::{Engine, Limits, Watch, outcome, run_within};

use crate::attended::{LimitError, Stopped, attended};
use crate::own::{AlgorithmError, known_to_python};
use crate::results::outcome::Outcome;
use crate::scenario::Scenario;

/// Runs a scenario to its end, or until a signal handler raises (Ctrl-C: `KeyboardInterrupt`). `progress`, if given, is
/// called about 20 times a second with the simulated time reached, in s. Raises `LimitError` before the run and its
/// results would hold more than `memory_bytes`, `AlgorithmError` where a user's algorithm fails, and `ValueError` for
/// an `engine` that is neither "fast" nor "reference".
#[pyfunction]
#[pyo3(signature = (scenario, progress=None, memory_bytes=None, engine="fast"))]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    progress: Option<Bound<'_, PyAny>>,
    memory_bytes: Option<u64>,
    engine: &str,
) -> PyResult<Outcome> {
    let engine = Engine::ALL
        .into_iter()
        .find(|one| one.name() == engine)
        .ok_or_else(|| PyValueError::new_err(format!("engine: {engine:?} was given; \"fast\" or \"reference\"")))?;
    let started = now();
    let limits = Limits { memory_bytes, ..Limits::default() };
    let run = {
        let scenario = Arc::clone(&scenario.inner);
        let calls_python = scenario.own().next().is_some();
        attended(
            py,
            // an ending interpreter must not be called any more
            if calls_python { Stopped::WaitedFor } else { Stopped::LeftBehind },
            move |ties| {
                let simulate = || ties.watched(limits, |watch| simulated(engine, &scenario, watch));
                if calls_python { known_to_python(simulate) } else { simulate() }
            },
            |ties| match &progress {
                Some(progress) => progress.call1((ties.reached_s(),)).map(drop),
                None => Ok(()),
            },
        )?
    };
    let outcome = run?;
    Ok(Outcome::new(Arc::clone(&scenario.inner), outcome, started.elapsed().as_secs_f64()))
}

/// Returns the run's result, or the error of a limit or of a user's algorithm that ended it early.
fn simulated(
    engine: Engine,
    scenario: &vegas_sim::scenario::Scenario,
    watch: &mut Watch<'_>,
) -> PyResult<outcome::Outcome> {
    run_within(engine, scenario, Some(&Quic), watch).map_err(|stopped| match watch.stopped() {
        Some(_) => LimitError::new_err(stopped.to_string()),
        None => AlgorithmError::new_err(stopped.to_string()),
    })
}

#[allow(clippy::disallowed_methods, reason = "gives wall_s; the simulation never sees it")]
fn now() -> Instant {
    Instant::now()
}

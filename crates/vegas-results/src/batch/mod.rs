//! One run of many: a failure in it does not affect the others.

mod finished;
mod row;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use serde_json::{Map, Value};
use vegas_sim::external::Stack;
use vegas_sim::scenario::Template;
use vegas_sim::{Engine, Limits, Stopped, Watch, run_within};

pub use finished::Finished;
pub use row::{Rows, figure_columns};

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
    stop: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> Result<RecordBatch, String> {
    guarded(|| {
        let watch = &mut Watch::within_events(limits, Arc::new(move |_| stop()));
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

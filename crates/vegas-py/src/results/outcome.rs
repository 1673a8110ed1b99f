//! The result of a run, held on the Rust side; Python reads the tables without a copy.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use vegas_results::{Tables, WriteOptions};
use vegas_sim::scenario;
use vegas_sim::{Limits, Watch};

use crate::attended::{Stopped, Ties, attended, attended_quietly};

use crate::results::place::to_python;
use crate::results::table::Table;
use crate::scenario::Scenario;

/// The result of a run. Made by `run`.
#[pyclass(frozen, module = "vegaslab._vegaslab")]
pub(crate) struct Outcome {
    run: Arc<Run>,
    /// The tables, built when first asked for: `--json` never needs them.
    tables: OnceLock<Tables>,
}

/// A finished run.
struct Run {
    scenario: Arc<scenario::Scenario>,
    outcome: vegas_sim::outcome::Outcome,
    wall_s: f64,
}

impl Outcome {
    pub(crate) fn new(scenario: Arc<scenario::Scenario>, outcome: vegas_sim::outcome::Outcome, wall_s: f64) -> Self {
        Self { run: Arc::new(Run { scenario, outcome, wall_s }), tables: OnceLock::new() }
    }

    fn tables(&self, py: Python<'_>) -> PyResult<&Tables> {
        if let Some(tables) = self.tables.get() {
            return Ok(tables);
        }
        let run = Arc::clone(&self.run);
        let built = attended_quietly(py, move |_| vegas_results::tables(&run.scenario, &run.outcome))?;
        let built = built.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(self.tables.get_or_init(|| built))
    }
}

#[pymethods]
impl Outcome {
    /// Returns the run as bytes for [`unpack`]; None if it has captured packets.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let run = Arc::clone(&self.run);
        let packed = attended_quietly(py, move |_| vegas_results::pack(&run.outcome, run.wall_s))?;
        Ok(packed.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// The summary, as JSON text.
    fn summary_json(&self, py: Python<'_>) -> PyResult<String> {
        let run = Arc::clone(&self.run);
        let summary = attended_quietly(py, move |_| {
            serde_json::to_string(&vegas_results::Summary::new(&run.scenario, &run.outcome, run.wall_s))
        })?;
        summary.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The flows' totals, a row for each flow.
    #[getter]
    fn flows(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table::new(self.tables(py)?.flows.clone()))
    }

    /// The links' totals, a row for each one-way link.
    #[getter]
    fn links(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table::new(self.tables(py)?.links.clone()))
    }

    /// The totals of background traffic, a row for each source.
    #[getter]
    fn traffic(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table::new(self.tables(py)?.traffic.clone()))
    }

    /// The flows' time series.
    #[getter]
    fn flow_series(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table::new(self.tables(py)?.flow_series.clone()))
    }

    /// The links' time series.
    #[getter]
    fn link_series(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table::new(self.tables(py)?.link_series.clone()))
    }

    /// Drops, retransmissions, timeouts and exits from slow start, in order of time.
    #[getter]
    fn incidents(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table::new(self.tables(py)?.incidents.clone()))
    }

    /// The frames of flows that send media.
    #[getter]
    fn media(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(Table::new(self.tables(py)?.media.clone()))
    }

    /// Writes manifest and tables into the folder `dir`: all of it or nothing. Raises `FolderError` and `OSError`.
    #[pyo3(signature = (dir, csv=false, pcapng=false))]
    fn write(&self, py: Python<'_>, dir: PathBuf, csv: bool, pcapng: bool) -> PyResult<()> {
        let (run, options) = (Arc::clone(&self.run), WriteOptions { csv, pcapng });
        let write = move |watch: &mut Watch<'_>| {
            vegas_results::write_folder_watched(&dir, &run.scenario, &run.outcome, run.wall_s, options, watch)
        };
        let work = move |ties: &Ties| ties.watched(Limits::default(), write);
        attended(py, Stopped::WaitedFor, work, |_| Ok(()))?.map_err(to_python)
    }
}

/// Returns the run of a scenario that was packed. Raises `ValueError` for bytes that hold none.
#[pyfunction]
pub(crate) fn unpack(py: Python<'_>, scenario: &Scenario, packed: Vec<u8>) -> PyResult<Outcome> {
    let unpacked = attended_quietly(py, move |_| vegas_results::unpack(&packed))?;
    let (outcome, wall_s) = unpacked.ok_or_else(|| PyValueError::new_err("packed: holds no run"))?;
    Ok(Outcome::new(Arc::clone(&scenario.inner), outcome, wall_s))
}
